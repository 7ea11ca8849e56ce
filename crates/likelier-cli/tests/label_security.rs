//! The labelling page under attack, over raw connections.

#![cfg(feature = "label")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod page;
mod program;

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use page::{Page, connect, raw, read};
use program::Folder;
use serde_json::json;

fn opened() -> (Folder, Page) {
    let folder = Folder::new();
    folder.write(
        "items.csv",
        "id,name\na,<script>alert(1)</script>\nb,\"\"\"><img src=x onerror=alert(2)>\"\nc,C\n",
    );
    let page =
        Page::start(folder.command("label items.csv --port 0 --people ann --host labels.example.org"));
    (folder, page)
}

/// A request with these lines in its head.
fn request(line: &str, lines: &[&str], body: &str) -> Vec<u8> {
    let mut head = format!("{line} HTTP/1.1\r\n");
    for line in lines {
        head.push_str(line);
        head.push_str("\r\n");
    }
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn without_the_right_token_nothing_is_told() {
    let (_folder, page) = opened();
    let token = page.token("ann");
    let host = format!("Host: 127.0.0.1:{}", page.port);
    let wrong = [
        String::from("X-Nothing: 1"),
        "Authorization: Bearer ".into(),
        format!("Authorization: Bearer {}", "0".repeat(48)),
        format!("Authorization: Bearer {}", &token[1..]),
        format!("Authorization: Bearer {token}x"),
        format!("Authorization: bearer{token}"),
        format!("Authorization: Basic {token}"),
        format!("Cookie: token={token}"),
        format!("Authorization: Bearer {token}\r\nAuthorization: Bearer {token}"),
    ];
    let paths = [
        ("GET", "/api/start"),
        ("GET", "/api/overview"),
        ("GET", "/api/image?pair=1&side=0"),
        ("POST", "/api/answer"),
        ("POST", "/api/undo"),
        ("POST", "/api/people"),
    ];
    for authorization in &wrong {
        for (method, path) in paths {
            let reply =
                raw(page.port, &request(&format!("{method} {path}"), &[&host, authorization], "{}"))
                    .unwrap();
            assert_eq!(reply.status, 401, "{path} {authorization}");
            assert!(!reply.text().contains("script") && !reply.text().contains(token), "{}", reply.text());
        }
    }
    // In the address it is not a token either.
    let reply = raw(page.port, &request(&format!("GET /api/start?token={token}"), &[&host], "")).unwrap();
    assert_eq!(reply.status, 401);
}

#[test]
fn requests_of_other_sites_are_refused() {
    let (_folder, page) = opened();
    let own = format!("127.0.0.1:{}", page.port);
    let bearer = format!("Authorization: Bearer {}", page.token("owner"));
    let status = |line: &str, lines: &[&str], body: &str| {
        let lines: Vec<&str> = lines.iter().copied().chain([&bearer[..]]).collect();
        raw(page.port, &request(line, &lines, body)).unwrap().status
    };
    let host = format!("Host: {own}");
    assert_eq!(status("GET /api/start", &[&host], ""), 200);
    assert_eq!(status("GET /api/start", &["Host: labels.example.org"], ""), 200);
    for foreign in ["Host: evil.example", "Host: 127.0.0.1.evil.example:80", "Host: ", "X-No-Host: 1"] {
        for path in ["GET /api/start", "GET /"] {
            let got = status(path, &[foreign], "");
            assert!(got == 403 || got == 400, "{path} {foreign}: {got}");
        }
    }
    assert_eq!(status("GET /api/start", &[&host, "Host: evil.example"], ""), 403);
    for origin in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://127.0.0.1.evil.example",
        "Origin: http://127.0.0.1:1",
    ] {
        assert_eq!(
            status(
                "POST /api/undo",
                &[&host, origin, "Content-Type: application/json"],
                r#"{"key":"undo-0001"}"#
            ),
            403
        );
    }
    let same = format!("Origin: http://{own}");
    let undo = r#"{"key":"undo-0001"}"#;
    assert_eq!(status("POST /api/undo", &[&host, &same, "Content-Type: application/json"], undo), 200);
    assert_eq!(status("GET /api/start", &[&host, "Sec-Fetch-Site: cross-site"], ""), 403);
    assert_eq!(status("GET /", &[&host, "Sec-Fetch-Site: cross-site"], ""), 200);
    // What a form of another site can send.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let kind = format!("Content-Type: {kind}");
        assert_eq!(status("POST /api/undo", &[&host, &kind], undo), 400);
    }
    // No site is told that it may ask.
    let preflight = ["Origin: http://evil.example", "Access-Control-Request-Method: POST"];
    let lines: Vec<&str> = preflight.into_iter().chain([&host[..]]).collect();
    let reply = raw(page.port, &request("OPTIONS /api/undo", &lines, "")).unwrap();
    assert!(
        reply.status == 403 && !reply.head.to_lowercase().contains("access-control-allow"),
        "{}",
        reply.head
    );
}

