//! What verbs that learn from comparisons are given: items, answers, and how those came to be.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use likelier::estimate::metrics::Wish;
use likelier::model::ModelKind;
use likelier::words::count;
use likelier::{
    Collection, Equals, Error, Evidence, Method, Prior, Protocol, ScorerOptions, Supervision, Warning,
};
use likelier_tables::{DatasetCard, FirstIndex, Given, GivenFiles, Items, Layout, OnMissing};

use crate::terminal::{Result, detail, mistake, reading, standard_input};

/// What the columns of a table are.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ColumnArguments {
    /// The column that names the rows [default: `id` if there is one, else rows are numbered from 0].
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// The columns to use as features [default: all but id, `label` and `group`].
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    features: Option<Vec<String>>,
    /// Columns that are no features.
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    exclude: Vec<String>,
    /// Columns of text to use as categories (one-hot).
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    categories: Vec<String>,
    /// Columns of free text: their words and parts of words become features.
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    text: Vec<String>,
    /// Columns of dates, which become numbers of days, such as 2026-11-17 or 2026-11-17T12:30:05Z.
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    dates: Vec<String>,
    /// What to do about missing values (empty, NA, NaN, null, ?): "impute" learns what stands for them, "refuse" lists
    /// where they are.
    #[arg(long, value_enum, value_name = "impute|refuse", default_value_t = MissingArgument::Impute,
        hide_possible_values = true)]
    missing: MissingArgument,
    #[command(flatten)]
    pub(crate) format: FormatArguments,
}

/// How a table is written, where that is not clear from itself.
#[derive(Args)]
pub(crate) struct FormatArguments {
    /// The character between the fields of a text table of items, or `tab` [default: detected].
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// Whether the first line of a text table of items names its columns [default: detected].
    #[arg(long, value_name = "BOOL")]
    header: Option<bool>,
    /// The first index of LIBSVM files [default: 0 if it occurs, else 1].
    #[arg(long, value_enum, value_name = "0|1")]
    first_index: Option<IndexArgument>,
    /// The array of an NPZ file that holds the rows.
    #[arg(long, value_name = "NAME")]
    array: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum IndexArgument {
    #[value(name = "0")]
    Zero,
    #[value(name = "1")]
    One,
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingArgument {
    Impute,
    Refuse,
}

/// A number of threads. Far more than there are processors would keep the machine busy with themselves.
pub(crate) fn threads(text: &str) -> std::result::Result<usize, String> {
    const MOST: usize = 1024;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("give a number from 1 to {MOST}"))
}

/// What a threshold is wanted for.
pub(crate) fn wish(text: &str) -> std::result::Result<Wish, String> {
    text.parse().map_err(|error: likelier::Error| error.to_string())
}

fn delimiter(text: &str) -> std::result::Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ if text.eq_ignore_ascii_case("tab") || text == "\\t" => Ok(b'\t'),
        _ => Err("give one character, such as ';', or tab".into()),
    }
}

impl FormatArguments {
    pub(crate) fn layout(&self) -> Layout {
        Layout {
            delimiter: self.delimiter,
            header: self.header,
            first_index: self.first_index.map(|index| match index {
                IndexArgument::Zero => FirstIndex::Zero,
                IndexArgument::One => FirstIndex::One,
            }),
            array: self.array.clone(),
            ..Layout::default()
        }
    }
}

impl ColumnArguments {
    pub(crate) fn layout(&self, label: Option<&str>) -> Layout {
        Layout {
            id: self.id.clone(),
            label: label.map(str::to_owned),
            blank_labels: false,
            features: self.features.clone(),
            exclude: self.exclude.clone(),
            categories: self.categories.clone(),
            texts: self.text.clone(),
            dates: self.dates.clone(),
            missing: match self.missing {
                MissingArgument::Impute => OnMissing::Impute,
                MissingArgument::Refuse => OnMissing::Refuse,
            },
            ..self.format.layout()
        }
    }
}

