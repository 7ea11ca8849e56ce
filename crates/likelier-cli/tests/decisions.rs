//! What is decided by numbers without labels: a threshold for a wish, one of two models, pairs to ask again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod program;

use program::Folder;
use serde_json::Value;

const FILES: &str = "--items items.csv --comparisons pairs.csv --protocol forced-choice";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn error(files: &Folder, command: &str) -> String {
    let run = files.run(command);
    assert!(!run.status.success(), "{command}");
    String::from_utf8(run.stderr).unwrap()
}

/// A model trained on 1,500 comparisons of 3,000 rows.
fn trained() -> Folder {
    let files = Folder::with_rows(3000);
    files.succeeds(&format!("train {FILES} --prior 0.4 --equals coin --no-report --out m"));
    files
}

#[test]
fn a_threshold_is_found_for_a_wish_and_predict_uses_it() {
    let files = trained();
    let found = |wish: &str, more: &str| {
        let all = files.result(&format!("evaluate m {FILES} --threshold-for {wish} {more}"));
        all["threshold_for"].clone()
    };
    let (low, high) = (found("recall=0.7", "--equals coin"), found("recall=0.9", "--equals coin"));
    assert_eq!((&low["met"], &high["met"]), (&true.into(), &true.into()), "{low} {high}");
    assert!(number(&low["threshold"]) > number(&high["threshold"]), "{low} {high}");
    assert!(number(&high["recall"]["low_end"]["low"]) >= 0.9);
    assert_eq!(high["value"], high["recall"]);
    assert_eq!(high["value"]["low_end"], high["value"]["high_end"], "a point: {high}");

    let precise = found("precision=0.7", "--equals coin");
    assert!(precise["met"] == true && number(&precise["precision"]["low_end"]["low"]) >= 0.7, "{precise}");
    let never = found("precision=0.999", "--equals coin");
    assert_eq!(never["met"], false);
    let (dear, cheap) = (found("cost=5:1", "--equals coin"), found("cost=1:5", "--equals coin"));
    assert!(number(&dear["threshold"]) > number(&cheap["threshold"]));
    assert!(number(&dear["constant_cost"]) > number(&dear["value"]["low_end"]["value"]));
    let open = found("recall=0.7", "--labeller-error-at-most 0.05");
    assert!(
        number(&open["value"]["low_end"]["value"]) < number(&open["value"]["high_end"]["value"]),
        "{open}"
    );

    let text = files.succeeds(&format!("evaluate m {FILES} --equals coin --threshold-for recall=0.9"));
    assert!(
        text.contains("for a recall of 0.9 or more: threshold ")
            && text.contains("thresholds that were tried")
    );
    let text = files.succeeds(&format!("evaluate m {FILES} --equals coin --threshold-for precision=0.999"));
    assert!(
        text.contains("no threshold is sure to have a precision of 0.999 or more; the surest is"),
        "{text}"
    );
    let text = files.succeeds(&format!("evaluate m {FILES} --equals coin --threshold-for cost=1:2"));
    assert!(text.contains("cost of a row") && text.contains("of calling every row the same"), "{text}");

    let positives = |more: &str| {
        let all = files.result(&format!("predict m items.csv --out scores.csv {more}"));
        number(&all["positives"])
    };
    let moved = positives(&format!("--threshold={}", high["threshold"]));
    assert!(moved > positives(""), "a high recall calls more positive");
    let expected = 3000.0 * number(&high["called_positive"]["low_end"]["value"]);
    assert!((moved - expected).abs() < 60.0, "{moved} and {expected}");

    for (wish, part) in [
        ("precision=2", "strictly between 0 and 1"),
        ("cost=3", "two costs above 0"),
        ("f1=0.5", "precision=SHARE"),
    ] {
        let said = error(&files, &format!("evaluate m {FILES} --threshold-for {wish}"));
        assert!(said.contains(part), "{said}");
    }
    let said = error(&files, "evaluate m --items labelled.csv --label label --threshold-for recall=0.9");
    assert!(said.contains("--comparisons"), "{said}");
    let said = error(&files, "predict m items.csv --out scores.csv --threshold high");
    assert!(said.contains("give a number"), "{said}");
}

