//! Who answers: a name and a link each.

use rusqlite::params;

use super::{Store, now};
use crate::error::LabelError;

/// Somebody who answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The number in the file.
    pub id: i64,
    /// The name.
    pub name: String,
    /// What the link ends with.
    pub token: String,
    /// Whether the owner's page is theirs.
    pub owner: bool,
}

/// The longest name.
pub(crate) const LONGEST_NAME: usize = 80;

impl Store {
    /// Everybody, in the order in which they came.
    pub fn people(&self) -> Result<Vec<Person>, LabelError> {
        let read = || -> rusqlite::Result<Vec<Person>> {
            let mut rows = self
                .connection
                .prepare_cached("SELECT id, name, token, owner FROM person ORDER BY id")?;
            rows.query_map([], |row| {
                Ok(Person { id: row.get(0)?, name: row.get(1)?, token: row.get(2)?, owner: row.get(3)? })
            })?
            .collect()
        };
        read().map_err(|reason| self.refused(reason))
    }

    /// The person of a name, new if there was none.
    pub fn person(&self, name: &str, owner: bool) -> Result<Person, LabelError> {
        let name = checked(name)?;
        let known = self.people()?;
        if let Some(person) = known
            .into_iter()
            .find(|person| person.name.to_lowercase() == name.to_lowercase())
        {
            return Ok(person);
        }
        let token = new_token().map_err(|reason| LabelError::file(self.path(), reason))?;
        self.connection
            .execute(
                "INSERT INTO person (name, token, owner, created) VALUES (?1, ?2, ?3, ?4)",
                params![name, token, owner, now()],
            )
            .map_err(|reason| self.refused(reason))?;
        Ok(Person { id: self.connection.last_insert_rowid(), name: name.to_owned(), token, owner })
    }

    /// A seed that nobody can guess.
    pub fn new_seed() -> Result<u64, LabelError> {
        let mut bytes = [0_u8; 8];
        let drawn = getrandom::fill(&mut bytes);
        drawn
            .map_err(|reason| LabelError::file("the system", std::io::Error::other(reason.to_string())))?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Removes a person and all their answers for good, and says how many answers that were.
    pub fn forget(&mut self, name: &str) -> Result<usize, LabelError> {
        let people = self.people()?;
        let found = people
            .iter()
            .find(|person| person.name.to_lowercase() == name.trim().to_lowercase());
        let Some(person) = found else {
            let known: Vec<&str> = people.iter().map(|person| &person.name[..]).collect();
            return Err(LabelError::NoSuchPerson { name: name.to_owned(), known: known.join(", ") });
        };
        let remove = || -> rusqlite::Result<usize> {
            let transaction = self.connection.unchecked_transaction()?;
            let count = "SELECT count(*) FROM answer JOIN pair ON pair.id = answer.pair WHERE person = ?1";
            let count: i64 = transaction.query_row(count, [person.id], |row| row.get(0))?;
            transaction.execute("INSERT INTO setting VALUES ('forgetting', 'yes')", [])?;
            transaction.execute(
                "DELETE FROM answer WHERE pair IN (SELECT id FROM pair WHERE person = ?1)",
                [person.id],
            )?;
            transaction.execute("DELETE FROM person WHERE id = ?1", [person.id])?;
            transaction.execute("DELETE FROM setting WHERE name = 'forgetting'", [])?;
            transaction.commit()?;
            // What was deleted must not be readable in the file either.
            self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
            Ok(count as usize)
        };
        remove().map_err(|reason| self.refused(reason))
    }
}

/// A name without white space around it.
pub(crate) fn checked(name: &str) -> Result<&str, LabelError> {
    let trimmed = name.trim();
    let fits = !trimmed.is_empty() && trimmed.chars().count() <= LONGEST_NAME;
    if fits && !trimmed.chars().any(char::is_control) {
        return Ok(trimmed);
    }
    Err(LabelError::Setting { what: "a name", value: format!("'{trimmed}'"), allowed: "1 to 80 letters" })
}

/// 192 random bits.
fn new_token() -> std::io::Result<String> {
    let mut bytes = [0_u8; 24];
    getrandom::fill(&mut bytes).map_err(|reason| std::io::Error::other(reason.to_string()))?;
    Ok(likelier_tables::hex(&bytes))
}
