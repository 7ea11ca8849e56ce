//! The report that `train` leaves, by the built binary: its forms, its sections, and what it must never do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![allow(clippy::format_push_string, reason = "small files, put together readably")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use likelier::random::{Purpose, stream, unit};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Names that a page, a table or a shell could take for something else.
const STRANGE: [&str; 6] = [
    "<script>alert('x')</script>",
    "a & b \"quoted\"",
    "| pipe | *star* _under_",
    "naïve 東京 😀",
    "</td></table>",
    "`tick` --> ]]>",
];

/// A folder with 240 items of which the large ones are positive, strange names among them.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut rng = stream(7, Purpose::Comparisons);
    let mut items = String::from("id,size <cm> & more,\"kind\"\n");
    let mut sizes = Vec::new();
    let name = |at: usize| STRANGE.get(at).map_or(format!("thing {at}"), |name| (*name).to_owned());
    let quoted = |at: usize| format!("\"{}\"", name(at).replace('"', "\"\""));
    for at in 0..240 {
        // Strange names are at the ends of the scores, where a report shows them.
        let size = if at < 3 {
            2.0
        } else if at < 6 {
            -2.0
        } else {
            unit(&mut rng)
        };
        let kind = if unit(&mut rng) < 0.5 { "\"<b>bold</b>\"" } else { "plain" };
        items += &format!("{},{size:.4},{kind}\n", quoted(at));
        sizes.push(size);
    }
    let mut comparisons = String::from("likelier,other\n");
    for at in 0..200 {
        let other = (at * 7 + 13) % 240;
        let turned = unit(&mut rng) < 0.1;
        let (first, second) = if (sizes[at] > sizes[other]) == turned { (other, at) } else { (at, other) };
        if first != second {
            comparisons += &format!("{},{}\n", quoted(first), quoted(second));
        }
    }
    fs::write(folder.path().join("items.csv"), items).unwrap();
    fs::write(folder.path().join("comparisons.csv"), comparisons).unwrap();
    folder
}

const TRAIN: &str = "train --items items.csv --comparisons comparisons.csv --categories kind --prior 0.5 --protocol forced-choice";

/// The command, on the day that `date` says in seconds.
fn likelier_on(date: Option<&str>, folder: &TempDir, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_likelier"));
    match date {
        Some(date) => command.env("SOURCE_DATE_EPOCH", date),
        None => command.env_remove("SOURCE_DATE_EPOCH"),
    };
    command
        .args(arguments.split_whitespace())
        .current_dir(folder.path())
        .output()
        .unwrap()
}

/// The same on one day, so that a report that is made again is the same at midnight, too.
fn likelier(folder: &TempDir, arguments: &str) -> Output {
    likelier_on(Some("1700000000"), folder, arguments)
}

