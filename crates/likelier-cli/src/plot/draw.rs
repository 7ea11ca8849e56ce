//! One panel: its axes and what is drawn between them.

use std::fmt::Write as _;

use super::layout::{MarkKind, NORMAL, Name, SMALL};
use super::text::{escape, fitted, width_of};
use super::ticks::{Scale, Tick};
use super::{Mark, Plot, Rule, Series};

const DASHES: [&str; 5] = ["", "7 4", "2 3", "9 3 2 3", "4 2"];
const COLOURS: usize = 6;
const SHAPES: usize = 7;
/// A line with more points than this has a marker at some of them only.
const MARKERS: usize = 16;

/// A coordinate: a tenth of a unit is finer than anybody sees.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The part of a figure that has axes.
pub(super) struct Panel<'a> {
    pub(super) plot: &'a Plot,
    pub(super) names: &'a [Name<'a>],
    pub(super) scales: (Scale, Scale),
    pub(super) size: (f64, f64),
}

/// The rectangle between the axes.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Scale,
    y: Scale,
}

impl Frame {
    fn at_x(&self, x: f64) -> f64 {
        self.left + self.width * self.x.place(x)
    }

    fn at_y(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.place(y))
    }

    fn at(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        (self.x.takes(x) && self.y.takes(y)).then(|| (self.at_x(x), self.at_y(y)))
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

impl Panel<'_> {
    pub(super) fn draw(&self) -> String {
        let rows: Vec<&Mark> = self.plot.rows().collect();
        let (x, y) = self.scales;
        let height = self.size.1 - 8.0 - 42.0;
        let upwards = if rows.is_empty() { y.upwards(height, SMALL) } else { Vec::new() };
        let labels: Vec<String> = rows
            .iter()
            .filter_map(|row| match row {
                Mark::Row { name, .. } => Some(fitted(name, SMALL, 0.4 * self.size.0)),
                _ => None,
            })
            .collect();
        let widest = upwards.iter().map(|tick| &tick.label).chain(&labels);
        let widest = widest.map(|label| width_of(label, SMALL)).fold(0.0, f64::max);
        let named = if self.plot.y.name.is_empty() { 4.0 } else { 22.0 };
        let left = named + widest + 8.0;
        let frame = Frame { left, top: 8.0, width: self.size.0 - left - 22.0, height, x, y };
        let mut out = self.axes(&frame, &upwards);
        for (at, row) in rows.iter().enumerate() {
            let middle = frame.top + frame.height * (at as f64 + 0.5) / rows.len() as f64;
            draw_row(&mut out, &frame, row, &labels[at], middle);
        }
        let mut notes = NoteLines::default();
        for mark in &self.plot.marks {
            match mark {
                Mark::Line(series) => self.draw_line(&mut out, &frame, series),
                Mark::Steps { name, edges, heights } => {
                    let look = self.look(name, MarkKind::Steps);
                    draw_steps(&mut out, &frame, look, edges, heights);
                }
                Mark::Rule(rule, label) => notes.rule(&mut out, &frame, *rule, label),
                Mark::Row { .. } => {}
            }
        }
        out.push_str(&notes.text);
        if self.is_empty(&frame) {
            let (x, y) = (frame.left + 0.5 * frame.width, frame.top + 0.5 * frame.height);
            let _ = writeln!(
                out,
                "<text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">nothing to show</text>",
                number(x),
                number(y)
            );
        }
        out
    }

    /// Whether there is not a single value.
    fn is_empty(&self, frame: &Frame) -> bool {
        !self.plot.marks.iter().any(|mark| match mark {
            Mark::Line(series) => series.points.iter().any(|point| frame.at(*point).is_some()),
            Mark::Steps { edges, heights, .. } => {
                !heights.is_empty() && edges.iter().chain(heights).all(|value| value.is_finite())
            }
            Mark::Row { value, .. } => frame.x.takes(*value),
            Mark::Rule(..) => false,
        })
    }

    fn look(&self, name: &str, kind: MarkKind) -> usize {
        self.names.iter().position(|known| *known == (name, kind)).unwrap_or(0)
    }

    fn axes(&self, frame: &Frame, upwards: &[Tick]) -> String {
        let mut out = String::new();
        let (left, right) = (number(frame.left), number(frame.right()));
        let (top, bottom) = (number(frame.top), number(frame.bottom()));
        for tick in upwards {
            let y = frame.at_y(tick.value);
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{left} {0}H{right}\"/><text class=\"small\" x=\"{1}\" y=\"{2}\" text-anchor=\"end\">{3}</text>",
                number(y),
                number(frame.left - 6.0),
                number(y + 4.0),
                escape(&tick.label)
            );
        }
        for tick in frame.x.across(frame.width, SMALL) {
            let x = number(frame.at_x(tick.value));
            let _ = writeln!(
                out,
                "<path class=\"grid\" d=\"M{x} {top}V{bottom}\"/><text class=\"small\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                number(frame.bottom() + 15.0),
                escape(&tick.label)
            );
        }
        let _ = writeln!(out, "<path class=\"axis\" d=\"M{left} {top}V{bottom}H{right}\"/>");
        let name = fitted(&self.plot.x.name, NORMAL, self.size.0 - 8.0);
        // Under the middle of the axis, unless it would stick out.
        let half = 0.5 * width_of(&name, NORMAL);
        let middle = (frame.left + 0.5 * frame.width).min(self.size.0 - half - 2.0).max(half);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            number(middle),
            number(frame.bottom() + 34.0),
            escape(&name)
        );
        if !self.plot.y.name.is_empty() {
            let name = fitted(&self.plot.y.name, NORMAL, self.size.1 - 8.0);
            let half = 0.5 * width_of(&name, NORMAL);
            let middle = (frame.top + 0.5 * frame.height).max(half).min(self.size.1 - half - 2.0);
            let _ = writeln!(
                out,
                "<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                number(middle),
                escape(&name)
            );
        }
        out
    }

    fn draw_line(&self, out: &mut String, frame: &Frame, series: &Series) {
        let look = self.look(&series.name, series.kind());
        let colour = look % COLOURS;
        // Error bars of several series at one place stand beside each other.
        let others = self.names.len() as f64 - 1.0;
        let aside = if series.errors.is_empty() || others < 1.0 {
            0.0
        } else {
            (14.0 / others).min(4.0) * (look as f64 - 0.5 * others)
        };
        let places: Vec<Option<(f64, f64)>> = series
            .points
            .iter()
            .map(|point| frame.at(*point).map(|(x, y)| (x + aside, y)))
            .collect();
        if series.joined {
            let mut path = String::new();
            let mut open = false;
            for place in &places {
                if let Some((x, y)) = place {
                    let _ = write!(path, "{}{} {}", if open { 'L' } else { 'M' }, number(*x), number(*y));
                }
                open = place.is_some();
            }
            if !path.is_empty() {
                let _ = writeln!(out, "<path class=\"line s{colour}\"{} d=\"{path}\"/>", dash(look));
            }
        }
        for (place, (low, high)) in places.iter().zip(&series.errors) {
            if let (Some((x, _)), true) = (place, frame.y.takes(*low) && frame.y.takes(*high)) {
                let _ = writeln!(
                    out,
                    "<path class=\"error s{colour}\" d=\"M{0} {2}H{1}M{3} {2}V{4}M{0} {4}H{1}\"/>",
                    number(x - 3.0),
                    number(x + 3.0),
                    number(frame.at_y(*low)),
                    number(*x),
                    number(frame.at_y(*high)),
                );
            }
        }
        let all = !series.joined || !series.errors.is_empty();
        let every = if all { 1 } else { places.len().div_ceil(MARKERS).max(1) };
        // Series with many points have their markers at different places.
        let first = if every > 1 { look * every / 3 % every } else { 0 };
        for (x, y) in places.iter().skip(first).step_by(every).flatten() {
            out.push_str(&marker(look, *x, *y));
        }
    }
}

