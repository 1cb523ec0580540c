//! The server of `gelenk view` under requests that nobody should send.
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use gelenk_io::{PartOptions, PartWriter, Pieces};
use gelenk_record::{Column, Recording, Sink};
use gelenk_studio::Run;
use gelenk_studio::server::Server;

const PAGE: (&str, &str) = ("<!doctype html><p>first", " second</p>");

fn recording() -> Recording {
    let columns = vec![Column::time(), Column::new("a<b>", "m", ""), Column::new("c", "N", "")];
    let time: Vec<f64> = (0..10_000).map(|k| f64::from(k) / 1000.0).collect();
    let mut wave: Vec<f64> = time.iter().map(|t| t.sin()).collect();
    wave[4321] = 9.0;
    let line = time.iter().map(|t| -t).collect();
    Recording::from_data(columns, vec![time, wave, line]).unwrap()
}

/// Starts a server that lives as long as the test process.
fn start() -> SocketAddr {
    let server = Server::with_page(PAGE, vec![Run::new("one", Pieces::held(recording()))], 0).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.serve());
    address
}

fn send(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // A refusal may close the connection before everything was sent.
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn get(address: SocketAddr, target: &str) -> (u16, Vec<u8>) {
    let request = format!("GET {target} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    split(&send(address, request.as_bytes()))
}

fn split(answer: &[u8]) -> (u16, Vec<u8>) {
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let status = std::str::from_utf8(&answer[9..12]).unwrap().parse().unwrap();
    (status, answer[end + 4..].to_vec())
}

/// Row and column counts, then the columns.
fn table(bytes: &[u8]) -> Vec<Vec<f64>> {
    let size = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (rows, columns) = (size(0), size(4));
    let numbers: Vec<f64> =
        bytes[8..].chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect();
    assert_eq!(numbers.len(), rows * columns);
    numbers.chunks(rows.max(1)).map(<[f64]>::to_vec).collect()
}

#[test]
fn it_listens_on_this_computer_only() {
    let address = start();
    assert!(address.ip().is_loopback());
    assert_eq!(address.ip().to_string(), "127.0.0.1");
}

#[test]
fn page_index_and_rows_are_given() {
    let address = start();
    assert_eq!(get(address, "/"), (200, b"<!doctype html><p>first second</p>".to_vec()));
    let (status, index) = get(address, "/api/runs");
    let index = String::from_utf8(index).unwrap();
    assert_eq!(status, 200);
    assert!(index.contains("\"recorded\":10000") && index.contains("a<b>"), "{index}");
    let (status, bytes) = get(address, "/api/runs/0/rows?columns=0,1&runs=100");
    let columns = table(&bytes);
    assert_eq!((status, columns.len()), (200, 2));
    assert!(columns[0].len() < 500);
    // The spike of one sample survives, with its time.
    let spike = columns[1].iter().position(|&v| v == 9.0).unwrap();
    assert_eq!(columns[0][spike], 4.321);
    let (_, bytes) = get(address, "/api/runs/0/rows?columns=2,0&from=1&to=1.0025&runs=10000");
    let columns = table(&bytes);
    assert_eq!(columns[1], [0.999, 1.0, 1.001, 1.002, 1.003]);
    assert_eq!(columns[0], [-0.999, -1.0, -1.001, -1.002, -1.003]);
    let (_, bytes) = get(address, "/api/runs/0/rows?columns=0&every=10");
    assert_eq!(table(&bytes)[0].len(), 11);
    let head = send(address, format!("HEAD / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    assert!(split(&head).1.is_empty());
}

/// No path leads to a file: up, absolute, encoded, with a drive, by a link or by the name of the recording.
#[cfg(unix)]
#[test]
fn paths_lead_to_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.txt");
    std::fs::write(&secret, "classified").unwrap();
    std::os::unix::fs::symlink(&secret, folder.path().join("link.parquet")).unwrap();
    let address = start();
    let paths = [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/C:/Windows/win.ini",
        "/..\\..\\boot.ini",
        "/api/runs/../../etc/passwd",
        "/api/runs/0/../../../etc/passwd",
        "/api/runs/0/rows/../../x?columns=0",
        "/one.parquet",
        "/link.parquet",
        "/index.html",
        "/api",
        "/api/",
        "/api/runs/",
    ];
    for path in paths {
        let (status, body) = get(address, path);
        assert!(status == 404 || status == 400, "{path}: {status}");
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(!body.contains("root:") && !body.contains("classified"), "{path}: {body}");
    }
    let (status, _) = get(address, &secret.display().to_string());
    assert_eq!(status, 404);
}

/// Writes a recording of a time and a value in each row.
fn written(path: &Path, values: impl Iterator<Item = f64>) {
    let columns = vec![Column::time(), Column::new("a", "", "")];
    let mut writer = PartWriter::create(path, columns, BTreeMap::new(), PartOptions::default()).unwrap();
    for (k, value) in (0..).zip(values) {
        writer.row(&[f64::from(k), value]).unwrap();
    }
    writer.finish().unwrap();
}

/// A file that is written over while it is looked at is told to be damaged, and other recordings go on.
#[test]
fn a_file_that_is_spoilt_in_place_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let (spoilt, good) = (folder.path().join("spoilt.parquet"), folder.path().join("good.parquet"));
    written(&spoilt, (0..5000).map(|k| f64::from(k).sin()));
    written(&good, std::iter::once(4.0));
    let runs = [&spoilt, &good].map(|path| Run::open("run".into(), path).unwrap());
    let server = Server::with_page(PAGE, runs.into(), 0).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.serve());
    let rows = "/api/runs/0/rows?columns=0,1&runs=10000";
    assert_eq!(get(address, rows).0, 200);
    let whole = std::fs::read(&spoilt).unwrap();
    let overwrite = |bytes: &[u8]| {
        let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&spoilt).unwrap();
        file.write_all(bytes).unwrap();
    };
    for bytes in [&[][..], &whole[..whole.len() / 2], &vec![b'X'; whole.len()]] {
        overwrite(bytes);
        let (status, answer) = get(address, rows);
        let text = String::from_utf8_lossy(&answer);
        assert!(status == 500 && text.contains("spoilt.parquet is damaged"), "{status}: {text}");
        assert_eq!(table(&get(address, "/api/runs/1/rows?columns=1").1), [[4.0]]);
    }
    overwrite(&whole);
    assert_eq!(get(address, rows).0, 200);
}