/// What the columns of comparisons are called.
#[derive(Args)]
pub(crate) struct AnswerArguments {
    /// Columns of the comparisons under names of their own, such as likelier=chosen,other=rejected [default: likelier and
    /// other, or winner and loser, or better and worse].
    #[arg(long, value_name = "WHAT=COLUMN,…", value_delimiter = ',', value_parser = named_column, help_heading = "Input")]
    columns: Vec<(String, String)>,
}

impl AnswerArguments {
    /// The same layout, knowing what the columns of comparisons are called.
    pub(crate) fn layout(&self, layout: Layout) -> Layout {
        Layout { answers: self.columns.clone(), ..layout }
    }
}

fn named_column(text: &str) -> std::result::Result<(String, String), String> {
    let (what, column) = text
        .split_once('=')
        .ok_or("give what it holds and its name, such as likelier=chosen")?;
    Ok((what.trim().to_owned(), column.trim().to_owned()))
}

/// Where comparisons are.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ComparisonArguments {
    /// The items: CSV, TSV, JSON Lines, Parquet, NPY, NPZ or LIBSVM, also as .gz, .xz or
    /// .zst, or a folder of images; - for standard input, here
    /// and for the files below.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["likelier", "answers"])]
    pub(crate) items: Option<PathBuf>,
    /// Which item was said to be likelier than which: columns `likelier,other`, and if you have them `annotator`,
    /// `weight`, `tie`, `side`, `time`, `group`, `propensity`, `question`; or CatBoost's pairs of row numbers.
    #[arg(long, value_name = "FILE", requires = "items", required_unless_present_any = ["likelier", "piles", "answers"])]
    pub(crate) comparisons: Option<PathBuf>,
    /// The answers to this question alone, where comparisons have a column `question`.
    #[arg(long, value_name = "NAME")]
    question: Option<String>,
    /// Instead of comparisons, two piles: columns `id,pile`, where a pile is likelier or other.
    #[arg(long, value_name = "FILE", requires = "items", conflicts_with = "comparisons")]
    piles: Option<PathBuf>,
    /// Instead of comparisons, a file of `likelier label`. It knows its items and its protocol.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["comparisons", "piles", "likelier"])]
    answers: Option<PathBuf>,
    /// Instead of items and comparisons, a table of likelier items …
    #[arg(long, value_name = "FILE", requires = "other", conflicts_with_all = ["items", "comparisons", "piles"])]
    likelier: Option<PathBuf>,
    /// … and one of the items that each of them was compared with, row by row.
    #[arg(long, value_name = "FILE", requires = "likelier")]
    other: Option<PathBuf>,
    #[command(flatten)]
    named_as: AnswerArguments,
}

/// Reads a table of items that was named on the command line.
pub(crate) fn read_items(path: &Path, layout: &Layout) -> Result<Items> {
    let file = standard_input::path_of(path)?;
    let reading = reading(|| format!("reading {}", path.display()), &[&file]);
    let items = Items::read(&file, layout)?;
    drop(reading);
    tell_items(path, &items);
    Ok(items)
}

fn tell_items(path: &Path, items: &Items) {
    let (rows, features) = (count(items.rows.len(), "row"), count(items.rows.width(), "feature"));
    detail(|| format!("{}: {rows}, {features}", path.display()));
}

