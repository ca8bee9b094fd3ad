//! A reader between a text of RDF/XML and its parser: a text in, one that the parser reads as the standard
//! means it out.
//!
//! The parser takes some texts that are none, and refuses some that are:
//!
//! 1. Comments and processing instructions within elements are left out, and CDATA becomes text: each would
//!    cut a literal into two. They stay in XML literals.
//! 2. What is not closed is refused, and a text without an element: it was cut off.
//! 3. Attributes of RDF are refused where the grammar has none of them.
//! 4. `parseType` of any other value is `Literal`, and an XML literal may be empty.
//! 5. `xml:lang=""` says that a text has no language.
//!
//! Elements are kept in a stack, which `guard` bounds as it bounds namespaces and entities. What is read is
//! handed out event by event.
//!
//! Source: RDF 1.1 and 1.2 XML Syntax, §5.1 and §7.2.

use std::collections::HashMap;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use trimorph_types::rdf::names::RDF;

/// Why a text is no RDF/XML.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct XmlFault(String);

/// The reader.
pub(crate) struct XmlReader<R: Read> {
    source: NsReader<BufReader<R>>,
    entities: HashMap<Vec<u8>, Vec<u8>>,
    open: Vec<Open>,
    has_root: bool,
    event: Vec<u8>,
    out: Vec<u8>,
    handed_out: usize,
}

/// What an element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// `rdf:RDF`: it holds nodes.
    Root,
    Node,
    Property,
    /// With `parseType="Resource"`: a property that holds properties.
    Resource,
    /// A property with a datatype, which holds a text.
    Typed,
    /// A property with an XML literal.
    Literal,
    /// Within an XML literal.
    Xml,
}

/// An element that is open.
#[derive(Clone, Copy)]
struct Open {
    role: Role,
    /// Whether its texts have a language.
    has_language: bool,
    /// Whether they have one to the parser, which knows no empty one.
    is_parsed_with_one: bool,
    /// Where it begins in what is to be handed out, as long as nothing stands behind it.
    start: Option<usize>,
}

/// The attributes of an element that matter here.
#[derive(Default)]
struct Attributes {
    /// Those of RDF, by their local names.
    rdf: Vec<Vec<u8>>,
    /// The value of `rdf:parseType`.
    parse_type: Option<Vec<u8>>,
    /// Whether there are others, which are statements.
    others: bool,
    /// The value of `xml:lang`.
    language: Option<Vec<u8>>,
}

impl Attributes {
    fn has(&self, name: &[u8]) -> bool {
        self.rdf.iter().any(|known| known == name)
    }
}

/// No statement of RDF has these predicates (§5.1).
const NEVER: [&[u8]; 5] = [b"Description", b"RDF", b"aboutEach", b"aboutEachPrefix", b"bagID"];
/// What a node may not have beside these.
const NOT_OF_NODES: [&[u8]; 4] = [b"parseType", b"resource", b"datatype", b"li"];
/// What a property may not have beside these.
const NOT_OF_PROPERTIES: [&[u8]; 2] = [b"about", b"li"];
/// Of these a property has one.
const OBJECTS: [&[u8]; 4] = [b"resource", b"nodeID", b"datatype", b"parseType"];

fn fault<T>(reason: impl Into<String>) -> io::Result<T> {
    Err(io::Error::other(XmlFault(reason.into())))
}