#[test]
fn every_reply_forbids_foreign_code_and_referers() {
    let (_folder, page) = opened();
    let host = format!("Host: 127.0.0.1:{}", page.port);
    for path in [
        "/",
        "/people",
        "/page.css",
        "/label.js",
        "/people.js",
        "/server.js",
        "/icon.svg",
        "/api/start",
        "/none",
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
    ] {
        let reply = raw(page.port, &request(&format!("GET {path}"), &[&host], "")).unwrap();
        let head = reply.head.to_lowercase();
        for line in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "cache-control: no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(line), "{path}: no {line} in {head}");
        }
        assert!(!head.contains("unsafe") && !reply.text().contains("root:"));
        let known = !path.contains("none") && !path.contains("etc") && !path.contains("api");
        assert_eq!(reply.status == 200, known, "{path}");
        if path == "/" || path == "/people" {
            let text = reply.text();
            // Neither code nor style in the page itself, and nothing from elsewhere.
            for not in ["<script>", " style=", "onclick=", "javascript:", "http://", "https://"] {
                assert!(!text.contains(not), "{path}: {not}");
            }
        }
    }
    // Items arrive as JSON, which no browser takes for a page; label.js puts them into the page as text.
    let reply = page.client("owner").get("/api/start");
    assert!(reply.head.to_lowercase().contains("content-type: application/json"), "{}", reply.head);
    for script in ["label.js", "people.js", "server.js"] {
        let text = raw(page.port, &request(&format!("GET /{script}"), &[&host], ""))
            .unwrap()
            .text();
        for not in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!text.contains(not), "{script}: {not}");
        }
    }
}

#[test]
fn huge_and_malformed_requests_are_refused_and_the_page_lives() {
    let (_folder, page) = opened();
    let host = format!("Host: 127.0.0.1:{}", page.port);
    let bearer = format!("Authorization: Bearer {}", page.token("owner"));
    let lines = [&host[..], &bearer, "Content-Type: application/json"];
    let status = |body: &str| raw(page.port, &request("POST /api/answer", &lines, body)).unwrap().status;
    for body in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"key":"k","pair":1,"choice":"left"}"#,
        r#"{"key":"12345678","pair":1,"choice":"up"}"#,
        r#"{"key":"1234'; DROP","pair":1,"choice":"left"}"#,
        r#"{"key":"12345678","pair":1e99,"choice":"left"}"#,
        "\u{0}\u{1}",
    ] {
        assert_eq!(status(body), 400, "{body}");
    }
    let deep = "[".repeat(10_000);
    assert_eq!(status(&deep), 400);
    assert_eq!(
        status(&format!(r#"{{"key":"12345678","pair":1,"choice":"flag","reason":"{}"}}"#, "x".repeat(600))),
        400
    );
    assert_eq!(status(&" ".repeat(20_000)), 413);
    let promise = format!(
        "POST /api/answer HTTP/1.1\r\n{}\r\nContent-Length: 99999999999\r\n\r\n{{",
        lines.join("\r\n")
    );
    let reply = raw(page.port, promise.as_bytes());
    assert!(reply.is_err() || [400, 413].contains(&reply.unwrap().status));
    let long = format!("GET /api/start HTTP/1.1\r\n{host}\r\nX-Long: {}\r\n\r\n", "x".repeat(200_000));
    let reply = raw(page.port, long.as_bytes());
    assert!(reply.is_err() || [400, 431].contains(&reply.unwrap().status));
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        &[0xff; 500],
    ] {
        let mut stream = connect(page.port).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let _ = stream.write_all(garbage);
        let _ = read(&mut BufReader::new(stream));
    }
    assert_eq!(page.client("owner").get("/api/start").status, 200);
}

#[test]
fn slow_and_idle_connections_keep_nobody_out() {
    let (_folder, page) = opened();
    let host = format!("127.0.0.1:{}", page.port);
    let mut owner = page.client("owner");
    let hand = owner.hand();
    // A thousand and more that say nothing, or only the beginning; as many as this process may open.
    let mut idle: Vec<TcpStream> = Vec::new();
    for number in 0..700 {
        let Ok(mut stream) = TcpStream::connect(&host) else { break };
        if number % 2 == 0 {
            let _ = stream.write_all(b"POST /api/answer HTTP/1.1\r\nHost: ");
        }
        idle.push(stream);
    }
    assert!(idle.len() > 600, "{}", idle.len());
    let start = Instant::now();
    let hand = owner.answer(&hand, "left");
    assert_eq!(page.client("ann").get("/api/start").status, 200);
    // Not a matter of speed: a connection that had to wait for the idle ones would take at least their 15 seconds.
    assert!(start.elapsed() < Duration::from_secs(10));
    // A body that never comes is not waited for.
    let bearer = page.token("owner");
    let mut slow = connect(page.port).unwrap();
    let head = format!(
        "POST /api/undo HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {bearer}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{"
    );
    slow.write_all(head.as_bytes()).unwrap();
    let reply = read(&mut BufReader::new(slow)).unwrap();
    assert_eq!((reply.status, &reply.json()["error"]), (408, &json!("slow")));
    drop(idle);
    owner.answer(&hand, "right");
}

#[test]
fn no_token_is_printed_but_at_the_start() {
    let (_folder, page) = opened();
    let tokens: Vec<String> = page.people.iter().map(|(_, token)| token.clone()).collect();
    let mut owner = page.client("owner");
    let hand = owner.hand();
    owner.answer(&hand, "left");
    owner.get("/api/none");
    let said = page.interrupt();
    assert!(tokens.iter().all(|token| !said.contains(token)), "{said}");
}
