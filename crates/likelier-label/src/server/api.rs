//! What the page asks for.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::guard::{owner, person};
use crate::owner::Overview;
use crate::refused::Refused;
use crate::session::{Hand, Said};

type Answered<T> = Result<Json<T>, Refused>;

/// What a page is told when it starts.
#[derive(Serialize)]
pub(super) struct Start {
    name: String,
    owner: bool,
    question: String,
    positive: String,
    instructions: String,
    columns: Vec<String>,
    items: usize,
    #[serde(flatten)]
    hand: Hand,
}

#[derive(Deserialize)]
pub(super) struct Undo {
    key: String,
}

#[derive(Deserialize)]
pub(super) struct NewPerson {
    name: String,
}

#[derive(Serialize)]
pub(super) struct Added {
    name: String,
    token: String,
}

#[derive(Deserialize)]
pub(super) struct Which {
    pair: i64,
    side: usize,
}

/// The body of a request, which must say that it is JSON: a form of another site cannot.
fn body<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<T, Refused> {
    let said = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    if said.split(';').next().map(str::trim) != Some("application/json") {
        return Err(Refused::Malformed("the body must be application/json".into()));
    }
    let bytes = body.map_err(|rejected| match rejected.status().as_u16() {
        413 => Refused::TooLarge,
        _ => Refused::Malformed("the body could not be read".into()),
    })?;
    serde_json::from_slice(&bytes)
        .map_err(|problem| Refused::Malformed(format!("the body is not as expected: {problem}")))
}

pub(super) async fn start(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Answered<Start> {
    let person = person(&headers, &shared)?;
    let id = person.id;
    let hand = shared.writer.write(move |session| session.hand(id)).await?;
    let settings = &shared.settings;
    Ok(Json(Start {
        name: person.name,
        owner: person.owner,
        question: settings.question.clone(),
        positive: settings.positive.clone(),
        instructions: settings.instructions.clone(),
        columns: shared.items.columns().to_vec(),
        items: shared.items.ids().len(),
        hand,
    }))
}

pub(super) async fn answer(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    bytes: Result<Bytes, BytesRejection>,
) -> Answered<Hand> {
    let id = person(&headers, &shared)?.id;
    let said: Said = body(&headers, bytes)?;
    let hand = shared.writer.write(move |session| session.answer(id, &said)).await?;
    shared.live.changed();
    Ok(Json(hand))
}

pub(super) async fn undo(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    bytes: Result<Bytes, BytesRejection>,
) -> Answered<Hand> {
    let id = person(&headers, &shared)?.id;
    let Undo { key } = body(&headers, bytes)?;
    Ok(Json(shared.writer.write(move |session| session.undo(id, &key)).await?))
}

pub(super) async fn image(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let id = person(&headers, &shared)?.id;
    let Ok(Query(Which { pair, side })) = which else {
        return Err(Refused::Malformed("say which pair, and which side".into()));
    };
    let row = shared.writer.write(move |session| session.row(id, pair, side)).await?;
    let items = Arc::clone(&shared.items);
    let read = tokio::task::spawn_blocking(move || items.image(row)).await;
    let (kind, bytes) = read.map_err(|_| Refused::Stopping)?.map_err(Refused::NoImage)?;
    Ok(([(CONTENT_TYPE, kind)], bytes).into_response())
}

pub(super) async fn overview(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Answered<Overview> {
    owner(&headers, &shared)?;
    let read = tokio::task::spawn_blocking(move || {
        Overview::read(&shared.path, &shared.settings, &shared.items, &shared.live)
    });
    Ok(Json(read.await.map_err(|_| Refused::Stopping)??))
}

pub(super) async fn add_person(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    bytes: Result<Bytes, BytesRejection>,
) -> Answered<Added> {
    owner(&headers, &shared)?;
    let NewPerson { name } = body(&headers, bytes)?;
    let added = shared.writer.write(move |session| session.add_person(&name)).await?;
    let mut people = shared.people.write().map_err(|_| Refused::Stopping)?;
    if !people.iter().any(|person| person.id == added.id) {
        people.push(added.clone());
    }
    Ok(Json(Added { name: added.name, token: added.token }))
}