#[test]
fn train_keeps_the_threshold_for_a_wish_in_the_model() {
    let files = Folder::with_rows(3000);
    let train = format!("train {FILES} --prior 0.4 --equals coin --no-report --out m");
    let plain = files.result(&train);
    let wide =
        number(&plain["label_free"]["accuracy"]["high"]) - number(&plain["label_free"]["accuracy"]["low"]);
    let found = files.result(&format!("{train} --threshold-for recall=0.85"));
    assert_eq!(found["threshold_for"]["met"], true);
    assert_eq!(found["threshold"], found["threshold_for"]["threshold"]);
    assert!((number(&files.result("inspect m")["threshold"]) - number(&found["threshold"])).abs() < 1e-6);
    assert!(number(&found["threshold"]) < number(&plain["threshold"]));
    // What is said of the model at a threshold that was picked allows for the picking.
    let judged = &found["label_free"]["true_positive_rate"];
    assert!(number(&judged["low"]) >= 0.85, "{judged}");
    let accuracy = &found["label_free"]["accuracy"];
    assert!(number(&accuracy["high"]) - number(&accuracy["low"]) > 1.2 * wide, "{accuracy}");
    // It holds: the labels are there to tell.
    let truth = files.result("evaluate m --items labelled.csv --label label");
    let recall = number(&truth["labelled"]["true_positive_rate"]["value"]);
    assert!(recall >= 0.85, "{recall}");

    let run = files.run(&format!("{train} --threshold-for precision=0.999"));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() && said.contains("the threshold stays as it was"), "{said}");
    assert!((number(&files.result("inspect m")["threshold"]) - number(&plain["threshold"])).abs() < 1e-6);
    let text = files.succeeds(&format!("{train} --threshold-for cost=1:3"));
    assert!(
        text.contains("for a low cost, where a false positive costs 1 and a false negative 3: threshold"),
        "{text}"
    );
    let reported = format!(
        "train {FILES} --prior 0.4 --equals coin --threshold-for recall=0.85 --report r.md --out m"
    );
    files.succeeds(&reported);
    let page = files.text("r.md");
    for words in
        ["The threshold, chosen for a wish", "for a recall of 0.85 or more: threshold", "tried together"]
    {
        assert!(page.contains(words), "{page}");
    }
    let said = error(&files, &format!("{train} --threshold-for recall=0.8 --sensitivity"));
    assert!(said.contains("--sensitivity"), "{said}");
}

#[test]
fn a_comparison_of_two_models_says_what_it_takes_equals_for() {
    let files = trained();
    files.succeeds(&format!(
        "train {FILES} --prior 0.4 --features weight --method pcomp-relu --epochs 3 --no-report --out bad"
    ));
    let coin = files.result(&format!("evaluate bad m {FILES} --prior 0.4 --equals coin"));
    assert_eq!(
        (&coin["difference"]["equals"], &coin["difference"]["ranges"]),
        (&"coin".into(), &Value::Null)
    );
    let open = files.result(&format!("evaluate bad m {FILES} --prior 0.4 --labeller-error-at-most 0.05"));
    let difference = &open["difference"];
    assert_eq!(difference["equals"], "unknown");
    assert_eq!(number(&difference["ranges"]["error_at_most"]), 0.05);
    for metric in ["accuracy", "balanced_accuracy"] {
        let range = &difference["ranges"][metric];
        let end = |end: &str, of: &str| number(&range[end][of]);
        let point = number(&coin["difference"]["label_free"][metric]["value"]);
        assert!(
            end("low_end", "low") <= end("low_end", "value") && end("low_end", "value") < point,
            "{range}"
        );
        assert!(end("high_end", "high") >= end("high_end", "value"), "{range}");
    }
    let text = files.succeeds(&format!("evaluate bad m {FILES} --prior 0.4 --labeller-error-at-most 0.05"));
    assert!(
        text.contains("at most 5 %") && text.contains("the differences are only known to lie from"),
        "{text}"
    );
    assert!(text.contains("How far the AUCs differ is then not known."), "{text}");
    let text = files.succeeds(&format!("evaluate bad m {FILES} --prior 0.4 --equals coin"));
    assert!(text.contains("taken to have been ordered by a coin toss"), "{text}");
}

#[test]
fn a_plan_tells_when_asking_again_is_worth_it() {
    let files = Folder::new();
    let plan = "plan --prior 0.5 --protocol forced-choice --accuracy 0.85 --comparisons 2000";
    let widths = |more: &str| -> (Vec<f64>, Value) {
        let found = files.result(&format!("{plan} {more}"));
        let width = |row: &Value| {
            let end = |end: &str, of: &str| number(&row["accuracy"][end][of]);
            end("high_end", "high") - end("low_end", "low")
        };
        let ranges = found["ranges"].clone();
        (ranges["rows"].as_array().unwrap().iter().map(width).collect(), ranges)
    };
    let (small, ranges) = widths("--labeller-error-at-most 0.02 --asked-again 500");
    assert!(small.len() == 2 && small[1] < small[0] - 0.03, "{small:?}");
    let bound = number(&ranges["helps_up_to"]);
    assert!((0.02..0.15).contains(&bound), "{bound}");
    let (large, ranges) = widths("");
    assert_eq!((large.len(), number(&ranges["error_at_most"])), (4, 0.2));
    assert!(large.iter().all(|width| (width - large[0]).abs() < 0.01), "{large:?}");
    let words = |command: &str| files.succeeds(command).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(plan);
    assert!(text.contains("With at most 20 % wrong, asking again narrows nothing"), "{text}");
    let text = words(&format!("{plan} --labeller-error-at-most 0.02"));
    assert!(text.contains("500 pairs asked twice help while labellers get at most"), "{text}");
    let discard = files.succeeds("plan --prior 0.5 --protocol discard");
    assert!(!discard.contains("asked twice help"), "{discard}");
    for (more, part) in [
        ("--asked-again 2001", "pairs that are asked again"),
        ("--labeller-error-at-most 0.5", "largest labeller error"),
        ("--labeller-error 0.1 --labeller-error-at-most 0.05", "at least the labeller error itself"),
    ] {
        assert!(error(&files, &format!("{plan} {more}")).contains(part), "{more}");
    }
}
