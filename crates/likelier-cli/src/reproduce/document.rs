//! What a page about a run consists of, whichever form it takes.

use std::fmt::Write as _;

use super::beyond::{Beyond, CLEAR, Standing};
use super::claims::Claim;
use super::paper::Accuracy;
use super::summary::{AGREE, Agreement, Beside, Figure, Summary, Table};
use crate::plot::{Axis, Panels, Plot, Series};

/// What the signs beside numbers mean.
const LEGEND: &str = "Each cell: our mean accuracy ± standard deviation over trials (number of trials), then the \
     paper's, then how many standard errors ours is above it. `=` within three standard errors, `▲` more than three \
     above, `▼` more than three below, `?` unknown. Bold: the best of the table in that cell. A method that the paper \
     does not have stands beside the paper's best of the cell, marked `best`. A single trial is lent the paper's \
     deviation.";

pub(super) struct Document {
    pub(super) title: String,
    pub(super) pieces: Vec<Piece>,
}

/// In words, `code` stands between backticks.
pub(super) enum Piece {
    Heading(String),
    Text(String),
    Note(String),
    Code(String),
    Grid { head: Vec<String>, rows: Vec<Vec<Shown>> },
    Panels(Panels),
}

/// One cell of a grid.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) strong: bool,
    /// What follows at once.
    pub(super) rest: String,
    /// What it is compared with.
    pub(super) beside: Option<String>,
    /// How it compares.
    pub(super) sign: Option<Sign>,
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Agreement, in a form that needs no colour.
#[derive(Clone, Copy)]
pub(super) enum Sign {
    Above,
    Below,
    Agrees,
    Unknown,
}

impl Sign {
    fn of(cell: &Beside) -> Self {
        match cell.standard_errors {
            Some(apart) if apart > AGREE => Self::Above,
            Some(apart) if apart < -AGREE => Self::Below,
            Some(_) => Self::Agrees,
            None => Self::Unknown,
        }
    }

    fn symbol(self) -> char {
        match self {
            Self::Above => '▲',
            Self::Below => '▼',
            Self::Agrees => '=',
            Self::Unknown => '?',
        }
    }
}

impl Document {
    /// The figure, where there is one.
    pub(super) fn panels(&self) -> Option<&Panels> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Panels(panels) => Some(panels),
            _ => None,
        })
    }
}

/// The whole run.
pub(super) fn document(summary: &Summary) -> Document {
    let made = &summary.provenance;
    let mut pieces = vec![
        Piece::Code(made.command.clone()),
        Piece::Text(format!(
            "likelier {}; {}; {} trials that took {} in sum, measuring accuracy left out.",
            made.versions.join(", "),
            made.machine,
            made.trials,
            hours(made.seconds)
        )),
    ];
    pieces.extend(summary.notes.iter().map(|note| Piece::Note(format!("{note}."))));
    if !summary.tables.is_empty() {
        pieces.push(Piece::Text(LEGEND.into()));
    }
    for table in &summary.tables {
        variant(&mut pieces, table);
    }
    agreement(&mut pieces, &summary.agreement);
    if let Some(panels) = panels(summary) {
        pieces.push(Piece::Panels(panels));
    }
    for figure in &summary.figures {
        curves(&mut pieces, figure);
    }
    for (variant, claims) in &summary.claims {
        said(&mut pieces, variant, claims);
    }
    beyond(&mut pieces, &summary.beyond, &summary.standing);
    Document { title: summary.title.clone(), pieces }
}

fn variant(pieces: &mut Vec<Piece>, table: &Table) {
    pieces.push(Piece::Heading(format!("Variant `{}`: {}", table.variant, table.about)));
    for block in &table.blocks {
        let mut head = vec![format!("π = {}", block.prior)];
        head.extend(table.datasets.iter().map(ToString::to_string));
        let rows = block.lines.iter().map(|line| {
            let cells = line
                .cells
                .iter()
                .map(|cell| cell.as_ref().map_or("–".to_owned().into(), compared));
            std::iter::once(line.method.to_string().into()).chain(cells).collect()
        });
        pieces.push(Piece::Grid { head, rows: rows.collect() });
    }
}

