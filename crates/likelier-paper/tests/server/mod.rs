//! A small web server on the loopback, which can be as unreliable as a test wants.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What a client asked for, and what it got.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// The byte from which it wants the file.
    pub(crate) from: Option<usize>,
    pub(crate) if_range: Option<String>,
    /// Bytes of the body that were sent.
    pub(crate) sent: usize,
}

/// What the server does with a request.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "there are many ways to go wrong")]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) etag: Option<&'static str>,
    /// Whether it can send a part of a file.
    pub(crate) ranges: bool,
    /// Whether it sends a part only of the file that the client has the start of.
    pub(crate) heeds_if_range: bool,
    /// Whether it says how long the body is.
    pub(crate) says_length: bool,
    /// Stop after so many bytes of the body…
    pub(crate) stop_after: usize,
    /// …and then hold the connection open instead of closing it.
    pub(crate) then_hang: bool,
}

impl Reply {
    /// A whole file from a server that does everything right.
    pub(crate) fn file(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            body: body.into(),
            etag: Some("\"one\""),
            ranges: true,
            heeds_if_range: true,
            says_length: true,
            stop_after: usize::MAX,
            then_hang: false,
        }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self { status, ..Self::file("no") }
    }
}

pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each request as `answer` says; it is told how often the path was asked for before.
    pub(crate) fn start(answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&requests), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &log, answer.as_ref()));
            }
        });
        Self { address, requests }
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The requests for a path that ends like this.
    pub(crate) fn requests_for(&self, end: &str) -> Vec<Request> {
        self.requests()
            .into_iter()
            .filter(|request| request.path.ends_with(end))
            .collect()
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<Request>>, answer: &dyn Fn(&Request, usize) -> Reply) {
    let Some(request) = read_request(&stream) else { return };
    let (at, before) = {
        let mut log = log.lock().unwrap();
        let before = log.iter().filter(|earlier| earlier.path == request.path).count();
        log.push(request.clone());
        (log.len() - 1, before)
    };
    let reply = answer(&request, before);
    let is_same = request.if_range.is_none() || request.if_range.as_deref() == reply.etag;
    let from = request
        .from
        .filter(|_| reply.status == 200 && reply.ranges && (is_same || !reply.heeds_if_range));
    let total = reply.body.len();
    let body = &reply.body[from.unwrap_or(0).min(total)..];
    let mut head = match from {
        Some(from) => format!("HTTP/1.1 206 Some\r\nContent-Range: bytes {from}-{}/{total}\r\n", total - 1),
        None => format!("HTTP/1.1 {} Word\r\n", reply.status),
    };
    if let Some(etag) = reply.etag {
        let _ = write!(head, "ETag: {etag}\r\n");
    }
    if reply.says_length {
        let _ = write!(head, "Content-Length: {}\r\n", body.len());
    }
    head += "Connection: close\r\n\r\n";
    let mut stream = stream;
    if stream.write_all(head.as_bytes()).is_err() {
        return;
    }
    for piece in body[..body.len().min(reply.stop_after)].chunks(1 << 14) {
        if stream.write_all(piece).is_err() {
            return;
        }
        log.lock().unwrap()[at].sent += piece.len();
    }
    if reply.then_hang {
        thread::sleep(Duration::from_secs(60));
    }
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut request = Request::default();
    for line in BufReader::new(stream).lines() {
        let line = line.ok()?;
        let lower = line.to_ascii_lowercase();
        if request.path.is_empty() {
            line.split(' ').nth(1)?.clone_into(&mut request.path);
        } else if let Some(range) = lower.strip_prefix("range: bytes=") {
            request.from = range.trim_end_matches('-').parse().ok();
        } else if lower.starts_with("if-range: ") {
            request.if_range = Some(line["if-range: ".len()..].to_owned());
        } else if line.is_empty() {
            return Some(request);
        }
    }
    None
}
