//! `summary.md` and `report.html`: what a run found, in words, tables and plots.

use std::fmt::Write as _;

use likelier_cli::document::{Block, Document, Section, Sign, Table, TableCell};
use likelier_cli::plot::{Axis, Panels, Plot, Series};

use super::beyond::{Beyond, CLEAR, MethodStanding};
use super::claims::Claim;
use super::figures::SweepFigure;
use super::paper::MeanAccuracy;
use super::summary::{AGREE, Agreement, BesidePaper, RunSummary, VariantTable};

/// The file with the plots of a sweep.
pub(super) const FIGURE: &str = "figure.svg";

/// What the signs beside numbers mean.
const LEGEND: &str = "Each cell: our mean accuracy ± standard deviation over trials (number of trials), then the \
     paper's, then how many standard errors ours is above it. `=` within three standard errors, `▲` more than three \
     above, `▼` more than three below, `?` unknown. Bold: the best of the table in that cell. A method that the paper \
     does not have stands beside the paper's best of the cell, marked `best`. A single trial is lent the paper's \
     deviation.";

/// The whole run.
pub(super) fn document(summary: &RunSummary) -> Document {
    let made = &summary.provenance;
    let sections = [
        notes(&summary.notes),
        tables(&summary.tables),
        agreement(&summary.agreement),
        figures(summary),
        claims(&summary.claims),
        beyond(&summary.beyond, &summary.standing),
        Some(repeat(&made.command)),
    ];
    Document {
        title: summary.title.clone(),
        subtitle: format!(
            "likelier {}; {}; {} trials that took {} in sum, measuring accuracy left out.",
            made.versions.join(", "),
            made.machine,
            made.trials,
            hours(made.seconds)
        ),
        sections: sections.into_iter().flatten().collect(),
    }
}

fn notes(notes: &[String]) -> Option<Section> {
    let remark =
        |note: &String| Block::Remark { grave: false, text: format!("{note}."), advice: String::new() };
    (!notes.is_empty()).then(|| Section {
        id: "notes",
        title: "What the results rest on",
        lead: "Not all of the published data were there.".into(),
        blocks: notes.iter().map(remark).collect(),
    })
}

fn tables(tables: &[VariantTable]) -> Option<Section> {
    let mut blocks = Vec::new();
    for table in tables {
        blocks.push(Block::Heading(format!("Variant `{}`: {}", table.variant, table.about)));
        for block in &table.blocks {
            let mut head = vec![format!("π = {}", block.prior)];
            head.extend(table.datasets.iter().map(ToString::to_string));
            let mut shown = Table::with_head(head);
            for line in &block.lines {
                let cells = line.cells.iter().map(|cell| cell.as_ref().map_or_else(nothing, compared));
                shown.row(std::iter::once(line.method.to_string().into()).chain(cells));
            }
            blocks.push(Block::Table(shown));
        }
    }
    (!tables.is_empty()).then(|| Section { id: "tables", title: "Accuracy", lead: LEGEND.into(), blocks })
}

/// Ours and the paper's.
fn compared(cell: &BesidePaper) -> TableCell {
    let beside = cell.paper.map(|paper| {
        let best = if cell.against_best { "best " } else { "" };
        format!("{best}{} {}", with_deviation(&paper), distance(cell))
    });
    TableCell {
        text: format!("{} ({})", with_deviation(&cell.ours), cell.ours.trials),
        strong: cell.best,
        sign: beside.is_some().then(|| sign(cell)),
        beside: beside.unwrap_or_default(),
        ..TableCell::default()
    }
}

