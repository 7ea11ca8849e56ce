//! What the columns of a feature matrix mean: the names a file has for them, one-hot categories and hashed text.

use serde::{Deserialize, Serialize};

use super::TextRule;
use crate::error::Error;

/// The columns of a file that become features, in the order in which a model takes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Column>", into = "Vec<Column>")]
pub struct Features {
    columns: Vec<Column>,
}

/// One column of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Column {
    /// A number: one feature, and a second one that says where it was missing, if the rule asks for it.
    Number {
        /// Its name in the file.
        name: String,
        /// How its cells become features.
        #[serde(flatten)]
        rule: NumberRule,
    },
    /// Text: one feature for each value that was seen in training, 1 where the row has it. A value that
    /// was not seen gives zeros everywhere. The empty text stands for all cells in which nothing is.
    Category {
        /// Its name in the file.
        name: String,
        /// The values, in the order of their features.
        values: Vec<String>,
    },
    /// Text in words: hashed ones ([`TextRule`]). Such columns come after all others.
    Text {
        /// Its name in the file.
        name: String,
        /// How its cells become features.
        #[serde(flatten)]
        rule: TextRule,
    },
}

/// How the cells of a column of numbers become features: x − offset, and what stands for a missing x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NumberRule {
    /// What is taken from each number before it is cut to 32 bits: near 10⁹ these would be too few to tell its values
    /// apart.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: f64,
    /// The median in training, which stands for a missing number. Without it none may be missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Whether the cells hold dates, which become days since 1970.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub date: bool,
    /// Whether numbers were missing in training: then a second feature is 1 where one is and 0 elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl NumberRule {
    /// The feature of a missing number.
    pub fn filled(&self) -> Option<f32> {
        self.median.map(|median| (median - self.offset) as f32)
    }
}

impl Column {
    /// A column of numbers as they are.
    pub fn number(name: impl Into<String>) -> Self {
        Self::Number { name: name.into(), rule: NumberRule::default() }
    }

    /// The column's name in the file.
    pub fn name(&self) -> &str {
        match self {
            Self::Number { name, .. } | Self::Category { name, .. } | Self::Text { name, .. } => name,
        }
    }

    /// How many features it becomes.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { rule, .. } => 1 + usize::from(rule.missing),
            Self::Category { values, .. } => values.len(),
            Self::Text { rule, .. } => rule.width(),
        }
    }

    /// Whether it holds text in words.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. })
    }

    /// What its features are called.
    pub fn feature_names(&self) -> Vec<String> {
        match self {
            Self::Number { name, rule } if rule.missing => vec![name.clone(), format!("{name} is missing")],
            Self::Number { name, .. } => vec![name.clone()],
            Self::Category { name, values } => {
                values.iter().map(|value| format!("{name} = {value}")).collect()
            }
            Self::Text { name, rule } => {
                let hashes = (0..rule.features).map(|at| format!("{name}, hash {at}"));
                hashes.chain([format!("{name}, length")]).collect()
            }
        }
    }
}

impl Features {
    /// Columns of different names that make at least one feature, those of text last.
    pub fn new(columns: Vec<Column>) -> Result<Self, Error> {
        let mut names: Vec<&str> = columns.iter().map(Column::name).collect();
        all_differ("the names of features", &mut names)?;
        for column in &columns {
            match column {
                Column::Category { values, .. } => {
                    let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
                    all_differ("the values of a category", &mut values)?;
                }
                Column::Number { rule, .. } => {
                    let odd = rule.filled().map(f64::from).into_iter().chain([rule.offset]);
                    if let Some(odd) = odd.into_iter().find(|number| !number.is_finite()) {
                        return Err(Error::Setting {
                            name: "what stands for a missing number",
                            value: odd.to_string(),
                            allowed: "finite",
                        });
                    }
                }
                Column::Text { rule, .. } => rule.check()?,
            }
        }
        if !columns.is_sorted_by_key(Column::is_text) {
            return Err(Error::Setting {
                name: "the order of features",
                value: "text before other columns".into(),
                allowed: "text last",
            });
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
        Self { columns: (0..width).map(|at| Column::number(format!("f{at}"))).collect() }
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rules of numbers and the places of their features, with the number of the column.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (usize, usize, &NumberRule)> {
        let places = self.columns.iter().scan(0, |next, column| {
            let place = *next;
            *next += column.width();
            Some(place)
        });
        self.columns
            .iter()
            .zip(places)
            .enumerate()
            .filter_map(|(at, (column, place))| match column {
                Column::Number { rule, .. } => Some((at, place, rule)),
                Column::Category { .. } | Column::Text { .. } => None,
            })
    }

    /// The same columns, with some rules of numbers changed.
    pub(crate) fn with_rules(&self, mut change: impl FnMut(usize, &mut NumberRule)) -> Self {
        let mut columns = self.columns.clone();
        for (at, column) in columns.iter_mut().enumerate() {
            if let Column::Number { rule, .. } = column {
                change(at, rule);
            }
        }
        Self { columns }
    }

    /// What the features are called.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.columns.iter().flat_map(Column::feature_names)
    }

    /// How many features the columns become.
    pub fn width(&self) -> usize {
        self.columns.iter().map(Column::width).sum()
    }

    /// How many features come before those of text: they are kept one by one, and those of text as far as they are not 0.
    pub fn dense_width(&self) -> usize {
        self.columns.iter().filter(|column| !column.is_text()).map(Column::width).sum()
    }

    /// Whether any column is text in words.
    pub fn have_text(&self) -> bool {
        self.columns.last().is_some_and(Column::is_text)
    }

    /// Whether every column is one number, so that features and columns are the same.
    pub fn are_numbers(&self) -> bool {
        self.columns
            .iter()
            .all(|column| matches!(column, Column::Number { .. }) && column.width() == 1)
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
        Column::number(name)
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
