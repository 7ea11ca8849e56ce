//! `report.html`: a run as a page of its own, light or dark, on screen or on paper.

use std::fmt::Write as _;

use super::markdown::{LEGEND, comparison, hours, sign, with_deviation};
use super::summary::{Agreement, Beside, Figure, Summary, Table};
use crate::plot::{Axis, Panels, Plot, STYLE, Series, escape};

/// The whole page.
pub(super) fn page(summary: &Summary) -> String {
    let title = escape(&summary.title);
    let made = &summary.provenance;
    let mut body = format!(
        "<h1>{title}</h1>\n<pre>{}</pre>\n<p>likelier {}; {}; {} trials that took {} in sum, measuring accuracy left \
         out.</p>\n",
        escape(&made.command),
        escape(&made.versions.join(", ")),
        escape(&made.machine),
        made.trials,
        hours(made.seconds)
    );
    for note in &summary.notes {
        let _ = writeln!(body, "<p class=\"note\"><strong>Note:</strong> {}.</p>", escape(note));
    }
    if !summary.tables.is_empty() {
        let _ = writeln!(body, "<p>{}</p>", escape(&LEGEND.replace('`', "")));
    }
    for table in &summary.tables {
        body.push_str(&variant(table));
    }
    body.push_str(&agreement(&summary.agreement));
    if let Some(panels) = panels(summary) {
        body.push_str(&panels.to_figure());
    }
    body.push_str(&claims(summary));
    body.push_str(&beyond(summary));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n\
         <body>\n{body}</body>\n</html>\n",
        include_str!("page.css")
    )
}

fn variant(table: &Table) -> String {
    let mut html = format!("<h2>Variant {}: {}</h2>\n", escape(&table.variant), escape(&table.about));
    for block in &table.blocks {
        let _ = write!(html, "<div class=\"scroll\"><table>\n<tr><th>π = {}</th>", block.prior);
        for dataset in &table.datasets {
            let _ = write!(html, "<th>{dataset}</th>");
        }
        html.push_str("</tr>\n");
        for line in &block.lines {
            let _ = write!(html, "<tr><th>{}</th>", line.method);
            for cell in &line.cells {
                html.push_str(&cell.as_ref().map_or("<td>–</td>".into(), cell_html));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</table></div>\n");
    }
    html
}

fn agreement(variants: &[Agreement]) -> String {
    if variants.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h2>Agreement with the paper</h2>\n<p>Cells that the paper prints: how many agree within three standard errors, lie \
         above or lie below, and how far the means are apart on average.</p>\n<div \
         class=\"scroll\"><table>\n<tr><th>variant</th><th>cells</th><th>agree</th><th>above</th><th>below</th><th>apart</th>\
         </tr>\n",
    );
    for Agreement { variant, about, cells, agree, above, below, apart } in variants {
        let _ = writeln!(
            html,
            "<tr><td><strong>{}</strong>: {}</td><td>{cells}</td><td>{agree}</td><td>{above}</td><td>{below}</td><td>{apart:.3}\
             </td></tr>",
            escape(variant),
            escape(about)
        );
    }
    html + "</table></div>\n"
}

fn cell_html(cell: &Beside) -> String {
    let class = match sign(cell) {
        "▲" => "above",
        "▼" => "below",
        "=" => "agrees",
        _ => "unknown",
    };
    let ours = with_deviation(&cell.ours);
    let ours = if cell.best { format!("<strong>{ours}</strong>") } else { ours };
    let beside = comparison(cell).map_or(String::new(), |text| format!("<small>{text}</small>"));
    format!("<td class=\"{class}\">{ours} ({}){beside}</td>", cell.ours.trials)
}

/// The curves of a sweep, a panel for each data set and prior.
pub(super) fn panels(summary: &Summary) -> Option<Panels> {
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

fn claims(summary: &Summary) -> String {
    let mut html = String::new();
    for (variant, claims) in &summary.claims {
        let _ = write!(
            html,
            "<h2>What the paper's text says, variant {}</h2>\n<div class=\"scroll\"><table>\n<tr><th>claim</th><th>needs\
             </th><th>true of our run in</th><th>of the paper's own numbers in</th><th>verdict</th></tr>\n",
            escape(variant)
        );
        for claim in claims {
            let verdict = match claim.holds() {
                Some(true) => "holds",
                Some(false) => "<strong>does not hold</strong>",
                None => "cannot be told yet",
            };
            let of = |[true_in, of]: [usize; 2]| format!("{true_in} of {of}");
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{verdict}</td></tr>",
                escape(claim.text),
                claim.needs(),
                of(claim.ours),
                claim.paper.map_or("–".into(), of)
            );
        }
        html.push_str("</table></div>\n");
    }
    html
}

fn beyond(summary: &Summary) -> String {
    if summary.beyond.is_empty() {
        return String::new();
    }
    let mut html = String::from(
        "<h2>Beyond the paper</h2>\n<p>Ours against the paper's printed best of the cell, with the distance in standard \
         errors.</p>\n<div class=\"scroll\"><table>\n<tr><th>cell</th><th>the paper's best</th><th>best of our runs of its \
         methods</th><th>ours</th></tr>\n",
    );
    for cell in &summary.beyond {
        let paper = cell
            .papers
            .as_ref()
            .map_or("–".into(), |(method, mean)| format!("{} {method}", with_deviation(mean)));
        let run = cell
            .run
            .as_ref()
            .map_or("–".into(), |(name, mean)| format!("{} {}", with_deviation(mean), escape(name)));
        let _ =
            write!(html, "<tr><th>{} {}</th><td>{paper}</td><td>{run}</td><td>", cell.dataset, cell.prior);
        for (name, beside) in &cell.others {
            let distance = beside.standard_errors.map_or("?".into(), |apart| format!("{apart:+.1}"));
            let _ = write!(
                html,
                "{}: {} ({}) {distance} {}<br>",
                escape(name),
                with_deviation(&beside.ours),
                beside.ours.trials,
                sign(beside)
            );
        }
        html.push_str("</td></tr>\n");
    }
    html.push_str("</table></div>\n");
    html
}
