//! One page that needs nothing else: no script, no font, no picture from elsewhere.

use std::fmt::Write as _;

use super::names::LONGEST;
use super::{Block, Document, Section, Sign, Table, TableCell};
use crate::plot::{STYLE, escape};

/// What tells our pages from others.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"likelier ";

const PAGE: &str = include_str!("page.css");

pub fn page(document: &Document) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n{GENERATOR}{}\"/>\n<meta \
         name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}{PAGE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p>{}</p>\n</header>\n<nav>",
        env!("CARGO_PKG_VERSION"),
        escape(&document.subtitle),
        title = escape(&document.title),
    );
    for section in &document.sections {
        let _ = write!(page, "<a href=\"#{}\">{}</a> ", section.id, escape(section.title));
    }
    page.push_str("</nav>\n<main>\n");
    for section in &document.sections {
        push_section(&mut page, section);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn push_section(page: &mut String, section: &Section) {
    let _ = writeln!(
        page,
        "<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"lead\">{}</p>",
        section.id,
        escape(section.title),
        words(&section.lead)
    );
    // Plots that follow each other stand side by side where there is room, and so do lists of items.
    for blocks in section
        .blocks
        .chunk_by(|one, next| side_by_side(one).is_some_and(|class| side_by_side(next) == Some(class)))
    {
        let class = blocks.first().and_then(side_by_side);
        if let Some(class) = class {
            // Two lists in a line in place of three.
            let wide = if blocks.iter().any(has_long_names) { " wide" } else { "" };
            let _ = writeln!(page, "<div class=\"{class}{wide}\">");
        }
        for block in blocks {
            push_block(page, block);
        }
        if class.is_some() {
            page.push_str("</div>\n");
        }
    }
    page.push_str("</section>\n");
}

/// What stands beside others of its kind, as the style sheet calls it.
fn side_by_side(block: &Block) -> Option<&'static str> {
    match block {
        Block::Figure(..) => Some("figures"),
        Block::Gallery { pictures, .. } if pictures.is_empty() => Some("lists"),
        _ => None,
    }
}

/// Whether the names of a list of items need room.
fn has_long_names(block: &Block) -> bool {
    let Block::Gallery { table, .. } = block else { return false };
    table
        .rows
        .iter()
        .filter_map(|row| row.first())
        .any(|name| name.text.chars().count() > LONGEST / 2)
}

fn push_block(page: &mut String, block: &Block) {
    match block {
        Block::Heading(text) => {
            let _ = writeln!(page, "<h3>{}</h3>", words(text));
        }
        Block::Text(text) => {
            let _ = writeln!(page, "<p>{}</p>", words(text));
        }
        Block::List(entries) => {
            page.push_str("<ul>\n");
            for entry in entries {
                let _ = writeln!(page, "<li>{}</li>", words(entry));
            }
            page.push_str("</ul>\n");
        }
        Block::Remark { grave, text, advice } => {
            let (class, word) = if *grave { ("grave", "Serious") } else { ("remark", "Note") };
            let _ = write!(page, "<div class=\"{class}\"><strong>{word}.</strong> {}", escape(text));
            if !advice.is_empty() {
                let _ = write!(page, " <span class=\"advice\">{}</span>", words(advice));
            }
            page.push_str("</div>\n");
        }
        Block::Table(table) => push_table(page, table),
        Block::Cards(cards) => {
            page.push_str("<dl class=\"cards\">\n");
            for [name, value, meaning] in cards {
                let _ = writeln!(
                    page,
                    "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd>{}</dd></div>",
                    escape(name),
                    escape(value),
                    escape(meaning)
                );
            }
            page.push_str("</dl>\n");
        }
        Block::Figure(plot, table) => {
            let _ = write!(page, "<div class=\"figure\">\n{}", plot.to_figure());
            if !table.rows.is_empty() {
                page.push_str("<details>\n<summary>the numbers</summary>\n");
                push_table(page, table);
                page.push_str("</details>\n");
            }
            page.push_str("</div>\n");
        }
        Block::Panels(panels, _) => {
            let _ = write!(page, "<div class=\"figure\">\n{}</div>\n", panels.to_figure());
        }
        Block::Gallery { title, table, pictures } => {
            let _ = writeln!(page, "<div>\n<h3>{}</h3>", escape(title));
            if pictures.len() == table.rows.len() {
                push_pictures(page, table, pictures);
            } else {
                push_table(page, table);
            }
            page.push_str("</div>\n");
        }
        Block::Code(code) => {
            let _ = writeln!(page, "<pre><code>{}</code></pre>", flags(&escape(code)));
        }
    }
}

