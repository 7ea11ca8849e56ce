//! Errors as people see them: what happened, and on a line of its own what to do about it.
//!
//! Every kind of error that can reach a user says its own advice ([`Hint`]). Mistakes that one place only can see are
//! made with [`mistake`], the words and the advice together. A message is one line: what a file or a path has in the way
//! of line breaks and other control characters is written out.

use std::fmt;
use std::io;

use super::advice::Advice;
use super::clean::one_line;

/// What a verb returns.
pub type Result<T> = std::result::Result<T, Failure>;

/// What happened, and what to do about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Advice,
    /// What the system said, where it did.
    system: Option<io::ErrorKind>,
}

/// Advice on an error.
pub trait Hint: std::error::Error {
    /// What the user could do.
    fn hint(&self) -> Advice;

    /// What the system said, if the error is the system's.
    fn system(&self) -> Option<io::ErrorKind> {
        None
    }
}

/// A mistake that one place only can see, with what to do about it.
pub fn mistake(message: impl AsRef<str>, hint: impl Into<Advice>) -> Failure {
    Failure { message: one_line(message.as_ref()).into_owned(), hint: hint.into(), system: None }
}

impl Failure {
    /// The advice.
    pub fn hint(&self) -> &Advice {
        &self.hint
    }

    /// The same with some more lines below the message.
    #[must_use]
    pub fn listing(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        for line in lines {
            self.message.push_str("\n  ");
            self.message.push_str(&one_line(&line));
        }
        self
    }

    /// Whether the error is only that nobody reads the output any more, as in `likelier … | head`.
    pub fn reader_is_gone(&self) -> bool {
        self.system == Some(io::ErrorKind::BrokenPipe)
    }

    /// Whether it was the system that failed, and not the data.
    pub fn is_of_the_system(&self) -> bool {
        self.system.is_some()
    }

    /// The same, saying first what it is about.
    #[must_use]
    pub fn about(self, what: impl fmt::Display) -> Self {
        Self { message: format!("{}: {}", one_line(&what.to_string()), self.message), ..self }
    }

    /// The same with other advice.
    #[must_use]
    pub fn advising(self, hint: impl Into<Advice>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Hint> From<E> for Failure {
    fn from(error: E) -> Self {
        let message = one_line(&error.to_string()).into_owned();
        Self { message, hint: error.hint(), system: error.system() }
    }
}

/// Says what a result is about, should it be an error.
pub trait About<T> {
    /// The same result; an error begins with what it is about.
    fn about(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<Failure>> About<T> for std::result::Result<T, E> {
    fn about(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| error.into().about(what()))
    }
}