/// Lines to compare with; their labels come last, so that nothing is drawn over them.
#[derive(Default)]
struct NoteLines {
    text: String,
    upright: usize,
}

impl NoteLines {
    fn rule(&mut self, out: &mut String, frame: &Frame, rule: Rule, label: &str) {
        let (path, x, y, anchor) = match rule {
            Rule::At(at) if frame.x.takes(at) => {
                let x = frame.at_x(at);
                let right_half = frame.x.place(at) > 0.5;
                let (x_label, anchor) = if right_half { (x - 5.0, "end") } else { (x + 5.0, "start") };
                // Labels of several upright lines stand below each other.
                let y = frame.top + 12.0 + 14.0 * self.upright as f64;
                self.upright += 1;
                let path = format!("M{} {}V{}", number(x), number(frame.top), number(frame.bottom()));
                (path, x_label, y, anchor)
            }
            Rule::Level(at) if frame.y.takes(at) => {
                let y = frame.at_y(at);
                let path = format!("M{} {}H{}", number(frame.left), number(y), number(frame.right()));
                let below = frame.y.place(at) > 0.9;
                (path, frame.right() - 4.0, if below { y + 13.0 } else { y - 5.0 }, "end")
            }
            Rule::Diagonal => {
                let low = frame.x.low().max(frame.y.low());
                let high = frame.x.high().min(frame.y.high());
                let (Some(from), Some(to), true) =
                    (frame.at((low, low)), frame.at((high, high)), low < high)
                else {
                    return;
                };
                let path =
                    format!("M{} {}L{} {}", number(from.0), number(from.1), number(to.0), number(to.1));
                (path, frame.right() - 4.0, frame.bottom() - 8.0, "end")
            }
            Rule::At(_) | Rule::Level(_) => return,
        };
        let _ = writeln!(out, "<path class=\"rule\" d=\"{path}\"/>");
        let label = fitted(label, SMALL, frame.width - 8.0);
        let _ = writeln!(
            self.text,
            "<text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            number(x),
            number(y),
            escape(&label)
        );
    }
}