impl ComparisonArguments {
    /// The files that are named.
    fn named(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.items, &self.comparisons, &self.answers, &self.piles, &self.likelier, &self.other]
            .into_iter()
            .flatten()
    }

    /// Every file that is read, so that none is written over.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let cards = self.named().filter(|path| !standard_input::is_meant_by(path));
        let cards = cards.map(|path| path.with_file_name("dataset.json"));
        self.named().cloned().chain(cards).collect()
    }

    /// What is read, and where it is: what a model is made from.
    pub(crate) fn contents(&self) -> Result<Vec<(&'static str, PathBuf)>> {
        let mut contents = Vec::new();
        let mut add = |what, path: &Option<PathBuf>| {
            contents.extend(path.clone().map(|path| (what, path)));
        };
        add("items", &self.items);
        add("comparisons", &self.comparisons);
        add("piles", &self.piles);
        add("likelier items", &self.likelier);
        add("other items", &self.other);
        add("answers", &self.answers);
        if let Some(answers) = &self.answers {
            // What is not yet in the file itself while somebody answers.
            let mut log = answers.clone().into_os_string();
            log.push("-wal");
            let log = Some(PathBuf::from(log));
            add("answers just given", &log.filter(|log| log.metadata().is_ok_and(|log| log.len() > 0)));
            add("items", &self.own_items(answers)?.filter(|_| self.items.is_none()));
        }
        let beside = self.comparisons.as_ref().or(self.piles.as_ref());
        let card = beside
            .filter(|path| !standard_input::is_meant_by(path))
            .map(|path| path.with_file_name("dataset.json"));
        add("how they were collected", &card.filter(|card| card.exists()));
        Ok(contents)
    }

    /// The same where answers to several questions are of no use.
    pub(crate) fn read_one_question(&self, layout: &Layout) -> Result<Given> {
        let given = self.read(layout)?;
        match given.questions() {
            Some(questions) => Err(Error::SeveralQuestions { questions }.into()),
            None => Ok(given),
        }
    }

    /// Reads everything, or what is about the question that is asked for.
    pub(crate) fn read(&self, layout: &Layout) -> Result<Given> {
        let given = self.read_all(layout)?;
        match &self.question {
            Some(question) => Ok(given.to_question(question)?),
            None => Ok(given),
        }
    }

    fn read_all(&self, layout: &Layout) -> Result<Given> {
        standard_input::at_most_once(self.named())?;
        if let Some(answers) = &self.answers {
            return self.collected(answers, layout);
        }
        let path = |named: &Option<PathBuf>| named.as_deref().map(standard_input::path_of).transpose();
        let [items, comparisons, piles] =
            [path(&self.items)?, path(&self.comparisons)?, path(&self.piles)?];
        let [likelier, other] = [path(&self.likelier)?, path(&self.other)?];
        let files = match (&items, &comparisons, &piles, &likelier, &other) {
            (Some(items), Some(comparisons), ..) => GivenFiles::Comparisons { items, comparisons },
            (Some(items), None, Some(piles), ..) => GivenFiles::Piles { items, piles },
            (.., Some(likelier), Some(other)) => GivenFiles::Aligned { likelier, other },
            // What clap asks for before a verb runs.
            _ => return Err(mistake("the items or what was said about them are missing", "see --help")),
        };
        // No card lies beside standard input.
        let beside = self.comparisons.as_deref().or(self.piles.as_deref());
        let layout = self.named_as.layout(layout.clone());
        let read = [&items, &comparisons, &piles, &likelier, &other];
        let read: Vec<&Path> = read.into_iter().flatten().map(|file| &**file).collect();
        let what = || {
            let names: Vec<String> = self.named().map(|path| path.display().to_string()).collect();
            format!("reading {}", names.join(" and "))
        };
        let reading = reading(what, &read);
        let given = Given::read(files, &layout, beside.filter(|path| !standard_input::is_meant_by(path)))?;
        drop(reading);
        if let Some(path) = self.items.as_ref().or(self.likelier.as_ref()) {
            tell_items(path, &given.items);
        }
        if let (Some(path), Evidence::Answers(answers)) = (&self.comparisons, &given.evidence) {
            detail(|| format!("{}: {}", path.display(), count(answers.len(), "comparison")));
        }
        Ok(given)
    }
}

impl ComparisonArguments {
    #[cfg(feature = "label")]
    fn collected(&self, answers: &Path, layout: &Layout) -> Result<Given> {
        let items = self.items.as_deref().map(standard_input::path_of).transpose()?;
        crate::label::given(answers, items.as_deref(), layout)
    }

    #[cfg(feature = "label")]
    #[allow(clippy::unused_self, reason = "the same as without the feature")]
    fn own_items(&self, answers: &Path) -> Result<Option<PathBuf>> {
        crate::label::items_of(answers).map(Some)
    }

