//! One address into one `.part` file, over HTTP: resumed, retried, and never longer than it may be.

use std::io::Read;
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;
use likelier_cli::terminal::{self, Failure};
use ureq::http::{HeaderMap, StatusCode, header};
use ureq::{Agent, Timeout};

use super::part::{Origin, PartFile, Reply, Splice};

/// How often an address is asked before it is given up.
const ATTEMPTS: u32 = 5;
/// So many new bytes show that asking again is worth it: the count starts again.
const PROGRESS: u64 = 1 << 20;
/// How long to wait before the second attempt; each further wait is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// How long a server may take to be found and reached, and to begin its answer.
const CONNECT_WITHIN: Duration = Duration::from_secs(20);
/// How long a server may be silent while it answers.
const SILENT_AT_MOST: Duration = Duration::from_secs(30);

/// Why an address did not give a file.
#[derive(Debug)]
pub(super) enum FetchFailure {
    /// Nobody answers there.
    Unreachable(String),
    /// What is there is not the file.
    Refused(String),
    /// The connection broke: what has arrived is kept, and asking again may help.
    Cut(String),
    /// The trouble is on this side, such as a full disk: no other address will help.
    Here(Failure),
}

/// What may come of an address.
pub(super) type Fetching<T> = Result<T, FetchFailure>;

/// How long a download may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Exactly(u64),
    AtMost(u64),
}

pub(super) struct Client {
    agent: Agent,
}

impl Client {
    pub(super) fn new() -> Self {
        let config = Agent::config_builder()
            .user_agent(concat!("likelier/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .timeout_resolve(Some(CONNECT_WITHIN))
            .timeout_connect(Some(CONNECT_WITHIN))
            .timeout_recv_response(Some(SILENT_AT_MOST))
            .timeout_per_read(Some(SILENT_AT_MOST))
            .timeout_per_write(Some(SILENT_AT_MOST))
            .build();
        Self { agent: config.into() }
    }

    /// Brings everything from an address into `part`, which may hold the start of it.
    pub(super) fn download(&self, address: &str, part: &mut PartFile, size: Size) -> Fetching<()> {
        if part.is_complete(address) {
            return Ok(());
        }
        let bar = progress_bar(address);
        let (mut attempt, mut pause, mut has_answered) = (1, FIRST_PAUSE, false);
        let outcome = loop {
            let had = part.have();
            let failure = match self.attempt(address, part, size, &bar) {
                Ok(()) => break Ok(()),
                Err(failure) => failure,
            };
            has_answered |= !matches!(failure, FetchFailure::Unreachable(_));
            if part.have() >= had + PROGRESS {
                (attempt, pause) = (0, FIRST_PAUSE);
            }
            let ask_again = match &failure {
                FetchFailure::Cut(_) => true,
                // Where nobody ever answered there may be other addresses that do.
                FetchFailure::Unreachable(_) => has_answered,
                FetchFailure::Refused(_) | FetchFailure::Here(_) => false,
            };
            if !ask_again || attempt >= ATTEMPTS {
                break Err(failure);
            }
            thread::sleep(pause);
            (attempt, pause) = (attempt + 1, pause * 2);
        };
        bar.finish_and_clear();
        outcome
    }

    fn attempt(&self, address: &str, part: &mut PartFile, size: Size, bar: &ProgressBar) -> Fetching<()> {
        let start = part.start_of(address).cloned();
        let mut request = self.agent.get(address);
        if let Some(start) = &start {
            request = request.header(header::RANGE, format!("bytes={}-", part.have()));
            if let Some(validator) = &start.validator {
                request = request.header(header::IF_RANGE, validator);
            }
        }
        let response = request.call().map_err(no_reply)?;
        let reply = read_reply(address, response.status(), response.headers());
        match PartFile::splice(start.as_ref(), part.have(), &reply) {
            Splice::Append => part.go_on(),
            Splice::Restart => {
                size.allows(reply.origin.length)?;
                part.restart(reply.origin).map_err(FetchFailure::Here)?;
            }
            Splice::AskAgain => {
                part.clear().map_err(FetchFailure::Here)?;
                // There is no start any more, so this happens once.
                return self.attempt(address, part, size, bar);
            }
            Splice::Refuse => return Err(refusal(response.status())),
        }
        receive(&mut response.into_body().into_reader(), address, part, size, bar)
    }
}

/// Copies the body of a reply to the end of what is there.
fn receive(
    body: &mut impl Read,
    address: &str,
    part: &mut PartFile,
    size: Size,
    bar: &ProgressBar,
) -> Fetching<()> {
    let length = part.length();
    bar.set_length(length.unwrap_or(0));
    let mut buffer = vec![0; 64 << 10];
    loop {
        bar.set_position(part.have());
        let count = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return Err(cut(part.have(), &error.to_string())),
        };
        if let Err(failure) = size.has_room_for(part.have() + count as u64) {
            part.clear().map_err(FetchFailure::Here)?;
            return Err(failure);
        }
        part.append(&buffer[..count]).map_err(FetchFailure::Here)?;
    }
    if length.is_some() && !part.is_complete(address) {
        return Err(cut(part.have(), "the connection was closed"));
    }
    Ok(())
}

fn cut(have: u64, why: &str) -> FetchFailure {
    FetchFailure::Cut(format!("cut off after {have} bytes: {why}"))
}

impl Size {
    /// Whether a file of the length that a server promises can be the right one.
    fn allows(self, length: Option<u64>) -> Fetching<()> {
        match (self, length) {
            (Self::Exactly(size), Some(length)) if length != size => {
                Err(FetchFailure::Refused(format!("offers {length} bytes; {size} were published")))
            }
            (Self::AtMost(size), Some(length)) if length > size => {
                Err(FetchFailure::Refused(format!("offers {length} bytes; at most {size} are expected")))
            }
            _ => Ok(()),
        }
    }