fn draw_row(out: &mut String, frame: &Frame, row: &Mark, label: &str, middle: f64) {
    let Mark::Row { value, interval, bar, .. } = row else { return };
    let _ = writeln!(
        out,
        "<text class=\"small\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
        number(frame.left - 6.0),
        number(middle + 4.0),
        escape(label)
    );
    if !frame.x.takes(*value) {
        return;
    }
    let x = frame.at_x(*value);
    if let Some(begin) = bar.filter(|begin| frame.x.takes(*begin)) {
        let zero = frame.at_x(begin);
        // What is below 0 is hollow, so that the sign is seen twice.
        let colour = if *value < 0.0 { "s1\" fill=\"none" } else { "s0 f0" };
        let _ = writeln!(
            out,
            "<rect class=\"bar {colour}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\"/>",
            number(x.min(zero)),
            number(middle - 7.0),
            number((x - zero).abs())
        );
    }
    if let Some((low, high)) = interval.filter(|(low, high)| frame.x.takes(*low) && frame.x.takes(*high)) {
        let (low, high) = (number(frame.at_x(low)), number(frame.at_x(high)));
        let (above, below, middle) = (number(middle - 4.0), number(middle + 4.0), number(middle));
        let _ = writeln!(
            out,
            "<path class=\"error s0\" d=\"M{low} {above}V{below}M{low} {middle}H{high}M{high} {above}V{below}\"/>"
        );
    }
    if bar.is_none() {
        out.push_str(&marker(0, x, middle));
    }
}

/// A histogram's outline, and its area if it is the first.
fn draw_steps(out: &mut String, frame: &Frame, look: usize, edges: &[f64], heights: &[f64]) {
    let all = edges.iter().all(|edge| frame.x.takes(*edge))
        && heights.iter().all(|height| frame.y.takes(*height));
    if !all || heights.is_empty() || edges.len() != heights.len() + 1 {
        return;
    }
    let mut path = format!("M{} {}", number(frame.at_x(edges[0])), number(frame.at_y(0.0)));
    for (height, edge) in heights.iter().zip(&edges[1..]) {
        let _ = write!(path, "V{}H{}", number(frame.at_y(*height)), number(frame.at_x(*edge)));
    }
    let _ = write!(path, "V{}", number(frame.at_y(0.0)));
    let colour = look % COLOURS;
    if look == 0 {
        let _ = writeln!(out, "<path class=\"area f{colour}\" d=\"{path}Z\"/>");
    }
    let _ = writeln!(out, "<path class=\"line s{colour}\"{} d=\"{path}\"/>", dash(look));
}

/// What stands for a series in the legend.
pub(super) fn key(look: usize, kind: MarkKind, x: f64, y: f64) -> String {
    let colour = look % COLOURS;
    if kind == MarkKind::Steps {
        let (x, y) = (number(x + 4.0), number(y - 6.0));
        let rectangle = |class: &str, dash: &str| {
            format!(
                "<rect class=\"{class}{colour}\"{dash} x=\"{x}\" y=\"{y}\" width=\"22\" height=\"12\"/>\n"
            )
        };
        let filled = if look == 0 { rectangle("area f", "") } else { String::new() };
        return filled + &rectangle("line s", &dash(look));
    }
    if kind == MarkKind::Points {
        return marker(look, x + 20.0, y);
    }
    format!(
        "<path class=\"line s{colour}\"{} d=\"M{} {}H{}\"/>\n{}",
        dash(look),
        number(x),
        number(y),
        number(x + 28.0),
        marker(look, x + 14.0, y)
    )
}

fn dash(look: usize) -> String {
    match DASHES[look % DASHES.len()] {
        "" => String::new(),
        dash => format!(" stroke-dasharray=\"{dash}\""),
    }
}

/// A shape around a point.
fn marker(look: usize, x: f64, y: f64) -> String {
    let colour = look % COLOURS;
    let at = |dx: f64, dy: f64| format!("{} {}", number(x + dx), number(y + dy));
    let path = match look % SHAPES {
        0 => {
            return format!(
                "<circle class=\"f{colour}\" cx=\"{}\" cy=\"{}\" r=\"3.2\"/>\n",
                number(x),
                number(y)
            );
        }
        1 => format!("M{}h6v6h-6Z", at(-3.0, -3.0)),
        2 => format!("M{}L{}L{}Z", at(0.0, -4.2), at(4.0, 3.0), at(-4.0, 3.0)),
        3 => format!("M{}L{}L{}L{}Z", at(0.0, -4.4), at(4.4, 0.0), at(0.0, 4.4), at(-4.4, 0.0)),
        4 => format!("M{}L{}L{}Z", at(0.0, 4.2), at(4.0, -3.0), at(-4.0, -3.0)),
        5 => format!("M{}h8M{}v8", at(-4.0, 0.0), at(0.0, -4.0)),
        _ => format!("M{}l6.4 6.4M{}l6.4 -6.4", at(-3.2, -3.2), at(-3.2, 3.2)),
    };
    match look % SHAPES {
        5 | 6 => format!("<path class=\"line s{colour}\" d=\"{path}\"/>\n"),
        _ => format!("<path class=\"f{colour}\" d=\"{path}\"/>\n"),
    }
}
