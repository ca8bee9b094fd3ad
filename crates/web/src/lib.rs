//! Other servers over HTTP: a request in, the bytes of the answer out as they come.
//!
//! The request runs on a thread of its own, and what it has read waits in a short queue: so who reads looks
//! now and then whether it was stopped, whatever the server does. Nothing is read beyond the limits.
//!
//! Invariant: whoever drops an [`Answer`] has its thread end with the next piece, or by its time limit.

#![forbid(unsafe_code)]

use std::io::{Error, ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use trimorph_base::CancelToken;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 << 10;
/// Pieces that wait to be read.
const PIECES_WAITING: usize = 4;
/// How often who waits looks whether it was stopped.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of an answer that says what was wrong that are told on.
const TOLD_BYTES: usize = 300;

/// How far a request may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long until there is a connection.
    pub connect: Duration,
    /// How long until all of the answer is there.
    pub total: Duration,
    /// Bytes of the answer, as they are once they are unpacked.
    pub bytes: u64,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Request {
    /// The document at an address.
    Get,
    /// What a form's fields ask for.
    Form(Vec<(&'static str, String)>),
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WebError {
    /// The address is none of HTTP.
    #[error("\"{0}\" is no address that begins with http:// or https://")]
    Address(String),
    /// The server says no.
    #[error("{url} answers {status}{}", told(.text))]
    Status {
        /// The address.
        url: String,
        /// The status of HTTP.
        status: u16,
        /// The beginning of the answer.
        text: String,
    },
    /// No connection, a broken one, an answer that is no HTTP.
    #[error("{url}: {reason}")]
    Failed {
        /// The address.
        url: String,
        /// What the system or the server's answer says.
        reason: String,
    },
    /// The answer is too long.
    #[error("{url} answers with more than {bytes} bytes")]
    TooLong {
        /// The address.
        url: String,
        /// The limit.
        bytes: u64,
    },
    /// It was stopped.
    #[error("the request was cancelled")]
    Cancelled,
}

fn told(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { line } else { format!(": {line}") }
}

/// What the thread hands over.
enum Piece {
    Head(Option<String>),
    Bytes(Vec<u8>),
    Failed(WebError),
}

/// An answer that comes. It is read to its end, or dropped.
#[derive(Debug)]
pub struct Answer {
    url: String,
    content_type: Option<String>,
    pieces: Receiver<Piece>,
    cancel: CancelToken,
    piece: Vec<u8>,
    at: usize,
    left: u64,
    limit: u64,
    failed: Option<WebError>,
}

/// Sends a request, and waits until the answer begins.
///
/// **Errors**: no connection within the limit, an answer that is none, a status above 299; that it was
/// stopped.
pub fn ask(
    url: &str,
    request: Request,
    accept: &'static str,
    limits: Limits,
    cancel: &CancelToken,
) -> Result<Answer, WebError> {
    let is_http = ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme)));
    if !is_http {
        return Err(WebError::Address(url.to_owned()));
    }
    let (sender, pieces) = sync_channel(PIECES_WAITING);
    let own = url.to_owned();
    let failed = |reason: String| WebError::Failed { url: url.to_owned(), reason };
    std::thread::Builder::new()
        .name("trimorph-web".into())
        .spawn(move || fetch(&own, request, accept, limits, &sender))
        .map_err(|error| failed(error.to_string()))?;
    let mut answer = Answer {
        url: url.to_owned(),
        content_type: None,
        pieces,
        cancel: cancel.clone(),
        piece: Vec::new(),
        at: 0,
        left: limits.bytes,
        limit: limits.bytes,
        failed: None,
    };
    match answer.next()? {
        Some(Piece::Head(content_type)) => {
            answer.content_type = content_type;
            Ok(answer)
        }
        Some(Piece::Failed(error)) => Err(error),
        Some(Piece::Bytes(_)) | None => Err(failed("the request ended without an answer".to_owned())),
    }
}

impl Answer {
    /// The media type, in small letters and without parameters, if the server says it.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// Why reading failed: what [`Read`] says as a text.
    pub fn failure(&self) -> Option<&WebError> {
        self.failed.as_ref()
    }

    fn next(&self) -> Result<Option<Piece>, WebError> {
        loop {
            if self.cancel.is_cancelled() {
                return Err(WebError::Cancelled);
            }
            match self.pieces.recv_timeout(LOOK) {
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    fn fail(&mut self, error: WebError) -> Error {
        let text = error.to_string();
        self.failed = Some(error);
        Error::other(text)
    }
}

impl Read for Answer {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        while self.at == self.piece.len() {
            match self.next() {
                Ok(Some(Piece::Bytes(piece))) => {
                    if piece.len() as u64 > self.left {
                        let error = WebError::TooLong { url: self.url.clone(), bytes: self.limit };
                        return Err(self.fail(error));
                    }
                    self.left -= piece.len() as u64;
                    (self.piece, self.at) = (piece, 0);
                }
                Ok(Some(Piece::Head(_))) => {}
                Ok(Some(Piece::Failed(error))) | Err(error) => return Err(self.fail(error)),
                Ok(None) => return Ok(0),
            }
        }
        let count = into.len().min(self.piece.len() - self.at);
        into[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// The thread's work: who does not want more has gone.
fn fetch(url: &str, request: Request, accept: &str, limits: Limits, sender: &SyncSender<Piece>) {
    let failed = |reason: String| Piece::Failed(WebError::Failed { url: url.to_owned(), reason });
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(limits.connect))
        .timeout_global(Some(limits.total))
        .http_status_as_error(false)
        .user_agent(concat!("trimorph/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = ureq::Agent::new_with_config(config);
    let answered = match request {
        Request::Get => agent.get(url).header("Accept", accept).call(),
        Request::Form(fields) => agent.post(url).header("Accept", accept).send_form(fields),
    };
    let response = match answered {
        Ok(response) => response,
        Err(error) => {
            let _ = sender.send(failed(error.to_string()));
            return;
        }
    };
    let status = response.status();
    let content_type = response.headers().get("content-type").and_then(|text| text.to_str().ok());
    let content_type = content_type.map(|text| {
        let kind = text.split(';').next().unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    });
    let mut body = response.into_body().into_reader();
    if !status.is_success() {
        let mut text = Vec::new();
        let _ = body.by_ref().take(TOLD_BYTES as u64).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let error = WebError::Status { url: url.to_owned(), status: status.as_u16(), text };
        let _ = sender.send(Piece::Failed(error));
        return;
    }
    if sender.send(Piece::Head(content_type)).is_err() {
        return;
    }
    loop {
        let mut piece = vec![0; PIECE_BYTES];
        let piece = match body.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => {
                piece.truncate(count);
                Piece::Bytes(piece)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => failed(error.to_string()),
        };
        let is_last = matches!(piece, Piece::Failed(_));
        if sender.send(piece).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
