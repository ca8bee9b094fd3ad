//! `\p{…}` and `\pX` of Java's in, a class out.

use super::state::{Fault, Translator};

/// The class after `\p` or `\P`.
pub(super) fn property(t: &mut Translator<'_>, negated: bool) -> Result<String, Fault> {
    let name = if t.eat('{') {
        let (name, _) = t.ahead().split_once('}').ok_or(r"\p{ is not closed")?;
        t.pass('}');
        name.to_owned()
    } else {
        t.next().ok_or(r"\p is not followed by a name")?.to_string()
    };
    let known = if t.flags.unicode_class { posix_unicode(&name) } else { posix_ascii(&name) };
    let members = match known {
        Some(members) => members.to_owned(),
        None => unicode(&name)?,
    };
    Ok(format!("[{}{members}]", if negated { "^" } else { "" }))
}

/// POSIX's classes, of ASCII.
fn posix_ascii(name: &str) -> Option<&'static str> {
    Some(match name {
        "Lower" => "a-z",
        "Upper" => "A-Z",
        "ASCII" => r"\x00-\x7F",
        "Alpha" => "A-Za-z",
        "Digit" => "0-9",
        "Alnum" => "0-9A-Za-z",
        "Punct" => r"\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E",
        "Graph" => r"\x21-\x7E",
        "Print" => r"\x20-\x7E",
        "Blank" => r"\x20\t",
        "Cntrl" => r"\x00-\x1F\x7F",
        "XDigit" => "0-9A-Fa-f",
        "Space" => r"\t\n\x0B\x0C\r\x20",
        _ => return None,
    })
}

/// The same of all of Unicode.
fn posix_unicode(name: &str) -> Option<&'static str> {
    Some(match name {
        "Lower" => r"\p{Lowercase}",
        "Upper" => r"\p{Uppercase}",
        "ASCII" => r"\x00-\x7F",
        "Alpha" => r"\p{Alphabetic}",
        "Digit" => r"\p{Nd}",
        "Alnum" => r"\p{Alphabetic}\p{Nd}",
        "Punct" => r"\p{P}",
        "Graph" => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        "Print" => r"[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}",
        "Blank" => r"\p{Zs}\t",
        "Cntrl" => r"\p{Cc}",
        "XDigit" => r"\p{Nd}\p{Hex_Digit}",
        "Space" => r"\p{White_Space}",
        _ => return None,
    })
}

/// What `Character.isWhitespace` says yes to: space but what does not break.
const JAVA_WHITESPACE: &str =
    r"\t\n\x0B\x0C\r\x1C-\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{2028}\x{2029}\x{205F}\x{3000}";

/// Categories, scripts and binary properties, which have the names of Unicode there and here.
fn unicode(name: &str) -> Result<String, Fault> {
    let unknown = || format!("unknown property \"{name}\"");
    let is_in_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_in_name);
    let value = match name.split_once('=') {
        Some(("gc" | "general_category" | "sc" | "script" | "IsScript", value)) => value,
        Some(("blk" | "block", value)) => {
            return Err(format!("blocks such as \"{value}\" are not supported"));
        }
        Some(_) => return Err(unknown()),
        None => match name {
            "javaLowerCase" => "Lowercase",
            "javaUpperCase" => "Uppercase",
            "javaAlphabetic" => "Alphabetic",
            "javaDigit" | "IsDigit" => "Nd",
            "javaLetter" => "L",
            "javaLetterOrDigit" => return Ok(r"\p{L}\p{Nd}".into()),
            "javaWhitespace" => return Ok(JAVA_WHITESPACE.into()),
            "IsAssigned" => return Ok(r"\P{Cn}".into()),
            "L1" => return Ok(r"\x00-\x{FF}".into()),
            "all" => return Ok(r"\x00-\x{10FFFF}".into()),
            _ if name.starts_with("In") => {
                return Err(format!("blocks such as \"{name}\" are not supported"));
            }
            _ => name.strip_prefix("Is").unwrap_or(name),
        },
    };
    // What is no name would be read as syntax.
    if is_name(value) { Ok(format!(r"\p{{{value}}}")) } else { Err(unknown()) }
}