    #[cfg(not(feature = "label"))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same as with the feature")]
    fn own_items(&self, _: &Path) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    #[cfg(not(feature = "label"))]
    #[allow(clippy::unused_self, reason = "the same as with the feature")]
    fn collected(&self, _: &Path, _: &Layout) -> Result<Given> {
        Err(mistake(
            "this program was built without the labelling page",
            "build it with the feature `label`, or export the answers and give them with --comparisons",
        ))
    }
}

/// A model by its name, of those that a verb offers.
pub(crate) fn one_of(kinds: &'static [&'static str]) -> impl TypedValueParser<Value = ModelKind> {
    PossibleValuesParser::new(kinds).try_map(|name| name.parse::<ModelKind>())
}

/// The names of methods, for help and completion. What is none of them is left to the library, which knows the nearest.
#[derive(Clone)]
pub(crate) struct MethodNames;

impl TypedValueParser for MethodNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> std::result::Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let of_comparisons = Method::ALL.into_iter().filter(|method| *method != Method::Supervised);
        Some(Box::new(of_comparisons.map(|method| PossibleValue::new(method.name()))))
    }
}

/// How items are scored.
#[derive(Args)]
#[command(next_help_heading = "Scorer")]
pub(crate) struct ScorerArguments {
    /// The model that scores the items; it is trained five times on the comparisons.
    #[arg(long, value_name = "MODEL", default_value = "linear", value_parser = one_of(&["linear", "mlp"]))]
    model: ModelKind,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl ScorerArguments {
    pub(crate) fn options(&self) -> ScorerOptions {
        ScorerOptions::new(self.model, self.seed)
    }
}

/// How the comparisons came to be.
#[derive(Args)]
#[command(next_help_heading = "Assumptions")]
pub(crate) struct ProtocolArguments {
    /// What happened to the pairs that were shown: "discard" dropped (negative, positive) pairs,
    /// "forced-choice" kept every pair [default: from dataset.json].
    #[arg(long, value_name = "discard|forced-choice")]
    protocol: Option<String>,
    /// How often the labeller gets a mixed pair wrong [default: from dataset.json, else 0].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    labeller_error: Option<f64>,
}

/// What is believed of labellers when a classifier is judged without labels.
#[derive(Args)]
#[command(next_help_heading = "Assumptions")]
pub(crate) struct LabellerArguments {
    /// How labellers ordered two items of one class: by a "coin", by "degree", or "unknown". Unless it was a coin,
    /// what is known without labels is a range [default: from dataset.json, else unknown].
    #[arg(long, value_name = "coin|degree|unknown")]
    equals: Option<String>,
    /// The largest share of mixed pairs that labellers may have got wrong. It bounds the range [default: the
    /// labeller error, else 0.2].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    labeller_error_at_most: Option<f64>,
}

impl LabellerArguments {
    /// How equals were ordered by flags, else by dataset.json.
    pub(crate) fn equals(&self, card: &DatasetCard, warnings: &mut Vec<Warning>) -> Result<Equals> {
        let Some(given) = &self.equals else { return Ok(card.equals().unwrap_or_default()) };
        let equals: Equals = given.parse()?;
        if let Some(theirs) = card.equals().filter(|theirs| *theirs != equals) {
            warnings.push(overrides("--equals", equals.name(), theirs.name()));
        }
        Ok(equals)
    }

    /// The largest labeller error, where it is given.
    pub(crate) fn error_at_most(&self) -> Option<f64> {
        self.labeller_error_at_most
    }

