//! Answers: the page, the index, rows.

use std::io::Write;
use std::net::TcpStream;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Shared;
use super::request::{Refusal, Request};
use crate::StudioError;
use crate::run::{Run, lists};
use crate::thinning::Thinned;

/// Time that a client has to take an answer.
const DEADLINE: Duration = Duration::from_secs(30);

/// Most numbers in one answer.
const MOST_NUMBERS: usize = 4_000_000;

/// Said with every answer: nothing is kept, guessed, or loaded from elsewhere.
const HEADERS: &str = "Connection: close\r\n\
    Cache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    X-Frame-Options: DENY\r\n";

/// Answers a request.
pub(super) fn give(shared: &Shared, request: &Request, stream: &mut TcpStream) {
    let mut segments = request.path.split('/').skip(1);
    let path = [segments.next(), segments.next(), segments.next(), segments.next(), segments.next()];
    let done = match path {
        [Some(""), None, ..] => Ok(("text/html; charset=utf-8", Body::Parts([shared.page.0, shared.page.1]))),
        [Some("api"), Some("runs"), None, ..] => shared
            .index()
            .map(|index| ("application/json", Body::Bytes(index.into_bytes())))
            .map_err(|error| Refusal::new("500 Internal Server Error", error.to_string())),
        [Some("api"), Some("runs"), Some(run), Some("rows"), None] => {
            rows(shared, run, request).map(|bytes| ("application/octet-stream", Body::Bytes(bytes)))
        }
        [Some("api"), Some("runs"), Some(run), Some("elements"), None] => {
            elements(shared, run).map(|bytes| ("application/octet-stream", Body::Bytes(bytes)))
        }
        _ => Err(Refusal::new("404 Not Found", "not found; the page is at /")),
    };
    match done {
        Ok((kind, body)) => send(stream, "200 OK", kind, &body, request.head),
        Err(refusal) => refuse(stream, &refusal),
    }
}

/// Says why a request is not answered.
pub(super) fn refuse(stream: &mut TcpStream, refusal: &Refusal) {
    let body = Body::Bytes(format!("{}\n", refusal.reason).into_bytes());
    send(stream, refusal.status, "text/plain; charset=utf-8", &body, false);
}

/// Turns a connection away.
pub(super) fn busy(mut stream: TcpStream) {
    // The thread that takes connections must not wait for a client.
    if stream.set_nonblocking(true).is_ok() {
        let _ = stream
            .write(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    }
}

enum Body<'a> {
    Parts([&'a str; 2]),
    Bytes(Vec<u8>),
}

/// Sends an answer; a client that goes away or takes too long gets no more of it.
fn send(stream: &mut TcpStream, status: &str, kind: &str, body: &Body<'_>, head_only: bool) {
    let parts: [&[u8]; 2] = match body {
        Body::Parts([first, second]) => [first.as_bytes(), second.as_bytes()],
        Body::Bytes(bytes) => [bytes, &[]],
    };
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{HEADERS}\r\n");
    let end = Instant::now() + DEADLINE;
    let mut write = |bytes: &[u8]| {
        bytes.chunks(1 << 16).try_for_each(|chunk| {
            let mut rest = chunk;
            while !rest.is_empty() {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(std::io::ErrorKind::TimedOut.into());
                }
                stream.set_write_timeout(Some(left))?;
                match stream.write(rest)? {
                    0 => return Err(std::io::Error::from(std::io::ErrorKind::WriteZero)),
                    written => rest = &rest[written..],
                }
            }
            Ok(())
        })
    };
    let mut sent = write(head.as_bytes());
    if !head_only {
        for part in parts {
            sent = sent.and_then(|()| write(part));
        }
    }
    // Nobody is left to tell.
    let _ = sent;
}

/// A recording by its number.
fn numbered<'a>(shared: &'a Shared, run: &str) -> Result<MutexGuard<'a, Run>, Refusal> {
    let bad = |_| Refusal::new("400 Bad Request", "recordings are numbered from 0");
    let index = run.parse::<usize>().map_err(bad)?;
    let unknown = || Refusal::new("404 Not Found", "there is no such recording");
    // A thread that failed while it read leaves nothing half done.
    Ok(shared.runs.get(index).ok_or_else(unknown)?.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The contact elements of a recording.
fn elements(shared: &Shared, run: &str) -> Result<Vec<u8>, Refusal> {
    let failed = |error: StudioError| Refusal::new("500 Internal Server Error", error.to_string());
    let none = || Refusal::new("404 Not Found", "this recording has no contact elements");
    let found = numbered(shared, run)?.elements().map_err(failed)?.ok_or_else(none)?;
    let lists = lists(&found);
    let sizes = std::iter::once(lists.len()).chain(lists.iter().map(Vec::len));
    let mut bytes: Vec<u8> = sizes.flat_map(|n| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()).collect();
    bytes.extend(lists.iter().flatten().flat_map(|value| value.to_le_bytes()));
    Ok(bytes)
}

/// Rows of a recording as the query wants them.
fn rows(shared: &Shared, run: &str, request: &Request) -> Result<Vec<u8>, Refusal> {
    let bad = |reason: &str| Refusal::new("400 Bad Request", reason);
    let pieces = &numbered(shared, run)?.pieces;
    let columns = request.value("columns").ok_or_else(|| bad("columns=0,1,... is missing"))?;
    let columns: Vec<usize> = columns
        .split(',')
        .map(|text| text.parse().ok().filter(|&column| column < pieces.columns().len()))
        .collect::<Option<_>>()
        .ok_or_else(|| bad("there is no such column"))?;
    let number = |key: &str, default: f64| match request.value(key) {
        Some(text) => text.parse::<f64>().map_err(|_| bad(&format!("{key} is not a number"))),
        None => Ok(default),
    };
    let count = |key: &str| match request.value(key) {
        Some(text) => text.parse::<usize>().map(Some).map_err(|_| bad(&format!("{key} is not a count"))),
        None => Ok(None),
    };
    let (from, to) = (number("from", f64::NEG_INFINITY)?, number("to", f64::INFINITY)?);
    let most = MOST_NUMBERS / columns.len().max(1);
    let failed = |error: gelenk_io::IoError| Refusal::new("500 Internal Server Error", error.to_string());
    let range = pieces.rows_between(from, to).map_err(failed)?;
    let found = match count("every")? {
        Some(every) => {
            let stride = range.len().div_ceil(every.clamp(1, most)).max(1);
            let (mut found, mut row, last) =
                (vec![Vec::new(); columns.len()], 0, range.len().saturating_sub(1));
            let mut take = |piece: &[&[f64]]| {
                for k in 0..piece.first().map_or(0, |values| values.len()) {
                    if row % stride == 0 || row == last {
                        for (into, values) in found.iter_mut().zip(piece) {
                            into.push(values[k]);
                        }
                    }
                    row += 1;
                }
            };
            pieces.read(&columns, range.clone(), &mut take).map_err(failed)?;
            found
        }
        None => {
            let runs = count("runs")?.unwrap_or(1000).clamp(1, most);
            let mut thinned = Thinned::new(columns.len(), range.len(), runs);
            pieces.read(&columns, range, &mut |piece| thinned.push(piece)).map_err(failed)?;
            thinned.at_most(most)
        }
    };
    let rows = found.first().map_or(0, Vec::len);
    let mut bytes = Vec::with_capacity(8 + 8 * rows * columns.len());
    for size in [rows, columns.len()] {
        bytes.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
    }
    bytes.extend(found.iter().flatten().flat_map(|value| value.to_le_bytes()));
    Ok(bytes)
}