/// Ours and the paper's.
fn compared(cell: &Beside) -> Shown {
    let sign = Sign::of(cell);
    let beside = cell.paper.map(|paper| {
        let best = if cell.against_best { "best " } else { "" };
        format!("{best}{} {} {}", with_deviation(&paper), distance(cell), sign.symbol())
    });
    Shown {
        text: with_deviation(&cell.ours),
        strong: cell.best,
        rest: format!(" ({})", cell.ours.trials),
        beside,
        sign: Some(sign),
    }
}

fn agreement(pieces: &mut Vec<Piece>, variants: &[Agreement]) {
    if variants.is_empty() {
        return;
    }
    pieces.push(Piece::Heading("Agreement with the paper".into()));
    pieces.push(Piece::Text(
        "Cells that the paper prints: how many agree within three standard errors, lie above or lie below, and how \
         far the means are apart on average."
            .into(),
    ));
    let rows = variants
        .iter()
        .map(|Agreement { variant, about, cells, agree, above, below, apart }| {
            let numbers = [cells, agree, above, below].map(|number| number.to_string().into());
            std::iter::once(format!("`{variant}`: {about}").into())
                .chain(numbers)
                .chain([format!("{apart:.3}").into()])
                .collect()
        });
    pieces.push(Piece::Grid {
        head: names(["variant", "cells", "agree", "above", "below", "apart"]),
        rows: rows.collect(),
    });
}

/// The curves of a sweep, a panel for each data set and prior.
fn panels(summary: &Summary) -> Option<Panels> {
    let first = summary.figures.first()?;
    let mut caption =
        "Each point is the mean test accuracy over trials, with a bar of one standard deviation to either \
                       side; a panel for each data set and share of positives."
            .to_owned();
    if !first.words.is_empty() {
        let places = first.words.iter().enumerate().map(|(at, word)| format!("{at} is {word}"));
        let _ = write!(caption, " Places: {}.", places.collect::<Vec<_>>().join(", "));
    }
    let plots = summary.figures.iter().map(plot).collect();
    Some(Panels::new(&summary.title, caption, plots).columns(2))
}

fn plot(figure: &Figure) -> Plot {
    let places = || figure.lines.iter().flat_map(|line| &line.places).copied();
    let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(0.0, f64::max));
    let x = Axis::new(&figure.axis);
    // Places that span more than a power of ten would crowd at the low end.
    let x = if low > 0.0 && high / low > 10.0 { x.logarithmic() } else { x };
    let mut plot = Plot::new(&figure.title, x, "accuracy (share of test rows)", "");
    for line in &figure.lines {
        let points = line.places.iter().copied().zip(line.means.iter().map(|at| at.mean)).collect();
        let errors = line.means.iter().map(|at| {
            let around = at.deviation.unwrap_or(0.0);
            (at.mean - around, at.mean + around)
        });
        plot = plot.line(Series::new(&line.name, points).with_errors(errors.collect()));
    }
    plot
}

/// The numbers of a panel.
fn curves(pieces: &mut Vec<Piece>, figure: &Figure) {
    let Some(longest) = figure.lines.iter().max_by_key(|line| line.places.len()) else { return };
    pieces.push(Piece::Heading(figure.title.clone()));
    let mut head = vec![figure.axis.clone()];
    head.extend(longest.places.iter().enumerate().map(|(at, place)| match figure.words.get(at) {
        Some(word) => word.clone(),
        None => place.to_string(),
    }));
    let rows = figure.lines.iter().map(|line| {
        let means = longest.places.iter().map(|place| {
            let at = line.places.iter().position(|there| there == place);
            at.map_or("–".to_owned(), |at| with_deviation(&line.means[at])).into()
        });
        std::iter::once(line.name.clone().into()).chain(means).collect()
    });
    pieces.push(Piece::Grid { head, rows: rows.collect() });
}

