//! What was acknowledged is there: after `kill -9`, and when the disk is full.

#![cfg(feature = "label")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![cfg(unix)]

mod page;
mod program;

use std::collections::HashSet;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use likelier::random::{Purpose, below, stream};
use page::{Client, Page};
use program::Folder;
use rusqlite::Connection;
use serde_json::{Value, json};

fn with_items(count: usize) -> Folder {
    let folder = Folder::new();
    let rows: Vec<String> = (0..count).map(|row| format!("i{row},{row}")).collect();
    folder.write("items.csv", format!("id,size\n{}\n", rows.join("\n")));
    folder
}

/// The keys of all answers in the file, which must be sound.
fn stored(folder: &Folder) -> Vec<String> {
    let file = Connection::open(folder.file("items.likelier-label")).unwrap();
    let sound: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let broken: i64 = file
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(broken, 0);
    let twice = "SELECT count(*) FROM (SELECT pair FROM standing GROUP BY pair HAVING count(*) > 1)";
    let twice: i64 = file.query_row(twice, [], |row| row.get(0)).unwrap();
    assert_eq!(twice, 0, "pairs with two answers");
    let mut keys = file.prepare("SELECT key FROM answer").unwrap();
    keys.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Answers as fast as it can until the server is gone; a request that was not acknowledged is sent again first.
fn hurry(client: &mut Client, open: &mut Option<Value>, acknowledged: &mut Vec<String>, round: usize) {
    let Ok(start) = client.ask("GET", "/api/start", None) else { return };
    let mut hand = start.json();
    loop {
        let body = open.take().unwrap_or_else(|| {
            let key = format!("r{round:03}-{:06}", acknowledged.len());
            json!({ "key": key, "pair": hand["pairs"][0]["pair"], "choice": "left", "took": 10 })
        });
        let Ok(reply) = client.ask("POST", "/api/answer", Some(&body)) else {
            *open = Some(body);
            return;
        };
        assert_eq!(reply.status, 200, "{}", reply.text());
        acknowledged.push(body["key"].as_str().unwrap().to_owned());
        hand = reply.json();
    }
}

#[test]
fn no_acknowledged_answer_is_lost_when_the_server_is_killed() {
    // LIKELIER_KILLS=100 for the full measure.
    let rounds = std::env::var("LIKELIER_KILLS")
        .ok()
        .and_then(|given| given.parse().ok())
        .unwrap_or(15);
    let folder = with_items(500);
    let mut rng = stream(1, Purpose::Comparisons);
    let (mut acknowledged, mut open) = (Vec::new(), None);
    for round in 0..rounds {
        let mut page = Page::start(folder.command("label items.csv --port 0"));
        let mut client = page.client("owner");
        let pause = Duration::from_micros(below(&mut rng, 250_000) as u64);
        thread::scope(|scope| {
            let answering = scope.spawn(|| hurry(&mut client, &mut open, &mut acknowledged, round));
            thread::sleep(pause);
            page.kill();
            answering.join().unwrap();
        });
    }
    let keys = stored(&folder);
    let all: HashSet<&String> = keys.iter().collect();
    assert_eq!(all.len(), keys.len(), "no answer is stored twice");
    let lost: Vec<&String> = acknowledged.iter().filter(|key| !all.contains(key)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(acknowledged.len() > rounds, "{} answers in {rounds} rounds", acknowledged.len());
    // At most the one request that was under way is more.
    assert!(keys.len() <= acknowledged.len() + 1, "{} and {}", keys.len(), acknowledged.len());
    println!("{rounds} kills, {} answers acknowledged, {} stored", acknowledged.len(), keys.len());
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let folder = with_items(2000);
    // A limit on the size of files fails writes as a full disk does, and can be set and lifted from outside.
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_likelier");
    let start = "trap '' XFSZ; exec \"$0\" label items.csv --port 0 --people ann";
    command.args(["-c", start, program]).current_dir(folder.path());
    let page = Page::start(command);
    let limit = |bytes: &str| {
        let set = Command::new("prlimit")
            .args([&format!("--fsize={bytes}"), "--pid", &page.id().to_string()])
            .status();
        assert!(set.unwrap().success());
    };
    let (mut owner, mut ann) = (page.client("owner"), page.client("ann"));
    let mut hand = owner.hand();
    let theirs = ann.hand();
    let mut acknowledged = Vec::new();
    let said = |number: usize, hand: &Value| json!({ "key": format!("full-{number:06}"), "pair": hand["pairs"][0]["pair"], "choice": "left" });
    for number in 0..300 {
        let reply = owner.post("/api/answer", &said(number, &hand));
        assert_eq!(reply.status, 200, "{}", reply.text());
        acknowledged.push(format!("full-{number:06}"));
        hand = reply.json();
    }
    // Room for one page, so that the log and the file can be begun but not gone on with.
    limit("4096:unlimited");
    let body = said(300, &hand);
    let reply = owner.post("/api/answer", &body);
    assert_eq!((reply.status, &reply.json()["error"]), (507, &json!("disk-full")), "{}", reply.text());
    assert!(reply.text().contains("the disk is full"));
    // It goes on saying so, to others too, and stores nothing by halves.
    let again = json!({ "key": "anns-0001", "pair": theirs["pairs"][0]["pair"], "choice": "right" });
    assert_eq!(ann.post("/api/answer", &again).status, 507);
    assert_eq!(owner.post("/api/answer", &body).status, 507);
    limit("unlimited");
    // The same requests, as the page repeats them.
    assert_eq!(owner.post("/api/answer", &body).status, 200);
    assert_eq!(ann.post("/api/answer", &again).status, 200);
    acknowledged.extend(["anns-0001".to_owned(), body["key"].as_str().unwrap().to_owned()]);
    drop(page);
    let mut keys = stored(&folder);
    keys.sort();
    acknowledged.sort();
    assert_eq!(keys, acknowledged);
}

#[test]
fn a_client_that_is_gone_before_the_reply_is_no_trouble() {
    let folder = with_items(100);
    let page = Page::start(folder.command("label items.csv --port 0"));
    let mut owner = page.client("owner");
    let hand = owner.hand();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                let bytes = format!(
                    "GET /api/start HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
                    page.token("owner")
                );
                let mut stream = page::connect(page.port).unwrap();
                std::io::Write::write_all(&mut stream, bytes.as_bytes()).unwrap();
            }
        });
        let mut hand = hand;
        for _ in 0..50 {
            hand = owner.answer(&hand, "tie");
        }
        stop.store(true, Ordering::SeqCst);
    });
    page.interrupt();
    assert_eq!(stored(&folder).len(), 50);
}
