//! All items of a file, scored.

use std::path::Path;

use likelier::data::Texts;
use likelier::words::count;
use likelier::{Classifier, Warning};
use likelier_tables::{BatchIds, FormatProblem, Ids, ItemBatch, ItemBatches, Layout, TableError};

use crate::terminal::{About, Result, detail, reading};

/// What is kept of them.
pub(crate) struct ScoredItems {
    pub(crate) ids: Ids,
    pub(crate) scores: Vec<f32>,
    pub(crate) labels: Texts,
    pub(crate) groups: Option<Texts>,
    pub(crate) unseen_categories: usize,
    pub(crate) missing: Vec<Warning>,
}

impl ScoredItems {
    /// Reads a batch at a time. A file is known by the first of its names and read by the second. Where no id is looked
    /// up, rows are numbered.
    pub(crate) fn read(
        [known_as, file]: [&Path; 2],
        classifier: &Classifier,
        layout: &Layout,
        by_id: bool,
    ) -> Result<Self> {
        let work = reading(|| format!("scoring {}", known_as.display()), &[file]);
        let mut batches = ItemBatches::open(file, classifier.features(), layout)?;
        let (mut batch, mut names) = (ItemBatch::default(), None);
        let (mut scores, mut labels, mut unseen_categories) = (Vec::new(), Texts::new(), 0);
        let mut groups = None;
        while batches.read(&mut batch)? {
            scores.extend(classifier.scores(&batch.rows)?);
            unseen_categories += batch.unseen_categories;
            if let BatchIds::Named(ids) = &batch.ids {
                let names = names.get_or_insert_with(Texts::new);
                ids.iter().for_each(|id| names.push(id));
            }
            if let Some(of_batch) = &batch.groups {
                let groups = groups.get_or_insert_with(Texts::new);
                of_batch.iter().for_each(|group| groups.push(group));
            }
            batch.labels.iter().flat_map(Texts::iter).for_each(|label| labels.push(label));
        }
        drop(work);
        if scores.is_empty() {
            return Err(TableError::format(known_as, FormatProblem::NoRows).into());
        }
        let ids = match names {
            Some(names) if by_id => Ids::named(names).about(|| known_as.display().to_string())?,
            _ => Ids::numbered(scores.len()),
        };
        detail(|| format!("{}: {}", known_as.display(), count(scores.len(), "row")));
        let missing = batches.missing().in_scoring(classifier.features());
        Ok(Self { ids, scores, labels, groups, unseen_categories, missing })
    }
}
