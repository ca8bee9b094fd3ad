//! Against a server of one answer each, on this machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::*;

/// Time enough for a machine that is busy with other things.
const LIMITS: Limits =
    Limits { connect: Duration::from_secs(120), total: Duration::from_secs(120), bytes: 1 << 20 };

/// A server that answers once, and gives what it was asked.
fn serve(answer: impl FnOnce(&mut dyn std::io::Write) + Send + 'static) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/sparql", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut text, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            text += &line;
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        text += &String::from_utf8(body).unwrap();
        answer(&mut stream);
        let _ = stream.flush();
        text
    });
    (url, thread)
}

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: Text/Plain; charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn answers_are_read() {
    let long = "x".repeat(300_000);
    let text = ok(&long);
    let (url, server) = serve(move |out| out.write_all(text.as_bytes()).unwrap());
    let form = Request::Form(vec![("query", "SELECT * {?s ?p \"&é\"}".to_owned())]);
    let mut answer = ask(&url, form, "text/plain", LIMITS, &CancelToken::default()).unwrap();
    assert_eq!(answer.content_type(), Some("text/plain"));
    let mut got = String::new();
    answer.read_to_string(&mut got).unwrap();
    assert!(got == long);
    let asked = server.join().unwrap();
    assert!(
        asked.starts_with("POST /sparql") && asked.to_lowercase().contains("accept: text/plain"),
        "{asked}"
    );
    assert!(asked.contains("query=SELECT") && asked.contains("%26%C3%A9"), "{asked}");
}

#[test]
fn what_is_wrong_is_told() {
    let none = CancelToken::default();
    for url in ["ftp://a/b", "trimorph:x", "", "/etc/passwd", "é"] {
        assert!(matches!(ask(url, Request::Get, "*/*", LIMITS, &none), Err(WebError::Address(_))), "{url}");
    }
    let no = "HTTP/1.1 400 Bad\r\nContent-Length: 11\r\n\r\nno\n such one";
    let (url, server) = serve(move |out| out.write_all(no.as_bytes()).unwrap());
    let error = ask(&url, Request::Get, "*/*", LIMITS, &none).unwrap_err();
    assert_eq!(error.to_string(), format!("{url} answers 400: no such on"));
    server.join().unwrap();
    let text = ok(&"x".repeat(5_000));
    let (url, server) = serve(move |out| out.write_all(text.as_bytes()).unwrap());
    let limits = Limits { bytes: 4_000, ..LIMITS };
    let mut answer = ask(&url, Request::Get, "*/*", limits, &none).unwrap();
    let error = answer.read_to_end(&mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("more than 4000 bytes"), "{error}");
    assert!(matches!(answer.failure(), Some(WebError::TooLong { .. })));
    server.join().unwrap();
    // Cut off in the middle.
    let (url, server) =
        serve(|out| out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc").unwrap());
    let mut answer = ask(&url, Request::Get, "*/*", LIMITS, &none).unwrap();
    assert!(answer.read_to_end(&mut Vec::new()).is_err());
    server.join().unwrap();
    // Nobody listens there, and no test beside is given this port.
    let error = ask("http://127.0.0.1:1/", Request::Get, "*/*", LIMITS, &none).unwrap_err();
    assert!(matches!(error, WebError::Failed { .. }), "{error}");
}

/// A server that says nothing for as long as the sender is kept.
fn serve_nothing() -> (String, Sender<()>) {
    let (kept, is_over) = channel::<()>();
    let (url, _) = serve(move |_| _ = is_over.recv());
    (url, kept)
}

#[test]
fn who_waits_can_be_stopped() {
    let (url, _kept) = serve_nothing();
    let cancel = CancelToken::default();
    let other = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel();
    });
    let error = ask(&url, Request::Get, "*/*", LIMITS, &cancel).unwrap_err();
    assert!(matches!(error, WebError::Cancelled), "{error}");
    // A server that says nothing is waited for so long and no longer.
    let (url, _kept) = serve_nothing();
    let limits = Limits { total: Duration::from_millis(200), ..LIMITS };
    let error = ask(&url, Request::Get, "*/*", limits, &CancelToken::default()).unwrap_err();
    assert!(matches!(error, WebError::Failed { .. }), "{error}");
}