fn succeeds(folder: &TempDir, arguments: &str) -> String {
    let output = likelier(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn fails(folder: &TempDir, arguments: &str) -> String {
    let before = names(folder.path());
    let output = likelier(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert_eq!(names(folder.path()), before, "{arguments} leaves files behind");
    String::from_utf8(output.stderr).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// Every element is closed in its order, every attribute quoted, every `&` the start of an entity.
fn check_well_formed(page: &str) {
    let page = page.strip_prefix("<!DOCTYPE html>").unwrap();
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        if open.last() != Some(&"style") {
            check_text(&rest[..start]);
        }
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "<{tag}>");
        check_text(tag);
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        assert!(name.chars().all(char::is_alphanumeric), "<{tag}>");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} is not closed");
}

fn check_text(text: &str) {
    for entity in text.split('&').skip(1) {
        let name = entity.split(';').next().unwrap();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "&{entity}");
    }
}

const SECTIONS: [&str; 10] = [
    "Summary",
    "What to watch out for",
    "How good it is",
    "Scores and probabilities",
    "Items to look at",
    "What it looks at",
    "How learning went",
    "The comparisons",
    "The share of positives",
    "How to repeat it",
];

#[test]
fn training_leaves_a_page_beside_the_model_that_needs_nothing_else() {
    let folder = folder();
    let text = succeeds(&folder, &format!("{TRAIN} --out model.likelier"));
    assert!(text.ends_with("  report: model.html\n"), "{text}");
    let page = read(&folder, "model.html");
    check_well_formed(&page);
    for section in SECTIONS {
        assert!(page.contains(&format!("<h2>{section}</h2>\n<p class=\"lead\">")), "{section}");
    }
    for needed in
        ["ROC curve", "Are the probabilities right?", "The two parts of the risk", "--sensitivity"]
    {
        assert!(page.contains(needed), "{needed}");
    }
    // Nothing is loaded from anywhere, and nothing runs.
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("<script"));
    for outside in ["<link", "<iframe", "<object", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for attribute in ["src=\"", "href=\""] {
        for value in page.split(attribute).skip(1) {
            assert!(value.starts_with('#') || value.starts_with("data:image/png;base64,"), "{attribute}");
        }
    }
    // Every plot has a title and says how to read it.
    let plots = page.matches("<svg ").count();
    assert!(plots >= 7, "{plots}");
    assert_eq!(page.matches("<div class=\"plot-title\">").count(), plots);
    assert_eq!(page.matches("<figcaption>").count(), plots);
    assert!(!page.contains("<figcaption></figcaption>"));
    assert!(page.contains("<td>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</td>"), "an id is text");
    assert!(page.contains("kind = &lt;b&gt;bold&lt;/b&gt;"), "a category is text");
    assert!(page.contains("naïve 東京 😀"));
    assert!(
        page.contains("<code>likelier train <span class=\"flag\">--items</span> items.csv"),
        "the command"
    );
}

#[test]
fn every_form_has_the_same_numbers_and_is_the_same_each_time() {
    let folder = folder();
    let train = format!(
        "{TRAIN} --equals coin --out model.likelier --json --sensitivity --report r.html --report r.md --report r.json"
    );
    let printed: Value = serde_json::from_str(&succeeds(&folder, &train)).unwrap();
    let written: Value = serde_json::from_str(&read(&folder, "r.json")).unwrap();
    assert!(!folder.path().join("model.html").exists(), "other places were named");
    assert_eq!(written["schema"], 1);
    assert_eq!(written["warnings"], printed["warnings"]);
    for (name, value) in printed["result"].as_object().unwrap() {
        assert_eq!(&written["result"][name], value, "{name}");
    }
    let result = &written["result"];
    let epochs = result["learning"].as_array().unwrap();
    assert_eq!(epochs.len(), 100);
    assert_eq!(epochs[99]["risk"], result["risk"]);
    assert!(epochs.iter().all(|epoch| epoch["accuracy"].is_null()), "other models are judged in its place");
    assert_eq!(result["sensitivity"].as_array().unwrap().len(), 5);
    assert_eq!(result["date"], "2023-11-14");
    assert_eq!(result["examples"]["most_likely"].as_array().unwrap().len(), 12);
    let shares = result["histogram"]["shares"][0].as_array().unwrap();
    assert!((shares.iter().map(|share| share.as_f64().unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);

    // The page and the Markdown show the accuracy that the JSON has.
    let accuracy = &result["label_free"]["accuracy"];
    let shown = |end: &str| format!("{:.3}", accuracy[end].as_f64().unwrap().clamp(0.0, 1.0));
    let shown = format!("{} ({} to {})", shown("value"), shown("low"), shown("high"));
    let (page, markdown) = (read(&folder, "r.html"), read(&folder, "r.md"));
    let importance = result["importance"]["columns"].as_array().unwrap();
    assert_eq!(importance[0]["column"], "size <cm> & more");
    assert!(importance[0]["importance"].as_f64().unwrap() > 0.2 && importance.len() == 2);
    let lost = format!("{:.3}", importance[0]["importance"].as_f64().unwrap());
    assert!(page.contains(&format!("<td>size &lt;cm&gt; &amp; more</td><td>{lost}</td>")), "{lost}");
    assert!(markdown.contains(&format!("| size &lt;cm> &amp; more | {lost} |")), "{lost}");
    assert!(page.contains(&format!("<td>accuracy</td><td>{shown}</td>")), "{shown}");
    assert!(markdown.contains(&format!("| accuracy | {shown} |")), "{shown}");
    for section in SECTIONS {
        assert!(markdown.contains(&format!("\n## {section}\n\n")), "{section}");
    }
    // A cell with a bar in it is still one cell.
    for table in markdown.split("\n\n").filter(|block| block.starts_with("| ")) {
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let expected = columns(table.lines().next().unwrap());
        assert!(table.lines().all(|line| columns(line) == expected), "{table}");
    }
    assert!(!markdown.contains("<script"));

    let before = ["r.html", "r.md", "r.json"].map(|name| read(&folder, name));
    succeeds(&folder, &format!("{train} --threads 1"));
    succeeds(&folder, &train);
    assert_eq!(before, ["r.html", "r.md", "r.json"].map(|name| read(&folder, name)), "byte for byte");
}

#[test]
fn no_report_is_left_where_none_is_wanted_and_none_is_half_written() {
    let folder = folder();
    succeeds(&folder, &format!("{TRAIN} --no-report --out a.likelier"));
    assert!(!folder.path().join("a.html").exists());
    let to_a_pipe = likelier(&folder, &format!("{TRAIN} --out - --epochs 2"));
    assert!(to_a_pipe.status.success());
    assert_eq!(names(folder.path()), ["a.likelier", "comparisons.csv", "items.csv"]);

    // A page that somebody else made stays, and an old report stays when training fails.
    fs::write(folder.path().join("a.html"), "<html>mine</html>").unwrap();
    let message = fails(&folder, &format!("{TRAIN} --out a.likelier"));
    assert!(message.contains("a.html exists and is not a likelier report"), "{message}");
    assert!(message.contains("hint: name another place for the report with --report"), "{message}");
    succeeds(&folder, &format!("{TRAIN} --out b.likelier"));
    let old = read(&folder, "b.html");
    fails(&folder, &format!("{TRAIN} --learning-rate 1e38 --out b.likelier"));
    assert_eq!(read(&folder, "b.html"), old);
    succeeds(&folder, &format!("{TRAIN} --epochs 3 --out b.likelier"));
    assert_ne!(read(&folder, "b.html"), old, "a report of ours is replaced");

    let message = fails(&folder, &format!("{TRAIN} --out c.likelier --report c.pdf"));
    assert!(message.contains("--report") && message.contains(".html, .md or .json"), "{message}");
    let message = fails(&folder, &format!("{TRAIN} --out c.json --report c.json"));
    assert!(message.contains("a file of its own"), "{message}");
    let message = fails(&folder, &format!("{TRAIN} --out c.likelier --report missing/c.html"));
    assert!(message.contains("cannot write missing/c.html"), "{message}");
    let message = fails(&folder, &format!("{TRAIN} --out c.likelier --image 1,8,8"));
    assert!(message.contains("--image") && message.contains("number of features"), "{message}");
    let help = succeeds(&folder, "train --help");
    assert!(help.contains("--report <FILE>") && help.contains("--no-report"), "{help}");
}

#[test]
fn a_report_says_what_it_does_not_know() {
    let folder = folder();
    succeeds(&folder, &format!("{TRAIN} --hold-out 0 --out none.likelier"));
    let page = read(&folder, "none.html");
    check_well_formed(&page);
    assert!(page.contains("Nothing is known about the accuracy: no comparisons were held out"));
    assert!(!page.contains("ROC curve") && !page.contains("Are the probabilities right?"));
    assert!(page.contains("comparisons that were trained on"), "whose scores these are");

    let few: Vec<String> = read(&folder, "comparisons.csv").lines().take(9).map(str::to_owned).collect();
    fs::write(folder.path().join("few.csv"), few.join("\n")).unwrap();
    succeeds(&folder, &format!("{} --out few.likelier", TRAIN.replace("comparisons.csv", "few.csv")));
    let page = read(&folder, "few.html");
    assert!(
        page.contains("<strong>Serious.</strong> Nothing is known about the accuracy"),
        "too few to judge"
    );
    assert!(page.contains("8 comparisons are few"));

    let mut piles = String::from("id,pile\n");
    for at in 10..100 {
        piles += &format!("thing {at},{}\n", if at % 3 == 0 { "likelier" } else { "other" });
    }
    fs::write(folder.path().join("piles.csv"), piles).unwrap();
    let train = TRAIN.replace("--comparisons comparisons.csv", "--piles piles.csv");
    succeeds(&folder, &format!("{train} --out piles.likelier"));
    let page = read(&folder, "piles.html");
    check_well_formed(&page);
    assert!(
        page.contains("trained on two piles of items")
            && page.contains("piles do not say what was compared")
    );
}

#[test]
fn items_that_are_images_are_shown() {
    let folder = TempDir::new().unwrap();
    let mut items = String::from("id");
    (0..16).for_each(|pixel| items += &format!(",p{pixel}"));
    let mut comparisons = String::from("\nlikelier,other\n");
    for at in 0..60 {
        items += &format!("\npicture {at}");
        (0..16).for_each(|pixel| items += &format!(",{}", (at * 4 + pixel) % 17));
    }
    (0..30).for_each(|at| comparisons += &format!("picture {},picture {at}\n", at + 30));
    fs::write(folder.path().join("items.csv"), items).unwrap();
    fs::write(folder.path().join("comparisons.csv"), comparisons.trim_start()).unwrap();
    let train = TRAIN.replace(" --categories kind", " --image 1,4,4");
    succeeds(&folder, &format!("{train} --out model.likelier"));
    let page = read(&folder, "model.html");
    check_well_formed(&page);
    assert_eq!(page.matches("src=\"data:image/png;base64,iVBORw0KGgo").count(), 36, "three rows of twelve");
    assert!(page.contains("alt=\"item picture "));
    assert!(!page.contains("What it looks at"), "pixels have no names worth reading");
}

#[test]
fn a_report_says_when_and_from_which_files_it_was_made() {
    let folder = folder();
    let sum = |name: &str| {
        let digest = Sha256::digest(fs::read(folder.path().join(name)).unwrap());
        digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    };
    let mut labels = String::from("id,label\n");
    (10..100).for_each(|at| labels += &format!("thing {at},{}\n", u8::from(at % 3 == 0)));
    fs::write(folder.path().join("labels.csv"), labels).unwrap();
    fs::write(folder.path().join("dataset.json"), "{}").unwrap();
    let train = format!("{TRAIN} --labels labels.csv --labels-chosen random --out m.likelier");
    succeeds(&folder, &format!("{train} --report m.html --report m.json"));
    let page = read(&folder, "m.html");
    check_well_formed(&page);
    let record: Value = serde_json::from_str(&read(&folder, "m.json")).unwrap();
    let inputs = record["result"]["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 4, "{inputs:?}");
    for (what, name) in [
        ("items", "items.csv"),
        ("comparisons", "comparisons.csv"),
        ("how they were collected", "dataset.json"),
        ("labels", "labels.csv"),
    ] {
        let (bytes, sum) = (fs::metadata(folder.path().join(name)).unwrap().len(), sum(name));
        assert!(
            page.contains(&format!(
                "<td>{what}<small>{name}</small></td><td>{bytes}</td><td class=\"long\">{sum}</td>"
            )),
            "{what}"
        );
        let input = inputs.iter().find(|input| input["what"] == what).unwrap();
        assert_eq!(
            (&input["file"], &input["bytes"], &input["sha256"]),
            (&name.into(), &bytes.into(), &sum.into())
        );
    }
    assert!(page.contains(", on 2023-11-14 (UTC)."));

    // Without the variable it is today; an odd one is refused before anything is done, unless no date is wanted.
    assert!(
        likelier_on(None, &folder, &format!("{TRAIN} --epochs 2 --out n.likelier"))
            .status
            .success()
    );
    let page = read(&folder, "n.html");
    let shown = page.split(" (UTC).").next().unwrap().rsplit(' ').next().unwrap();
    assert!(shown > "2026-01-01" && shown.len() == 10 && shown.as_bytes()[4] == b'-', "{shown}");
    let odd = likelier_on(Some("yesterday"), &folder, &format!("{TRAIN} --out o.likelier"));
    let message = String::from_utf8(odd.stderr).unwrap();
    assert_eq!(odd.status.code(), Some(2));
    assert!(
        message.contains("SOURCE_DATE_EPOCH is 'yesterday'") && message.contains("hint: unset it"),
        "{message}"
    );
    assert!(!folder.path().join("o.likelier").exists() && !folder.path().join("o.html").exists());
    let none = likelier_on(
        Some("yesterday"),
        &folder,
        &format!("{TRAIN} --no-report --epochs 2 --out o.likelier"),
    );
    assert!(none.status.success());
}

#[test]
fn a_prior_is_called_stated_or_estimated_and_says_from_what() {
    let folder = folder();
    succeeds(&folder, &format!("{TRAIN} --out stated.likelier"));
    let page = read(&folder, "stated.html");
    assert!(page.contains("<td>share of positives</td><td>stated as 0.5</td>"));
    assert!(
        page.contains("It was stated as 0.5; nothing here checks it.") && !page.contains("estimated as")
    );

    let mut labels = String::from("id,label\n");
    (10..110).for_each(|at| labels += &format!("thing {at},{}\n", u8::from(at % 2 == 0)));
    fs::write(folder.path().join("labels.csv"), labels).unwrap();
    let train = TRAIN.replace(" --prior 0.5", " --labels labels.csv --labels-chosen random");
    succeeds(&folder, &format!("{train} --out estimated.likelier"));
    let page = read(&folder, "estimated.html");
    let words = "estimated as 0.500 (0.404 to 0.596) from labels of items that were chosen at random";
    assert!(page.contains(&format!("<td>share of positives</td><td>{words}</td>")), "{page}");
    assert!(page.contains(&format!("It was {words}. If you know it better, state it with")));
    assert!(page.contains("which is itself an estimate"));
    assert!(!page.contains("stated as 0"));
}

#[test]
fn a_network_is_told_by_its_columns_and_long_names_are_shortened_with_the_whole_in_a_title() {
    let folder = TempDir::new().unwrap();
    let mut rng = stream(9, Purpose::Comparisons);
    let id = |at: usize| format!("sample \"{at:04}\" <of a long series of things> & so on {at:04}");
    let quoted = |at: usize| format!("\"{}\"", id(at).replace('"', "\"\""));
    let long = "the size of the thing, measured from end to end";
    let mut items = format!("id,\"{long}\"");
    (0..24).for_each(|column| items += &format!(",noise{column}"));
    let mut sizes = Vec::new();
    for at in 0..300 {
        sizes.push(unit(&mut rng));
        items += &format!("\n{},{:.4}", quoted(at), sizes[at]);
        (0..24).for_each(|_| items += &format!(",{:.3}", unit(&mut rng)));
    }
    let mut comparisons = String::from("likelier,other\n");
    for at in (0..300).step_by(2) {
        let (first, second) = if sizes[at] > sizes[at + 1] { (at, at + 1) } else { (at + 1, at) };
        comparisons += &format!("{},{}\n", quoted(first), quoted(second));
    }
    fs::write(folder.path().join("items.csv"), items).unwrap();
    fs::write(folder.path().join("comparisons.csv"), comparisons).unwrap();
    let train =
        TRAIN.replace(" --categories kind", " --model mlp --hidden 8 --epochs 60 --learning-rate 0.01");
    succeeds(&folder, &format!("{train} --out m.likelier --report m.html --report m.json"));
    let page = read(&folder, "m.html");
    check_well_formed(&page);
    assert!(page.contains("<h2>What it looks at</h2>") && !page.contains("The largest weights"));
    assert!(page.contains("comparisons that it was not trained on"));
    assert!(page.contains("And 5 more columns"), "20 are shown");
    assert!(page.contains(&format!("<td title=\"{long}\">the size of the … end to end</td>")), "{page}");
    let record: Value = serde_json::from_str(&read(&folder, "m.json")).unwrap();
    let importance = &record["result"]["importance"];
    assert_eq!(importance["columns"].as_array().unwrap().len(), 25);
    assert_eq!(importance["columns"][0]["column"], long);
    assert_eq!(importance["held_out"], true);
    let first = record["result"]["examples"]["most_likely"][0]["id"].as_str().unwrap();
    let number = &first[first.len() - 4..];
    let whole =
        format!("sample &quot;{number}&quot; &lt;of a long series of things&gt; &amp; so on {number}");
    assert!(
        page.contains(&format!(
            "<td title=\"{whole}\">sample &quot;{number}&quot; &lt;o… so on {number}</td>"
        )),
        "{page}"
    );
}
