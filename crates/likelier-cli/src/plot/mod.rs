//! Plots as SVG: lines with error bars, overlaid histograms, bars, and values with intervals.
//!
//! A plot says what to show and in which words; how it looks is decided here. Every plot has a title, two named
//! axes and a sentence that tells how to read it. Series differ by marker and dash and not by colour alone.
//! Colours are CSS classes ([`STYLE`]), so that a page which holds a plot can be light or dark; a file of its own
//! ([`Panels::to_svg`]) carries them along. The same plot is the same bytes everywhere.
//!
//! ```text
//! Plot::new("Risk", "epoch", "risk (nats)", "Lower is better.").line(Series::new("risk", points)).to_figure()
//! Panels::new("Accuracy", "One panel for each data set.", plots).to_svg()
//! ```

mod draw;
mod layout;
mod text;
mod ticks;

pub use text::escape;

/// What colours and sizes the classes have, in light and dark. A page with plots needs it once.
pub const STYLE: &str = include_str!("plot.css");

/// What an axis shows: a name with its unit, and from where to where if that does not follow from the data.
#[derive(Clone, Debug)]
pub struct Axis {
    name: String,
    range: Option<(f64, f64)>,
    logarithmic: bool,
}

impl Axis {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), range: None, logarithmic: false }
    }

    /// Exactly from here to there; what lies beyond is drawn on the border.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// Equal ratios at equal distances; what is not above 0 is left out.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { logarithmic: true, ..self }
    }
}

impl From<&str> for Axis {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// Points of one kind. What is not a number is left out and breaks the line.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    /// From where to where each point may lie, upwards; or nothing.
    errors: Vec<(f64, f64)>,
    joined: bool,
}

impl Series {
    /// Points joined by a line, in the order given. Within a figure, one name has one look.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, errors: Vec::new(), joined: true }
    }

    /// With the low and the high end of each point's error bar.
    #[must_use]
    pub fn with_errors(self, errors: Vec<(f64, f64)>) -> Self {
        Self { errors, ..self }
    }

    /// Points alone, without a line.
    #[must_use]
    pub fn unjoined(self) -> Self {
        Self { joined: false, ..self }
    }
}

/// A line to compare with.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Upright, at this x.
    At(f64),
    /// Level, at this y.
    Level(f64),
    /// Where y is x.
    Diagonal,
}

#[derive(Clone, Debug)]
enum Mark {
    Line(Series),
    Steps {
        name: String,
        edges: Vec<f64>,
        heights: Vec<f64>,
    },
    /// A bar begins where `bar` says.
    Row {
        name: String,
        value: f64,
        interval: Option<(f64, f64)>,
        bar: Option<f64>,
    },
    Rule(Rule, String),
}

/// One plot.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    x: Axis,
    y: Axis,
    caption: String,
    marks: Vec<Mark>,
}

impl Plot {
    /// An empty plot: a title, two axes with their units, and how to read it.
    pub fn new(
        title: impl Into<String>,
        x: impl Into<Axis>,
        y: impl Into<Axis>,
        caption: impl Into<String>,
    ) -> Self {
        Self { title: title.into(), x: x.into(), y: y.into(), caption: caption.into(), marks: Vec::new() }
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    fn with(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }

    #[must_use]
    pub fn line(self, series: Series) -> Self {
        self.with(Mark::Line(series))
    }

    /// A histogram: one more edge than heights. The first is filled, the next ones are outlines.
    #[must_use]
    pub fn steps(self, name: impl Into<String>, edges: Vec<f64>, heights: Vec<f64>) -> Self {
        self.with(Mark::Steps { name: name.into(), edges, heights })
    }

    /// A row of its own, downwards, with a value and its interval along x.
    #[must_use]
    pub fn interval(self, name: impl Into<String>, value: f64, low: f64, high: f64) -> Self {
        self.with(Mark::Row { name: name.into(), value, interval: Some((low, high)), bar: None })
    }

    /// A row of its own, downwards, with a bar from one end of a range to the other, and how far beyond them it may
    /// reach.
    #[must_use]
    pub fn range(self, name: impl Into<String>, [begin, end]: [f64; 2], [low, high]: [f64; 2]) -> Self {
        self.with(Mark::Row {
            name: name.into(),
            value: end,
            interval: Some((low, high)),
            bar: Some(begin),
        })
    }

    /// A row of its own, downwards, with a bar from 0 along x.
    #[must_use]
    pub fn bar(self, name: impl Into<String>, value: f64) -> Self {
        self.with(Mark::Row { name: name.into(), value, interval: None, bar: Some(0.0) })
    }

    /// A line to compare with, and what it is.
    #[must_use]
    pub fn rule(self, rule: Rule, label: impl Into<String>) -> Self {
        self.with(Mark::Rule(rule, label.into()))
    }

    /// For a page that has [`STYLE`]: the title, the picture and the caption.
    pub fn to_figure(&self) -> String {
        layout::figure(&self.title, &self.caption, &[self], 1)
    }
}

/// Several plots of one kind side by side, with the same axes and one legend.
#[derive(Clone, Debug)]
pub struct Panels {
    title: String,
    caption: String,
    plots: Vec<Plot>,
    columns: usize,
}

impl Panels {
    /// Each plot's title becomes the title of its panel; the captions of the plots are not shown.
    pub fn new(title: impl Into<String>, caption: impl Into<String>, plots: Vec<Plot>) -> Self {
        Self { title: title.into(), caption: caption.into(), plots, columns: 3 }
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    /// As many panels in a row.
    #[must_use]
    pub fn columns(self, columns: usize) -> Self {
        Self { columns: columns.max(1), ..self }
    }

    /// For a page that has [`STYLE`].
    pub fn to_figure(&self) -> String {
        layout::figure(&self.title, &self.caption, &self.plots.iter().collect::<Vec<_>>(), self.columns)
    }

    /// A file of its own.
    pub fn to_svg(&self) -> String {
        layout::file(&self.title, &self.caption, &self.plots.iter().collect::<Vec<_>>(), self.columns)
    }
}

#[cfg(test)]
mod tests;
