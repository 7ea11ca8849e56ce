//! The red-wine data that come with the library: real, small, and a matter of taste.
//!
//! 1,599 Portuguese wines with eleven laboratory measurements and the tasters' grade. By P. Cortez,
//! A. Cerdeira, F. Almeida, T. Matos and J. Reis (2009), CC BY 4.0; see `data/README.md`.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use super::{Label, Rows};
use crate::error::Error;

const FILE: &[u8] = include_bytes!("../../data/winequality-red.csv.gz");

/// The wines.
#[derive(Clone, Debug)]
pub struct Wines {
    /// Laboratory measurements.
    pub rows: Rows,
    /// What each column measures.
    pub feature_names: Vec<String>,
    /// The tasters' grade of each wine.
    pub grades: Vec<u8>,
}

impl Wines {
    /// Unpacks the built-in file.
    pub fn load() -> Result<Self, Error> {
        let path = Path::new("winequality-red.csv.gz (built in)");
        let mut text = String::new();
        GzDecoder::new(FILE)
            .read_to_string(&mut text)
            .map_err(|reason| Error::file(path, reason))?;
        let mut lines = text.lines();
        let names: Vec<String> = lines
            .next()
            .map(|header| header.split(',').map(|name| name.trim_matches('"').to_owned()).collect())
            .unwrap_or_default();
        let width = names.len().saturating_sub(1);
        let (mut values, mut grades) = (Vec::new(), Vec::new());
        for (at, line) in lines.enumerate() {
            let bad = |field: usize| Error::format_at(path, at + 2, Some(field + 1), "not a number");
            for (field, text) in line.split(',').enumerate() {
                if field == width {
                    grades.push(text.parse().map_err(|_| bad(field))?);
                } else {
                    values.push(text.parse().map_err(|_| bad(field))?);
                }
            }
        }
        let feature_names = names[..width].to_vec();
        Ok(Self { rows: Rows::from_numbers(values, width)?, feature_names, grades })
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
        assert_eq!(wines.feature_names[10], "alcohol");
        let mut counts = [0; 6];
        for grade in &wines.grades {
            counts[usize::from(*grade) - 3] += 1;
        }
        assert_eq!(counts, [10, 53, 681, 638, 199, 18]);
        let good = wines.labels(6).iter().filter(|label| label.is_positive()).count();
        assert_eq!(good, 855);
    }
}
