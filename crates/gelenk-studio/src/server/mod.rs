//! The page and pieces of recordings over HTTP, for this computer only.
//!
//! The server listens on 127.0.0.1. It answers four kinds of `GET`, none of which names a file: recordings are numbered,
//! and they are the files that were open when it started. A run that goes on is looked at again with every request for what
//! the recordings are: its rows grow, and when it has ended its recording takes the place of its parts. A request has to name this server as its host, so that no page
//! of another origin reaches it under a name of its own. Every connection carries one request and has a deadline.
//!
//! | path | answer |
//! |---|---|
//! | `/` | the page |
//! | `/api/runs` | what the recordings are, JSON |
//! | `/api/runs/N/rows?columns=0,3&from=0&to=2&runs=500` | rows of columns within a time, thinned with extremes kept |
//! | `/api/runs/N/elements` | contact elements of a recording |
//!
//! Rows come as little endian numbers: the number of rows and of columns (u32), then the columns (f64), one after the
//! other. `every=K` instead of `runs` takes about `K` rows at equal distances. Elements come as seven lists, the instants,
//! where the elements of each begin, and five columns: the number of lists and the length of each (u32), then the lists
//! (f64).

mod answer;
mod request;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Run, StudioError, index, io, page};

/// Most connections at a time; further ones are told to come back.
const MOST_CONNECTIONS: usize = 64;

/// A server that is ready to answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What all connections see.
#[derive(Debug)]
struct Shared {
    page: (&'static str, &'static str),
    /// Recordings; reading moves the place in an open file, so one reads at a time.
    runs: Vec<Mutex<Run>>,
    /// What they are, as JSON; made anew when one of them has grown.
    index: Mutex<String>,
    port: u16,
    open: AtomicUsize,
}

impl Server {
    /// Listens on a port of 127.0.0.1; on a free one where it is 0.
    ///
    /// # Errors
    /// A program without the page, a port that is taken.
    pub fn bind(runs: Vec<Run>, port: u16) -> Result<Self, StudioError> {
        Self::with_page(page::halves()?, runs, port)
    }

    /// The same with another page, in two halves.
    ///
    /// # Errors
    /// A port that is taken.
    pub fn with_page(
        page: (&'static str, &'static str),
        runs: Vec<Run>,
        port: u16,
    ) -> Result<Self, StudioError> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .map_err(io(format!("port {port} of this computer cannot be used")))?;
        let address = listener.local_addr().map_err(io("the port is not known"))?;
        let index = Mutex::new(described(runs.iter())?);
        let runs = runs.into_iter().map(Mutex::new).collect();
        let shared = Shared { page, runs, index, port: address.port(), open: AtomicUsize::new(0) };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the process ends.
    pub fn serve(self) {
        for stream in self.listener.incoming() {
            // A connection that broke before it was taken concerns nobody else.
            let Ok(stream) = stream else { continue };
            let shared = Arc::clone(&self.shared);
            if shared.open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                answer::busy(stream);
                shared.open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let counted = Counted(shared);
            // Where no thread can be had, the connection is dropped, and the client may try again.
            let _ =
                std::thread::Builder::new().name("gelenk-view".into()).spawn(move || counted.handle(stream));
        }
    }
}

/// What recordings are, as JSON.
fn described<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Result<String, StudioError> {
    let elements = runs.clone().map(Run::elements).collect::<Result<Vec<_>, _>>()?;
    let described = runs.zip(&elements).map(|(run, found)| (run, run.pieces.rows(), found.as_ref()));
    Ok(index::describe(described).to_string())
}

impl Shared {
    /// What the recordings are now, as JSON.
    fn index(&self) -> Result<String, StudioError> {
        // A thread that failed while it read leaves nothing half done.
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let mut runs: Vec<MutexGuard<'_, Run>> =
            self.runs.iter().map(|run| run.lock().unwrap_or_else(PoisonError::into_inner)).collect();
        let mut grown = false;
        for run in &mut runs {
            grown |= run.grow()?;
        }
        if grown {
            *index = described(runs.iter().map(|run| &**run))?;
        }
        Ok(index.clone())
    }
}

/// Counts a connection for as long as it lives.
struct Counted(Arc<Shared>);

impl Counted {
    fn handle(&self, mut stream: TcpStream) {
        match request::read(&mut stream, self.0.port) {
            Ok(request) => answer::give(&self.0, &request, &mut stream),
            Err(refusal) => answer::refuse(&mut stream, &refusal),
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
