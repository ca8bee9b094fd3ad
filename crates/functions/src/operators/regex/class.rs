//! Character classes and escapes of Java's in, their members written out.
//!
//! Unions, ranges, `&&` and classes within classes mean the same here and there; escapes and case do not.

use super::property;
use super::state::{Fault, Translator, push_char};

pub(super) const TRAILING: &str = r"a \ is not followed by anything";

/// Classes in each other at most.
const DEPTH_MAX: usize = 50;

/// A class, after its `[`.
pub(super) fn class(t: &mut Translator<'_>, depth: usize) -> Result<(), Fault> {
    if depth > DEPTH_MAX {
        return Err(format!("it has more than {DEPTH_MAX} classes in each other"));
    }
    // Only around the outermost: it holds within.
    let folds = depth == 0 && t.flags.caseless && t.flags.unicode_case;
    if folds {
        t.out.push_str("(?i:");
    }
    t.out.push('[');
    if t.eat('^') {
        t.out.push('^');
    }
    let mut is_first = true;
    loop {
        let c = t.next().ok_or("a class is not closed")?;
        match c {
            ']' if !is_first => break,
            '[' => class(t, depth + 1)?,
            '&' if t.peek() == Some('&') => {
                while t.eat('&') {}
                t.out.push_str("&&");
            }
            '\\' => escape(t)?,
            c if t.flags.comments && c.is_ascii_whitespace() => continue,
            c => range(t, c)?,
        }
        is_first = false;
    }
    t.out.push_str(if folds { "])" } else { "]" });
    Ok(())
}

/// After `\` within a class.
fn escape(t: &mut Translator<'_>) -> Result<(), Fault> {
    let c = t.next().ok_or(TRAILING)?;
    match c {
        'Q' => {
            let quoted = quoted(t);
            quoted.chars().for_each(|c| members(t, c, c));
        }
        'E' => {}
        c => match set(t, c)? {
            Some(set) => t.out.push_str(&set),
            None => {
                let c = character(t, c)?;
                range(t, c)?;
            }
        },
    }
    Ok(())
}

/// `first`, or the range that begins with it.
fn range(t: &mut Translator<'_>, first: char) -> Result<(), Fault> {
    let mut ahead = t.ahead().chars();
    let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), None | Some(']' | '['));
    if !is_range {
        members(t, first, first);
        return Ok(());
    }
    t.next();
    let last = match t.next().ok_or(TRAILING)? {
        '\\' => {
            let c = t.next().ok_or(TRAILING)?;
            if let Some(set) = set(t, c)? {
                members(t, first, first);
                members(t, '-', '-');
                t.out.push_str(&set);
                return Ok(());
            }
            character(t, c)?
        }
        c => c,
    };
    if first > last {
        return Err(format!("range {first}-{last} is empty"));
    }
    members(t, first, last);
    Ok(())
}

/// A range of members, with the other case of its ASCII letters where case does not count.
fn members(t: &mut Translator<'_>, first: char, last: char) {
    push_range(&mut t.out, first, last);
    if !t.flags.caseless || t.flags.unicode_case {
        return;
    }
    for (from, to, other) in [('a', 'z', 'A'), ('A', 'Z', 'a')] {
        let (low, high) = (first.max(from), last.min(to));
        if low <= high {
            let shift = |c: char| char::from((c as u8).wrapping_sub(from as u8).wrapping_add(other as u8));
            push_range(&mut t.out, shift(low), shift(high));
        }
    }
}

fn push_range(out: &mut String, first: char, last: char) {
    push_char(out, first);
    if first < last {
        out.push('-');
        push_char(out, last);
    }
}

/// The text up to `\E`, or to the end.
pub(super) fn quoted<'p>(t: &mut Translator<'p>) -> &'p str {
    let ahead = t.ahead();
    let (text, has_end) = ahead.split_once(r"\E").map_or((ahead, false), |(text, _)| (text, true));
    for _ in text.chars() {
        t.next();
    }
    if has_end {
        t.next();
        t.next();
    }
    text
}

/// The class that `\` and `c` stand for, if they stand for one.
pub(super) fn set(t: &mut Translator<'_>, c: char) -> Result<Option<String>, Fault> {
    let unicode = t.flags.unicode_class;
    let members = match c.to_ascii_lowercase() {
        'd' if unicode => r"\p{Nd}",
        'd' => "0-9",
        'w' if unicode => r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}",
        'w' => "0-9A-Za-z_",
        's' if unicode => r"\p{White_Space}",
        's' => r"\t\n\x0B\x0C\r\x20",
        'h' => r"\t\x20\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}",
        'v' => r"\n\x0B\x0C\r\x{85}\x{2028}\x{2029}",
        'p' => return property::property(t, c == 'P').map(Some),
        _ => return Ok(None),
    };
    Ok(Some(format!("[{}{members}]", if c.is_ascii_uppercase() { "^" } else { "" })))
}

/// The one character that `\` and `c` stand for.
pub(super) fn character(t: &mut Translator<'_>, c: char) -> Result<char, Fault> {
    Ok(match c {
        't' => '\t',
        'n' => '\n',
        'r' => '\r',
        'f' => '\x0C',
        'a' => '\x07',
        'e' => '\x1B',
        'c' => {
            let c = t.next().ok_or(TRAILING)?;
            char::from_u32(u32::from(c) ^ 64).ok_or("an escape is no character")?
        }
        '0' => octal(t)?,
        'x' if t.eat('{') => {
            let (digits, _) = t.ahead().split_once('}').ok_or(r"\x{ is not closed")?;
            let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            t.pass('}');
            code.ok_or(r"\x{…} is no character")?
        }
        'x' => {
            digits(t, 2).and_then(char::from_u32).ok_or(r"\x is not followed by two hexadecimal digits")?
        }
        'u' => unicode(t)?,
        letter if letter.is_ascii_alphabetic() => return Err(format!(r"\{letter} is not supported")),
        c => c,
    })
}

/// The next hexadecimal digits, all of which must be there.
fn digits(t: &mut Translator<'_>, count: usize) -> Option<u32> {
    let text = t.ahead().get(..count)?;
    let code = text.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(text, 16).ok())?;
    for _ in 0..count {
        t.next();
    }
    code
}

/// `uXXXX`, or two that are one character in UTF-16.
fn unicode(t: &mut Translator<'_>) -> Result<char, Fault> {
    let fault = r"\u is not followed by four hexadecimal digits of a character";
    let code = digits(t, 4).ok_or(fault)?;
    if let (0xD800..0xDC00, true) = (code, t.ahead().starts_with(r"\u")) {
        t.next();
        t.next();
        let low = digits(t, 4).filter(|low| (0xDC00..0xE000).contains(low)).ok_or(fault)?;
        let pair = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return char::from_u32(pair).ok_or_else(|| fault.into());
    }
    char::from_u32(code).ok_or_else(|| fault.into())
}

/// One to three octal digits, up to 377.
fn octal(t: &mut Translator<'_>) -> Result<char, Fault> {
    let mut code: Option<u32> = None;
    for _ in 0..3 {
        let Some(digit) = t.peek().and_then(|c| c.to_digit(8)) else { break };
        let longer = code.unwrap_or(0) * 8 + digit;
        if longer > 0o377 {
            break;
        }
        code = Some(longer);
        t.next();
    }
    code.and_then(char::from_u32).ok_or_else(|| r"\0 is not followed by octal digits".into())
}