fn agreement(variants: &[Agreement]) -> Option<Section> {
    let mut table = Table::new(["variant", "cells", "agree", "above", "below", "apart"]);
    for Agreement { variant, about, cells, agree, above, below, apart } in variants {
        let [cells, agree, above, below] = [cells, agree, above, below].map(ToString::to_string);
        let variant = format!("{variant}: {}", about.replace('`', ""));
        table.row([variant, cells, agree, above, below, format!("{apart:.3}")]);
    }
    (!variants.is_empty()).then(|| Section {
        id: "agreement",
        title: "Agreement with the paper",
        lead: "Cells that the paper prints: how many agree within three standard errors, lie above or lie below, and \
               how far the means are apart on average."
            .into(),
        blocks: vec![Block::Table(table)],
    })
}

fn figures(summary: &RunSummary) -> Option<Section> {
    let mut blocks = vec![Block::Panels(panels(summary)?, FIGURE)];
    for figure in &summary.figures {
        blocks.push(Block::Heading(figure.title.clone()));
        blocks.push(Block::Table(numbers(figure)));
    }
    Some(Section {
        id: "figures",
        title: "Accuracy along the sweep",
        lead: "The curves, and then their numbers: mean accuracy ± standard deviation over trials.".into(),
        blocks,
    })
}

/// The curves of a sweep, a panel for each data set and prior.
pub(super) fn panels(summary: &RunSummary) -> Option<Panels> {
    let first = summary.figures.first()?;
    let mut caption =
        "Each point is the mean test accuracy over trials, with a bar of one standard deviation to either side; a panel \
         for each data set and share of positives."
            .to_owned();
    if !first.words.is_empty() {
        let places = first.words.iter().enumerate().map(|(at, word)| format!("{at} is {word}"));
        let _ = write!(caption, " Places: {}.", places.collect::<Vec<_>>().join(", "));
    }
    let plots = summary.figures.iter().map(plot).collect();
    Some(Panels::new(&summary.title, caption, plots).columns(2))
}

fn plot(figure: &SweepFigure) -> Plot {
    let places = || figure.lines.iter().flat_map(|line| &line.places).copied();
    let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
    let x = Axis::new(&figure.axis);
    // Places that span more than a power of ten would crowd at the low end.
    let x = if low > 0.0 && high / low > 10.0 { x.logarithmic() } else { x };
    let mut plot = Plot::new(&figure.title, x, "accuracy (share of test rows)", "");
    for line in &figure.lines {
        let errors = line.means.iter().map(|at| {
            let around = at.deviation.unwrap_or(0.0);
            (at.mean - around, at.mean + around)
        });
        plot = plot.line(Series::new(&line.name, line.points()).with_errors(errors.collect()));
    }
    plot
}

/// The numbers of a panel.
fn numbers(figure: &SweepFigure) -> Table {
    let longest = figure.lines.iter().map(|line| &line.places).max_by_key(|places| places.len());
    let places = longest.map(Vec::as_slice).unwrap_or_default();
    let mut head = vec![figure.axis.clone()];
    head.extend(places.iter().enumerate().map(|(at, place)| match figure.words.get(at) {
        Some(word) => word.clone(),
        None => place.to_string(),
    }));
    let mut table = Table::with_head(head);
    for line in &figure.lines {
        let means = places.iter().map(|place| {
            let at = line.places.iter().position(|there| there == place);
            at.map_or_else(nothing, |at| with_deviation(&line.means[at]).into())
        });
        table.row(std::iter::once(line.name.clone().into()).chain(means));
    }
    table
}

fn claims(variants: &[(String, Vec<Claim>)]) -> Option<Section> {
    let mut blocks = Vec::new();
    for (variant, claims) in variants {
        blocks.push(Block::Heading(format!("Variant `{variant}`")));
        let mut table = Table::new([
            "claim",
            "needs",
            "true of our run in",
            "of the paper's own numbers in",
            "verdict",
        ]);
        for claim in claims {
            table.row(claimed(claim));
        }
        blocks.push(Block::Table(table));
    }
    (!variants.is_empty()).then(|| Section {
        id: "claims",
        title: "What the paper's text says",
        lead: "Each claim, in how many cells it is true, and whether it holds.".into(),
        blocks,
    })
}

