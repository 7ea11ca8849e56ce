//! What each column of a table is: id, label, feature or none of these.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::Layout;
use super::table::{self, Chunk, Columns, Picked, PickedNumber};
use crate::error::TableError;
use crate::problem::FormatProblem;
use likelier::data::{Column, Features, NumberRule, TextRule, is_missing};

/// A category with more values than this is refused: more likely it is an id or free text.
const MAX_VALUES: usize = 10_000;

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeatureKind {
    Number,
    Date,
    Category,
    Text,
}

/// The columns of a table by what they are used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Roles {
    pub(super) id: Option<usize>,
    pub(super) label: Option<usize>,
    /// Whether a label may be blank.
    pub(super) blank_labels: bool,
    /// The column that says which items were compared with each other.
    pub(super) group: Option<usize>,
    /// The columns that become features, in the order of the features.
    features: Vec<usize>,
}

impl Roles {
    /// The roles in a file to learn from, and what its features are read as.
    pub(super) fn of_layout(
        path: &Path,
        columns: &Columns,
        layout: &Layout,
    ) -> Result<(Self, Vec<FeatureKind>), TableError> {
        if matches!(columns, Columns::Sparse(_)) {
            check_sparse(layout)?;
            let (count, features) = (columns.count(), (0..columns.count()).collect());
            let roles = Self { id: None, label: Some(count), blank_labels: false, group: None, features };
            return Ok((roles, vec![FeatureKind::Number; count]));
        }
        let finder = Finder { path, columns };
        let (id, named) = (finder.id(layout)?, finder.one(layout.label.as_deref())?);
        // What says how an item was labelled or grouped is no feature unless somebody says that it is.
        let label = named.or_else(|| finder.unnamed_label(layout));
        let group = finder
            .unclaimed("group", layout)
            .filter(|group| Some(*group) != label && Some(*group) != id);
        let label = label.filter(|label| Some(*label) != id || named.is_some());
        let excluded = finder.all(&layout.exclude)?;
        let mut features = match &layout.features {
            Some(names) => {
                if let Some(both) = layout.exclude.iter().find(|name| names.contains(name)) {
                    let allowed = "either a feature or excluded";
                    return Err(TableError::setting("a column", format!("'{both}' as both"), allowed));
                }
                finder.all(names)?
            }
            None => (0..columns.count())
                .filter(|column| Some(*column) != id && Some(*column) != label && Some(*column) != group)
                .filter(|column| !is_index(&columns.name(*column)) && !excluded.contains(column))
                .collect(),
        };
        let dates = finder.all(&layout.dates)?;
        let (categories, texts) = (finder.all(&layout.categories)?, finder.all(&layout.texts)?);
        let spelled = [("a category", &categories), ("a text", &texts), ("a date", &dates)];
        for (what, named) in spelled {
            if let Some(column) = named.iter().find(|column| !features.contains(column)) {
                let name = format!("'{}'", columns.name(*column));
                let allowed = "one of the features, and neither id nor label";
                return Err(TableError::setting(what, name, allowed));
            }
        }
        let twice =
            |column: &&usize| spelled.iter().filter(|(_, named)| named.contains(column)).count() > 1;
        if let Some(both) = features.iter().find(twice) {
            let both = format!("'{}' as more than one of them", columns.name(*both));
            return Err(TableError::setting("a column", both, "a category, a date or text"));
        }
        let kind = |column: &usize| match column {
            column if texts.contains(column) => FeatureKind::Text,
            column if categories.contains(column) => FeatureKind::Category,
            column if dates.contains(column) => FeatureKind::Date,
            _ => FeatureKind::Number,
        };
        // Text comes last, because its features are stored in another way.
        features.sort_by_key(|column| texts.contains(column));
        let blank_labels = layout.blank_labels || named.is_none();
        let roles = Self { id, label, blank_labels, group, features }.checked(columns)?;
        let kinds = roles.features.iter().map(kind).collect();
        Ok((roles, kinds))
    }

