//! Active mode of the labelling page: pairs that the live estimate is unsure of, each with its propensity.

#![cfg(feature = "label")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod page;
mod program;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use page::Page;
use program::{Folder, said};
use serde_json::{Value, json};

const ITEMS: usize = 300;

/// Items of which those with a larger size are likelier, and a weight that says nothing.
fn with_sizes() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("id,size,weight\n");
    for row in 0..ITEMS {
        let _ = writeln!(text, "i{row},{},{}", (row * 37) % ITEMS, row % 23);
    }
    folder.write("items.csv", text);
    folder
}

fn opened(folder: &Folder, arguments: &str) -> Page {
    Page::start(folder.command(&format!("label items.csv --port 0 --seed 5 {arguments}")))
}

/// Says which is larger in some answers: items of the same half are a coin toss. Each time needs a mark of its own. The
/// connection is new, because the server closes those that are idle.
fn answer(page: &Page, name: &str, mark: &str, count: usize) {
    let mut client = page.client(name);
    let mut hand = client.hand();
    for number in 0..count {
        let pair = &hand["pairs"][0];
        let large = |side: &str| {
            let size: usize = pair[side]["cells"][0].as_str().unwrap().parse().unwrap();
            2 * size >= ITEMS
        };
        let left = if large("left") == large("right") { number % 2 == 0 } else { large("left") };
        let choice = if left { "left" } else { "right" };
        let body = json!({ "key": client.key(mark), "pair": pair["pair"], "choice": choice, "took": 900 });
        let reply = client.post("/api/answer", &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        hand = reply.json();
    }
}

fn overview(page: &Page) -> Value {
    page.client("owner").get("/api/overview").json()
}

/// Waits for an estimate from at least so many answers.
fn estimated(page: &Page, answers: u64) {
    let start = Instant::now();
    loop {
        let seen = overview(page);
        if seen["live"]["answers"].as_u64().unwrap() >= answers {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{}", seen["live"]);
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn exported(folder: &Folder, file: &str) -> Vec<Value> {
    let rows = folder.succeeds(&format!("label export {file} --out - --format jsonl"));
    rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn pairs_are_chosen_once_there_is_an_estimate_and_keep_their_propensities_everywhere() {
    let folder = with_sizes();
    let page = opened(&folder, "--active 0.8 --prior 0.5 --people ann --again 0.15 --shared 0.15");
    let seen = overview(&page);
    assert_eq!((&seen["active"]["share"], &seen["active"]["chosen"]), (&json!(0.8), &json!(0)));
    assert!(
        seen["active"]["words"]
            .as_str()
            .unwrap()
            .contains("80 % of new pairs are chosen among items that it is unsure of. So far all"),
        "{}",
        seen["active"]
    );
    answer(&page, "owner", "one", 70);
    answer(&page, "ann", "one", 70);
    estimated(&page, 100);
    answer(&page, "owner", "two", 100);
    answer(&page, "ann", "two", 100);
    let seen = overview(&page);
    let chosen = seen["active"]["chosen"].as_u64().unwrap();
    assert!(chosen > 60, "{}", seen["active"]);
    let hand = page.client("ann").hand();
    page.interrupt();

    // What is chosen has a propensity, what was drawn before there was an estimate has none, and what repeats a pair has
    // that of the pair.
    let rows = exported(&folder, "items.likelier-label");
    assert_eq!(rows.len(), 340);
    let of: HashMap<u64, &Value> = rows.iter().map(|row| (row["pair"].as_u64().unwrap(), row)).collect();
    let (mut repeated, mut chosen_rows) = (0, 0);
    let least = 0.2 * 2.0 / (ITEMS as f64 * (ITEMS as f64 - 1.0));
    for row in &rows {
        let propensity = row["propensity"].as_f64();
        assert!(propensity.is_none_or(|propensity| propensity > least && propensity < 0.01), "{row}");
        match row["origin"].as_str().unwrap() {
            "chosen" => {
                chosen_rows += 1;
                assert!(propensity.is_some(), "{row}");
            }
            "again" | "shared" => {
                let first = of[&row["repeats"].as_u64().unwrap()];
                assert_eq!(row["propensity"], first["propensity"]);
                repeated += u32::from(first["origin"] == "chosen");
            }
            origin => assert_eq!(origin, "uniform"),
        }
    }
    assert_eq!(chosen_rows, chosen);
    assert!(repeated > 5, "{repeated}");
    assert!(rows[..100].iter().all(|row| row["propensity"].is_null()));
    assert!(
        rows.iter()
            .any(|row| row["origin"] == "uniform" && row["propensity"].is_number())
    );

    // The file, and the table in each form, say the same; without the column training judges otherwise.
    folder.succeeds("label export items.likelier-label --out answers.csv");
    folder.succeeds("label export items.likelier-label --out answers.parquet");
    let table = folder.text("answers.csv");
    assert!(table.lines().next().unwrap().ends_with(",undone,propensity"), "{table}");
    folder.write("without.csv", table.replace(",undone,propensity", ",undone,asked"));
    folder.succeeds("label export items.likelier-label --out answers.jsonl");
    let trained =
        |from: &str| folder.result(&format!("train {from} --out model --no-report"))["label_free"].clone();
    let direct = trained("--answers items.likelier-label");
    let of_table = |name: &str| {
        trained(&format!("--items items.csv --protocol forced-choice --prior 0.5 --comparisons {name}"))
    };
    for name in ["answers.csv", "answers.parquet", "answers.jsonl"] {
        assert_eq!(of_table(name), direct, "{name}");
    }
    assert_ne!(of_table("without.csv")["accuracy"], direct["accuracy"]);
    folder.run("check --answers items.likelier-label");

    // Elsewhere they are taken over as they are.
    drop(Page::start(folder.command("label items.csv --port 0 --file other.likelier-label")));
    folder.succeeds("label import answers.csv --into other.likelier-label");
    let known = |rows: &[Value]| -> Vec<String> {
        rows.iter()
            .filter(|row| row["propensity"].as_f64().is_some_and(|known| known > 2.3e-5))
            .map(|row| format!("{} {} {}", row["left"], row["right"], row["propensity"]))
            .collect()
    };
    assert_eq!(known(&exported(&folder, "other.likelier-label")), known(&rows));

    // A restart goes on: the same pairs in hand, and chosen ones as soon as there is an estimate again.
    let page = opened(&folder, "");
    assert_eq!(page.client("ann").hand()["pairs"], hand["pairs"]);
    estimated(&page, 300);
    answer(&page, "ann", "three", 40);
    let seen = overview(&page);
    let more = seen["active"]["chosen"].as_u64().unwrap();
    assert!(more > chosen + 10, "{more} after {chosen}");
    page.interrupt();
    let page = opened(&folder, "--active 0");
    estimated(&page, 380);
    answer(&page, "owner", "four", 30);
    let words = overview(&page)["active"]["words"].clone();
    assert!(words.as_str().unwrap().starts_with("Active mode is off"), "{words}");
    page.interrupt();
    let last = exported(&folder, "items.likelier-label").split_off(380);
    // The four in hand were dealt before.
    let drawn = last.iter().skip(4).filter(|row| row["repeats"] == 0);
    for row in drawn {
        assert!(row["origin"] == "uniform" && row["propensity"].is_null(), "{row}");
    }
}

#[test]
fn items_that_cannot_be_trained_on_are_asked_about_uniformly() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..80).map(|row| format!("i{row},note number {row}\n")).collect();
    folder.write("items.csv", format!("id,note\n{}", rows.concat()));
    let page = opened(&folder, "--active 0.75 --prior 0.5");
    let mut owner = page.client("owner");
    let mut hand = owner.hand();
    for _ in 0..150 {
        hand = owner.answer(&hand, "left");
    }
    let start = Instant::now();
    let seen = loop {
        let seen = overview(&page);
        if seen["live"]["words"].as_str().unwrap().starts_with("There is no live estimate") {
            break seen;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{}", seen["live"]);
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!((&seen["active"]["chosen"], &seen["active"]["share"]), (&json!(0), &json!(0.75)));
    page.interrupt();
    let rows = exported(&folder, "items.likelier-label");
    assert!(rows.iter().all(|row| row["propensity"].is_null() && row["origin"] != "chosen"));
    let plain = opened(&folder, "--active 0");
    assert_eq!(overview(&plain)["active"], Value::Null);
}

#[test]
fn what_active_mode_cannot_do_is_said() {
    let folder = with_sizes();
    let fails = |arguments: &str, message: &str, hint: &str| {
        let output = folder.run(&format!("label items.csv --port 0 {arguments}"));
        let words = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {words}");
        assert!(words.contains(message) && words.contains(hint), "{arguments}: {words}");
    };
    fails("--active 0.95", "--active must be a share from 0 to 0.9, got 0.95", "hint:");
    fails("--active -1", "--active must be a share from 0 to 0.9, got -1", "hint:");
    fails("--active 0.5 --balanced", "draw new pairs in two ways", "hint: leave one of them out");
    drop(opened(&folder, "--balanced"));
    fails(
        "--active 0.5",
        "draw new pairs in two ways",
        "hint: this file of answers was begun with --balanced",
    );
}
