//! `PAPER.md` names every statement of the paper, and everything it names exists.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every [`name`](path) of the page.
fn links(page: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find("[`") {
        rest = &rest[start + 2..];
        if let (Some(end), Some(close)) = (rest.find("`]("), rest.find(')')) {
            found.push((&rest[..end], &rest[end + 3..close]));
            rest = &rest[close..];
        }
    }
    found
}

/// Whether a source text defines `name`: a function, type or constant, or a function or variant of a type.
fn defines(source: &str, name: &str) -> bool {
    let ends = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let after = |text: &str, start: &str| text.split(start).skip(1).any(ends);
    match name.split_once("::") {
        None => ["fn ", "struct ", "enum ", "trait ", "const "]
            .iter()
            .any(|kind| after(source, &format!("{kind}{name}"))),
        Some((kind, part)) => {
            // The type's own blocks end where the next item begins at the margin.
            let blocks = ["impl ", "impl<'a> ", "pub enum "].map(|start| format!("\n{start}{kind}"));
            let body = |rest: &str| rest.split("\n}").next().unwrap_or_default().to_owned();
            blocks
                .iter()
                .flat_map(|block| source.split(block.as_str()).skip(1))
                .filter(|rest| ends(rest))
                .any(|rest| {
                    let body = body(rest);
                    after(&body, &format!("fn {part}"))
                        || body.lines().any(|line| line.trim() == format!("{part},"))
                })
        }
    }
}

#[test]
fn everything_the_page_names_exists() {
    let page = fs::read_to_string(root().join("PAPER.md")).unwrap();
    let links = links(&page);
    assert!(links.len() > 50, "only {} names found", links.len());
    for (name, path) in links {
        if Path::new(path).extension().is_some_and(|extension| extension == "rs") {
            let source = fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
            assert!(defines(&source, name), "PAPER.md names `{name}`, which {path} does not define");
        } else {
            assert!(root().join(path).exists(), "PAPER.md points to {path}, which does not exist");
        }
    }
}

#[test]
fn every_statement_of_the_paper_has_a_row() {
    let page = fs::read_to_string(root().join("PAPER.md")).unwrap();
    let firsts: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with('|'))
        .filter_map(|line| line.split('|').nth(1))
        .collect();
    let has = |label: &str| firsts.iter().any(|cell| cell.split(',').any(|part| part.trim() == label));
    let numbered = |kind: &str, last: u32| (1..=last).map(|n| format!("{kind} {n}")).collect::<Vec<_>>();
    let mut labels = numbered("Theorem", 7);
    labels.extend(numbered("Lemma", 8));
    labels.extend((1..=15).map(|n| format!("Eq. ({n})")));
    labels.extend(numbered("Table", 3));
    labels.extend(["Corollary 1".to_owned(), "Figure 1".to_owned()]);
    for label in labels {
        assert!(has(&label), "PAPER.md has no row for {label}");
    }
}

#[test]
fn a_name_that_is_gone_is_noticed() {
    let source = "\nimpl Protocol {\n    pub fn mixture(&self) {}\n}\n\npub enum Method {\n    PcompRelu,\n}\n\
                  \nimpl Mixture<'_> {\n    fn inverse() {}\n}\n";
    assert!(defines(source, "Protocol::mixture") && defines(source, "Method::PcompRelu"));
    assert!(defines(source, "Mixture::inverse") && defines(source, "inverse"));
    assert!(!defines(source, "Protocol::mix") && !defines(source, "Method::PcompAbs"));
    assert!(!defines(source, "Protocol::inverse"), "another type has it");
}