impl<R: Read> XmlReader<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self {
            source: NsReader::from_reader(BufReader::new(inner)),
            entities: HashMap::new(),
            open: Vec::new(),
            has_root: false,
            event: Vec::new(),
            out: Vec::new(),
            handed_out: 0,
        }
    }

    fn role(&self) -> Option<Role> {
        self.open.last().map(|open| open.role)
    }

    /// Whether what is read is the content of an XML literal.
    fn in_literal(&self) -> bool {
        matches!(self.role(), Some(Role::Literal | Role::Xml))
    }

    /// Reads on until there is something to hand out that nothing behind it changes; `false` at the end.
    fn go_on(&mut self) -> io::Result<bool> {
        self.out.clear();
        self.handed_out = 0;
        let mut event = std::mem::take(&mut self.event);
        let mut goes_on = true;
        while goes_on && (self.out.is_empty() || self.open.last().is_some_and(|open| open.start.is_some())) {
            event.clear();
            let read = match self.source.read_event_into(&mut event) {
                Ok(read) => read,
                Err(quick_xml::Error::Io(error)) => {
                    let told = |shared: Arc<io::Error>| io::Error::new(shared.kind(), shared.to_string());
                    return Err(Arc::try_unwrap(error).unwrap_or_else(told));
                }
                Err(error) => return fault(error.to_string()),
            };
            goes_on = self.take(&read)?;
        }
        self.event = event;
        Ok(goes_on || !self.out.is_empty())
    }

    /// Takes an event; `false` for the end.
    fn take(&mut self, event: &Event<'_>) -> io::Result<bool> {
        if !matches!(event, Event::End(_))
            && let Some(open) = self.open.last_mut()
        {
            open.start = None;
        }
        match event {
            Event::Eof => self.end()?,
            Event::Start(start) => self.start(start, false)?,
            Event::Empty(start) => self.start(start, true)?,
            Event::End(end) => {
                let open = self.open.pop();
                match open.and_then(|open| open.start) {
                    // The parser wants something in an XML literal.
                    Some(start) if open.is_some_and(|open| open.role == Role::Literal) => {
                        self.out.truncate(start);
                        let name = end.name();
                        self.empty_literal(name.as_ref());
                    }
                    _ => {
                        self.out.extend_from_slice(b"</");
                        self.out.extend_from_slice(end);
                        self.out.push(b'>');
                    }
                }
            }
            Event::Text(text) => self.out.extend_from_slice(text),
            Event::CData(text) => {
                for byte in text.iter() {
                    match byte {
                        b'<' => self.out.extend_from_slice(b"&lt;"),
                        b'>' => self.out.extend_from_slice(b"&gt;"),
                        b'&' => self.out.extend_from_slice(b"&amp;"),
                        other => self.out.push(*other),
                    }
                }
            }
            Event::Comment(text) => {
                if self.in_literal() {
                    self.wrapped(b"<!--", text, b"-->");
                }
            }
            Event::PI(text) => {
                if self.in_literal() {
                    self.wrapped(b"<?", text, b"?>");
                }
            }
            Event::Decl(text) => self.wrapped(b"<?", text, b"?>"),
            Event::DocType(text) => {
                self.entities = entities(text);
                self.wrapped(b"<!DOCTYPE ", text, b">");
            }
        }
        Ok(!matches!(event, Event::Eof))
    }

    fn wrapped(&mut self, before: &[u8], text: &[u8], behind: &[u8]) {
        self.out.extend_from_slice(before);
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(behind);
    }

    fn end(&self) -> io::Result<()> {
        match (self.open.is_empty(), self.has_root) {
            (false, _) => fault("the text ends before its elements are closed"),
            (true, false) => fault("the text has no element"),
            (true, true) => Ok(()),
        }
    }

    fn start(&mut self, start: &BytesStart<'_>, is_empty: bool) -> io::Result<()> {
        self.has_root = true;
        let around = self.open.last().copied();
        let is_xml = self.in_literal();
        let attributes = if is_xml { Attributes::default() } else { self.attributes(start)? };
        let role = match around.map(|open| open.role) {
            Some(Role::Literal | Role::Xml) => Role::Xml,
            None if self.is_rdf_root(start) => Role::Root,
            None | Some(Role::Root | Role::Property) => Role::Node,
            Some(Role::Typed) => return fault("a property with a datatype has no element in it"),
            Some(Role::Node | Role::Resource) => match attributes.parse_type.as_deref() {
                None if attributes.has(b"datatype") => Role::Typed,
                None | Some(b"Collection" | b"Triple") => Role::Property,
                Some(b"Resource") => Role::Resource,
                Some(_) => Role::Literal,
            },
        };
        check(role, &attributes)?;
        let spoken = around.is_some_and(|open| open.has_language);
        let has_language = attributes.language.as_ref().map_or(spoken, |language| !language.is_empty());
        let parsed = around.is_some_and(|open| open.is_parsed_with_one);
        let is_parsed_with_one = parsed || attributes.language.as_ref().is_some_and(|lang| !lang.is_empty());
        let is_unspoken = is_parsed_with_one && !has_language;
        if is_unspoken && attributes.others {
            return fault(
                "an element without a language has no properties as attributes within one that has",
            );
        }
        let place = self.out.len();
        let name = start.name();
        if is_empty && role == Role::Literal && !attributes.has(b"ID") {
            self.empty_literal(name.as_ref());
            return Ok(());
        }
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_ref());
        self.copy_attributes(start, &attributes)?;
        if is_unspoken && role == Role::Property && attributes.rdf.iter().all(|name| name == b"ID") {
            // Texts of this type have no language.
            self.out.extend_from_slice(b" xmlns:own-rdf=\"");
            self.out.extend_from_slice(RDF.as_bytes());
            self.out.extend_from_slice(b"\" own-rdf:datatype=\"http://www.w3.org/2001/XMLSchema#string\"");
        }
        self.out.extend_from_slice(if is_empty { b"/>" } else { b">" });
        if !is_empty {
            let is_held = role == Role::Literal && !attributes.has(b"ID");
            let start = is_held.then_some(place);
            self.open.push(Open { role, has_language, is_parsed_with_one, start });
        }
        Ok(())
    }

    /// A property whose XML literal has nothing in it.
    fn empty_literal(&mut self, name: &[u8]) {
        self.out.push(b'<');
        self.out.extend_from_slice(name);
        self.out.extend_from_slice(b" xmlns:own-rdf=\"");
        self.out.extend_from_slice(RDF.as_bytes());
        self.out.extend_from_slice(b"\" own-rdf:datatype=\"");
        self.out.extend_from_slice(RDF.as_bytes());
        self.out.extend_from_slice(b"XMLLiteral\"/>");
    }

    /// Attributes as they are, but for those that the parser reads otherwise.
    fn copy_attributes(&mut self, start: &BytesStart<'_>, found: &Attributes) -> io::Result<()> {
        let drops_language = found.language.as_ref().is_some_and(Vec::is_empty);
        let known = |value: &[u8]| matches!(value, b"Literal" | b"Resource" | b"Collection" | b"Triple");
        let is_odd = found.parse_type.as_deref().is_some_and(|value| !known(value));
        // In an XML literal the parser writes double quotes around all values.
        let has_other_quotes = self.in_literal() && memchr::memchr(b'\'', start.attributes_raw()).is_some();
        if !drops_language && !is_odd && !has_other_quotes {
            self.out.extend_from_slice(start.attributes_raw());
            return Ok(());
        }
        for attribute in start.attributes() {
            let attribute = attribute.or_else(|error| fault(error.to_string()))?;
            let name = attribute.key.as_ref();
            if drops_language && name == b"xml:lang" {
                continue;
            }
            let value = if is_odd && self.is_rdf(name, true, b"parseType") {
                b"Literal".to_vec()
            } else {
                attribute.value.to_vec()
            };
            self.out.push(b' ');
            self.out.extend_from_slice(name);
            self.out.extend_from_slice(b"=\"");
            for byte in value {
                match byte {
                    b'"' => self.out.extend_from_slice(b"&quot;"),
                    other => self.out.push(other),
                }
            }
            self.out.push(b'"');
        }
        Ok(())
    }

    fn attributes(&self, start: &BytesStart<'_>) -> io::Result<Attributes> {
        let mut found = Attributes::default();
        for attribute in start.attributes() {
            let attribute = attribute.or_else(|error| fault(error.to_string()))?;
            let name = attribute.key.as_ref();
            if name == b"xml:lang" {
                found.language = Some(attribute.value.to_vec());
            }
            if name.starts_with(b"xml") {
                continue;
            }
            match self.source.resolve_attribute(attribute.key) {
                (ResolveResult::Bound(namespace), local) if self.is_of_rdf(namespace) => {
                    let local = local.as_ref();
                    if local == b"parseType" {
                        found.parse_type = Some(attribute.value.to_vec());
                    }
                    found.rdf.push(local.to_vec());
                }
                (ResolveResult::Bound(namespace), _) if namespace.as_ref() == ITS => {}
                _ => found.others = true,
            }
        }
        Ok(found)
    }

    fn is_rdf_root(&self, start: &BytesStart<'_>) -> bool {
        self.is_rdf(start.name().as_ref(), false, b"RDF")
    }

    fn is_rdf(&self, name: &[u8], is_attribute: bool, local: &[u8]) -> bool {
        matches!(self.source.resolve(quick_xml::name::QName(name), is_attribute),
            (ResolveResult::Bound(namespace), found)
                if found.as_ref() == local && self.is_of_rdf(namespace))
    }

    /// Whether a namespace is RDF's; it may be written with an entity.
    fn is_of_rdf(&self, namespace: Namespace<'_>) -> bool {
        let written = namespace.as_ref();
        let mut whole = Vec::new();
        let mut rest = written;
        while let Some(at) = memchr::memchr(b'&', rest) {
            let Some(end) = memchr::memchr(b';', &rest[at..]) else { break };
            let Some(value) = self.entities.get(&rest[at + 1..at + end]) else { return false };
            whole.extend_from_slice(&rest[..at]);
            whole.extend_from_slice(value);
            rest = &rest[at + end + 1..];
        }
        whole.extend_from_slice(rest);
        whole == RDF.as_bytes()
    }
}

