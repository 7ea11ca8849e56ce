//! The pages of a column, checked before the decoder sees them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::serialized_reader::SerializedPageReader;

use crate::table::file_at::FileAt;

/// Pages in the order of the file, of which none may lean on a dictionary that has not come.
pub(super) struct CheckedPages {
    pages: SerializedPageReader<FileAt>,
    has_dictionary: bool,
}

impl CheckedPages {
    pub(super) fn new(pages: SerializedPageReader<FileAt>) -> Self {
        Self { pages, has_dictionary: false }
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let page = self.pages.get_next_page()?;
        match &page {
            Some(Page::DictionaryPage { .. }) => self.has_dictionary = true,
            // The decoder takes it for granted that the dictionary came first.
            Some(page) if !self.has_dictionary && is_index(page.encoding()) => {
                return Err(ParquetError::General("a page without its dictionary".into()));
            }
            _ => {}
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.pages.skip_next_page()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Whether the values of a page are places in a dictionary.
fn is_index(encoding: Encoding) -> bool {
    // The older of the two names is deprecated, and still written.
    #[allow(deprecated, reason = "old files have it")]
    let old = Encoding::PLAIN_DICTIONARY;
    encoding == old || encoding == Encoding::RLE_DICTIONARY
}

/// Turns a panic of the decoder, which a damaged file may still bring about, into an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ParquetError::General("the decoder gave up".into())))
}
