//! Variables, IRIs, prefixed names, literals, blank nodes.
//!
//! Source: SPARQL 1.1 Query §19.8, the terminals, as the parser reads them.

use oxiri::Iri;
use trimorph_base::{Diagnostic, Span, nearest};

use super::problem::{shorten, want};
use super::words::WELL_KNOWN;
use super::{Checked, Checker};

fn is_base(c: char) -> bool {
    matches!(c, 'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}')
}

fn is_underscored(c: char) -> bool {
    c == '_' || is_base(c)
}

fn is_variable_part(c: char) -> bool {
    is_underscored(c)
        || c.is_ascii_digit()
        || matches!(c, '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

fn is_name_part(c: char) -> bool {
    c == '-' || is_variable_part(c)
}

/// Bytes of the letters at the beginning of a text for which this holds.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Bytes of groups of points and letters behind them.
fn dotted(text: &str, part: impl Fn(&str) -> usize) -> usize {
    let points = run(text, |c| c == '.');
    let tail = if points == 0 { 0 } else { part(&text[points..]) };
    if tail == 0 { 0 } else { points + tail }
}

/// Bytes of `%41` or `\-`, which local names may have.
fn escaped(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(b'%') if bytes.len() > 2 && bytes[1..3].iter().all(u8::is_ascii_hexdigit) => 3,
        Some(b'\\') if bytes.get(1).is_some_and(|b| b"_~.-!$&'()*+,;=/?#@%".contains(b)) => 2,
        _ => 0,
    }
}

/// Bytes of letters that local names may have behind their first.
fn local_run(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let plain = run(rest, |c| c == ':' || is_name_part(c));
        let more = plain + escaped(&rest[plain..]);
        if more == 0 {
            return at;
        }
        at += more;
    }
}

/// Bytes of a local name with at most so many points that letters follow.
fn local_len(text: &str, points_max: usize) -> usize {
    let first = match text.chars().next() {
        Some(c) if c == ':' || c.is_ascii_digit() || is_underscored(c) => c.len_utf8(),
        _ => escaped(text),
    };
    if first == 0 {
        return 0;
    }
    let mut len = first + local_run(&text[first..]);
    for _ in 0..points_max {
        let more = dotted(&text[len..], local_run);
        if more == 0 {
            break;
        }
        len += more;
    }
    len
}

/// Groups of points in a local name that the parser takes.
const PARSED_POINTS: usize = 1;

/// The prefix of a name, if a colon follows: that colon's place.
fn prefix_len(text: &str) -> Option<usize> {
    let mut len = match text.chars().next()? {
        ':' => return Some(0),
        c if is_base(c) => c.len_utf8(),
        _ => return None,
    };
    len += run(&text[len..], is_name_part);
    loop {
        let more = dotted(&text[len..], |text| run(text, is_name_part));
        if more == 0 {
            break;
        }
        len += more;
    }
    text[len..].starts_with(':').then_some(len)
}

impl<'a> Checker<'a> {
    /// Whether a variable stands here.
    pub(super) fn sees_variable(&self) -> bool {
        matches!(self.byte(), b'?' | b'$') && self.is_name_behind()
    }

    /// Whether the letter behind the next one begins a name.
    pub(super) fn is_name_behind(&self) -> bool {
        let next = self.text.get(self.at + 1..).and_then(|rest| rest.chars().next());
        next.is_some_and(|c| c.is_ascii_digit() || is_underscored(c))
    }

    /// Takes a variable, without the spaces behind it.
    pub(super) fn variable(&mut self, what: &str) -> Checked<(&'a str, Span)> {
        let start = self.at;
        if !self.sees_variable() {
            if matches!(self.byte(), b'?' | b'$') {
                return Err(self.unexpected("a variable is ? and letters, digits or _"));
            }
            return Err(self.expected(want(what)));
        }
        let name = &self.text[start + 1..];
        let name = &name[..run(name, is_variable_part)];
        self.at += 1 + name.len();
        let span = self.since(start);
        self.space();
        if let Some(ground) = self.ground
            && ground.variables
        {
            let primary = format!("a variable cannot stand in {}: \"?{name}\"", ground.operation);
            let hint = match ground.operation {
                "INSERT DATA" => "write INSERT { … } WHERE { … }",
                _ => "write DELETE { … } WHERE { … }",
            };
            return Err(self.wrong(primary, span, hint));
        }
        Ok((name, span))
    }