    /// The roles in a file to be scored by a model with these features.
    pub(super) fn of_features(
        path: &Path,
        columns: &Columns,
        features: &Features,
        layout: &Layout,
    ) -> Result<Self, TableError> {
        let expected = features.columns().len();
        if let Columns::Sparse(count) = columns {
            check_sparse(layout)?;
            if *count > expected || !features.are_numbers() {
                let problem = FormatProblem::OtherFeatures { found: *count, expected };
                return Err(TableError::format(path, problem));
            }
            return Ok(Self::of_scored(None, Some(*count), Vec::new()));
        }
        let finder = Finder { path, columns };
        let (mut id, label) = (finder.id(layout)?, finder.one(layout.label.as_deref())?);
        if matches!(columns, Columns::Named(_)) || features.have_text() {
            let names: Vec<String> = features.columns().iter().map(|column| column.name().into()).collect();
            let features = finder.all(&names)?;
            if layout.id.is_none() && id.is_some_and(|id| features.contains(&id)) {
                id = None;
            }
            let group = columns.find("group").filter(|group| layout.groups && !features.contains(group));
            let group = group.filter(|group| Some(*group) != id && Some(*group) != label);
            return Self { group, ..Self::of_scored(id, label, features) }.checked(columns);
        }
        let features: Vec<usize> = (0..columns.count())
            .filter(|column| Some(*column) != id && Some(*column) != label)
            .collect();
        if features.len() != expected {
            let problem = FormatProblem::OtherWidth { found: features.len(), expected };
            return Err(TableError::format(path, problem));
        }
        Ok(Self::of_scored(id, label, features))
    }

    /// In a file to be scored every row has the label that is asked for.
    fn of_scored(id: Option<usize>, label: Option<usize>, features: Vec<usize>) -> Self {
        Self { id, label, blank_labels: false, group: None, features }
    }

    /// The columns that become features, in the order of the features.
    pub(super) fn features(&self) -> &[usize] {
        &self.features
    }

    /// Leaves out ids, labels and groups.
    pub(super) fn forget_names(&mut self) {
        (self.id, self.label, self.group) = (None, None, None);
    }

    /// Refuses columns with two roles.
    fn checked(self, columns: &Columns) -> Result<Self, TableError> {
        let mut all: Vec<usize> = self
            .features
            .iter()
            .chain(&self.id)
            .chain(&self.label)
            .chain(&self.group)
            .copied()
            .collect();
        all.sort_unstable();
        match all.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(TableError::setting(
                "a column",
                format!("'{}' twice", columns.name(pair[0])),
                "used once: as the id, as the label or as a feature",
            )),
            None => Ok(self),
        }
    }

    /// The features, with the values of categories as they occur in all the files.
    pub(super) fn fit(
        &self,
        files: &[&Path],
        columns: &Columns,
        layout: &Layout,
        kinds: &[FeatureKind],
    ) -> Result<Features, TableError> {
        let categories: Vec<String> = self
            .features
            .iter()
            .zip(kinds)
            .filter(|(_, kind)| **kind == FeatureKind::Category)
            .map(|(column, _)| columns.name(*column))
            .collect();
        let mut values = fit_values(files, layout, &categories)?.into_iter();
        let described = self.features.iter().zip(kinds).map(|(column, kind)| {
            let name = columns.name(*column);
            match kind {
                FeatureKind::Number => Column::number(name),
                FeatureKind::Date => {
                    Column::Number { name, rule: NumberRule { date: true, ..NumberRule::default() } }
                }
                FeatureKind::Category => {
                    Column::Category { name, values: values.next().unwrap_or_default() }
                }
                FeatureKind::Text => Column::Text { name, rule: TextRule::default() },
            }
        });
        Ok(Features::new(described.collect())?)
    }

    /// What to ask of the table: numbers at the places of their features; the texts are the id, the
    /// label and the group, as far as there are any, then categories and dates, then text in words.
    pub(super) fn selection(&self, features: &Features) -> Picked {
        let mut selection = Picked { width: features.dense_width(), ..Picked::default() };
        selection.texts.extend(self.id);
        selection.texts.extend(self.label);
        selection.texts.extend(self.group);
        let mut place = 0;
        for (column, feature) in self.features.iter().zip(features.columns()) {
            match feature {
                Column::Number { rule, .. } if !rule.date => {
                    selection
                        .numbers
                        .push(PickedNumber { column: *column, place, offset: rule.offset });
                }
                _ => selection.texts.push(*column),
            }
            place += feature.width();
        }
        selection
    }
}

