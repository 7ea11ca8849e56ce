//! Everything that is learned from, out of its files: items, answers, and the card beside them.

use std::path::Path;

use likelier::data::{PairGroups, Questions, Texts};
use likelier::{Answers, Error, Evidence, Prior, Protocol, Question, Supervision, Warning};

use crate::answers::{Numbered, read_answers, read_piles};
use crate::card::DatasetCard;
use crate::error::TableError;
use crate::ids::Ids;
use crate::items::Items;
use crate::layout::Layout;
use crate::oddities::odd_columns;

/// Where items and answers are.
#[derive(Clone, Copy, Debug)]
pub enum GivenFiles<'a> {
    /// A table of items, and one of comparisons between them.
    Comparisons {
        /// The items.
        items: &'a Path,
        /// The comparisons.
        comparisons: &'a Path,
    },
    /// A table of items, and which of them lie in which pile.
    Piles {
        /// The items.
        items: &'a Path,
        /// The piles.
        piles: &'a Path,
    },
    /// Two tables of as many rows: each row of the first is likelier than that of the second at the same place.
    Aligned {
        /// The likelier items.
        likelier: &'a Path,
        /// The other ones.
        other: &'a Path,
    },
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Given {
    /// The items.
    pub items: Items,
    /// What people said about them.
    pub evidence: Evidence,
    /// How it came to be, where a card says so.
    pub card: DatasetCard,
}

impl Given {
    /// Reads everything. The layout is about items, but for the names of the columns of answers. The card is looked for
    /// beside `card`, if that is given.
    pub fn read(files: GivenFiles<'_>, layout: &Layout, card: Option<&Path>) -> Result<Self, TableError> {
        let (items, evidence) = match files {
            GivenFiles::Comparisons { items, comparisons } => {
                let items = Items::read(items, layout)?;
                let own = Layout { answers: layout.answers.clone(), ..Layout::default() };
                let answers = read_answers(comparisons, &items.ids, &own)?;
                let answers = grouped_answers(answers, items.groups.as_ref())?;
                (items, Evidence::Answers(answers))
            }
            GivenFiles::Piles { items, piles } => {
                let items = Items::read(items, layout)?;
                let piles = read_piles(piles, &items.ids, &Layout::default())?;
                (items, Evidence::Piles(piles))
            }
            GivenFiles::Aligned { likelier, other } => {
                let (items, answers) = Items::read_aligned(likelier, other, layout)?;
                (items, Evidence::Answers(answers))
            }
        };
        let card = card.map_or(Ok(DatasetCard::default()), DatasetCard::beside)?;
        Ok(Self { items, evidence, card })
    }

    /// What is allowed but worth a word.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = match &self.evidence {
            Evidence::Answers(answers) => odd_answers(answers, &self.items.ids),
            Evidence::Piles(_) => Vec::new(),
        };
        warnings.extend(self.items.missing.in_training());
        warnings.extend(odd_columns(&self.items.rows, &self.items.features));
        let note = self.card.source.as_ref().and_then(|source| source.note.clone());
        warnings.extend(note.map(|note| Warning::PartialData { note }));
        warnings
    }

    /// The same with the answers to one question alone.
    pub fn to_question(self, name: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownQuestion { given: name.to_owned(), known: Vec::new() };
        let Evidence::Answers(answers) = &self.evidence else { return Err(unknown()) };
        // How many pairs were shown is known for all questions together.
        let card =
            if answers.to_one_question().is_ok() { self.card.clone() } else { without_counts(&self.card) };
        let evidence = Evidence::Answers(answers.to_question(name)?);
        Ok(Self { evidence, card, ..self })
    }

    /// The name of the question, where there is one and it has a name.
    pub fn question(&self) -> Option<String> {
        let Evidence::Answers(answers) = &self.evidence else { return None };
        let names = answers.questions().map(Questions::list)?;
        names.into_iter().next().filter(|_| answers.to_one_question().is_ok())
    }

    /// The names of the questions, where there are two or more.
    pub fn questions(&self) -> Option<Vec<String>> {
        let Evidence::Answers(answers) = &self.evidence else { return None };
        answers.questions().map(Questions::list).filter(|names| names.len() > 1)
    }

    /// The answers to each question with what is stated about them, and the items they are about.
    pub fn supervised_by_question(
        self,
        protocol: Option<Protocol>,
        prior: impl Fn(&str) -> Option<Prior>,
    ) -> (Items, Vec<Question>) {
        let Self { items, evidence, card } = self;
        let Evidence::Answers(answers) = evidence else { return (items, Vec::new()) };
        let questions = answers.by_question().into_iter().map(|(name, answers)| {
            let stated = prior(&name);
            let supervision =
                stated_of(Evidence::Answers(answers), &without_counts(&card), protocol, stated);
            Question { name, supervision }
        });
        let questions = questions.collect();
        (items, questions)
    }

    /// The evidence with what is stated about it, and the items it is about.
    pub fn supervised(self, protocol: Option<Protocol>, prior: Option<Prior>) -> (Items, Supervision) {
        let supervision = stated_of(self.evidence, &self.card, protocol, prior);
        (self.items, supervision)
    }
}

