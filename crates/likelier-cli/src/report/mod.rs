//! The report that `train` leaves: one record of what was learned, on what, and how far it can be trusted.
//!
//! ```text
//! gather.rs   Fitted → Record      (all numbers; also the JSON form)
//! sections/   Record → Document    (all words, tables and plots, said once; ../document/ makes pages of it)
//! places.rs   where it goes, and in which form
//! pages.rs    the same for a fit that no command made
//! ```

mod date;
mod example;
mod gather;
mod image;
mod inputs;
mod pages;
mod places;
mod record;
mod sections;

pub(crate) use gather::{ReportSources, command_line};
pub(crate) use image::ImageShape;
pub(crate) use inputs::InputFiles;
pub use pages::ReportPages;
pub(crate) use places::ReportArguments;
