//! The report as Markdown: the same words and numbers, tables in place of pictures.

use std::fmt::Write as _;

use super::document::{Block, Document, Table};

pub(super) fn text(document: &Document) -> String {
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
    let mut line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    };
    line(&table.head);
    line(&vec!["---".to_owned(); table.head.len()]);
    for row in &table.rows {
        line(row);
    }
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
    use super::*;

    #[test]
    fn nothing_in_a_cell_breaks_the_table() {
        let mut table = Table::new(["a", "b"]);
        table.row(["x|y\n_z_".into(), "<b>&`1`".into()]);
        let mut text = String::new();
        push_table(&mut text, &table);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| x\\|y \\_z\\_ | &lt;b>&amp;`1` |\n");
    }
}