    /// Whether so many bytes may arrive.
    fn has_room_for(self, bytes: u64) -> Fetching<()> {
        let (Self::Exactly(most) | Self::AtMost(most)) = self;
        if bytes <= most {
            return Ok(());
        }
        Err(FetchFailure::Refused(format!("sends more than the {most} bytes that are expected")))
    }
}

/// What the head of a reply says.
fn read_reply(address: &str, status: StatusCode, headers: &HeaderMap) -> Reply {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let range = text(header::CONTENT_RANGE).and_then(read_content_range);
    let length = match status {
        StatusCode::PARTIAL_CONTENT => range.and_then(|(_, length)| length),
        _ => text(header::CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()),
    };
    // A weak ETag says that two files are alike, not that they have the same bytes.
    let validator = text(header::ETAG).filter(|etag| !etag.starts_with("W/"));
    let validator = validator.or_else(|| text(header::LAST_MODIFIED)).map(str::to_owned);
    Reply {
        status: status.as_u16(),
        start: range.map(|(start, _)| start),
        origin: Origin { address: address.to_owned(), validator, length },
    }
}

/// Start and length of the whole in `bytes 5-9/10`; the length may be unknown (`*`).
fn read_content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, length) = text.trim().strip_prefix("bytes ")?.split_once('/')?;
    let start = range.split_once('-')?.0.trim().parse().ok()?;
    Some((start, length.trim().parse().ok()))
}

/// What a status that brings no file means.
fn refusal(status: StatusCode) -> FetchFailure {
    if status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
    {
        FetchFailure::Cut(status.to_string())
    } else {
        FetchFailure::Refused(status.to_string())
    }
}

/// What it means that there is no reply.
fn no_reply(error: ureq::Error) -> FetchFailure {
    use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};
    match error {
        ureq::Error::Io(error)
            if !matches!(error.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable) =>
        {
            FetchFailure::Cut(error.to_string())
        }
        ureq::Error::Io(error) => FetchFailure::Unreachable(error.to_string()),
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            FetchFailure::Unreachable("no connection in time".into())
        }
        ureq::Error::Timeout(_) => FetchFailure::Cut("no answer in time".into()),
        error => FetchFailure::Unreachable(error.to_string()),
    }
}

/// On standard error, and only if that is a terminal.
fn progress_bar(address: &str) -> ProgressBar {
    let template = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
    terminal::bar(0, template).with_message(last_of(address).to_owned())
}

/// The name of the file at an address.
pub(super) fn last_of(address: &str) -> &str {
    address.rsplit('/').next().unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges_are_read_or_not_believed() {
        assert_eq!(read_content_range("bytes 5-9/10"), Some((5, Some(10))));
        assert_eq!(read_content_range("bytes 5-9/*"), Some((5, None)));
        for wrong in ["", "bytes", "bytes */10", "bytes -5/10", "items 5-9/10", "bytes 5/10", "bytes 5-9"] {
            assert_eq!(read_content_range(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_reply_is_known_by_a_strong_etag_or_else_by_its_date() {
        let reply = |pairs: &[(header::HeaderName, &'static str)], status| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| (name.clone(), header::HeaderValue::from_static(value)));
            read_reply("http://a/f", status, &pairs.collect())
        };
        let date = "Mon, 01 Jan 2024 00:00:00 GMT";
        let whole = reply(
            &[(header::ETAG, "\"1\""), (header::LAST_MODIFIED, date), (header::CONTENT_LENGTH, "10")],
            StatusCode::OK,
        );
        assert_eq!((whole.start, whole.origin.length), (None, Some(10)));
        assert_eq!(whole.origin.validator.as_deref(), Some("\"1\""));
        let weak = reply(&[(header::ETAG, "W/\"1\""), (header::LAST_MODIFIED, date)], StatusCode::OK);
        assert_eq!((weak.origin.validator.as_deref(), weak.origin.length), (Some(date), None));
        let rest = reply(
            &[(header::CONTENT_RANGE, "bytes 5-9/10"), (header::CONTENT_LENGTH, "5")],
            StatusCode::PARTIAL_CONTENT,
        );
        assert_eq!((rest.start, rest.origin.length, rest.origin.validator), (Some(5), Some(10), None));
    }

    #[test]
    fn a_file_that_is_too_long_is_refused_before_and_while_it_arrives() {
        let why = |result: Fetching<()>| match result {
            Err(FetchFailure::Refused(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(why(Size::Exactly(10).allows(Some(9))), "offers 9 bytes; 10 were published");
        assert_eq!(why(Size::AtMost(10).allows(Some(11))), "offers 11 bytes; at most 10 are expected");
        for length in [None, Some(10)] {
            Size::Exactly(10).allows(length).unwrap();
            Size::AtMost(10).allows(length).unwrap();
        }
        Size::AtMost(10).has_room_for(10).unwrap();
        assert_eq!(
            why(Size::Exactly(10).has_room_for(11)),
            "sends more than the 10 bytes that are expected"
        );
    }

    #[test]
    fn only_what_may_pass_is_asked_for_again() {
        for (status, again) in
            [(404, false), (403, false), (301, false), (500, true), (503, true), (429, true)]
        {
            let failure = refusal(StatusCode::from_u16(status).unwrap());
            assert_eq!(matches!(failure, FetchFailure::Cut(_)), again, "{status}: {failure:?}");
        }
    }
}
