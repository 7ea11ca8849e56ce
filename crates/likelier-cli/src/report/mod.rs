//! The report that `train` leaves: one record of what was learned, on what, and how far it can be trusted.
//!
//! ```text
//! gather.rs   model, comparisons, epochs → Record   (all numbers; also the JSON form)
//! sections/   Record → sections                     (all words, tables and plots, said once)
//! html.rs     sections → one page that needs nothing else
//! markdown.rs sections → the same without pictures
//! ```

mod document;
mod example;
mod gather;
mod html;
mod image;
mod markdown;
mod place;
mod record;
mod sections;

pub(crate) use gather::Sources;
pub(crate) use image::Shape;
pub(crate) use place::{NotAReport, ReportArguments};
