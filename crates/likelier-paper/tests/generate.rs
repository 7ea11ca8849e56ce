//! `likelier-paper generate` on real data: the files it writes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use likelier_tables::{Items, Layout};

mod data_dir;

fn generate(data: &Path, out: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_likelier-paper"))
        .arg("generate")
        .args(arguments.split_whitespace())
        .arg("--data-dir")
        .arg(data)
        .arg("--out")
        .arg(out)
        .output()
        .unwrap()
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn json(text: &[u8]) -> serde_json::Value {
    serde_json::from_slice(text).unwrap()
}

#[test]
fn the_four_files_hang_together() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/pendigits");
    let output = generate(
        &data,
        &out,
        "--dataset Pendigits --prior 0.2 --pairs 300 --protocol forced-choice --labeller-error 0.1 \
         --sampling independent --seed 3 --json",
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let items = lines(&out.join("items.csv"));
    assert_eq!(items[0], format!("id,{}", (0..16).map(|k| format!("f{k}")).collect::<Vec<_>>().join(",")));
    let ids: HashSet<&str> = items[1..].iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(ids.len(), items.len() - 1, "ids are unique");
    assert!(items[1..].iter().all(|line| line.split(',').count() == 17));

    let comparisons = lines(&out.join("comparisons.csv"));
    assert_eq!((comparisons[0].as_str(), comparisons.len()), ("likelier,other", 301));
    for line in &comparisons[1..] {
        let (likelier, other) = line.split_once(',').unwrap();
        assert!(ids.contains(likelier) && ids.contains(other) && likelier != other);
    }

    let test = lines(&out.join("test.csv"));
    assert!(test[0].ends_with(",f15,label"));
    let mut labels: HashMap<&str, usize> = HashMap::new();
    for line in &test[1..] {
        let (id, label) = (line.split(',').next().unwrap(), line.rsplit(',').next().unwrap());
        assert!(!ids.contains(id), "no item is tested on");
        *labels.entry(label).or_default() += 1;
    }
    // Four negatives to each positive.
    assert_eq!(labels.len(), 2);
    assert!(labels["0"].abs_diff(4 * labels["1"]) <= 2, "{labels:?}");

    let card = json(&fs::read(out.join("dataset.json")).unwrap());
    assert_eq!(card["protocol"], "forced-choice");
    assert_eq!((card["labeller_error"].as_f64(), card["prior"].as_f64()), (Some(0.1), Some(0.2)));
    assert_eq!((card["pairs_shown"].as_u64(), card["pairs_kept"].as_u64()), (Some(300), Some(300)));
    assert_eq!((card["seed"].as_u64(), &card["source"]["dataset"]), (Some(3), &"pendigits".into()));

    let printed = json(&output.stdout);
    assert_eq!((printed["schema"].as_u64(), &printed["command"]), (Some(1), &"generate".into()));
    assert_eq!(printed["result"]["items"].as_u64(), Some(ids.len() as u64));
    assert_eq!(printed["warnings"], serde_json::json!([]));
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_seed_others() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let bytes = |name: &str, seed: u32| {
        let out = folder.path().join(name);
        let arguments = format!("--dataset cnae9 --prior 0.5 --protocol discard --seed {seed}");
        assert!(generate(&data, &out, &arguments).status.success());
        ["items.csv", "comparisons.csv", "test.csv", "dataset.json"]
            .map(|file| fs::read(out.join(file)).unwrap())
    };
    let first = bytes("a", 1);
    assert_eq!(first, bytes("b", 1));
    assert_ne!(first[1], bytes("c", 2)[1]);
}

#[test]
fn loose_piles_and_a_confidence_labeller_can_be_asked_for() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let loose = folder.path().join("loose");
    let pointwise = "--dataset optdigits --prior 0.5 --protocol discard --sampling pointwise";
    assert!(generate(&data, &loose, pointwise).status.success());
    let piles = lines(&loose.join("piles.csv"));
    assert_eq!((piles[0].as_str(), piles.len()), ("id,pile", 2001));
    assert!(!loose.join("comparisons.csv").exists());
    assert!(json(&fs::read(loose.join("dataset.json")).unwrap())["pairs_kept"].is_null());

    let confident = folder.path().join("confident");
    let confidence = "--dataset optdigits --prior 0.5 --protocol discard --labeller confidence";
    assert!(generate(&data, &confident, confidence).status.success());
    let plain = folder.path().join("plain");
    assert!(
        generate(&data, &plain, "--dataset optdigits --prior 0.5 --protocol discard")
            .status
            .success()
    );
    let pairs = |folder: &Path| lines(&folder.join("comparisons.csv"));
    let (confident, plain) = (pairs(&confident), pairs(&plain));
    let turned = confident.iter().zip(&plain).filter(|(a, b)| a != b).count();
    // Two thirds of the pairs are of one class, and half of those were in the other order.
    assert!((250..420).contains(&turned), "{turned} pairs turned round");
}

#[test]
fn the_partial_kuzushiji_file_is_said_to_be_partial() {
    let Some(data) = data_dir::data_dir() else { return };
    if data.join("kuzushiji-mnist/train-images-idx3-ubyte.gz").exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let arguments = "--dataset kuzushiji --prior 0.5 --pairs 50 --protocol discard";
    let output = generate(&data, &folder.path().join("out"), arguments);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("warning: results rest on a partial copy"), "{said}");
}

#[test]
fn too_many_pairs_say_what_is_possible_and_leave_nothing_behind() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = generate(&data, &out, "--dataset cnae9 --prior 0.5 --pairs 2000 --protocol discard");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("need 1998 positive rows, but there are 384; at most 386 pairs"), "{said}");
    assert!(said.contains("hint: ask for at most 386 pairs"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no file is left");
}

#[test]
fn impossible_numbers_of_pairs_are_refused_and_leave_nothing_behind() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    for sampling in ["independent", "exact-counts", "pointwise"] {
        for pairs in ["0", "1000000000000", "9223372036854775808", "18446744073709551615"] {
            let arguments = format!(
                "--dataset cnae9 --prior 0.5 --protocol discard --pairs {pairs} --sampling {sampling}"
            );
            let output = generate(&data, &folder.path().join("made/for/it"), &arguments);
            assert_eq!(output.status.code(), Some(2), "{sampling} {pairs}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("must be from 1 to 100,000,000"), "{said}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no file or folder is left");
        }
    }
}

#[test]
fn parquet_holds_what_csv_holds() {
    let Some(data) = data_dir::data_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let read = |format: &str, name: &str, label: Option<&str>| {
        let out = folder.path().join(format);
        let output = generate(
            &data,
            &out,
            &format!("--dataset pendigits --prior 0.5 --pairs 50 --protocol discard --format {format}"),
        );
        assert!(output.status.success() || out.exists(), "{}", String::from_utf8_lossy(&output.stderr));
        let layout = Layout { label: label.map(Into::into), ..Default::default() };
        Items::read(&out.join(format!("{name}.{format}")), &layout).unwrap()
    };
    for (name, label) in [("items", None), ("test", Some("label"))] {
        assert_eq!(read("csv", name, label), read("parquet", name, label), "{name}");
    }
}
