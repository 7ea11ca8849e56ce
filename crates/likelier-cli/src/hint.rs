//! Advice for each error: what to do about it.

use std::io;

use likelier::Error;

use crate::output::FolderInUse;

/// What the user could do, where there is something to say.
pub(crate) fn for_error(error: &anyhow::Error) -> Option<String> {
    if error.downcast_ref::<FolderInUse>().is_some() {
        return Some("name a folder that does not exist yet, or remove this one first".into());
    }
    match error.downcast_ref::<Error>() {
        Some(error) => for_library_error(error),
        None => error.downcast_ref::<io::Error>().and_then(for_system_error),
    }
}

fn for_library_error(error: &Error) -> Option<String> {
    let hint = match error {
        Error::Prior { value } => match value.trim_matches('\'').parse::<f64>() {
            Ok(percent) if percent > 1.0 && percent < 100.0 => {
                format!("a prior is a share, not a percentage: for {percent} % give {}", percent / 100.0)
            }
            _ => "give the share of positives in the population, such as 0.2 for one in five".into(),
        },
        Error::LabellerError { .. } => {
            "give the share of mixed pairs that the labeller gets wrong, such as 0.1".into()
        }
        Error::ZeroContrast { .. } => {
            "check the prior and the shares: a comparison must tell something about the classes".into()
        }
        Error::TooFewRows { possible, .. } => format!(
            "ask for at most {possible} pairs (--pairs {possible}), or let rows be used again with \
             --sampling independent"
        ),
        Error::TooFewOfClass { .. } => "use more data, or a prior nearer to what the data hold".into(),
        Error::UnknownName { kind: "data set", .. } => {
            "the names are those of the folders in the data directory".into()
        }
        Error::UnknownName { kind: "protocol", .. } => {
            "see `likelier generate --help` for what each protocol means".into()
        }
        Error::Diverged { .. } => "lower the learning rate, or scale the features".into(),
        Error::NotFinite { .. } => "remove or fill in missing values before training".into(),
        Error::File { reason, .. } => return for_system_error(reason),
        Error::Format { .. } => "the file may be cut short or damaged: compare it with its source".into(),
        _ => return None,
    };
    Some(hint)
}

fn for_system_error(error: &io::Error) -> Option<String> {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Some("check the path; data sets are looked for in --data-dir, else in $LIKELIER_DATA".into())
        }
        io::ErrorKind::PermissionDenied => {
            Some("choose a place you may write to, or change its permissions".into())
        }
        _ => None,
    }
}