/// The different values of categories in all the files, in sorted order.
fn fit_values(files: &[&Path], layout: &Layout, names: &[String]) -> Result<Vec<Vec<String>>, TableError> {
    let mut values = vec![BTreeSet::<String>::new(); names.len()];
    if names.is_empty() {
        return Ok(Vec::new());
    }
    for path in files {
        let mut table = table::open(path, layout)?;
        let texts = Finder { path, columns: table.columns() }.all(names)?;
        let selection = Picked { texts, ..Picked::default() };
        table.select(selection.clone())?;
        let mut chunk = Chunk::of(&*table, &selection);
        while table.read(&mut chunk)? {
            for ((texts, values), name) in chunk.texts.iter_mut().zip(&mut values).zip(names) {
                for text in texts.iter().map(|text| if is_missing(text) { "" } else { text }) {
                    if !values.contains(text) {
                        values.insert(text.to_owned());
                    }
                }
                if values.len() > MAX_VALUES {
                    let problem = FormatProblem::TooManyValues { name: name.clone(), most: MAX_VALUES };
                    return Err(TableError::format(path, problem));
                }
                texts.clear();
            }
        }
    }
    Ok(values.into_iter().map(|values| values.into_iter().collect()).collect())
}

/// Columns by their names.
pub(super) struct Finder<'a> {
    pub(super) path: &'a Path,
    pub(super) columns: &'a Columns,
}

impl Finder<'_> {
    /// All of them; the error names every one that is missing.
    pub(super) fn all(&self, names: &[String]) -> Result<Vec<usize>, TableError> {
        let found: Vec<Option<usize>> = self.find(names);
        let missing = names.iter().zip(&found).filter(|(_, found)| found.is_none());
        let missing: Vec<String> = missing.map(|(name, _)| name.clone()).collect();
        if missing.is_empty() {
            return Ok(found.into_iter().flatten().collect());
        }
        let present = (0..self.columns.count()).map(|column| self.columns.name(column)).collect();
        Err(TableError::NoSuchColumn { path: self.path.to_owned(), missing, present })
    }

    fn find(&self, names: &[String]) -> Vec<Option<usize>> {
        if let Columns::Named(known) = self.columns {
            // Tables may have thousands of columns.
            let places: HashMap<&String, usize> = known.iter().zip(0..).collect();
            return names.iter().map(|name| places.get(name).copied()).collect();
        }
        names.iter().map(|name| self.columns.find(name)).collect()
    }

    fn one(&self, name: Option<&str>) -> Result<Option<usize>, TableError> {
        let Some(name) = name else { return Ok(None) };
        Ok(self.all(&[name.to_owned()])?.first().copied())
    }

    /// The column of ids: the one the user names, else `id`.
    pub(super) fn id(&self, layout: &Layout) -> Result<Option<usize>, TableError> {
        match &layout.id {
            Some(name) => self.one(Some(name)),
            None => Ok(self.unclaimed("id", layout).filter(|_| layout.label.as_deref() != Some("id"))),
        }
    }

    /// The column of a name, unless that is among the features or categories that the user names.
    fn unclaimed(&self, name: &str, layout: &Layout) -> Option<usize> {
        let taken = |names: &[String]| names.iter().any(|other| other == name);
        let claimed = [
            layout.features.as_deref().unwrap_or_default(),
            &layout.categories,
            &layout.texts,
            &layout.dates,
        ]
        .into_iter()
        .any(taken);
        self.columns.find(name).filter(|_| !claimed)
    }

    /// The column of labels that nobody named: `label` in any case, as a label that is taken for a feature tells all.
    fn unnamed_label(&self, layout: &Layout) -> Option<usize> {
        let Columns::Named(names) = self.columns else { return None };
        let alike = names.iter().filter(|name| name.eq_ignore_ascii_case("label"));
        self.unclaimed("label", layout)
            .or_else(|| alike.clone().find_map(|name| self.unclaimed(name, layout)))
    }
}

/// A column that R or pandas made of row names.
fn is_index(name: &str) -> bool {
    name.is_empty() || name.starts_with("__index_level_")
}

/// In a sparse file only the features are there to be had, and what stands before them, which is called `label`.
fn check_sparse(layout: &Layout) -> Result<(), TableError> {
    let label = layout.label.as_ref().filter(|name| *name != "label");
    let asked = layout.id.as_ref().or(label);
    let asked = asked.or(layout.features.as_ref().and_then(|names| names.first()));
    let asked = asked
        .or(layout.categories.first())
        .or(layout.texts.first())
        .or(layout.dates.first());
    match asked.or(layout.exclude.first()) {
        Some(name) => Err(TableError::setting(
            "a column of a LIBSVM file",
            format!("'{name}'"),
            "'label', which comes first, or left unnamed: all others are features",
        )),
        None => Ok(()),
    }
}
