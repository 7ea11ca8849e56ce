//! The red-wine data that come with the program: real, small, and a matter of taste.
//!
//! 1,599 Portuguese wines with eleven laboratory measurements and the tasters' grade. By P. Cortez,
//! A. Cerdeira, F. Almeida, T. Matos and J. Reis (2009), CC BY 4.0; see `data/README.md`.

use std::path::Path;

use flate2::read::GzDecoder;
use likelier::data::{Features, Texts};
use likelier::{Label, Rows};

use crate::decompress::ByteSource;
use crate::error::TableError;
use crate::items::Items;
use crate::layout::Layout;

const FILE: &[u8] = include_bytes!("../data/winequality-red.csv.gz");
/// Far more than it holds.
const MAX: u64 = 1 << 20;

/// The wines.
#[derive(Clone, Debug)]
pub struct Wines {
    /// Laboratory measurements.
    pub rows: Rows<'static>,
    /// What is measured.
    pub features: Features,
    /// The tasters' grade of each wine.
    pub grades: Vec<u8>,
}

impl Wines {
    /// Unpacks the built-in file.
    pub fn load() -> Result<Self, TableError> {
        let path = Path::new("winequality-red.csv.gz (built in)");
        let open = || ByteSource::inside(path, "gzip", Box::new(GzDecoder::new(FILE)), MAX);
        let layout = Layout { label: Some("quality".into()), ..Layout::default() };
        let items = Items::read_text(path, &open, &layout)?;
        let bad = |grade: &str| TableError::format(path, format!("'{grade}' is not a grade"));
        let grades = items.labels.iter().flat_map(Texts::iter);
        let grades = grades
            .map(|grade| grade.parse().map_err(|_| bad(grade)))
            .collect::<Result<_, _>>()?;
        Ok(Self { rows: items.rows, features: items.features, grades })
    }

    /// Positive: wines graded `good` or better.
    pub fn labels(&self, good: u8) -> Vec<Label> {
        self.grades.iter().map(|grade| Label::positive_if(*grade >= good)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_wines_are_complete() {
        let wines = Wines::load().unwrap();
        assert_eq!((wines.rows.len(), wines.rows.width(), wines.grades.len()), (1599, 11, 1599));
        assert_eq!(wines.features.columns()[10].name(), "alcohol");
        let mut counts = [0; 6];
        for grade in &wines.grades {
            counts[usize::from(*grade) - 3] += 1;
        }
        assert_eq!(counts, [10, 53, 681, 638, 199, 18]);
        let good = wines.labels(6).iter().filter(|label| label.is_positive()).count();
        assert_eq!(good, 855);
    }
}