/// Directions of texts are written in this namespace (RDF 1.2).
const ITS: &[u8] = b"http://www.w3.org/2005/11/its";

/// Whether an element may have its attributes of RDF.
fn check(role: Role, attributes: &Attributes) -> io::Result<()> {
    let not: &[&[u8]] = match role {
        Role::Node => &NOT_OF_NODES,
        Role::Property | Role::Resource | Role::Typed | Role::Literal => &NOT_OF_PROPERTIES,
        Role::Root | Role::Xml => return Ok(()),
    };
    if let Some(name) = NEVER.iter().chain(not).find(|name| attributes.has(name)) {
        let what = if role == Role::Node { "a node" } else { "a property" };
        return fault(format!("rdf:{} is no attribute of {what}", String::from_utf8_lossy(name)));
    }
    if role != Role::Node && OBJECTS.iter().filter(|name| attributes.has(name)).count() > 1 {
        return fault("a property has one of rdf:resource, rdf:nodeID, rdf:datatype and rdf:parseType");
    }
    Ok(())
}

/// Names and values of the entities that a document type declares.
fn entities(declarations: &[u8]) -> HashMap<Vec<u8>, Vec<u8>> {
    let mut found = HashMap::new();
    let mut rest = declarations;
    while let Some(at) = memchr::memmem::find(rest, b"<!ENTITY") {
        rest = rest[at + b"<!ENTITY".len()..].trim_ascii_start();
        let Some(end) = rest.iter().position(u8::is_ascii_whitespace) else { break };
        let (name, behind) = rest.split_at(end);
        let behind = behind.trim_ascii_start();
        if let Some(quote @ (b'"' | b'\'')) = behind.first().copied()
            && let Some(length) = memchr::memchr(quote, &behind[1..])
        {
            found.insert(name.to_vec(), behind[1..=length].to_vec());
        }
        rest = behind;
    }
    found
}

impl<R: Read> Read for XmlReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.handed_out == self.out.len() {
            if !self.go_on()? {
                return Ok(0);
            }
        }
        let ready = &self.out[self.handed_out..];
        let count = ready.len().min(out.len());
        out[..count].copy_from_slice(&ready[..count]);
        self.handed_out += count;
        Ok(count)
    }
}