    /// Whether a name with a prefix stands here, declared or not. `true:x` is `true` and `:x` for the parser.
    pub(super) fn sees_prefixed(&self) -> bool {
        let is_boolean = self.sees("true") || self.sees("false");
        prefix_len(self.rest())
            .is_some_and(|len| !is_boolean || self.prefixes.contains_key(&self.rest()[..len]))
    }

    /// Whether an IRI may stand here.
    pub(super) fn sees_iri(&self) -> bool {
        self.byte() == b'<' && !self.sees("<<") || self.sees_prefixed()
    }

    /// Whether what looks like a name with a prefix is a keyword and a name without: `GRAPH:g`.
    pub(super) fn sees_glued_keyword(&self) -> bool {
        prefix_len(self.rest()).is_some_and(|len| {
            let prefix = &self.rest()[..len];
            !self.prefixes.contains_key(prefix)
                && ["graph", "filter", "service"].iter().any(|known| prefix.eq_ignore_ascii_case(known))
        })
    }

    /// Takes `<…>` or a name with a prefix.
    pub(super) fn iri(&mut self, what: &str) -> Checked {
        self.whole_iri(what).map(drop)
    }

    /// The same. Gives the whole of it.
    pub(super) fn whole_iri(&mut self, what: &str) -> Checked<String> {
        if self.byte() == b'<' {
            return self.iri_ref(what).map(Iri::into_inner);
        }
        let Some(len) = prefix_len(self.rest()) else {
            return Err(self.expected(want(what)));
        };
        let start = self.at;
        let prefix = &self.rest()[..len];
        let parsed = local_len(&self.rest()[len + 1..], PARSED_POINTS);
        let local = if self.strict { self.local_len(len) } else { parsed };
        let mut end = start + len + 1 + local;
        let Some(known) = self.prefixes.get(prefix) else {
            return Err(self.undeclared(prefix, self.span(start, end)));
        };
        let whole = format!("{known}{}", self.text[start + len + 1..end].replace('\\', ""));
        if local > parsed {
            self.needs(start..end, format!("<{whole}>"));
        }
        if let Err(error) = Iri::parse(whole.as_str()) {
            let primary = format!("\"<{}>\" is no IRI", shorten(&whole));
            let problem = self.wrong(primary, self.span(start, end), error.to_string());
            // The parser reads `x:a` as `x:` and `a` then.
            self.blame_later(problem);
            end = start + len + 1;
        }
        self.at = end;
        self.space();
        Ok(whole)
    }

    /// Bytes of the local name behind a prefix of so many bytes.
    fn local_len(&self, prefix: usize) -> usize {
        local_len(&self.rest()[prefix + 1..], usize::MAX)
    }

    /// A prefix that nothing was said about.
    pub(super) fn undeclared(&self, prefix: &str, span: Span) -> Box<Diagnostic> {
        let known = WELL_KNOWN.iter().find(|(known, _)| *known == prefix);
        let hint = match known {
            Some((_, iri)) => format!("begin with PREFIX {prefix}: <{iri}>"),
            None => match nearest(prefix, self.prefixes.keys().copied()) {
                Some(near) => format!("did you mean {near}:?"),
                None => format!("begin with PREFIX {prefix}: <…>"),
            },
        };
        self.wrong(format!("the prefix \"{prefix}:\" is not declared"), span, hint)
    }

    /// The prefix of the name that stands here, and the name's place, if it is not declared.
    pub(super) fn undeclared_here(&self) -> Option<Box<Diagnostic>> {
        let len = prefix_len(self.rest())?;
        let prefix = &self.rest()[..len];
        let span = self.span(self.at, self.at + len + 1 + self.local_len(len));
        (!self.prefixes.contains_key(prefix)).then(|| self.undeclared(prefix, span))
    }

