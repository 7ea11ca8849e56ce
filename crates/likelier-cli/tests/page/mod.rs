//! The built program serving its page, and a plain HTTP client that can also misbehave.

#![allow(dead_code, reason = "not every test uses all of it")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A running page. It is killed when it is dropped.
pub(crate) struct Page {
    child: Child,
    pub(crate) port: u16,
    /// Names and tokens, the owner first.
    pub(crate) people: Vec<(String, String)>,
    pub(crate) printed: String,
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Page {
    /// Starts a command that opens the page.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (mut printed, mut people) = (String::new(), Vec::new());
        loop {
            let mut line = String::new();
            if out.read_line(&mut line).unwrap() == 0 {
                let mut said = String::new();
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                panic!("the page did not start: {printed}{said}");
            }
            printed.push_str(&line);
            if line.starts_with("Ctrl-C stops") {
                break;
            }
            if let Some((before, token)) = line.trim_end().split_once("/#") {
                let name = before.split("http://").next().unwrap().trim();
                people.push((if name.is_empty() { "owner" } else { name }.to_owned(), token.to_owned()));
            }
        }
        let port = printed.split("http://").nth(1).unwrap();
        let port = port.split('/').next().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        Self { child, port, people, printed }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn token(&self, name: &str) -> &str {
        &self.people.iter().find(|(known, _)| known == name).unwrap().1
    }

    pub(crate) fn client(&self, name: &str) -> Client {
        Client::new(self.port, self.token(name))
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop as Ctrl-C does, and gives what it said on standard error.
    pub(crate) fn interrupt(self) -> String {
        self.stop("-INT")
    }

    /// Asks it to stop by a signal, and gives what it said on standard error.
    pub(crate) fn stop(mut self, signal: &str) -> String {
        let sent = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success(), "{said}");
        said
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One person's connection.
pub(crate) struct Client {
    port: u16,
    token: String,
    stream: Option<BufReader<TcpStream>>,
    keys: u64,
}

impl Client {
    pub(crate) fn new(port: u16, token: &str) -> Self {
        Self { port, token: token.to_owned(), stream: None, keys: 0 }
    }

    /// A key that nobody has used, with a mark of its own.
    pub(crate) fn key(&mut self, mark: &str) -> String {
        self.keys += 1;
        format!("{mark}-{}-{:08}", &self.token[..12], self.keys)
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.ask("GET", path, None).unwrap()
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Reply {
        self.ask("POST", path, Some(body)).unwrap()
    }

    /// The pairs in hand.
    pub(crate) fn hand(&mut self) -> Value {
        let reply = self.get("/api/start");
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// Answers the first pair in hand, and gives the new hand.
    pub(crate) fn answer(&mut self, hand: &Value, choice: &str) -> Value {
        let key = self.key("key");
        let body = json!({ "key": key, "pair": hand["pairs"][0]["pair"], "choice": choice, "took": 900 });
        let reply = self.post("/api/answer", &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// A request on the connection that is open, or on a new one.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<Reply> {
        let text = body.map(ToString::to_string).unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{text}",
            self.port,
            self.token,
            text.len()
        );
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connect(self.port)?),
        };
        stream.get_mut().write_all(request.as_bytes())?;
        let reply = read(&mut stream)?;
        self.stream = Some(stream);
        Ok(reply)
    }
}

pub(crate) fn connect(port: u16) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends bytes as they are, and reads one reply.
pub(crate) fn raw(port: u16, bytes: &[u8]) -> std::io::Result<Reply> {
    let mut stream = BufReader::new(connect(port)?);
    // The server may refuse before it has read everything.
    let _ = stream.get_mut().write_all(bytes);
    read(&mut stream)
}

pub(crate) fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Reply> {
    let gone = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Err(gone());
        }
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(gone)?;
    let lower = head.to_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    Ok(Reply { status, head, body })
}
