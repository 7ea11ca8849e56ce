//! What the columns of a feature matrix mean: the names a file has for them, and one-hot categories.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The columns of a file that become features, in the order in which a model takes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Column>", into = "Vec<Column>")]
pub struct Features {
    columns: Vec<Column>,
}

/// One column of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Column {
    /// A number: one feature.
    Number {
        /// Its name in the file.
        name: String,
    },
    /// Text: one feature for each value that was seen in training, 1 where the row has it. A value that
    /// was not seen gives zeros everywhere.
    Category {
        /// Its name in the file.
        name: String,
        /// The values, in the order of their features.
        values: Vec<String>,
    },
}

impl Column {
    /// The column's name in the file.
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name } | Self::Category { name, .. } => name,
        }
    }

    /// How many features it becomes.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::Category { values, .. } => values.len(),
        }
    }
}

impl Features {
    /// Columns of different names that make at least one feature.
    pub fn new(columns: Vec<Column>) -> Result<Self, Error> {
        let mut names: Vec<&str> = columns.iter().map(Column::name).collect();
        all_differ("the names of features", &mut names)?;
        for column in &columns {
            if let Column::Category { values, .. } = column {
                let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
                all_differ("the values of a category", &mut values)?;
            }
        }
        if columns.iter().map(Column::width).sum::<usize>() == 0 {
            return Err(Error::Setting {
                name: "the number of features",
                value: "0".into(),
                allowed: "at least 1",
            });
        }
        Ok(Self { columns })
    }

    /// Numbers without names of their own: f0, f1, …
    pub fn numbered(width: usize) -> Self {
        Self { columns: (0..width).map(|at| Column::Number { name: format!("f{at}") }).collect() }
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many features the columns become.
    pub fn width(&self) -> usize {
        self.columns.iter().map(Column::width).sum()
    }

    /// Whether every column is a number, so that features and columns are the same.
    pub fn are_numbers(&self) -> bool {
        self.columns.iter().all(|column| matches!(column, Column::Number { .. }))
    }
}

impl TryFrom<Vec<Column>> for Features {
    type Error = Error;

    fn try_from(columns: Vec<Column>) -> Result<Self, Error> {
        Self::new(columns)
    }
}

impl From<Features> for Vec<Column> {
    fn from(features: Features) -> Self {
        features.columns
    }
}

fn all_differ(name: &'static str, names: &mut [&str]) -> Result<(), Error> {
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(Error::Setting {
            name,
            value: format!("'{}' twice", pair[0]),
            allowed: "different from each other",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(name: &str) -> Column {
        Column::Number { name: name.into() }
    }

    #[test]
    fn a_category_is_as_wide_as_its_values_and_names_differ() {
        let colour = Column::Category { name: "colour".into(), values: vec!["red".into(), "blue".into()] };
        let features = Features::new(vec![number("size"), colour.clone()]).unwrap();
        assert_eq!((features.width(), features.are_numbers()), (3, false));
        assert_eq!(Features::numbered(2).columns(), [number("f0"), number("f1")]);
        let error = Features::new(vec![colour.clone(), colour]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the names of features must be different from each other, got 'colour' twice"
        );
        assert!(Features::new(Vec::new()).is_err());
        let twice = Column::Category { name: "colour".into(), values: vec!["red".into(); 2] };
        let error = Features::new(vec![twice]).unwrap_err().to_string();
        assert_eq!(error, "the values of a category must be different from each other, got 'red' twice");
    }
}
