//! Requests: read within a deadline, checked, and taken apart.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Longest head of a request (bytes).
const LONGEST: usize = 8 << 10;

/// Time that a client has to send its request.
const DEADLINE: Duration = Duration::from_secs(5);

/// A request that is not answered with what it asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Status line after the version.
    pub(super) status: &'static str,
    /// What was wrong.
    pub(super) reason: String,
}

impl Refusal {
    pub(super) fn new(status: &'static str, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Whether only the head of the answer is wanted.
    pub(super) head: bool,
    /// Path without the query.
    pub(super) path: String,
    /// Query, `key=value` pairs.
    pub(super) query: Vec<(String, String)>,
}

impl Request {
    /// The value of a key of the query.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

/// Reads a request that must name 127.0.0.1 or localhost with this port as its host.
pub(super) fn read(stream: &mut TcpStream, port: u16) -> Result<Request, Refusal> {
    let head = head(stream)?;
    parse(&head, port)
}

/// The bytes up to the empty line.
fn head(stream: &mut TcpStream) -> Result<Vec<u8>, Refusal> {
    let end = Instant::now() + DEADLINE;
    let mut head = Vec::new();
    let mut chunk = [0; 1024];
    loop {
        let late = || Refusal::new("408 Request Timeout", "the request took too long");
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(late());
        }
        match stream.read(&mut chunk) {
            Ok(0) => return Err(Refusal::new("400 Bad Request", "the request ends too early")),
            Ok(read) => head.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Err(late()),
        }
        if head.windows(4).any(|end| end == b"\r\n\r\n") {
            return Ok(head);
        }
        if head.len() > LONGEST {
            return Err(Refusal::new("431 Request Header Fields Too Large", "the request is too long"));
        }
    }
}

/// Takes a head apart.
fn parse(head: &[u8], port: u16) -> Result<Request, Refusal> {
    let bad = |reason: &str| Refusal::new("400 Bad Request", reason);
    let text = std::str::from_utf8(head).map_err(|_| bad("the request is not text"))?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target, version) = (words.next(), words.next(), words.next());
    if words.next().is_some() || !matches!(version, Some("HTTP/1.1" | "HTTP/1.0")) {
        return Err(bad("the first line is not that of an HTTP/1.1 request"));
    }
    let head = match method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(Refusal::new("405 Method Not Allowed", "only GET and HEAD are supported")),
    };
    let mut hosts =
        lines.filter_map(|line| line.split_once(':')).filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = hosts.next().map(|(_, value)| value.trim().to_ascii_lowercase());
    let ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if hosts.next().is_some() || !host.is_some_and(|host| ours.contains(&host)) {
        let reason = "the request names another host; open the address that gelenk view printed";
        return Err(Refusal::new("403 Forbidden", reason));
    }
    let target = target
        .filter(|target| target.starts_with('/'))
        .ok_or_else(|| bad("the path has no leading slash"))?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    Ok(Request { head, path: path.to_owned(), query })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn a_request_is_taken_apart() {
        let text = b"GET /api/runs/0/rows?columns=0,1&from=2 HTTP/1.1\r\nHost: LOCALHOST:80\r\n\r\n";
        let request = parse(text, 80).unwrap();
        assert_eq!((request.path.as_str(), request.head), ("/api/runs/0/rows", false));
        assert_eq!((request.value("columns"), request.value("to")), (Some("0,1"), None));
    }

    #[test]
    fn other_hosts_methods_and_forms_are_refused() {
        let status = |text: &str| parse(text.as_bytes(), 80).unwrap_err().status[..3].to_owned();
        assert_eq!(status("GET / HTTP/1.1\r\nHost: evil.example:80\r\n\r\n"), "403");
        assert_eq!(status("GET / HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n"), "403");
        assert_eq!(status("GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\nHost: evil:80\r\n\r\n"), "403");
        assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "403");
        assert_eq!(status("POST / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"), "405");
        assert_eq!(status("GET http://127.0.0.1:80/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"), "400");
        assert_eq!(status("GET /\r\n\r\n"), "400");
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(6), cases: 512, ..ProptestConfig::default() })]
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), text in ".{0,200}") {
            let _ = parse(&bytes, 80);
            let _ = parse(text.as_bytes(), 80);
            let _ = parse(format!("GET /{text} HTTP/1.1\r\nHost: localhost:80\r\n{text}\r\n\r\n").as_bytes(), 80);
        }
    }
}
