//! A reader between a source and a parser: refuses what is nested too deep, and counts lines.
//!
//! The parsers keep what is open in vectors, but what is finished, triple terms above all, they copy and drop
//! by recursion. So depth is bounded before they see the text:
//!
//! * Turtle and its kin: terms are nested as deep as `)>>` stand one behind the other, with only space and
//!   comments between them. Counting those, in whatever context, is never too few.
//! * RDF/XML: elements within elements.
//! * JSON: brackets within brackets. What a context defines may be defined by what it defines, in as many
//!   calls within calls as it has keys: so these are counted, and contexts within contexts.
//!
//! And what would grow by a factor is bounded: entities that are declared with the help of others, or long;
//! attributes of an element, which are compared with each other; namespaces, among which each name is looked
//! for, and which are written out with each element of an XML literal.
//!
//! For RDF/XML, whose parser knows no places, each read ends with a line, so that the lines read so far are
//! those that the parser has seen.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use memchr::memchr;

/// Deepest nesting of a text.
pub const NESTING_MAX: usize = 500;

/// What opens and closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    Turtle,
    Xml,
    Json,
}

/// The reader.
pub(crate) struct Guard<R> {
    inner: R,
    scan: Scan,
    by_lines: bool,
    lines: Rc<Cell<u64>>,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

const BUFFER_BYTES: usize = 1 << 16;

impl<R: Read> Guard<R> {
    /// Reads from `inner`; `lines` is set to the number of line ends that were handed out, where reads end
    /// with lines.
    pub(crate) fn new(inner: R, syntax: Syntax, lines: &Rc<Cell<u64>>) -> Self {
        let by_lines = syntax == Syntax::Xml;
        Self {
            inner,
            scan: Scan::new(syntax),
            by_lines,
            lines: Rc::clone(lines),
            buffer: vec![0; BUFFER_BYTES].into(),
            start: 0,
            end: 0,
        }
    }
}

impl<R: Read> Read for Guard<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end {
            self.end = loop {
                match self.inner.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other?,
                }
            };
            self.start = 0;
            if let Err(refusal) = self.scan.goes_on(&self.buffer[..self.end]) {
                self.end = 0;
                return Err(io::Error::other(refusal));
            }
        }
        let ready = &self.buffer[self.start..self.end];
        let mut count = ready.len().min(out.len());
        if self.by_lines
            && let Some(at) = memchr(b'\n', &ready[..count])
        {
            count = at + 1;
            self.lines.set(self.lines.get() + 1);
        }
        out[..count].copy_from_slice(&ready[..count]);
        self.start += count;
        Ok(count)
    }
}

/// Why a [`Guard`] does not go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("more than {NESTING_MAX} levels of nesting")]
    TooDeep,
    #[error("an entity that is declared with more than {ENTITY_BYTES_MAX} bytes, or with another entity")]
    Entity,
    #[error("more than {ATTRIBUTES_MAX} attributes of one element")]
    Attributes,
    #[error("more than {SCOPE_BYTES_MAX} bytes of namespaces in scope")]
    Scope,
    #[error("an XML literal with too many elements for the namespaces that are in scope")]
    Namespaces,
    #[error("a context with more than {CONTEXT_KEYS_MAX} keys, or {CONTEXTS_MAX} contexts within it")]
    Context,
}

/// Attributes of an element.
const ATTRIBUTES_MAX: usize = 1_000;
/// What the declaration of a namespace takes beside its IRI.
const DECLARATION_BYTES: usize = 16;
/// Bytes of namespaces in scope: each name is looked for among them.
const SCOPE_BYTES_MAX: usize = 1 << 16;
/// Bytes of namespaces that the elements of an XML literal may be written with.
const NAMESPACE_BYTES_MAX: usize = 1 << 25;
/// Keys of a context, those of what it contains counted.
pub(crate) const CONTEXT_KEYS_MAX: usize = 20_000;
/// Contexts within a context.
const CONTEXTS_MAX: usize = 100;

/// Whether a text of Turtle or its kin is not nested too deep.
pub(crate) fn bounded_terms(text: &[u8]) -> bool {
    Scan::new(Syntax::Turtle).goes_on(text).is_ok()
}

/// Bytes from the declaration of an entity up to the next `<`.
const ENTITY_BYTES_MAX: usize = 1024;

/// Where a text is.
struct Scan {
    syntax: Syntax,
    state: State,
    depth: usize,
    /// The last bytes, the newest lowest.
    recent: u64,
    /// Bytes since `<!ENTITY`, up to the next `<`.
    entity: Option<usize>,
    tag: Tag,
    /// Elements that are open.
    open: Vec<Element>,
    text: JsonText,
    context: Option<JsonContext>,
}