    /// Takes `<…>`.
    pub(super) fn iri_ref(&mut self, what: &str) -> Checked<Iri<String>> {
        if self.byte() != b'<' {
            return Err(self.expected(want(what)));
        }
        let start = self.at;
        let rest = self.rest();
        let end = rest.find('>');
        let inner = end.map_or("", |end| &rest[1..end]);
        let Some(end) = end.filter(|_| !inner.contains('\n')) else {
            if rest[1..].starts_with(|c: char| c.is_whitespace() || c == '=') {
                return Err(self.expected(want(what)));
            }
            let hint = "an IRI is written <http://example.org/name>";
            return Err(self.wrong("the IRI that begins here has no >", self.span(start, start + 1), hint));
        };
        let iri = self.resolve_iri(inner);
        self.at += end + 1;
        let span = self.since(start);
        self.space();
        iri.map_err(|why| {
            let odd = inner.chars().find(|c| c.is_whitespace() || "<\"{}|^`\\".contains(*c));
            let hint = match odd {
                Some(' ') => "an IRI has no spaces: write %20".to_owned(),
                Some(odd) => format!("an IRI has no {odd:?}: write its bytes as %XX"),
                None => why,
            };
            self.wrong(format!("\"{}\" is no IRI", shorten(&format!("<{inner}>"))), span, hint)
        })
    }

    fn resolve_iri(&self, written: &str) -> Result<Iri<String>, String> {
        let unescaped = match written.contains('\\') {
            true => Some(unescape_codes(written).ok_or("in an IRI \\ is for \\uXXXX")?),
            false => None,
        };
        let written = unescaped.as_deref().unwrap_or(written);
        match &self.base {
            Some(base) => base.resolve(written).map_err(|error| error.to_string()),
            None => Iri::parse(written.to_owned()).map_err(|error| error.to_string()),
        }
    }

