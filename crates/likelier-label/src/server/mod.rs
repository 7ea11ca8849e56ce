//! The page and what it asks for, over HTTP on this machine.

mod api;
mod connections;
mod guard;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, RwLock};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::CONTENT_TYPE;
use axum::routing::{get, post};

use crate::active::Active;
use crate::catalogue::Catalogue;
use crate::error::LabelError;
use crate::live::Live;
use crate::refused::Refused;
use crate::session::Session;
use crate::store::{Person, Settings, Store};
use crate::writer::Writer;

/// The largest body of a request.
const LARGEST_BODY: usize = 16 << 10;

/// The page, compiled in.
const FILES: [(&str, &str, &str); 7] = [
    ("/", "text/html; charset=utf-8", include_str!("../../page/label.html")),
    ("/people", "text/html; charset=utf-8", include_str!("../../page/people.html")),
    ("/page.css", "text/css; charset=utf-8", include_str!("../../page/page.css")),
    ("/label.js", "text/javascript; charset=utf-8", include_str!("../../page/label.js")),
    ("/people.js", "text/javascript; charset=utf-8", include_str!("../../page/people.js")),
    ("/server.js", "text/javascript; charset=utf-8", include_str!("../../page/server.js")),
    ("/icon.svg", "image/svg+xml", include_str!("../../page/icon.svg")),
];

/// Where to listen.
#[derive(Clone, Debug)]
pub struct Listening {
    /// The address.
    pub address: IpAddr,
    /// The wanted port; another one is taken if it is in use.
    pub port: u16,
    /// Whether others may reach it.
    pub open_to_network: bool,
    /// Names under which a proxy is reached.
    pub hosts: Vec<String>,
}

pub(crate) struct Shared {
    writer: Writer,
    people: RwLock<Vec<Person>>,
    items: Arc<Catalogue>,
    settings: Arc<Settings>,
    path: PathBuf,
    live: Arc<Live>,
    hosts: Vec<String>,
}

/// A server that listens but does not answer yet.
pub struct Server {
    listener: std::net::TcpListener,
    store: Store,
    settings: Settings,
    items: Catalogue,
    hosts: Vec<String>,
    seed: u64,
}

impl Server {
    /// Begins to listen.
    pub fn new(
        store: Store,
        settings: Settings,
        items: Catalogue,
        listening: Listening,
        seed: u64,
    ) -> Result<Self, LabelError> {
        let Listening { address, port, open_to_network, hosts } = listening;
        if !address.is_loopback() && !open_to_network {
            return Err(LabelError::OpenToOthers { address: address.to_string() });
        }
        let refused = |reason| LabelError::file(format!("{address}:{port}"), reason);
        let listener = connections::listen(address, port).map_err(refused)?;
        Ok(Self { listener, store, settings, items, hosts, seed })
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr, LabelError> {
        self.listener
            .local_addr()
            .map_err(|reason| LabelError::file("the server", reason))
    }

    /// Everybody with a link.
    pub fn people(&self) -> Result<Vec<Person>, LabelError> {
        self.store.people()
    }

    /// Answers until the flag is raised, and closes the file.
    pub fn run(self, stop: &AtomicBool) -> Result<(), LabelError> {
        let refused = |reason| LabelError::file("the server", reason);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(8)
            .enable_all()
            .build()
            .map_err(refused)?;
        let (settings, items) = (Arc::new(self.settings), Arc::new(self.items));
        let (path, people) = (self.store.path().to_owned(), self.store.people()?);
        let active = Arc::new(Active::new(items.ids().len(), settings.active)?);
        let [of_session, of_live] = [&items, &items].map(Arc::clone);
        let session =
            Session::new(self.store, Arc::clone(&settings), of_session, Arc::clone(&active), self.seed)?;
        let (writer, thread) = Writer::start(session);
        let live = Arc::new(Live::new(&path, &settings, of_live, active));
        let shared = Shared {
            writer,
            people: RwLock::new(people),
            items,
            settings,
            path,
            live: Arc::clone(&live),
            hosts: self.hosts,
        };
        let estimating = {
            let live = Arc::clone(&live);
            std::thread::spawn(move || live.run())
        };
        let router = router(Arc::new(shared));
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener).map_err(refused)?;
            connections::serve(listener, router, stop).await;
            Ok(())
        });
        // With the last connection the last way to the writing thread is gone, and it ends.
        drop(runtime);
        live.stop();
        let _ = estimating.join();
        if let Ok(store) = thread.join() {
            store.close()?;
        }
        served
    }
}

fn router(shared: Arc<Shared>) -> Router {
    let mut pages = Router::new();
    for (path, kind, text) in FILES {
        pages = pages.route(path, get(move || async move { ([(CONTENT_TYPE, kind)], text) }));
    }
    pages
        .route("/api/start", get(api::start))
        .route("/api/answer", post(api::answer))
        .route("/api/undo", post(api::undo))
        .route("/api/image", get(api::image))
        .route("/api/overview", get(api::overview))
        .route("/api/people", post(api::add_person))
        .fallback(|| async { Refused::NoSuchPage })
        .method_not_allowed_fallback(|| async { Refused::NoSuchPage })
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&shared), guard::note_known))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&shared), guard::guard))
        .with_state(shared)
}
