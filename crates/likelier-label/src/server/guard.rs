//! Who may ask at all.
//!
//! A page of another site must not reach this one through the browser of somebody who answers. It can neither read nor
//! guess the token, which is in no cookie; that alone would do. Besides, requests must name this machine as their host
//! (a name of the attacker's that leads here, "DNS rebinding", does not), and come from this page.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HOST, HeaderMap, HeaderName,
    HeaderValue, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{Method, Response};
use axum::middleware::Next;
use axum::response::IntoResponse;
use subtle::ConstantTimeEq;

use super::connections::Known;
use super::{LARGEST_BODY, Shared};
use crate::refused::Refused;
use crate::store::Person;

/// A request that takes longer is ended.
const LONGEST: Duration = Duration::from_secs(10);

const HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (REFERRER_POLICY, "no-referrer"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let answer = async {
        if let Err(refused) = check(&request, &shared.hosts) {
            return refused.into_response();
        }
        next.run(request).await
    };
    let mut response = match tokio::time::timeout(LONGEST, answer).await {
        Ok(response) => response,
        Err(_) => Refused::Slow.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check(request: &Request, hosts: &[String]) -> Result<(), Refused> {
    let headers = request.headers();
    let host = single(headers, HOST)?.ok_or(Refused::Foreign)?;
    if !is_ours(host, hosts) {
        return Err(Refused::Foreign);
    }
    // Whoever promises too much is not waited for.
    let promised = single(headers, CONTENT_LENGTH)?.map_or(Ok(0), str::parse::<usize>);
    if promised.map_err(|_| Refused::TooLarge)? > LARGEST_BODY {
        return Err(Refused::TooLarge);
    }
    if let Some(origin) = single(headers, ORIGIN)? {
        let from = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if from != Some(host) {
            return Err(Refused::Foreign);
        }
    }
    // A link may be followed from anywhere, but only to the page itself.
    let site = single(headers, HeaderName::from_static("sec-fetch-site"))?;
    let followed = request.method() == Method::GET && !request.uri().path().starts_with("/api/");
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if followed => Ok(()),
        Some(_) => Err(Refused::Foreign),
    }
}

/// The value of a header that may occur once.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Refused> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().map_err(|_| Refused::Foreign)?;
    if values.next().is_some() { Err(Refused::Foreign) } else { Ok(Some(text)) }
}

/// An address in numbers cannot be rebound; of names, only those that are known are ours.
fn is_ours(host: &str, hosts: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !port.is_empty() => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let number = match bare {
        Some(bare) => bare.parse::<std::net::Ipv6Addr>().is_ok(),
        None => name.parse::<std::net::Ipv4Addr>().is_ok(),
    };
    let known = |own: &&str| own.eq_ignore_ascii_case(name);
    number
        || ["localhost"]
            .into_iter()
            .chain(hosts.iter().map(|own| &own[..]))
            .any(|own| known(&own))
}

/// Whose token a request carries. It is compared with every token, and every comparison takes the same time.
pub(super) fn person(headers: &HeaderMap, shared: &Shared) -> Result<Person, Refused> {
    let given = single(headers, AUTHORIZATION).map_err(|_| Refused::Stranger)?;
    let token = given.and_then(|given| given.strip_prefix("Bearer ")).ok_or(Refused::Stranger)?;
    let people = shared.people.read().map_err(|_| Refused::Stopping)?;
    let mut found = None;
    for person in people.iter() {
        if bool::from(person.token.as_bytes().ct_eq(token.as_bytes())) {
            found = Some(person.clone());
        }
    }
    found.ok_or(Refused::Stranger)
}

/// The owner, if it is them.
pub(super) fn owner(headers: &HeaderMap, shared: &Shared) -> Result<Person, Refused> {
    let person = person(headers, shared)?;
    if person.owner { Ok(person) } else { Err(Refused::OwnerOnly) }
}

/// Notes that the connection is used by somebody who is known.
pub(super) async fn note_known(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    if let Some(known) = request.extensions().get::<Known>()
        && person(request.headers(), &shared).is_ok()
    {
        known.mark();
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_known_names_are_ours() {
        let named = ["labels.example.org".to_owned()];
        for ours in
            ["127.0.0.1:80", "localhost:9000", "LOCALHOST", "[::1]:8765", "10.0.0.7", "labels.example.org"]
        {
            assert!(is_ours(ours, &named), "{ours}");
        }
        for foreign in [
            "evil.example",
            "127.0.0.1.evil.example:80",
            "localhost.evil:80",
            "",
            ":80",
            "labels.example.org.",
            "[evil]:80",
        ] {
            assert!(!is_ours(foreign, &named), "{foreign}");
        }
    }
}
