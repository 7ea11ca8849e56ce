//! What a user says about a file of items.

/// What a user says about a table. What is left open is found out from the file itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The column that names the rows; else one called `id` if there is one; else rows are numbered from 0.
    pub id: Option<String>,
    /// The column with the true labels, which is kept apart from the features; else one called `label` if there is one and
    /// the table is to be learned from.
    pub label: Option<String>,
    /// Whether labels may be blank, where they are not known. Those of a column that nobody named may always be.
    pub blank_labels: bool,
    /// Whether a column `group` of a table that is scored is read; that of a table to be learned from always is.
    pub groups: bool,
    /// The columns that are features, in this order; else all that are neither id, label nor `group`, in the order
    /// of the file. Columns without a name, which R and pandas write for row names, are not among them.
    pub features: Option<Vec<String>>,
    /// Columns that are no features.
    pub exclude: Vec<String>,
    /// Columns of answers under names of their own: what they hold, such as `likelier`, and what they are called.
    pub answers: Vec<(String, String)>,
    /// The features that are categories, to be made one-hot.
    pub categories: Vec<String>,
    /// The features that are text in words, to be hashed.
    pub texts: Vec<String>,
    /// The features that are dates, to be counted in days.
    pub dates: Vec<String>,
    /// What to do about missing values in a table that is to be learned from.
    pub missing: OnMissing,
    /// What stands between the fields of a text table.
    pub delimiter: Option<u8>,
    /// Whether the first line of a text table names its columns.
    pub header: Option<bool>,
    /// The index of the first feature in a LIBSVM file; else 0 if that index occurs and 1 if not.
    pub first_index: Option<FirstIndex>,
    /// Channels (1 or 3), height and width that images of a folder are brought to; height and width are the same.
    pub image: Option<[usize; 3]>,
    /// Which array of an NPZ file holds the rows; it may be left open if there is only one.
    pub array: Option<String>,
}

/// What to do about missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// Learn what stands for them: for numbers the median, with a feature that says where; for categories one of their
    /// own.
    #[default]
    Impute,
    /// Refuse the table, and say where they are.
    Refuse,
}

/// How a LIBSVM file counts its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstIndex {
    /// From 0, as scikit-learn writes by default.
    Zero,
    /// From 1, as LIBSVM itself does.
    One,
}
