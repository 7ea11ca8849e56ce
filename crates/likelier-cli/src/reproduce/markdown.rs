//! `summary.md`: a run as Markdown.

use std::fmt::Write as _;

use super::paper::Accuracy;
use super::summary::{AGREE, Agreement, Beside, Beyond, Figure, Summary, Table};

/// What the signs beside numbers mean; the page has the same.
pub(super) const LEGEND: &str = "Each cell: our mean accuracy ± standard deviation over trials (number of trials), then \
     the paper's, then how many standard errors ours is above it. `=` within three standard errors, `▲` more than three \
     above, `▼` more than three below, `?` unknown. Bold: the best of the table in that cell. A method that the paper \
     does not have stands beside the paper's best of the cell, marked `best`. A single trial is lent the paper's \
     deviation.";

/// The whole run.
pub(super) fn page(summary: &Summary) -> String {
    let mut text = format!("# {}\n\n    {}\n\n", summary.title, summary.provenance.command);
    let made = &summary.provenance;
    let _ = writeln!(
        text,
        "likelier {}; {}; {} trials that took {} in sum, measuring accuracy left out.",
        made.versions.join(", "),
        made.machine,
        made.trials,
        hours(made.seconds)
    );
    for note in &summary.notes {
        let _ = writeln!(text, "\n**Note:** {note}.");
    }
    if !summary.tables.is_empty() {
        let _ = writeln!(text, "\n{LEGEND}");
    }
    for table in &summary.tables {
        text.push_str(&variant(table));
    }
    text.push_str(&agreement(&summary.agreement));
    for figure in &summary.figures {
        text.push_str(&curves(figure));
    }
    if !summary.figures.is_empty() {
        text.push_str("\n![Accuracy along the sweep](figure.svg)\n");
    }
    text.push_str(&claims(summary));
    text.push_str(&beyond(&summary.beyond));
    text
}

fn variant(table: &Table) -> String {
    let mut text = format!("\n## Variant `{}`: {}\n", table.variant, table.about);
    for block in &table.blocks {
        let _ = write!(text, "\n| π = {} |", block.prior);
        for dataset in &table.datasets {
            let _ = write!(text, " {dataset} |");
        }
        let _ = writeln!(text, "\n|---|{}", "---|".repeat(table.datasets.len()));
        for line in &block.lines {
            let _ = write!(text, "| {} |", line.method);
            for cell in &line.cells {
                let _ = write!(text, " {} |", cell.as_ref().map_or("–".into(), cell_text));
            }
            text.push('\n');
        }
    }
    text
}

fn agreement(variants: &[Agreement]) -> String {
    if variants.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Agreement with the paper\n\nCells that the paper prints: how many agree within three standard errors, lie \
         above or lie below, and how far the means are apart on average.\n\n| variant | cells | agree | above | below | \
         apart |\n|---|---|---|---|---|---|\n",
    );
    for Agreement { variant, about, cells, agree, above, below, apart } in variants {
        let _ =
            writeln!(text, "| `{variant}`: {about} | {cells} | {agree} | {above} | {below} | {apart:.3} |");
    }
    text
}

fn cell_text(cell: &Beside) -> String {
    let ours = with_deviation(&cell.ours);
    let ours = if cell.best { format!("**{ours}**") } else { ours };
    format!(
        "{ours} ({}){}",
        cell.ours.trials,
        comparison(cell).map_or(String::new(), |text| format!("; {text}"))
    )
}

/// The paper's number and the distance to it.
pub(super) fn comparison(cell: &Beside) -> Option<String> {
    let paper = cell.paper?;
    let best = if cell.against_best { "best " } else { "" };
    let distance = cell.standard_errors.map_or("?".into(), |apart| format!("{apart:+.1}"));
    Some(format!("{best}{} {distance} {}", with_deviation(&paper), sign(cell)))
}

/// What agreement looks like without colour.
pub(super) fn sign(cell: &Beside) -> &'static str {
    match cell.standard_errors {
        Some(apart) if apart > AGREE => "▲",
        Some(apart) if apart < -AGREE => "▼",
        Some(_) => "=",
        None => "?",
    }
}

pub(super) fn with_deviation(mean: &Accuracy) -> String {
    match mean.deviation {
        Some(deviation) => format!("{:.3} ± {deviation:.3}", mean.mean),
        None => format!("{:.3}", mean.mean),
    }
}

pub(super) fn hours(seconds: f64) -> String {
    match seconds {
        small if small < 120.0 => format!("{small:.0} s"),
        middling if middling < 7200.0 => format!("{:.0} min", middling / 60.0),
        large => format!("{:.1} h", large / 3600.0),
    }
}

fn curves(figure: &Figure) -> String {
    let mut text = format!("\n## {}\n\n| {} |", figure.title, figure.axis);
    let Some(longest) = figure.lines.iter().max_by_key(|line| line.places.len()) else { return text };
    for (at, place) in longest.places.iter().enumerate() {
        match figure.words.get(at) {
            Some(word) => {
                let _ = write!(text, " {word} |");
            }
            None => {
                let _ = write!(text, " {place} |");
            }
        }
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(longest.places.len()));
    for line in &figure.lines {
        let _ = write!(text, "| {} |", line.name);
        for place in &longest.places {
            let at = line.places.iter().position(|there| there == place);
            let _ = write!(text, " {} |", at.map_or("–".into(), |at| with_deviation(&line.means[at])));
        }
        text.push('\n');
    }
    text
}

fn claims(summary: &Summary) -> String {
    let mut text = String::new();
    for (variant, claims) in &summary.claims {
        let _ = write!(
            text,
            "\n## What the paper's text says, variant `{variant}`\n\n| claim | needs | true of our run in | of the \
             paper's own numbers in | verdict |\n|---|---|---|---|---|\n"
        );
        for claim in claims {
            let verdict = match claim.holds() {
                Some(true) => "holds",
                Some(false) => "**does not hold**",
                None => "cannot be told yet",
            };
            let of = |[true_in, of]: [usize; 2]| format!("{true_in} of {of}");
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {verdict} |",
                claim.text,
                claim.needs(),
                of(claim.ours),
                claim.paper.map_or("–".into(), of)
            );
        }
    }
    text
}

fn beyond(cells: &[Beyond]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in cells.iter().flat_map(|cell| &cell.others) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n## Beyond the paper\n\nOurs against the paper's printed best of the cell, with the distance in standard \
         errors; \"run\" is the best of our own runs of the paper's methods, picked by its result and so a little \
         too good.\n\n| cell | the paper's best | run |",
    );
    for name in &names {
        let _ = write!(text, " {name} |");
    }
    let _ = writeln!(text, "\n|---|---|---|{}", "---|".repeat(names.len()));
    for cell in cells {
        let paper = cell
            .papers
            .as_ref()
            .map_or("–".into(), |(method, mean)| format!("{} {method}", with_deviation(mean)));
        let run = cell
            .run
            .as_ref()
            .map_or("–".into(), |(name, mean)| format!("{:.3} {name}", mean.mean));
        let _ = write!(text, "| {} {} | {paper} | {run} |", cell.dataset, cell.prior);
        for name in &names {
            let found = cell.others.iter().find(|(other, _)| other == name);
            let shown = found.map_or("–".into(), |(_, beside)| {
                let distance = beside.standard_errors.map_or("?".into(), |apart| format!("{apart:+.1}"));
                format!(
                    "{} ({}) {distance} {}",
                    with_deviation(&beside.ours),
                    beside.ours.trials,
                    sign(beside)
                )
            });
            let _ = write!(text, " {shown} |");
        }
        text.push('\n');
    }
    text
}