    /// `prefix:` of a declaration.
    pub(super) fn prefix(&mut self) -> Checked<&'a str> {
        let start = self.at;
        match prefix_len(self.rest()) {
            Some(len) => {
                self.at += len + 1;
                let prefix = &self.text[start..start + len];
                self.space();
                Ok(prefix)
            }
            None => {
                let hint = "write PREFIX name: <http://example.org/>";
                self.at += self.word().len();
                self.space();
                Err(self.unexpected(hint))
            }
        }
    }

    /// Whether a string stands here.
    pub(super) fn sees_string(&self) -> bool {
        matches!(self.byte(), b'"' | b'\'')
    }

    /// Takes a string, without the spaces behind it.
    pub(super) fn string(&mut self) -> Checked {
        let start = self.at;
        let quote = self.byte();
        let long = [quote; 3];
        if self.rest().as_bytes().starts_with(&long) {
            match self.string_end(start + 3, &long)? {
                Some(end) => {
                    self.at = end;
                    return Ok(());
                }
                // The parser takes an empty string then.
                None => {
                    let problem = self.open_string(start, 3);
                    self.blame_later(problem);
                }
            }
        }
        match self.string_end(start + 1, &long[..1])? {
            Some(end) => {
                self.at = end;
                Ok(())
            }
            None => Err(self.open_string(start, 1)),
        }
    }

    fn open_string(&self, start: usize, quotes: usize) -> Box<Diagnostic> {
        let place = self.span(start, start + quotes);
        let sign = &self.text[start..start + quotes];
        let hint = match quotes {
            1 => format!("add {sign} at its end; a string of several lines has three at both ends"),
            _ => format!("add {sign} at its end"),
        };
        self.wrong("the string that begins here is not closed", place, hint)
    }

    /// The end of a string that closes with these quotes; none where it does not.
    fn string_end(&self, mut at: usize, quotes: &[u8]) -> Checked<Option<usize>> {
        let bytes = self.text.as_bytes();
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => {
                    let codes = escape_len(&self.text[at..]);
                    if codes == 0 {
                        let next = self.text[at + 1..].chars().next().map_or(0, char::len_utf8);
                        let sign = &self.text[at..at + 1 + next];
                        let hint = "write \\\\ for a backslash";
                        let place = self.span(at, at + 1 + next);
                        return Err(self.wrong(format!("\"{sign}\" is not an escape"), place, hint));
                    }
                    at += codes;
                }
                byte if byte == quotes[0] && bytes[at..].starts_with(quotes) => {
                    return Ok(Some(at + quotes.len()));
                }
                b'\n' | b'\r' if quotes.len() == 1 => return Ok(None),
                _ => at += 1,
            }
        }
        Ok(None)
    }

    /// Takes a string with its type or language.
    pub(super) fn string_literal(&mut self) -> Checked {
        self.string()?;
        let end = self.at;
        self.space();
        if self.sees("^^") {
            self.eat("^^");
            return self.iri("a datatype such as xsd:date behind ^^");
        }
        if self.byte() == b'@' {
            let letters = run(&self.rest()[1..], |c| c.is_ascii_alphabetic());
            if letters == 0 {
                return Err(self.unexpected("write a language behind @, such as \"text\"@en"));
            }
            let tag = self.at;
            self.at += 1 + letters;
            loop {
                let more =
                    run(self.rest().strip_prefix('-').unwrap_or_default(), |c| c.is_ascii_alphanumeric());
                if more == 0 {
                    break;
                }
                self.at += 1 + more;
            }
            let language = &self.text[tag + 1..self.at];
            let is_alone =
                letters == 1 && !matches!(language.as_bytes()[0].to_ascii_lowercase(), b'x' | b'i');
            if is_alone || language.split('-').any(|part| part.len() > 8) {
                let primary = format!("\"{}\" is no language", shorten(language));
                return Err(self.wrong(primary, self.since(tag), "write a tag such as @en or @de-AT"));
            }
            if let Some(direction) = self.rest().strip_prefix("--") {
                let letters = run(direction, |c| c.is_ascii_alphabetic());
                if letters > 0 && !matches!(&direction[..letters], "ltr" | "rtl") {
                    let place = self.span(self.at, self.at + 2 + letters);
                    let primary = format!("\"{}\" is no direction of text", &direction[..letters]);
                    return Err(self.wrong(primary, place, "write --ltr or --rtl"));
                }
                self.at += if letters > 0 { 2 + letters } else { 0 };
            }
            self.space();
            return Ok(());
        }
        self.at = end;
        self.space();
        Ok(())
    }

    /// Bytes of a number without its sign.
    fn unsigned_len(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let digits = |text: &str| run(text, |c| c.is_ascii_digit());
        let whole = digits(rest);
        let point = rest[whole..].starts_with('.');
        let part = if point { digits(&rest[whole + 1..]) } else { 0 };
        // A point without digits behind it belongs to a number only if an exponent follows.
        let mantissa = match (whole, point, part) {
            (0, _, 0) => return 0,
            (_, true, _) => whole + 1 + part,
            _ => whole,
        };
        let exponent = |text: &str| {
            let behind = text.strip_prefix(['e', 'E'])?;
            let unsigned = behind.strip_prefix(['+', '-']).unwrap_or(behind);
            let len = digits(unsigned);
            (len > 0).then(|| text.len() - unsigned.len() + len)
        };
        match exponent(&rest[mantissa..]) {
            Some(len) => mantissa + len,
            None if part > 0 => mantissa,
            None => match exponent(&rest[whole..]) {
                Some(len) if whole > 0 => whole + len,
                _ => whole,
            },
        }
    }

    /// The end of a number here, with its sign; none where there is no number.
    fn number_end(&self) -> Option<usize> {
        let at = match self.byte() {
            // Note 4 of the grammar: nothing stands between a sign and its number.
            b'+' | b'-' if self.strict => self.at + 1,
            b'+' | b'-' => self.behind_space(self.at + 1),
            _ => self.at,
        };
        let len = self.unsigned_len(at);
        (len > 0).then_some(at + len)
    }

    fn behind_space(&self, at: usize) -> usize {
        let mut at = self.white(at);
        while self.byte_at(at) == b'#' {
            let rest = &self.text[at..];
            at = self.white(at + rest.find(['\n', '\r']).unwrap_or(rest.len()));
        }
        at
    }

    /// Takes a number, `true` or `false`; says whether there was one.
    pub(super) fn plain_literal(&mut self) -> bool {
        let end = match self.number_end() {
            Some(end) => end,
            None if self.sees("true") => self.at + 4,
            None if self.sees("false") => self.at + 5,
            None => return false,
        };
        self.at = end;
        self.space();
        true
    }

    /// Takes `_:name` or `[]`; says whether there was one.
    pub(super) fn blank(&mut self) -> Checked<bool> {
        let start = self.at;
        if self.byte() == b'[' && self.byte_at(self.white(start + 1)) == b']' {
            self.at = self.white(start + 1) + 1;
            let span = self.since(start);
            self.space();
            return self.blank_allowed(span).map(|()| true);
        }
        if !self.sees("_:") {
            return Ok(false);
        }
        let name = &self.text[start + 2..];
        let mut len = match name.chars().next() {
            Some(c) if c.is_ascii_digit() || is_underscored(c) => c.len_utf8(),
            _ => return Err(self.unexpected("a blank node is _: and letters, digits or _")),
        };
        len += run(&name[len..], is_name_part);
        loop {
            let more = dotted(&name[len..], |text| run(text, is_name_part));
            if more == 0 {
                break;
            }
            len += more;
        }
        let name = &name[..len];
        self.at += 2 + len;
        let span = self.since(start);
        self.space();
        if self.blanks_used.contains(name) {
            let primary = format!("the blank node \"_:{name}\" stands in two groups");
            return Err(self.wrong(primary, span, format!("use a variable instead, such as ?{name}")));
        }
        if self.data_blanks.contains(name) && self.ground.is_some_and(|ground| !ground.blanks) {
            let primary = format!("the blank node \"_:{name}\" stands in two operations");
            return Err(self.wrong(primary, span, "give it another name, or put both into one operation"));
        }
        self.blanks_here.insert(name);
        self.blank_allowed(span).map(|()| true)
    }

    /// Whether blank nodes may stand here.
    pub(super) fn blank_allowed(&self, span: Span) -> Checked {
        match self.ground {
            Some(ground) if ground.blanks => {
                let primary = format!("a blank node cannot stand in {}", ground.operation);
                Err(self.wrong(primary, span, "use a variable, and DELETE { … } WHERE { … } to find it"))
            }
            _ => Ok(()),
        }
    }

    /// A basic graph pattern ends: its blank nodes are its own.
    pub(super) fn part_blanks(&mut self) {
        self.blanks_used.extend(self.blanks_here.drain());
    }
}

/// Bytes of an escape at the beginning of a text; 0 where it is none.
fn escape_len(text: &str) -> usize {
    let len = match text.as_bytes().get(1) {
        Some(b't' | b'b' | b'n' | b'r' | b'f' | b'"' | b'\'' | b'\\') => return 2,
        Some(b'u') => 6,
        Some(b'U') => 10,
        _ => return 0,
    };
    let code = text.get(2..len).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    if code.and_then(char::from_u32).is_some() { len } else { 0 }
}

fn unescape_codes(mut text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    while let Some((before, _)) = text.split_once('\\') {
        out.push_str(before);
        let escape = &text[before.len()..];
        let len = match escape.as_bytes().get(1) {
            Some(b'u' | b'U') => escape_len(escape),
            _ => 0,
        };
        out.push(char::from_u32(u32::from_str_radix(escape.get(2..len)?, 16).ok()?)?);
        text = &escape[len..];
    }
    out.push_str(text);
    Some(out)
}