fn claimed(claim: &Claim) -> [TableCell; 5] {
    let verdict = match claim.holds() {
        Some(true) => "holds",
        Some(false) => "does not hold",
        None => "cannot be told yet",
    };
    let of = |[true_in, of]: [usize; 2]| format!("{true_in} of {of}");
    [
        claim.text.to_owned().into(),
        claim.needs().to_owned().into(),
        of(claim.ours).into(),
        claim.paper.map_or_else(nothing, |cells| of(cells).into()),
        TableCell { strong: claim.holds() == Some(false), ..verdict.to_owned().into() },
    ]
}

fn beyond(cells: &[Beyond], standing: &[MethodStanding]) -> Option<Section> {
    (!standing.is_empty()).then(|| Section {
        id: "beyond",
        title: "Beyond the paper",
        lead: "Ours against the paper's printed best of the cell, with the distance in standard errors; \"run\" is the \
               best of our own runs of the paper's methods, picked by its result and so a little too good."
            .into(),
        blocks: vec![
            Block::Table(against_the_best(cells, standing)),
            Block::Text(format!(
                "Over these cells: how often each is more than {CLEAR} standard errors above or below the paper's best; and \
                 where `supervised`, which sees all labels, is so far above it, how much of that distance it closes on \
                 average."
            )),
            Block::Table(standings(standing)),
        ],
    })
}

fn against_the_best(cells: &[Beyond], standing: &[MethodStanding]) -> Table {
    let mut head = ["cell", "the paper's best", "run"].map(str::to_owned).to_vec();
    head.extend(standing.iter().map(|method| method.name.clone()));
    let mut table = Table::with_head(head);
    for cell in cells {
        let paper = cell
            .papers
            .as_ref()
            .map_or_else(nothing, |(method, mean)| format!("{} {method}", with_deviation(mean)).into());
        let run = cell
            .run
            .as_ref()
            .map_or_else(nothing, |(name, mean)| format!("{:.3} {name}", mean.mean).into());
        let others = standing.iter().map(|method| {
            let found = cell.others.iter().find(|(other, _)| *other == method.name);
            found.map_or_else(nothing, |(_, beside)| against_best(beside))
        });
        let name = format!("{} {}", cell.dataset, cell.prior).into();
        table.row([name, paper, run].into_iter().chain(others));
    }
    table
}

fn against_best(cell: &BesidePaper) -> TableCell {
    let text = format!("{} ({}) {}", with_deviation(&cell.ours), cell.ours.trials, distance(cell));
    TableCell { sign: Some(sign(cell)), ..text.into() }
}

fn standings(standing: &[MethodStanding]) -> Table {
    let mut table = Table::new(["method", "cells", "above", "below", "of the distance"]);
    for method in standing {
        let closed = method
            .closed
            .map_or("–".into(), |closed| format!("{:.0} % ({} cells)", 100.0 * closed, method.of_cells));
        let [cells, above, below] = [method.cells, method.above, method.below].map(|n| n.to_string());
        table.row([method.name.clone(), cells, above, below, closed]);
    }
    table
}

fn repeat(command: &str) -> Section {
    Section {
        id: "repeat",
        title: "How to repeat it",
        lead: "The same command on the same data gives the same rows, however often it is interrupted."
            .into(),
        blocks: vec![Block::Code(command.to_owned())],
    }
}

/// What stands where there is no number.
fn nothing() -> TableCell {
    "–".to_owned().into()
}

fn sign(cell: &BesidePaper) -> Sign {
    match cell.standard_errors {
        Some(apart) if apart > AGREE => Sign::Above,
        Some(apart) if apart < -AGREE => Sign::Below,
        Some(_) => Sign::Agrees,
        None => Sign::Unknown,
    }
}

/// In standard errors.
fn distance(cell: &BesidePaper) -> String {
    cell.standard_errors.map_or("?".into(), |apart| format!("{apart:+.1}"))
}

fn with_deviation(mean: &MeanAccuracy) -> String {
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