/// A recording stays the file that was opened, whatever its name stands for later.
#[cfg(unix)]
#[test]
fn a_link_that_is_turned_elsewhere_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: f64| {
        let path = folder.path().join(name);
        written(&path, std::iter::once(value));
        path
    };
    let (given, other) = (write("given.parquet", 1.0), write("other.parquet", 2.0));
    let link = folder.path().join("run.parquet");
    std::os::unix::fs::symlink(&given, &link).unwrap();
    let server = Server::with_page(PAGE, vec![Run::new("run", Pieces::open(&link).unwrap())], 0).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.serve());
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&other, &link).unwrap();
    let (_, bytes) = get(address, "/api/runs/0/rows?columns=1");
    assert_eq!(table(&bytes), [[1.0]]);
}

#[test]
fn wrong_questions_get_an_answer_that_helps() {
    let address = start();
    for (target, status) in [
        ("/api/runs/1/rows?columns=0", 404),
        ("/api/runs/-1/rows?columns=0", 400),
        ("/api/runs/99999999999999999999/rows?columns=0", 400),
        ("/api/runs/0/rows", 400),
        ("/api/runs/0/rows?columns=", 400),
        ("/api/runs/0/rows?columns=3", 400),
        ("/api/runs/0/rows?columns=0,x", 400),
        ("/api/runs/0/rows?columns=0&runs=-1", 400),
        ("/api/runs/0/rows?columns=0&runs=1e9", 400),
        ("/api/runs/0/rows?columns=0&from=now", 400),
        ("/api/runs/0/rows?columns=0&from=nan&to=nan", 200),
        ("/api/runs/0/rows?columns=0&from=9&to=1", 200),
        ("/api/runs/0/rows?columns=0&runs=0", 200),
        ("/api/runs/0/rows?columns=0&runs=4000000000", 200),
        ("/api/runs/0/rows?columns=0&every=0", 200),
    ] {
        let (found, body) = get(address, target);
        assert_eq!(found, status, "{target}");
        assert!(found == 200 || body.len() > 10, "{target}");
    }
}

/// Bytes that are no request, other methods, other hosts and endless heads are refused, and the server goes on.
#[test]
fn malformed_requests_are_survived() {
    let address = start();
    let own = format!("Host: {address}\r\n");
    let cases: [(Vec<u8>, &str); 9] = [
        (b"\r\n\r\n".to_vec(), "400"),
        (vec![0xff; 3000], ""),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), "400"),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_vec(), "403"),
        (format!("DELETE / HTTP/1.1\r\n{own}\r\n").into_bytes(), "405"),
        (format!("GET http://{address}/ HTTP/1.1\r\n{own}\r\n").into_bytes(), "400"),
        (format!("GET /{} HTTP/1.1\r\n{own}\r\n", "a".repeat(100_000)).into_bytes(), ""),
        (format!("GET / HTTP/1.1\r\n{own}X: {}\r\n\r\n", "b".repeat(20_000)).into_bytes(), ""),
        (format!("GET / HTTP/1.1\r\n{own}\r\nGET / HTTP/1.1\r\n\r\n").into_bytes(), "200"),
    ];
    for (request, status) in cases {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(!answer.starts_with("HTTP/1.1 200") || status == "200", "{answer}");
        assert!(status.is_empty() || answer.starts_with(&format!("HTTP/1.1 {status}")), "{status}: {answer}");
    }
    assert_eq!(get(address, "/").0, 200);
}

/// Clients that send nothing do not keep others from being answered, and are let go after the deadline of 5 s.
#[test]
fn slow_clients_are_survived() {
    let address = start();
    let mut slow: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HT").unwrap();
    }
    let began = Instant::now();
    assert_eq!(get(address, "/api/runs").0, 200);
    assert!(began.elapsed() < Duration::from_secs(3));
    let mut answer = String::new();
    slow[0].set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    slow[0].read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    // More at once than it takes: the ones too many are turned away, and afterwards all is as before.
    let crowd: Vec<TcpStream> = (0..150).map(|_| TcpStream::connect(address).unwrap()).collect();
    std::thread::sleep(Duration::from_millis(300));
    drop(crowd);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(get(address, "/").0, 200);
}