/// Escaped, with `code` as code; a number and its sign stay together, and so do flags.
fn words(text: &str) -> String {
    let parts = escape(text).replace(" %", "\u{a0}%");
    let mut marked = String::new();
    for (at, part) in parts.split('`').enumerate() {
        let _ = if at % 2 == 1 { write!(marked, "<code>{part}</code>") } else { write!(marked, "{part}") };
    }
    flags(&marked)
}

/// No line ends between the hyphens of `--flag`.
fn flags(text: &str) -> String {
    let (mut marked, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("--") {
        let is_flag = |c: char| c == '-' || c.is_ascii_alphanumeric();
        let end = rest[at..].find(|c| !is_flag(c)).map_or(rest.len(), |length| at + length);
        let _ = write!(marked, "{}<span class=\"flag\">{}</span>", &rest[..at], &rest[at..end]);
        rest = &rest[end..];
    }
    marked + rest
}

fn push_table(page: &mut String, table: &Table) {
    page.push_str("<div class=\"table\"><table>\n<thead><tr>");
    for name in &table.head {
        let _ = write!(page, "<th>{}</th>", escape(name));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            push_cell(page, cell);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
}

fn push_cell(page: &mut String, cell: &TableCell) {
    let (text, beside) = cell.parts();
    // A long word, as a checksum, may be broken anywhere, or it would push its table out of a narrow screen.
    let long = text.split_whitespace().any(|word| word.chars().count() > LONGEST);
    let class = cell.sign.map(Sign::class).or(long.then_some("long"));
    let class = class.map(|class| format!(" class=\"{class}\"")).unwrap_or_default();
    let text = if cell.strong { format!("<strong>{}</strong>", escape(&text)) } else { escape(&text) };
    let _ = write!(page, "<td{class}{}>{text}", title(cell));
    if !beside.is_empty() {
        let _ = write!(page, "<small>{}</small>", escape(&beside));
    }
    page.push_str("</td>");
}

/// The whole of what a cell shows a part of.
fn title(cell: &TableCell) -> String {
    if cell.title.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&cell.title)) }
}

fn push_pictures(page: &mut String, table: &Table, pictures: &[Vec<u8>]) {
    page.push_str("<div class=\"pictures\">\n");
    for (row, picture) in table.rows.iter().zip(pictures) {
        let [id, score, probability, called] = &row[..] else { continue };
        let _ = writeln!(
            page,
            "<div class=\"picture\"><img alt=\"item {id}\" src=\"data:image/png;base64,{}\"/><div class=\"id\"{title}>{id}</div>\
             <div>{} · {}</div><div>score {}</div></div>",
            base64(picture),
            escape(&probability.text),
            escape(&called.text),
            escape(&score.text),
            id = escape(&id.text),
            title = title(id)
        );
    }
    page.push_str("</div>\n");
}

/// Bytes as text for a `data:` address.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place > three.len() { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_with_what_it_is_compared_and_how() {
        let mut page = String::new();
        push_cell(&mut page, &TableCell::from("a<b".to_owned()));
        assert_eq!(std::mem::take(&mut page), "<td>a&lt;b</td>");
        let cell =
            TableCell { text: "0.9".into(), strong: true, sign: Some(Sign::Above), ..TableCell::default() };
        push_cell(&mut page, &cell);
        assert_eq!(std::mem::take(&mut page), "<td class=\"above\"><strong>0.9 ▲</strong></td>");
        push_cell(&mut page, &TableCell { beside: "0.8".into(), ..cell });
        assert_eq!(
            std::mem::take(&mut page),
            "<td class=\"above\"><strong>0.9</strong><small>0.8 ▲</small></td>"
        );
        let whole = format!("{}\" onclick=\"<b>", "x".repeat(40));
        push_cell(&mut page, &TableCell::name(&whole));
        let expected = format!("{}&quot; onclick=&quot;&lt;b&gt;", "x".repeat(40));
        assert_eq!(page, format!("<td title=\"{expected}\">xxxxxxxxxxxxxxxx…nclick=&quot;&lt;b&gt;</td>"));
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
