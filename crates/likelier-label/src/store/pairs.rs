//! Pairs and answers, row by row.

use rusqlite::{OptionalExtension, Row, params};

use super::{Choice, Origin, Store, now};
use crate::error::LabelError;

/// A pair as it is dealt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NewPair<'a> {
    pub(crate) person: i64,
    /// The items on the left and on the right.
    pub(crate) names: [&'a str; 2],
    pub(crate) origin: Origin,
    pub(crate) of: Option<i64>,
    pub(crate) propensity: Option<f64>,
}

/// A pair that was dealt, with what it was answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) id: i64,
    pub(crate) person: i64,
    /// The items on the left and on the right.
    pub(crate) names: [String; 2],
    pub(crate) origin: Origin,
    pub(crate) of: Option<i64>,
    pub(crate) dealt: i64,
    /// How probable it was to be drawn, where not all pairs were equally likely.
    pub(crate) propensity: Option<f64>,
    pub(crate) answer: Option<Given>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) id: i64,
    pub(crate) choice: Choice,
    pub(crate) reason: Option<String>,
    pub(crate) at: i64,
    pub(crate) took: Option<i64>,
}

/// What was stored under the key of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keyed {
    pub(crate) pair: i64,
    /// None for an undo.
    pub(crate) choice: Option<Choice>,
}

/// The columns of a pair with its answer, `a`, and where the items' names come from.
const SHOWN: &str = r#"pair.id, pair.person, l.name, r.name, pair.origin, pair."of", pair.dealt,
    a.id, a.choice, a.reason, a.at, a.took, "#;
/// The last of these columns, by the version of the file.
const PROPENSITY: [&str; 2] = ["NULL", "pair.propensity"];
const NAMES: &str = r#"JOIN item AS l ON l.id = pair."left" JOIN item AS r ON r.id = pair."right""#;

fn shown(row: &Row<'_>) -> rusqlite::Result<Shown> {
    let (origin, choice): (String, Option<String>) = (row.get(4)?, row.get(8)?);
    let answer = match choice.as_deref().and_then(Choice::named) {
        Some(choice) => Some(Given {
            id: row.get(7)?,
            choice,
            reason: row.get(9)?,
            at: row.get(10)?,
            took: row.get(11)?,
        }),
        None => None,
    };
    Ok(Shown {
        id: row.get(0)?,
        person: row.get(1)?,
        names: [row.get(2)?, row.get(3)?],
        // Checked by the table.
        origin: Origin::named(&origin).unwrap_or(Origin::Uniform),
        of: row.get(5)?,
        dealt: row.get(6)?,
        propensity: row.get(12)?,
        answer,
    })
}

impl Store {
    fn item(&self, name: &str) -> rusqlite::Result<i64> {
        let mut find = self.connection.prepare_cached("SELECT id FROM item WHERE name = ?1")?;
        if let Some(known) = find.query_row([name], |row| row.get(0)).optional()? {
            return Ok(known);
        }
        self.connection
            .prepare_cached("INSERT INTO item (name) VALUES (?1)")?
            .execute([name])?;
        Ok(self.connection.last_insert_rowid())
    }

    /// The columns of a pair with its answer, as the file has them.
    fn columns(&self) -> String {
        format!("{SHOWN}{}", PROPENSITY[usize::from(self.version > 1)])
    }

    /// Records that a pair is shown to a person, and says its number.
    pub(crate) fn deal(&self, pair: &NewPair<'_>) -> Result<i64, LabelError> {
        let NewPair { person, names, origin, of, propensity } = *pair;
        let insert = || {
            let [left, right] = [self.item(names[0])?, self.item(names[1])?];
            let text = r#"INSERT INTO pair (person, "left", "right", origin, "of", dealt, propensity)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"#;
            let mut statement = self.connection.prepare_cached(text)?;
            statement.execute(params![person, left, right, origin.name(), of, now(), propensity])?;
            Ok(self.connection.last_insert_rowid())
        };
        insert().map_err(|reason| self.refused(reason))
    }