/// A card that does not say how many pairs were shown and kept.
fn without_counts(card: &DatasetCard) -> DatasetCard {
    DatasetCard { pairs_kept: None, pairs_shown: None, ..card.clone() }
}

/// Evidence with what a card and somebody else state about it.
fn stated_of(
    evidence: Evidence,
    card: &DatasetCard,
    protocol: Option<Protocol>,
    prior: Option<Prior>,
) -> Supervision {
    let supervision = Supervision::new(evidence)
        .protocol(protocol)
        .prior(prior)
        .equals(card.equals().unwrap_or_default())
        .exact_counts(card.has_exact_counts());
    match (card.pairs_kept, card.pairs_shown) {
        (Some(kept), Some(shown)) => supervision.kept(kept, shown),
        _ => supervision,
    }
}

/// Answers that know the groups of their items, unless they have groups of their own. A pair across groups is in none.
pub fn grouped_answers(answers: Answers, of_items: Option<&Texts>) -> Result<Answers, TableError> {
    let Some(of_items) = of_items.filter(|_| answers.groups().is_none()) else { return Ok(answers) };
    let mut groups = Numbered::default();
    for (likelier, other) in answers.pairs() {
        let [one, two] = [likelier, other].map(|item| of_items.get(*item as usize).trim());
        groups.push(if one == two { one } else { "" });
    }
    let Numbered { names, of, .. } = groups;
    Ok(answers.grouped(PairGroups { names, of })?)
}

/// Pairs that were answered more than once, with the names of an example, in each question; and questions that may be one.
pub fn odd_answers(answers: &Answers, ids: &Ids) -> Vec<Warning> {
    if answers.to_one_question().is_ok() {
        return odd_pairs(answers, ids);
    }
    let alike = answers.questions().and_then(Questions::nearly_alike);
    let alike = alike.map(|questions| Warning::QuestionsAlike { questions });
    let of_questions = answers.by_question().into_iter().flat_map(|(question, answers)| {
        odd_pairs(&answers, ids).into_iter().map(move |warning| Warning::OfQuestion {
            question: question.clone(),
            warning: Box::new(warning),
        })
    });
    alike.into_iter().chain(of_questions).collect()
}

fn odd_pairs(answers: &Answers, ids: &Ids) -> Vec<Warning> {
    let items = |at: usize| {
        let (likelier, other) = answers.pairs()[at];
        [likelier, other].map(|row| ids.name(row as usize).into_owned())
    };
    let repeats = answers.repeats();
    let (both, repeated) = (repeats.both_orders, repeats.repeated);
    let both_orders = |(first, _)| Warning::BothOrders { pairs: both.count, example: items(first) };
    let again = |(first, _)| Warning::RepeatedPairs { answers: repeated.count, example: items(first) };
    let found = both.example.map(both_orders).into_iter();
    found.chain(repeated.example.map(again)).collect()
}
