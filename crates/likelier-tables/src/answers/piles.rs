//! The paper's two piles as a file: `id,pile`, where a pile is `likelier` or `other`.

use std::path::Path;

use super::ItemFinder;
use likelier::data::{LoosePiles, Pile, Texts};

use crate::error::TableError;
use crate::ids::Ids;
use crate::layout::Layout;
use crate::problem::FormatProblem;
use crate::roles::Finder;
use crate::table::{self, CellProblem, Chunk, Picked, quoted};

/// Reads which items lie in which pile. An item may lie in both, and more than once.
pub fn read_piles(path: &Path, ids: &Ids, layout: &Layout) -> Result<LoosePiles, TableError> {
    let names = ["id", "pile"];
    let mut table = table::open(path, layout)?;
    let texts = Finder { path, columns: table.columns() }.all(&names.map(String::from))?;
    let selection = Picked { texts, ..Picked::default() };
    table.select(selection.clone())?;
    let mut chunk = Chunk::of(&*table, &selection);
    let mut items = ItemFinder::new(path, ids, false);
    let mut piles = LoosePiles::default();
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
            let pile = parse_pile(chunk.texts[1].get(at)).map_err(refused(1))?;
            match pile {
                Pile::Likelier => piles.likelier.extend(item),
                Pile::Other => piles.other.extend(item),
            }
        }
        rows += chunk.rows;
        chunk.texts.iter_mut().for_each(Texts::clear);
        chunk.rows = 0;
    }
    items.finish(&*table)?;
    if rows == 0 {
        return Err(TableError::format(path, FormatProblem::NoRows));
    }
    Ok(piles)
}

fn parse_pile(text: &str) -> Result<Pile, CellProblem> {
    Pile::BOTH
        .into_iter()
        .find(|pile| pile.to_string() == text)
        .ok_or_else(|| CellProblem::NotAPile(quoted(text)))
}