    /// Adds an answer, and says its number.
    pub(crate) fn add(
        &self,
        pair: i64,
        choice: Choice,
        reason: Option<&str>,
        key: &str,
        at: i64,
        took: Option<i64>,
    ) -> Result<i64, LabelError> {
        let insert = || {
            let text =
                "INSERT INTO answer (pair, choice, reason, key, at, took) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let mut statement = self.connection.prepare_cached(text)?;
            statement.execute(params![pair, choice.name(), reason, key, at, took])?;
            Ok(self.connection.last_insert_rowid())
        };
        insert().map_err(|reason| self.refused(reason))
    }

    /// Adds that an answer no longer stands.
    pub(crate) fn undo(&self, pair: i64, answer: i64, key: &str) -> Result<(), LabelError> {
        let text = "INSERT INTO answer (pair, choice, undoes, key, at) VALUES (?1, 'undo', ?2, ?3, ?4)";
        let insert = || self.connection.prepare_cached(text)?.execute(params![pair, answer, key, now()]);
        insert().map(drop).map_err(|reason| self.refused(reason))
    }

    /// What an earlier request of the same key stored.
    pub(crate) fn keyed(&self, key: &str) -> Result<Option<Keyed>, LabelError> {
        let find = || {
            let mut statement = self
                .connection
                .prepare_cached("SELECT pair, choice FROM answer WHERE key = ?1")?;
            statement
                .query_row([key], |row| {
                    let choice: String = row.get(1)?;
                    Ok(Keyed { pair: row.get(0)?, choice: Choice::named(&choice) })
                })
                .optional()
        };
        find().map_err(|reason| self.refused(reason))
    }

    /// Every pair in the order in which it was dealt, with the answer that stands.
    pub(crate) fn shown(&self, mut visit: impl FnMut(Shown)) -> Result<(), LabelError> {
        let text = format!(
            "SELECT {} FROM pair {NAMES} LEFT JOIN standing AS a ON a.pair = pair.id ORDER BY pair.id",
            self.columns()
        );
        let mut read = || {
            let mut statement = self.connection.prepare(&text)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                visit(shown(row)?);
            }
            Ok(())
        };
        read().map_err(|reason| self.refused(reason))
    }

    /// The last answer of a person that stands and was given here. It is looked for from the newest answer on, so
    /// that it does not matter how many there are.
    pub(crate) fn last_answer(&self, person: i64) -> Result<Option<Shown>, LabelError> {
        let text = format!(
            "SELECT {} FROM standing AS a CROSS JOIN pair ON pair.id = a.pair {NAMES}
            WHERE pair.person = ?1 AND pair.origin <> 'imported' ORDER BY a.id DESC LIMIT 1",
            self.columns()
        );
        let read = || self.connection.prepare_cached(&text)?.query_row([person], shown).optional();
        read().map_err(|reason| self.refused(reason))
    }

    /// Every answer with its pair, and whether it was undone.
    pub(crate) fn every_answer(&self) -> Result<Vec<(Given, i64, bool)>, LabelError> {
        let text = "SELECT id, choice, reason, at, took, pair,
                EXISTS (SELECT 1 FROM answer AS later WHERE later.undoes = answer.id)
            FROM answer WHERE choice <> 'undo' ORDER BY id";
        let read = || -> rusqlite::Result<Vec<(Given, i64, bool)>> {
            let mut statement = self.connection.prepare(text)?;
            let rows = statement.query_map([], |row| {
                let choice: String = row.get(1)?;
                // Checked by the table.
                let choice = Choice::named(&choice).unwrap_or(Choice::Skip);
                let given = Given {
                    id: row.get(0)?,
                    choice,
                    reason: row.get(2)?,
                    at: row.get(3)?,
                    took: row.get(4)?,
                };
                Ok((given, row.get(5)?, row.get(6)?))
            })?;
            rows.collect()
        };
        read().map_err(|reason| self.refused(reason))
    }
}
