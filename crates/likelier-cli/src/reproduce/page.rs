//! `report.html`: a run as a page of its own, light or dark, on screen or on paper.

use std::fmt::Write as _;

use super::document::{Document, Piece, Shown, Sign};
use crate::plot::{STYLE, escape};

/// The whole page.
pub(super) fn page(document: &Document) -> String {
    let title = escape(&document.title);
    let mut body = format!("<h1>{title}</h1>\n");
    for piece in &document.pieces {
        let _ = match piece {
            Piece::Heading(text) => writeln!(body, "<h2>{}</h2>", words(text)),
            Piece::Text(text) => writeln!(body, "<p>{}</p>", words(text)),
            Piece::Note(text) => {
                writeln!(body, "<p class=\"note\"><strong>Note:</strong> {}</p>", words(text))
            }
            Piece::Code(code) => writeln!(body, "<pre>{}</pre>", escape(code)),
            Piece::Grid { head, rows } => writeln!(body, "{}", grid(head, rows)),
            Piece::Panels(panels) => writeln!(body, "{}", panels.to_figure()),
        };
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n\
         <body>\n{body}</body>\n</html>\n",
        include_str!("page.css")
    )
}

/// The first cell of a row says what the row is.
fn grid(head: &[String], rows: &[Vec<Shown>]) -> String {
    let mut html = String::from("<div class=\"scroll\"><table>\n<tr>");
    for name in head {
        let _ = write!(html, "<th>{}</th>", words(name));
    }
    html.push_str("</tr>\n");
    for row in rows {
        html.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let (tag, class) = (if at == 0 { "th" } else { "td" }, cell.sign.map_or("", class));
            let _ = write!(html, "<{tag}{class}>{}</{tag}>", inside(cell));
        }
        html.push_str("</tr>\n");
    }
    html + "</table></div>"
}

fn inside(Shown { text, strong, rest, beside, .. }: &Shown) -> String {
    let text = words(text);
    let text = if *strong { format!("<strong>{text}</strong>") } else { text };
    let beside = beside
        .as_ref()
        .map_or(String::new(), |beside| format!("<small>{}</small>", words(beside)));
    text + &words(rest) + &beside
}

fn class(sign: Sign) -> &'static str {
    match sign {
        Sign::Above => " class=\"above\"",
        Sign::Below => " class=\"below\"",
        Sign::Agrees => " class=\"agrees\"",
        Sign::Unknown => " class=\"unknown\"",
    }
}

/// Escaped, and without the signs that mark code.
fn words(text: &str) -> String {
    escape(&text.replace('`', ""))
}
