//! The report as Markdown: the same words and numbers, tables in place of pictures.

use std::fmt::Write as _;

use super::{Block, Document, Table, TableCell};

pub fn text(document: &Document) -> String {
    let mut text = format!("# {}\n\n{}\n", escape(&document.title), escape(&document.subtitle));
    for section in &document.sections {
        let _ = write!(text, "\n## {}\n\n{}\n", section.title, escape(&section.lead));
        for block in &section.blocks {
            let mut shown = String::new();
            push_block(&mut shown, block);
            if !shown.is_empty() {
                text.push('\n');
                text.push_str(&shown);
            }
        }
    }
    text
}

fn push_block(text: &mut String, block: &Block) {
    match block {
        Block::Heading(words) => {
            let _ = writeln!(text, "### {}", escape(words));
        }
        Block::Text(words) => {
            let _ = writeln!(text, "{}", escape(words));
        }
        Block::List(entries) => {
            for entry in entries {
                let _ = writeln!(text, "- {}", escape(entry));
            }
        }
        Block::Remark { grave, text: words, advice } => {
            let word = if *grave { "Serious" } else { "Note" };
            let _ = writeln!(text, "> **{word}.** {}", escape(format!("{words} {advice}").trim_end()));
        }
        Block::Table(table) => push_table(text, table),
        Block::Cards(cards) => {
            for [name, value, meaning] in cards {
                let _ = writeln!(text, "- **{}: {}** ({})", escape(name), escape(value), escape(meaning));
            }
        }
        Block::Figure(_, table) if table.rows.is_empty() => {}
        Block::Figure(plot, table) => {
            let _ = write!(text, "### {}\n\n", escape(plot.title()));
            push_table(text, table);
        }
        Block::Panels(panels, file) => {
            let _ = writeln!(text, "![{}]({file})", escape(panels.title()));
        }
        Block::Gallery { title, table, .. } => {
            let _ = write!(text, "### {}\n\n", escape(title));
            push_table(text, table);
        }
        Block::Code(code) => {
            // Indented, since a fence could stand in the code.
            let _ = writeln!(text, "    {}", code.replace(['\n', '\r'], " "));
        }
    }
}

fn push_table(text: &mut String, table: &Table) {
    let mut line = |cells: Vec<String>| {
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    line(table.head.iter().map(|name| escape(name)).collect());
    line(vec!["---".to_owned(); table.head.len()]);
    for row in &table.rows {
        line(row.iter().map(cell).collect());
    }
}

fn cell(cell: &TableCell) -> String {
    let (text, beside) = cell.parts();
    let text = if cell.strong { format!("**{}**", escape(&text)) } else { escape(&text) };
    if beside.is_empty() { text } else { format!("{text}; {}", escape(&beside)) }
}

/// Text that Markdown takes for text: no table, no emphasis, no HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '\\' | '[' | ']' | '#' => escaped.extend(['\\', character]),
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::Sign;
    use super::*;

    #[test]
    fn nothing_in_a_cell_breaks_the_table() {
        let mut table = Table::new(["a", "b"]);
        table.row(["x|y\n_z_", "<b>&`1`"].map(str::to_owned));
        let mut text = String::new();
        push_table(&mut text, &table);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| x\\|y \\_z\\_ | &lt;b>&amp;`1` |\n");
    }

    #[test]
    fn a_cell_says_with_what_it_is_compared_and_how() {
        let compared = TableCell {
            text: "0.9".into(),
            strong: true,
            beside: "0.8".into(),
            sign: Some(Sign::Below),
            ..TableCell::default()
        };
        assert_eq!(cell(&compared), "**0.9**; 0.8 ▼");
        assert_eq!(cell(&TableCell { beside: String::new(), ..compared }), "**0.9 ▼**");
    }
}
