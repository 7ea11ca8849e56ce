//! `summary.md`: a run as Markdown.

use std::fmt::Write as _;

use super::document::{Document, Piece, Shown};

pub(super) fn text(document: &Document) -> String {
    let mut text = format!("# {}\n", document.title);
    for piece in &document.pieces {
        text.push('\n');
        let _ = match piece {
            Piece::Heading(words) => writeln!(text, "## {words}"),
            Piece::Text(words) => writeln!(text, "{words}"),
            Piece::Note(words) => writeln!(text, "**Note:** {words}"),
            Piece::Code(code) => writeln!(text, "    {code}"),
            Piece::Grid { head, rows } => {
                let _ = writeln!(text, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
                for row in rows {
                    let cells: Vec<String> = row.iter().map(cell).collect();
                    let _ = writeln!(text, "| {} |", cells.join(" | "));
                }
                Ok(())
            }
            Piece::Panels(_) => writeln!(text, "![{}](figure.svg)", document.title),
        };
    }
    text
}

fn cell(Shown { text, strong, rest, beside, .. }: &Shown) -> String {
    let text = if *strong { format!("**{text}**") } else { text.clone() };
    let beside = beside.as_ref().map_or(String::new(), |beside| format!("; {beside}"));
    text + rest + &beside
}
