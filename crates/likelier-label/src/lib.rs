//! The labelling page: people compare items in a browser, on one machine, and no answer that was acknowledged is lost.
//!
//! ```text
//! items ─→ Catalogue ─┐                         ┌─→ page (text, rows, images)
//!                     ├─→ Session ─→ Server ────┤
//! answers ─→ Store ───┘   (one thread writes)   └─→ owner's page, live estimate
//!               └─→ Collected ─→ likelier::Answers, export
//! ```
//!
//! Terms: a *pair* is dealt to a person, with its sides and how it came about; an *answer* is what they said about it. Answers
//! are only ever added; undoing is an answer too.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod active;
mod catalogue;
mod collected;
mod dealer;
mod error;
mod export;
mod import;
mod live;
mod owner;
mod refused;
mod server;
mod session;
mod store;
mod writer;

pub use catalogue::Catalogue;
pub use collected::Collected;
pub use error::LabelError;
pub use export::{AnswerRow, ExportFormat};
pub use import::{ImportFormat, import};
pub use server::{Listening, Server};
pub use store::{Choice, Origin, Person, Settings, Store};
