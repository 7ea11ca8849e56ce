//! A few true labels: columns `id,label`, to judge a classifier by.

use std::path::Path;

use likelier::Label;
use likelier::data::Texts;

use super::ItemFinder;
use crate::error::TableError;
use crate::ids::Ids;
use crate::layout::Layout;
use crate::problem::FormatProblem;
use crate::roles::Finder;
use crate::table::{self, CellProblem, Chunk, Picked, quoted};

/// The labels of some of the items, by row. A blank one is not known.
pub fn read_labels(path: &Path, ids: &Ids, layout: &Layout) -> Result<Vec<Option<Label>>, TableError> {
    let names = ["id", "label"];
    let mut table = table::open(path, layout)?;
    let texts = Finder { path, columns: table.columns() }.all(&names.map(String::from))?;
    let selection = Picked { texts, ..Picked::default() };
    table.select(selection.clone())?;
    let mut chunk = Chunk::of(&*table, &selection);
    let mut items = ItemFinder::new(path, ids, false);
    let mut labels: Vec<Option<Label>> = vec![None; ids.len()];
    let mut rows = 0;
    while table.read(&mut chunk)? {
        for at in 0..chunk.rows {
            let refused = |side: usize| {
                let (table, column) = (&table, selection.texts[side]);
                move |problem: CellProblem| {
                    problem.at(path, table.position(rows + at), column, names[side].into())
                }
            };
            let item = items.find(chunk.texts[0].get(at), rows + at).map_err(refused(0))?;
            let label = parse_label(chunk.texts[1].get(at))
                .map_err(|_| refused(1)(CellProblem::NotALabel(quoted(chunk.texts[1].get(at)))))?;
            let (Some(item), Some(label)) = (item, label) else { continue };
            let known = &mut labels[item as usize];
            if known.is_some_and(|known| known != label) {
                let name = ids.name(item as usize);
                return Err(refused(1)(CellProblem::OtherLabel(quoted(name.as_ref()))));
            }
            *known = Some(label);
        }
        rows += chunk.rows;
        chunk.texts.iter_mut().for_each(Texts::clear);
        chunk.rows = 0;
    }
    items.finish(&*table)?;
    if labels.iter().all(Option::is_none) {
        return Err(TableError::format(path, FormatProblem::NoLabel));
    }
    Ok(labels)
}

/// A label as people write it; none if the cell is blank, and a complaint if it is something else.
pub fn parse_label(text: &str) -> Result<Option<Label>, String> {
    match text.trim().to_lowercase().as_str() {
        "" => Ok(None),
        "1" | "1.0" | "true" | "yes" => Ok(Some(Label::Positive)),
        "0" | "0.0" | "-1" | "-1.0" | "false" | "no" => Ok(Some(Label::Negative)),
        _ => Err(format!("'{text}' is no label: 1 or 0, true or false, yes or no")),
    }
}
