//! What stands where in a figure: title, legend, panels, caption.

use std::fmt::Write as _;

use super::draw::{Panel, key, number};
use super::text::{escape, fitted, lines, width_of};
use super::ticks::Scale;
use super::{Mark, Plot, STYLE, Series};

/// The sizes of letters: of the axes' marks, of other text, of the title.
pub(super) const SMALL: f64 = 11.0;
pub(super) const NORMAL: f64 = 12.0;
const TITLE: f64 = 14.0;

/// The room around a file of its own.
const BORDER: f64 = 12.0;

/// For a page: the words are the page's, the picture is a picture.
pub(super) fn figure(title: &str, caption: &str, plots: &[&Plot], columns: usize) -> String {
    let drawn = Drawn::new(plots, columns);
    format!(
        "<figure style=\"max-width:{width}px\">\n<div class=\"plot-title\">{}</div>\n<svg class=\"plot\" viewBox=\"0 0 {width} {}\" role=\"img\" \
         aria-label=\"{}\">\n{}</svg>\n<figcaption>{}</figcaption>\n</figure>\n",
        escape(title),
        number(drawn.height),
        escape(title),
        drawn.content,
        escape(caption),
        width = number(drawn.width),
    )
}

/// A file of its own: everything is in the picture.
pub(super) fn file(title: &str, caption: &str, plots: &[&Plot], columns: usize) -> String {
    let drawn = Drawn::new(plots, columns);
    let width = drawn.width + 2.0 * BORDER;
    let mut text = String::new();
    let mut y = BORDER;
    for line in lines(title, TITLE, drawn.width) {
        y += 1.3 * TITLE;
        let _ = writeln!(
            text,
            "<text class=\"title\" x=\"{BORDER}\" y=\"{}\">{}</text>",
            number(y),
            escape(&line)
        );
    }
    y += 10.0;
    let _ = writeln!(text, "<g transform=\"translate({BORDER} {})\">\n{}</g>", number(y), drawn.content);
    y += drawn.height;
    for line in lines(caption, SMALL, drawn.width) {
        y += 1.4 * SMALL;
        let _ = writeln!(
            text,
            "<text class=\"small\" x=\"{BORDER}\" y=\"{}\">{}</text>",
            number(y),
            escape(&line)
        );
    }
    let height = y + BORDER;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\">\n<style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{text}</svg>\n",
        escape(title),
        width = number(width),
        height = number(height),
    )
}

/// Panels and legend, without title and caption.
struct Drawn {
    width: f64,
    height: f64,
    content: String,
}

impl Drawn {
    fn new(plots: &[&Plot], columns: usize) -> Self {
        let columns = columns.min(plots.len()).max(1);
        let alone = plots.len() == 1;
        let (width, least_height) = if columns == 1 { (460.0, 270.0) } else { (290.0, 215.0) };
        let rows = plots.iter().map(|plot| plot.rows().count()).max().unwrap_or(0);
        // Rows give a plot its height; everything else has the same.
        let height = if rows > 0 { 56.0 + 26.0 * rows as f64 } else { least_height };
        let title = if alone { 0.0 } else { 20.0 };
        let names = names(plots);
        let all = columns as f64 * width;
        let (mut content, legend) = legend(&names, all);
        let scales = scales(plots);
        for (at, plot) in plots.iter().enumerate() {
            let left = (at % columns) as f64 * width;
            let top = legend + (at / columns) as f64 * (height + title);
            if !alone {
                let shown = fitted(&plot.title, NORMAL, width - 20.0);
                let _ = writeln!(
                    content,
                    "<text class=\"panel-title\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                    number(left + 0.5 * width),
                    number(top + 14.0),
                    escape(&shown)
                );
            }
            let panel = Panel { plot, names: &names, scales, size: (width, height) };
            let _ = writeln!(
                content,
                "<g transform=\"translate({} {})\">\n{}</g>",
                number(left),
                number(top + title),
                panel.draw()
            );
        }
        let height = legend + plots.len().div_ceil(columns) as f64 * (height + title);
        Self { width: all, height, content }
    }
}

impl Series {
    pub(super) fn kind(&self) -> MarkKind {
        if self.joined { MarkKind::Line } else { MarkKind::Points }
    }
}

impl Plot {
    /// The rows that it has in place of a vertical scale.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(|mark| matches!(mark, Mark::Row { .. }))
    }
}

/// What has a look of its own: its name, and what it is.
pub(super) type Name<'a> = (&'a str, MarkKind);

/// What a series is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkKind {
    Line,
    Points,
    Steps,
}

/// The names of all series in the order in which they come; the place decides the look.
fn names<'a>(plots: &[&'a Plot]) -> Vec<Name<'a>> {
    let mut names: Vec<Name<'a>> = Vec::new();
    for mark in plots.iter().flat_map(|plot| &plot.marks) {
        let name = match mark {
            Mark::Line(series) => (series.name.as_str(), series.kind()),
            Mark::Steps { name, .. } => (name.as_str(), MarkKind::Steps),
            Mark::Row { .. } | Mark::Rule(..) => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The keys of the series, in as many lines as they need, and the height of all. One series alone is named by
/// the axis.
fn legend(names: &[Name<'_>], width: f64) -> (String, f64) {
    const KEY: f64 = 34.0;
    const LINE: f64 = 18.0;
    let mut content = String::new();
    if names.len() < 2 {
        return (content, 4.0);
    }
    let (mut x, mut y) = (4.0, 0.0);
    for (at, (name, kind)) in names.iter().enumerate() {
        let shown = fitted(name, NORMAL, width - KEY - 12.0);
        let needed = KEY + width_of(&shown, NORMAL);
        if x > 4.0 && x + needed > width {
            (x, y) = (4.0, y + LINE);
        }
        content.push_str(&key(at, *kind, x, y + 9.0));
        let _ = writeln!(
            content,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            number(x + KEY),
            number(y + 13.0),
            escape(&shown)
        );
        x += needed + 16.0;
    }
    (content, y + LINE + 6.0)
}

/// The scales that hold the data of all plots; the axes are those of the first.
fn scales(plots: &[&Plot]) -> (Scale, Scale) {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for mark in plots.iter().flat_map(|plot| &plot.marks) {
        match mark {
            Mark::Line(series) => {
                xs.extend(series.points.iter().map(|point| point.0));
                ys.extend(series.points.iter().map(|point| point.1));
                ys.extend(series.errors.iter().flat_map(|(low, high)| [*low, *high]));
            }
            Mark::Steps { edges, heights, .. } => {
                xs.extend(edges);
                ys.push(0.0);
                ys.extend(heights);
            }
            Mark::Row { value, interval, bar, .. } => {
                xs.push(*value);
                xs.extend(interval.iter().flat_map(|(low, high)| [*low, *high]));
                xs.extend(*bar);
            }
            Mark::Rule(super::Rule::At(x), _) => xs.push(*x),
            Mark::Rule(super::Rule::Level(y), _) => ys.push(*y),
            Mark::Rule(super::Rule::Diagonal, _) => {}
        }
    }
    let scale = |values: Vec<f64>, axis: Option<&super::Axis>| {
        let (range, logarithmic) = axis.map_or((None, false), |axis| (axis.range, axis.logarithmic));
        Scale::new(values.into_iter(), range, logarithmic)
    };
    let first = plots.first();
    (scale(xs, first.map(|plot| &plot.x)), scale(ys, first.map(|plot| &plot.y)))
}