    /// Evidence with what is stated about its labellers.
    pub(crate) fn state(&self, supervision: Supervision, equals: Equals) -> Supervision {
        supervision.equals(equals).error_at_most(self.labeller_error_at_most)
    }
}

/// What is believed about the population and the labeller.
#[derive(Args)]
#[command(next_help_heading = "Assumptions")]
pub(crate) struct BeliefArguments {
    /// The share of positives in the population [default: from dataset.json]. `train` also takes `auto`, and
    /// estimates the share if it is not stated. NAME=SHARE states it for one question, and may be given for each.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    prior: Vec<String>,
    #[command(flatten)]
    pub(crate) collected: ProtocolArguments,
}

impl ProtocolArguments {
    /// The protocol by flags, else by dataset.json, else the one there is `otherwise`.
    pub(crate) fn stated(
        &self,
        card: &DatasetCard,
        otherwise: Option<Protocol>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Protocol>> {
        let collection = match self.protocol.as_ref().or(card.protocol.as_ref()) {
            Some(name) => Some(name.parse::<Collection>()?),
            None => otherwise.map(|protocol| protocol.collection()),
        };
        let Some(collection) = collection else { return Ok(None) };
        if let Some(theirs) = &card.protocol
            && theirs.parse::<Collection>()? != collection
        {
            warnings.push(overrides("--protocol", collection.name(), theirs));
        }
        if let (Some(ours), Some(theirs)) = (self.labeller_error, card.labeller_error)
            && ours != theirs
        {
            warnings.push(overrides("--labeller-error", &ours.to_string(), &theirs.to_string()));
        }
        // An error belongs to the protocol it was said with.
        let with_it = otherwise.filter(|_| self.protocol.is_none() && card.protocol.is_none());
        let error = self.labeller_error.or(card.labeller_error);
        let error = error.or(with_it.map(|protocol| protocol.labeller_error())).unwrap_or(0.0);
        Ok(Some(Protocol::new(collection, error)?))
    }
}

impl BeliefArguments {
    /// What is said by flags of the prior of a question, or of the only one.
    fn given(&self, question: Option<&str>) -> Option<&str> {
        let of = |name: Option<&str>| {
            let mut stated = self.prior.iter().map(|text| named_share(text));
            stated.find(|(of, _)| *of == name).map(|(_, share)| share)
        };
        question.and_then(|name| of(Some(name))).or_else(|| of(None))
    }

    /// Refuses a prior of a question that there is not, and one that is given twice.
    pub(crate) fn check_questions(&self, known: &[String]) -> Result<()> {
        for (at, text) in self.prior.iter().enumerate() {
            let (name, _) = named_share(text);
            if let Some(given) = name.filter(|name| !known.iter().any(|known| known == name)) {
                return Err(
                    Error::UnknownQuestion { given: given.to_owned(), known: known.to_vec() }.into()
                );
            }
            if self.prior[..at].iter().any(|earlier| named_share(earlier).0 == name) {
                let of = name.map_or_else(String::new, |name| format!(" of question '{name}'"));
                return Err(mistake(
                    format!("the prior{of} is given twice"),
                    "give --prior once, or once for each question: --prior NAME=SHARE",
                ));
            }
        }
        Ok(())
    }

    /// Whether the prior is to be estimated, whatever dataset.json says.
    pub(crate) fn is_auto(&self, question: Option<&str>) -> bool {
        self.given(question) == Some("auto")
    }

    /// The prior of the only question by flags, else by dataset.json.
    pub(crate) fn stated_prior(
        &self,
        question: Option<&str>,
        card: &DatasetCard,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Prior>> {
        self.check_questions(&question.map(str::to_owned).into_iter().collect::<Vec<_>>())?;
        self.prior_of(question, card, warnings)
    }

    /// The prior of one of several questions.
    pub(crate) fn prior_of(
        &self,
        question: Option<&str>,
        card: &DatasetCard,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Prior>> {
        let Some(given) = self.given(question) else {
            return Ok(card.prior.map(Prior::new).transpose()?);
        };
        let prior: Prior = given.parse()?;
        if let Some(theirs) = card.prior.filter(|theirs| *theirs != prior.positive()) {
            warnings.push(overrides("--prior", &prior.to_string(), &theirs.to_string()));
        }
        Ok(Some(prior))
    }
}

/// What is said of a prior: the question, if it is about one, and the share.
fn named_share(text: &str) -> (Option<&str>, &str) {
    match text.rsplit_once('=') {
        Some((name, share)) => (Some(name.trim()), share.trim()),
        None => (None, text),
    }
}

fn overrides(what: &'static str, used: &str, stated: &str) -> Warning {
    Warning::OverridesDataset { what, used: used.into(), stated: stated.into() }
}