fn said(pieces: &mut Vec<Piece>, variant: &str, claims: &[Claim]) {
    pieces.push(Piece::Heading(format!("What the paper's text says, variant `{variant}`")));
    let rows = claims.iter().map(|claim| {
        let verdict = match claim.holds() {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "cannot be told yet",
        };
        let of = |[true_in, of]: [usize; 2]| format!("{true_in} of {of}");
        vec![
            claim.text.to_owned().into(),
            claim.needs().to_owned().into(),
            of(claim.ours).into(),
            claim.paper.map_or("–".into(), of).into(),
            Shown { strong: claim.holds() == Some(false), ..verdict.to_owned().into() },
        ]
    });
    pieces.push(Piece::Grid {
        head: names(["claim", "needs", "true of our run in", "of the paper's own numbers in", "verdict"]),
        rows: rows.collect(),
    });
}

fn beyond(pieces: &mut Vec<Piece>, cells: &[Beyond], standing: &[Standing]) {
    if standing.is_empty() {
        return;
    }
    pieces.push(Piece::Heading("Beyond the paper".into()));
    pieces.push(Piece::Text(
        "Ours against the paper's printed best of the cell, with the distance in standard errors; \"run\" is the \
         best of our own runs of the paper's methods, picked by its result and so a little too good."
            .into(),
    ));
    let mut head = names(["cell", "the paper's best", "run"]);
    head.extend(standing.iter().map(|method| method.name.clone()));
    let rows = cells.iter().map(|cell| {
        let paper = cell
            .papers
            .as_ref()
            .map_or("–".into(), |(method, mean)| format!("{} {method}", with_deviation(mean)));
        let run = cell
            .run
            .as_ref()
            .map_or("–".into(), |(name, mean)| format!("{:.3} {name}", mean.mean));
        let others = standing.iter().map(|method| {
            let found = cell.others.iter().find(|(other, _)| *other == method.name);
            found.map_or("–".to_owned().into(), |(_, beside)| against_best(beside))
        });
        let first = [format!("{} {}", cell.dataset, cell.prior), paper, run].map(Shown::from);
        first.into_iter().chain(others).collect()
    });
    pieces.push(Piece::Grid { head, rows: rows.collect() });
    pieces.push(Piece::Text(format!(
        "Over these cells: how often each is more than {CLEAR} standard errors above or below the paper's best; and where \
         `supervised`, which sees all labels, is so far above it, how much of that distance it closes on average."
    )));
    let rows = standing.iter().map(|method| {
        let closed = method
            .closed
            .map_or("–".into(), |closed| format!("{:.0} % ({} cells)", 100.0 * closed, method.of_cells));
        let numbers = [method.cells, method.above, method.below].map(|number| number.to_string());
        std::iter::once(method.name.clone())
            .chain(numbers)
            .chain([closed])
            .map(Shown::from)
            .collect()
    });
    pieces.push(Piece::Grid {
        head: names(["method", "cells", "above", "below", "of the distance"]),
        rows: rows.collect(),
    });
}

fn against_best(cell: &Beside) -> Shown {
    let sign = Sign::of(cell);
    let rest = format!(" ({}) {} {}", cell.ours.trials, distance(cell), sign.symbol());
    Shown { rest, sign: Some(sign), ..with_deviation(&cell.ours).into() }
}

/// In standard errors.
fn distance(cell: &Beside) -> String {
    cell.standard_errors.map_or("?".into(), |apart| format!("{apart:+.1}"))
}

fn with_deviation(mean: &Accuracy) -> String {
    match mean.deviation {
        Some(deviation) => format!("{:.3} ± {deviation:.3}", mean.mean),
        None => format!("{:.3}", mean.mean),
    }
}

fn names<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

pub(super) fn hours(seconds: f64) -> String {
    match seconds {
        small if small < 120.0 => format!("{small:.0} s"),
        middling if middling < 7200.0 => format!("{:.0} min", middling / 60.0),
        large => format!("{:.1} h", large / 3600.0),
    }
}