/// The tag of RDF/XML that is read.
#[derive(Default)]
struct Tag {
    attributes: usize,
    /// Bytes that it declares namespaces with.
    namespaces: usize,
    /// Whether the attribute that is read declares one.
    declares: bool,
    /// Whether its content may be an XML literal.
    literal: bool,
}

/// An element that is open.
#[derive(Clone, Copy, Default)]
struct Element {
    /// Bytes of the namespaces in scope.
    namespaces: usize,
    /// Whether it may hold an XML literal, whose elements are written with the namespaces in scope.
    literal: bool,
    /// Whether it is in one.
    inside: bool,
    /// Bytes of namespaces that elements in it were written with.
    written: usize,
}

/// The text of JSON that was read last: whether it may be the key of a context.
#[derive(Default)]
struct JsonText {
    start: [u8; 8],
    /// Letters, those beyond ASCII counted by their bytes.
    len: usize,
    escapes: bool,
    /// Whether it was the key of what comes next.
    is_context: bool,
}

/// The context that is read.
struct JsonContext {
    /// Brackets around it, its own counted.
    depth: usize,
    keys: usize,
    contexts: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    /// Turtle: behind a `)>>`. JSON: never.
    Closed,
    /// A comment of Turtle behind a `)>>`.
    Comment,
    /// Within quotes, of a tag or of JSON.
    Quoted(u8),
    /// The next byte means nothing.
    Escaped(u8),
    /// Within a tag that opens.
    Tag,
    /// Within a tag that closes, a declaration or the like, up to `>`.
    Other,
    /// Up to `-->`, `]]>` or `?>`.
    XmlComment,
    CData,
    Instruction,
    /// Behind `<`.
    TagStart,
    /// Behind `<!`: `--` and `[CDATA[` are looked for.
    Declaration,
}

