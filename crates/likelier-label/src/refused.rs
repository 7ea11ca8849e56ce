//! What can go wrong while people answer. The page tells it.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::LabelError;

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("this link is not known here: ask for a new one")]
    Stranger,
    #[error("this page is for the owner only")]
    OwnerOnly,
    #[error("the request comes from another site")]
    Foreign,
    #[error("{0}")]
    Malformed(String),
    #[error("this pair is not among those that you are asked about now")]
    NotAsked,
    #[error("{0}")]
    NoImage(String),
    #[error("there is no such page")]
    NoSuchPage,
    #[error("the disk is full: nothing more can be saved until there is room")]
    DiskFull,
    #[error("the answer could not be saved: {0}")]
    NotSaved(String),
    #[error("the server is stopping")]
    Stopping,
    #[error("the request took too long")]
    Slow,
    #[error("the request is too large")]
    TooLarge,
}

impl Refused {
    fn status(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Stranger => (StatusCode::UNAUTHORIZED, "stranger"),
            Self::OwnerOnly => (StatusCode::FORBIDDEN, "owner-only"),
            Self::Foreign => (StatusCode::FORBIDDEN, "foreign"),
            Self::Malformed(_) => (StatusCode::BAD_REQUEST, "malformed"),
            Self::NotAsked => (StatusCode::CONFLICT, "not-asked"),
            Self::NoImage(_) => (StatusCode::NOT_FOUND, "no-image"),
            Self::NoSuchPage => (StatusCode::NOT_FOUND, "no-such-page"),
            Self::DiskFull => (StatusCode::INSUFFICIENT_STORAGE, "disk-full"),
            Self::NotSaved(_) => (StatusCode::INTERNAL_SERVER_ERROR, "not-saved"),
            Self::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
            Self::Slow => (StatusCode::REQUEST_TIMEOUT, "slow"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large"),
        }
    }

    /// Whether the file may not hold what memory does.
    pub(crate) fn is_of_the_file(&self) -> bool {
        matches!(self, Self::DiskFull | Self::NotSaved(_))
    }
}

impl From<LabelError> for Refused {
    fn from(error: LabelError) -> Self {
        match &error {
            LabelError::Sqlite { reason, .. } if is_full(reason) => Self::DiskFull,
            LabelError::Setting { .. } => Self::Malformed(error.to_string()),
            _ => Self::NotSaved(error.to_string()),
        }
    }
}

/// SQLite says that a disk is full when a write fails for want of room, and that writing failed when a limit is met.
fn is_full(reason: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = reason else { return false };
    let short = [rusqlite::ffi::SQLITE_IOERR_WRITE, rusqlite::ffi::SQLITE_IOERR_TRUNCATE];
    failure.code == rusqlite::ErrorCode::DiskFull || short.contains(&failure.extended_code)
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, code) = self.status();
        (status, Json(json!({ "error": code, "message": self.to_string() }))).into_response()
    }
}
