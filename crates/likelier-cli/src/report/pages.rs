//! The report of a fit that another face of the library made.

use std::path::Path;

use likelier::{Fitted, Rows, Warning};
use likelier_tables::Ids;

use super::{ImageShape, ReportSources, date, sections};
use crate::document;
use crate::terminal::{Result, write_json};
use crate::trained::Trained;

/// A report in each of its forms.
pub struct ReportPages {
    /// One page that needs nothing else.
    pub html: String,
    /// For people who read plain text.
    pub markdown: String,
    /// For machines.
    pub json: String,
}

impl ReportPages {
    /// Reports on what was fitted to these rows. `model` is its name, and `again` what gives the same model again.
    pub fn new(
        (model, again): (&str, &str),
        fitted: &Fitted,
        rows: &Rows,
        ids: &Ids,
        image: Option<[usize; 3]>,
        warnings: &[Warning],
    ) -> Result<Self> {
        let seed = fitted.classifier.summary().seed;
        let trained = Trained::new(Path::new(model), fitted, rows, seed, Vec::new());
        let sources = ReportSources {
            trained: &trained,
            fitted,
            rows,
            ids,
            image: ImageShape::of(rows, image)?,
            inputs: Vec::new(),
            command_line: again.to_owned(),
        };
        let record = sources.gather(date::today()?)?;
        let page = sections::document(&record, warnings);
        let mut json = Vec::new();
        write_json(&mut json, "train", &record, warnings)?;
        Ok(Self {
            html: document::page(&page),
            markdown: document::text(&page),
            json: String::from_utf8_lossy(&json).into_owned(),
        })
    }
}