impl Scan {
    fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            state: State::Plain,
            depth: 0,
            recent: 0,
            entity: None,
            tag: Tag::default(),
            open: Vec::new(),
            text: JsonText::default(),
            context: None,
        }
    }

    /// Whether the bytes so far end with these, eight at most.
    fn ends_with(&self, bytes: &[u8]) -> bool {
        let mask = u64::MAX >> (64 - 8 * bytes.len());
        self.recent & mask == bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }

    /// Goes over more of the text.
    fn goes_on(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        match self.syntax {
            Syntax::Turtle => self.turtle(bytes),
            Syntax::Xml => bytes.iter().try_for_each(|byte| self.xml(*byte)),
            Syntax::Json => bytes.iter().try_for_each(|byte| self.json(*byte)),
        }
    }

    const fn depth_is_bounded(&self) -> Result<(), Refusal> {
        if self.depth <= NESTING_MAX { Ok(()) } else { Err(Refusal::TooDeep) }
    }

    fn turtle(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        while let [byte, rest @ ..] = bytes {
            self.recent = self.recent << 8 | u64::from(*byte);
            if self.ends_with(b")>>") {
                self.depth += 1;
                self.depth_is_bounded()?;
                if self.state == State::Plain {
                    self.state = State::Closed;
                }
            } else {
                match (self.state, byte) {
                    // Parts of the next one.
                    (State::Closed, b' ' | b'\t' | b'\r' | b'\n' | b')' | b'>') => {}
                    (State::Closed, b'#') => self.state = State::Comment,
                    (State::Closed, _) => (self.state, self.depth) = (State::Plain, 0),
                    (State::Comment, b'\n' | b'\r') => self.state = State::Closed,
                    _ => {}
                }
            }
            bytes = rest;
            if self.state == State::Plain {
                // The next one that can matter; the two before it may have been passed already.
                let Some(skipped) = memchr(b'>', bytes) else {
                    self.recent = bytes.iter().fold(self.recent, |recent, b| recent << 8 | u64::from(*b));
                    return Ok(());
                };
                for byte in &bytes[skipped.saturating_sub(3)..skipped] {
                    self.recent = self.recent << 8 | u64::from(*byte);
                }
                bytes = &bytes[skipped..];
            }
        }
        Ok(())
    }

    fn xml(&mut self, byte: u8) -> Result<(), Refusal> {
        let before = self.recent;
        self.recent = before << 8 | u64::from(byte);
        // The parser looks for declarations in all of a document type, comments included.
        if let Some(bytes) = self.entity {
            let names_another = before & 0xFF == u64::from(b'&') && byte != b'#';
            if names_another || bytes > ENTITY_BYTES_MAX {
                return Err(Refusal::Entity);
            }
            self.entity = (byte != b'<').then_some(bytes + 1);
        } else if byte == b'Y' && self.ends_with(b"<!ENTITY") {
            self.entity = Some(0);
        }
        match (self.state, byte) {
            (State::Plain, b'<') => self.state = State::TagStart,
            (State::TagStart, b'/') => {
                self.depth = self.depth.saturating_sub(1);
                self.open.pop();
                self.state = State::Other;
            }
            (State::TagStart, b'?') => self.state = State::Instruction,
            (State::TagStart, b'!') => self.state = State::Declaration,
            (State::TagStart | State::Tag, b'>') => {
                self.state = State::Plain;
                self.tag_ends(before & 0xFF == u64::from(b'/'))?;
            }
            (State::TagStart, _) => (self.state, self.tag) = (State::Tag, Tag::default()),
            (State::Tag, b'=') => {
                self.tag.attributes += 1;
                if self.tag.attributes > ATTRIBUTES_MAX {
                    return Err(Refusal::Attributes);
                }
            }
            (State::Tag, b'"' | b'\'') => self.state = State::Quoted(byte),
            (State::Tag, b's') if self.ends_with(b"xmlns") => self.tag.declares = true,
            (State::Tag, b'e') if self.ends_with(b"arseType") => self.tag.literal = true,
            (State::Quoted(quote), _) if byte == quote => {
                self.state = State::Tag;
                if std::mem::take(&mut self.tag.declares) {
                    self.tag.namespaces += DECLARATION_BYTES;
                }
            }
            (State::Quoted(_), _) if self.tag.declares => self.tag.namespaces += 1,
            (State::Declaration, b'-') if self.ends_with(b"<!--") => self.state = State::XmlComment,
            (State::Declaration, b'[') if self.ends_with(b"![CDATA[") => self.state = State::CData,
            (State::Declaration | State::Other, b'>') => self.state = State::Plain,
            // The declarations of a document type stand within it.
            (State::Declaration, b'<') => self.state = State::TagStart,
            (State::XmlComment, _) if self.ends_with(b"-->") => self.state = State::Plain,
            (State::CData, _) if self.ends_with(b"]]>") => self.state = State::Plain,
            (State::Instruction, b'>') if before & 0xFF == u64::from(b'?') => self.state = State::Plain,
            _ => {}
        }
        self.depth_is_bounded()
    }

    fn tag_ends(&mut self, at_once: bool) -> Result<(), Refusal> {
        let Tag { namespaces, literal, .. } = std::mem::take(&mut self.tag);
        let mut inside = false;
        let mut bytes = namespaces;
        if let Some(around) = self.open.last_mut() {
            bytes += around.namespaces;
            inside = around.literal || around.inside;
            if around.literal {
                around.written += bytes;
                if around.written > NAMESPACE_BYTES_MAX {
                    return Err(Refusal::Namespaces);
                }
            }
        }
        if bytes > SCOPE_BYTES_MAX {
            return Err(Refusal::Scope);
        }
        if !at_once {
            self.depth += 1;
            self.open.push(Element { namespaces: bytes, literal: literal && !inside, inside, written: 0 });
        }
        Ok(())
    }

    fn json(&mut self, byte: u8) -> Result<(), Refusal> {
        match (self.state, byte) {
            (State::Escaped(quote), _) => {
                // One letter, whatever follows: the four digits behind `\u` are counted, too.
                let digits = if byte == b'u' { 4 } else { 0 };
                self.text.len = self.text.len.wrapping_add(1).wrapping_sub(digits);
                self.state = State::Quoted(quote);
            }
            (State::Quoted(_), b'"') => self.state = State::Plain,
            (State::Quoted(quote), b'\\') => {
                self.text.escapes = true;
                self.state = State::Escaped(quote);
            }
            (State::Quoted(_), _) => {
                if let Some(place) = self.text.start.get_mut(self.text.len) {
                    *place = byte;
                }
                self.text.len = self.text.len.wrapping_add(1);
            }
            (_, b'"') => {
                self.text = JsonText::default();
                self.state = State::Quoted(b'"');
            }
            (_, b':') => {
                // With an escape, it may be any text of this length.
                let JsonText { start, len, escapes, .. } = self.text;
                self.text.is_context = len == start.len() && (escapes || start == *b"@context");
                if let Some(context) = &mut self.context {
                    context.keys += 1;
                    context.contexts += usize::from(self.text.is_context);
                    if context.keys > CONTEXT_KEYS_MAX || context.contexts > CONTEXTS_MAX {
                        return Err(Refusal::Context);
                    }
                }
            }
            (_, b'[' | b'{') => {
                self.depth += 1;
                if self.text.is_context && self.context.is_none() {
                    self.context = Some(JsonContext { depth: self.depth, keys: 0, contexts: 0 });
                }
                self.text = JsonText::default();
            }
            (_, b']' | b'}') => {
                if self.context.as_ref().is_some_and(|context| context.depth == self.depth) {
                    self.context = None;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            (_, b',') => self.text = JsonText::default(),
            _ => {}
        }
        self.depth_is_bounded()
    }
}
