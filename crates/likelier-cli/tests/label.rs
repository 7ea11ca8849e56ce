//! The labelling page of the built program: answering, undoing, people, files of answers.

#![cfg(feature = "label")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod page;
mod program;

use std::fmt::Write as _;
use std::process::Command;

use page::{Client, Page};
use program::{Folder, said};
use serde_json::{Value, json};

const ITEMS: &str =
    "id,name,price,label\na,Anjou,7.5,1\nb,Bordeaux,12,0\nc,Chablis,12,1\nd,Douro,9,0\ne,Etna,11,1\n";

fn opened(folder: &Folder, arguments: &str) -> Page {
    Page::start(folder.command(&format!("label items.csv --port 0 --seed 5 {arguments}")))
}

fn with_items() -> Folder {
    let folder = Folder::new();
    folder.write("items.csv", ITEMS);
    folder
}

/// A table of as many items with two numbers.
fn many(count: usize) -> String {
    let mut text = String::from("id,size,weight\n");
    for row in 0..count {
        let _ = writeln!(text, "i{row},{},{}", row % 17, row % 23);
    }
    text
}

#[test]
fn pairs_are_answered_undone_skipped_and_flagged_and_train_reads_them() {
    let folder = with_items();
    let mut command =
        folder.command("label items.csv --port 0 --seed 5 --positive good --goal 20 --again 0 --shared 0");
    command.args([
        "--question",
        "Which <b>wine</b>?",
        "--instructions",
        "Taste\nfirst.",
        "--show",
        "name,price",
    ]);
    let page = Page::start(command);
    assert!(page.printed.contains("5 items, answers so far: 0\n  Which <b>wine</b>?"), "{}", page.printed);
    let mut owner = page.client("owner");
    let start = owner.hand();
    assert_eq!(start["question"], "Which <b>wine</b>?");
    assert_eq!((&start["instructions"], &start["positive"]), (&json!("Taste\nfirst."), &json!("good")));
    assert_eq!(start["columns"], json!(["name", "price"]));
    assert_eq!((&start["owner"], &start["progress"]["goal"]), (&json!(true), &json!(20)));
    assert_eq!(start["pairs"].as_array().unwrap().len(), 4);
    assert!(start["pairs"][0]["left"]["cells"][0].is_string());

    let second = owner.answer(&start, "left");
    assert_eq!(second["pairs"][0]["pair"], start["pairs"][1]["pair"], "the next pair was there already");
    let third = owner.answer(&second, "tie");
    let undone = owner.post("/api/undo", &json!({ "key": "undo-0001" })).json();
    assert_eq!(undone["pairs"][0], second["pairs"][0]);
    assert_eq!(undone["progress"]["answered"], 1);
    // The same request again changes nothing.
    let repeated = owner.post("/api/undo", &json!({ "key": "undo-0001" })).json();
    assert_eq!(repeated, undone);
    let twice = owner.post("/api/undo", &json!({ "key": "undo-0002" })).json();
    assert_eq!((&twice["pairs"][0], &twice["progress"]["answered"]), (&start["pairs"][0], &json!(0)));
    let nothing = owner.post("/api/undo", &json!({ "key": "undo-0003" })).json();
    assert_eq!(nothing["progress"]["undoable"], 0);

    let hand = owner.answer(&nothing, "right");
    let hand = owner.answer(&hand, "skip");
    let flag = json!({ "key": "flag-0001", "pair": hand["pairs"][0]["pair"], "choice": "flag", "reason": "<i>odd</i>" });
    let hand = owner.post("/api/answer", &flag).json();
    let progress = &hand["progress"];
    assert_eq!(
        (&progress["answered"], &progress["skipped"], &progress["flagged"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(third["progress"]["answered"], 2);
    let hand = owner.answer(&hand, "tie");
    let mut hand = owner.answer(&hand, "left");
    // Five items make ten pairs, and nobody is asked one twice by accident.
    while !hand["pairs"].as_array().unwrap().is_empty() {
        hand = owner.answer(&hand, "left");
    }
    assert_eq!(hand["progress"]["undoable"], 10);
    let stopped = page.interrupt();
    assert!(stopped.contains("the answers are in"), "{stopped}");
    assert_eq!(folder.names(), ["items.csv", "items.likelier-label"]);

    let written = folder.succeeds("label export items.likelier-label --out answers.csv");
    assert_eq!(written, "answers.csv\n  8 answers\n");
    let table = folder.text("answers.csv");
    assert!(
        table.starts_with("likelier,other,annotator,side,time,choice,left,right,origin,reason,tie,pair,"),
        "{table}"
    );
    let log = folder.succeeds("label export items.likelier-label --out - --format jsonl --all");
    let rows: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 12, "{log}");
    assert_eq!(rows.iter().filter(|row| row["undone"] == 1).count(), 2);
    assert!(rows.iter().any(|row| row["choice"] == "flag" && row["reason"] == "<i>odd</i>"));
    assert!(rows.iter().all(|row| row["origin"] == "uniform" && row["annotator"] == "owner"));
    folder.succeeds("label export items.likelier-label --out answers.parquet");
    // Both are tables that every verb takes, and say what the file itself says.
    let direct = folder.run("check --answers items.likelier-label --features price --prior 0.5");
    for table in ["answers.csv", "answers.parquet"] {
        let exported =
            folder.run(&format!("check --items items.csv --features price --comparisons {table} --protocol forced-choice --prior 0.5"));
        assert_eq!(said(&exported), said(&direct));
        assert_eq!(exported.stdout, direct.stdout);
    }
    assert!(
        String::from_utf8_lossy(&direct.stdout).contains("stated as forced-choice"),
        "{}",
        said(&direct)
    );
}

#[test]
fn sigterm_stops_as_ctrl_c_does_and_leaves_one_plain_file() {
    let folder = with_items();
    let page = opened(&folder, "");
    let mut owner = page.client("owner");
    let hand = owner.hand();
    owner.answer(&hand, "left");
    let said = page.stop("-TERM");
    assert!(said.contains("stopped; the answers are in"), "{said}");
    let left: Vec<String> = folder
        .names()
        .into_iter()
        .filter(|name| name.starts_with("items.likelier-label"))
        .collect();
    assert_eq!(left, ["items.likelier-label"]);
}

#[test]
fn a_restart_goes_on_where_it_stopped_and_links_stay() {
    let folder = with_items();
    let page = opened(&folder, "--people ann,bob --name Me");
    let (ann, bob) = (page.token("ann").to_owned(), page.token("bob").to_owned());
    let mut client = page.client("ann");
    let hand = client.hand();
    let hand = client.answer(&hand, "left");
    drop(page);
    let page = opened(&folder, "--people carl");
    assert!(page.printed.contains("answers so far: 1"), "{}", page.printed);
    assert_eq!((page.token("ann"), page.token("bob")), (&ann[..], &bob[..]));
    let mut client = page.client("ann");
    let after = client.hand();
    assert_eq!(after["pairs"], hand["pairs"]);
    assert_eq!(after["name"], "ann");
    // Undo works across the restart.
    assert_eq!(client.post("/api/undo", &json!({ "key": "undo-0001" })).json()["progress"]["answered"], 0);
    assert_eq!(page.client("owner").hand()["name"], "Me");
}

#[test]
fn an_answer_is_taken_once_and_only_for_a_pair_that_was_asked() {
    let folder = with_items();
    let page = opened(&folder, "--people ann");
    let (mut owner, mut ann) = (page.client("owner"), page.client("ann"));
    let hand = owner.hand();
    let pair = &hand["pairs"][0]["pair"];
    let body = json!({ "key": "same-key-1", "pair": pair, "choice": "left" });
    let first = owner.post("/api/answer", &body);
    let again = owner.post("/api/answer", &body);
    assert_eq!((first.status, again.status, first.json()), (200, 200, again.json()));
    let other = json!({ "key": "same-key-1", "pair": pair, "choice": "right" });
    assert_eq!(owner.post("/api/answer", &other).status, 400);
    let second = json!({ "key": "other-key-1", "pair": pair, "choice": "right" });
    let refused = owner.post("/api/answer", &second);
    assert_eq!((refused.status, &refused.json()["error"]), (409, &json!("not-asked")));
    // Somebody else's pair is not asked of ann.
    let theirs = json!({ "key": "anns-key-1", "pair": hand["pairs"][1]["pair"], "choice": "right" });
    assert_eq!(ann.post("/api/answer", &theirs).status, 409);
    assert_eq!(owner.hand()["progress"]["answered"], 1);
}

#[test]
fn the_owner_sees_people_and_makes_links_and_others_do_not() {
    let folder = Folder::new();
    folder.write("items.csv", many(60));
    let page = opened(
        &folder,
        "--people ann --again 0.3 --shared 0.4 --balanced --prior 0.5 --features size,weight",
    );
    let (mut owner, mut ann) = (page.client("owner"), page.client("ann"));
    for client in [&mut owner, &mut ann] {
        let mut hand = client.hand();
        for number in 0..80 {
            hand = client.answer(&hand, if number % 2 == 0 { "left" } else { "right" });
        }
    }
    let refused = ann.get("/api/overview");
    assert_eq!((refused.status, &refused.json()["error"]), (403, &json!("owner-only")));
    assert_eq!(ann.post("/api/people", &json!({ "name": "eve" })).status, 403);
    let added = owner
        .post("/api/people", &json!({ "name": "<script>alert(1)</script>" }))
        .json();
    let mut eve = Client::new(page.port, added["token"].as_str().unwrap());
    assert_eq!(eve.hand()["name"], "<script>alert(1)</script>");
    let seen = owner.get("/api/overview").json();
    assert_eq!((&seen["answered"], seen["people"].as_array().unwrap().len()), (&json!(160), 3));
    let row = &seen["people"][1];
    assert_eq!((&row["name"], &row["answered"]), (&json!("ann"), &json!(80)));
    assert!(row["again"].as_u64().unwrap() > 5 && row["picked_left"]["value"] == 0.5, "{row}");
    assert!(seen["agreement"].is_object(), "{seen}");
    let by_hour: u64 = seen["hours"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hour| hour[1][1].as_u64().unwrap())
        .sum();
    assert_eq!(by_hour, 80);
    assert!(seen["live"]["words"].is_string());
    page.interrupt();
    let log = folder.succeeds("label export items.likelier-label --out - --format csv");
    for origin in [",balanced,", ",again,", ",shared,"] {
        assert!(log.contains(origin), "{origin}");
    }
    let forgotten = folder.succeeds("label forget ann --file items.likelier-label");
    assert!(forgotten.contains("'ann' is forgotten, with 80 answers"), "{forgotten}");
    assert_eq!(
        folder.succeeds("label export items.likelier-label --out left.csv"),
        "left.csv\n  80 answers\n"
    );
}

#[test]
fn train_and_prior_read_the_answers_and_say_what_they_lack() {
    let folder = Folder::new();
    folder.write("items.csv", many(300));
    let page = opened(&folder, "--prior 0.4 --again 0.2");
    let empty = folder.run("train --answers items.likelier-label --out model");
    assert!(said(&empty).contains("holds no comparisons yet"), "{}", said(&empty));
    let mut owner = page.client("owner");
    let mut hand = owner.hand();
    for _ in 0..250 {
        let number =
            |side: &str| hand["pairs"][0][side]["cells"][0].as_str().unwrap().parse::<f64>().unwrap();
        let choice = if number("left") > number("right") { "left" } else { "right" };
        hand = owner.answer(&hand, choice);
    }
    // While the page is open.
    let trained = folder.succeeds("train --answers items.likelier-label --out model --report report.json");
    // The report names the items too, which the answers know, and what is not yet in their file itself.
    let report: Value = serde_json::from_slice(&folder.read("report.json")).unwrap();
    let inputs = report["result"]["inputs"].as_array().unwrap();
    let what: Vec<&str> = inputs.iter().map(|input| input["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["answers", "answers just given", "items"], "{inputs:?}");
    assert!(inputs.iter().all(|input| input["sha256"].as_str().unwrap().len() == 64), "{inputs:?}");
    assert!(trained.contains("from 250 comparisons of 300 items with 2 features"), "{trained}");
    assert!(trained.contains("prior 0.4, forced-choice"), "{trained}");
    let prior = folder.run("prior --answers items.likelier-label --protocol forced-choice");
    assert_ne!(prior.status.code(), Some(2), "{}", said(&prior));
    // Other features of the same items.
    folder.write("other.csv", many(300).replace("id,size,weight", "id,x,y"));
    let other = folder.succeeds(
        "train --answers items.likelier-label --items other.csv --features x --out model2 --no-report",
    );
    assert!(other.contains("with 1 features") || other.contains("with 1 feature"), "{other}");
    folder.write("wrong.csv", "id,x\nq,1\nr,2\n");
    let wrong = folder.run("train --answers items.likelier-label --items wrong.csv --out model3");
    assert!(said(&wrong).contains("are not in it, such as 'i"), "{}", said(&wrong));
    let both = folder
        .run("train --answers items.likelier-label --items items.csv --comparisons x.csv --out model3");
    assert!(said(&both).contains("cannot be used with"), "{}", said(&both));
}

#[test]
fn what_the_page_was_told_of_columns_training_knows() {
    let folder = Folder::new();
    let rows: Vec<String> = (0..80)
        .map(|row| {
            format!("i{row},{} wine number {row},{row}\n", if row % 2 == 0 { "good" } else { "bad" })
        })
        .collect();
    folder.write("items.csv", format!("id,note,size\n{}", rows.concat()));
    let page = opened(&folder, "--prior 0.5 --text note --exclude size");
    let mut owner = page.client("owner");
    let mut hand = owner.hand();
    for _ in 0..120 {
        let good = |side: &str| hand["pairs"][0][side]["cells"][0].as_str().unwrap().starts_with("good");
        let choice = if good("left") { "left" } else { "right" };
        hand = owner.answer(&hand, choice);
    }
    drop(page);
    let trained = folder.succeeds("train --answers items.likelier-label --out model --no-report");
    assert!(trained.contains("from 120 comparisons of 80 items with 32769 features"), "{trained}");
}

#[test]
fn answers_from_elsewhere_are_imported_once() {
    let folder = with_items();
    drop(opened(&folder, ""));
    folder.write(
        "pairs.csv",
        "likelier,other,annotator,side,tie,time\na,b,zoe,right,,2026-11-17T12:00:00Z\nc,d,,left,1,1794918645\n",
    );
    let first = folder.succeeds("label import pairs.csv --into items.likelier-label --name somebody");
    assert_eq!(first, "items.likelier-label\n  2 answers added\n");
    let second = folder.succeeds("label import pairs.csv --from csv --into items.likelier-label");
    assert_eq!(second, "items.likelier-label\n  0 answers added; 2 were there already\n");
    folder.write("pairs.tsv", "0\t1\n4\t2\n");
    let catboost = folder.succeeds("label import pairs.tsv --from catboost --into items.likelier-label");
    assert!(catboost.contains("2 answers added"), "{catboost}");
    let task = |left: &str, selected: &str| {
        json!({
            "id": 1, "data": { "one": left, "two": "e", "text1": "…" },
            "annotations": [{ "completed_by": { "email": "x@y.org" }, "created_at": "2026-11-01T10:00:00.5Z", "lead_time": 2.5,
                "result": [{ "type": "pairwise", "value": { "selected": selected } }] },
                { "was_cancelled": true, "result": [] }]
        })
    };
    folder.write("studio.json", json!([task("a", "left"), task("b", "right")]).to_string());
    let import = "label import studio.json --from label-studio --into items.likelier-label";
    let refused = folder.run(import);
    assert!(said(&refused).contains("task 1 has no field 'left_id' in its data"), "{}", said(&refused));
    let studio = folder.succeeds(&format!("{import} --fields one,two"));
    assert!(studio.contains("2 answers added"), "{studio}");
    let rows = folder.succeeds("label export items.likelier-label --out - --format jsonl");
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 6);
    assert_eq!(
        (&rows[0]["likelier"], &rows[0]["right"], &rows[0]["annotator"]),
        (&json!("a"), &json!("a"), &json!("zoe"))
    );
    assert_eq!(
        (&rows[0]["time"], &rows[0]["origin"]),
        (&json!("2026-11-17T12:00:00.000Z"), &json!("imported"))
    );
    assert_eq!((&rows[1]["tie"], &rows[1]["annotator"]), (&json!(1), &json!("somebody")));
    assert_eq!((&rows[2]["likelier"], &rows[2]["other"]), (&json!("a"), &json!("b")));
    assert_eq!(
        (&rows[5]["likelier"], &rows[5]["annotator"], &rows[5]["took"]),
        (&json!("e"), &json!("x@y.org"), &json!(2500))
    );
}

#[test]
fn mistakes_of_a_first_time_user_are_answered_in_words() {
    let folder = with_items();
    let fails = |arguments: &str, message: &str, hint: &str| {
        let output = folder.run(arguments);
        let words = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {words}");
        assert!(words.contains(message) && words.contains(hint), "{arguments}: {words}");
    };
    fails("label none.csv", "No such file", "hint: check the path");
    folder.write("empty.csv", "");
    fails("label empty.csv", "is empty", "hint:");
    folder.write("header.csv", "id,name\n");
    fails("label header.csv", "holds no rows", "hint:");
    folder.write("one.csv", "id,name\na,Anjou\n");
    fails("label one.csv", "1 item, but a comparison is between two", "hint: give at least two items");
    folder.write("same.csv", "id,name\na,Anjou\na,Bordeaux\n");
    fails("label same.csv", "the id 'a' occurs twice", "hint: give every item an id of its own");
    fails("label items.csv --show nmae", "has no column 'nmae'", "hint:");
    fails("label items.csv --prior 40", "class prior", "hint: a prior is a share");
    fails("label items.csv --again 2", "--again must be a share from 0 to 0.9, got 2", "hint:");
    fails("label items.csv --image name --images nowhere", "nowhere", "hint: check the path");
    fails(
        "label items.csv --address 0.0.0.0",
        "can be reached by others",
        "hint: reach the page through an SSH tunnel",
    );
    assert!(!folder.file("one.likelier-label").exists(), "a mistake leaves no file");

    let page = opened(&folder, "--question First?");
    fails("label items.csv", "is in use by another likelier label", "hint: stop the other one first");
    fails("label forget owner --file items.likelier-label", "is in use", "hint:");
    let mut owner = page.client("owner");
    let hand = owner.hand();
    owner.answer(&hand, "left");
    page.interrupt();
    fails(
        "label items.csv --question Second?",
        "are to another question: First?",
        "hint: leave out --question",
    );
    fails("label items.likelier-label", "is a file of answers", "hint: give the items");
    fails("label export none.likelier-label --out x.csv", "there is no such file of answers", "hint:");
    fails(
        "label export items.likelier-label --out x.xls",
        "not clear which format",
        "hint: let the name end in",
    );
    folder.write("items.csv", format!("{ITEMS}f,Faro,5,0\n"));
    fails(
        "label items.csv",
        "has changed since these answers were begun",
        "hint: if the same ids still mean",
    );
    let page = opened(&folder, "--items-changed --file items.likelier-label --id id");
    assert!(page.printed.contains("6 items, answers so far: 1"), "{}", page.printed);
    page.interrupt();
    folder.write("items.csv", "id,name,price\nx,Xeres,5\ny,Yonne,6\n");
    fails(
        "label items.csv --items-changed",
        "of the items that were compared are not in it, such as",
        "hint: put the old file back",
    );
    folder.write("plain.csv", "name,kind\nAnjou,red\nBordeaux,white\n");
    let page = Page::start(folder.command("label plain.csv --port 0 --categories kind"));
    // Two items make one pair.
    let mut owner = page.client("owner");
    let hand = owner.hand();
    assert_eq!(hand["pairs"].as_array().unwrap().len(), 1);
    let hand = owner.answer(&hand, "right");
    assert_eq!(hand["pairs"], json!([]));
    let said = page.interrupt();
    assert!(said.contains("warning: the items have no column `id`"), "{said}");
}

#[test]
fn images_are_shown_and_missing_ones_are_named() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.file("pictures")).unwrap();
    let png = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 40]].concat();
    folder.write("pictures/a.png", &png);
    folder.write("secret.png", &png);
    folder.write("items.csv", "id,path\na,a.png\nb,../secret.png\n");
    let page = Page::start(folder.command("label items.csv --port 0 --image path --images pictures"));
    let mut owner = page.client("owner");
    let hand = owner.hand();
    let pair = &hand["pairs"][0]["pair"];
    let replies: Vec<_> = (0..2)
        .map(|side| owner.get(&format!("/api/image?pair={pair}&side={side}")))
        .collect();
    let good = replies.iter().find(|reply| reply.status == 200).unwrap();
    assert_eq!(good.body, png);
    assert!(good.head.to_lowercase().contains("content-type: image/png"));
    let bad = replies.iter().find(|reply| reply.status == 404).unwrap();
    assert!(bad.text().contains("is not a path below the folder"), "{}", bad.text());
    for path in
        ["/api/image", "/api/image?pair=99&side=0", "/api/image?pair=1&side=7", "/api/image?pair=x&side=0"]
    {
        assert!([400, 404, 409].contains(&owner.get(path).status), "{path}");
    }
    let said = page.interrupt();
    assert!(said.contains("1 of the first images cannot be shown, such as b: '../secret.png'"), "{said}");
    folder.write("pictures/b.png", &png);
    let page = Page::start(folder.command("label pictures --port 0"));
    assert!(page.printed.contains("2 items"), "{}", page.printed);
    page.interrupt();
}

#[test]
fn a_port_in_use_is_no_obstacle() {
    let folder = with_items();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut command: Command =
        folder.command("label items.csv --host labels.example.org --open-to-network");
    command.arg("--port").arg(port.to_string());
    let page = Page::start(command);
    assert_ne!(page.port, port);
    assert_eq!(page.client("owner").get("/api/start").status, 200);
}
