//! How fast the labelling page is: `cargo run --release -p likelier-cli --example label_load -- PROGRAM` prints
//! `what,value,unit` rows.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement may panic and print"
)]

#[path = "../tests/page/mod.rs"]
mod page;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use page::Page;

const PEOPLE: usize = 50;
const ANSWERS: usize = 20_000;

fn main() {
    let program = std::env::args().nth(1).unwrap_or_else(|| panic!("give PROGRAM"));
    println!("what,value,unit");
    load(Path::new(&program));
    many_items(Path::new(&program));
    idle(Path::new(&program));
}

/// The share of a sorted list below which a share of it lies.
fn quantile(times: &[Duration], share: f64) -> f64 {
    times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0
}

/// Memory of a process in MB.
fn memory(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1024.0
}

fn table(path: &Path, rows: usize) {
    let mut text = String::from("id,size,weight,colour,price\n");
    for row in 0..rows {
        let _ = writeln!(
            text,
            "item-{row},{},{}.5,{},{}",
            row % 97,
            row % 31,
            ["red", "white"][row % 2],
            row % 1013
        );
    }
    std::fs::write(path, text).unwrap();
}

fn load(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    table(&folder.path().join("items.csv"), 10_000);
    let names: Vec<String> = (0..PEOPLE).map(|number| format!("p{number}")).collect();
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args([
        "label",
        "items.csv",
        "--port",
        "0",
        "--people",
        &names.join(","),
    ]);
    let page = Page::start(command);
    println!("memory at the start,{:.1},MB", memory(page.id()));
    let mut times = Vec::new();
    let start = Instant::now();
    for quarter in 1..=4 {
        std::thread::scope(|scope| {
            let workers: Vec<_> = names
                .iter()
                .map(|name| {
                    let mut client = page.client(name);
                    scope.spawn(move || {
                        let mut hand = client.hand();
                        let mut times = Vec::new();
                        for number in 0..ANSWERS / PEOPLE / 4 {
                            let key = format!("{name}-{quarter}-{number:06}");
                            let body = serde_json::json!({ "key": key, "pair": hand["pairs"][0]["pair"], "choice": "left", "took": 900 });
                            let asked = Instant::now();
                            let reply = client.post("/api/answer", &body);
                            times.push(asked.elapsed());
                            assert_eq!(reply.status, 200, "{}", reply.text());
                            hand = reply.json();
                        }
                        times
                    })
                })
                .collect();
            times.extend(workers.into_iter().flat_map(|worker| worker.join().unwrap()));
        });
        println!("memory after {} answers,{:.1},MB", times.len(), memory(page.id()));
    }
    let took = start.elapsed().as_secs_f64();
    times.sort();
    println!("answers per second with {PEOPLE} people,{:.0},1/s", times.len() as f64 / took);
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("slowest", 1.0)] {
        println!(
            "{name} of {} answers by {PEOPLE} people at once,{:.2},ms",
            times.len(),
            quantile(&times, share)
        );
    }
    page.interrupt();
}

fn many_items(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    table(&folder.path().join("items.csv"), 1_000_000);
    for (name, options) in
        [("uniform", &[][..]), ("balanced", &["--balanced", "--file", "b.likelier-label"])]
    {
        let mut command = Command::new(program);
        command
            .current_dir(folder.path())
            .args(["label", "items.csv", "--port", "0"])
            .args(options);
        let start = Instant::now();
        let page = Page::start(command);
        println!("1000000 items ready ({name}),{:.2},s", start.elapsed().as_secs_f64());
        let mut client = page.client("owner");
        let mut hand = client.hand();
        let mut times = Vec::new();
        for _ in 0..500 {
            let asked = Instant::now();
            hand = client.answer(&hand, "left");
            times.push(asked.elapsed());
        }
        times.sort();
        for (what, share) in [("p50", 0.5), ("p99", 0.99)] {
            println!(
                "answer and next pair of 1000000 items ({name}; {what}),{:.2},ms",
                quantile(&times, share)
            );
        }
        println!("memory with 1000000 items ({name}),{:.0},MB", memory(page.id()));
        page.interrupt();
    }
}

/// Connections that say nothing, and somebody who wants to answer.
fn idle(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    table(&folder.path().join("items.csv"), 1000);
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args(["label", "items.csv", "--port", "0"]);
    let page = Page::start(command);
    let mut silent = Vec::new();
    while silent.len() < 10_000 {
        // Needs `ulimit -n 20000`.
        match std::net::TcpStream::connect(("127.0.0.1", page.port)) {
            Ok(stream) => silent.push(stream),
            Err(_) => break,
        }
    }
    println!("idle connections,{},", silent.len());
    let start = Instant::now();
    let mut client = page.client("owner");
    let hand = client.hand();
    client.answer(&hand, "left");
    println!("connecting and answering beside them,{:.2},ms", start.elapsed().as_secs_f64() * 1000.0);
    println!("memory beside them,{:.1},MB", memory(page.id()));
    page.interrupt();
}
