//! Takes a text, gives the command about transactions that it is, or says what is wrong with it.
//!
//! No query begins with one of the words that commands begin with, so a text that does and is none of them is
//! told what could follow, and is never given to the parser of queries.

use trimorph_base::{Diagnostic, ErrorKind, Span, nearest};

use crate::commands::{Command, isolation};

/// What commands begin with.
const FIRST: &[&str] =
    &["BEGIN", "START", "COMMIT", "ROLLBACK", "ABORT", "CHECKPOINT", "REORGANIZE", "SHOW", "TERMINATE"];
/// What other systems have behind `BEGIN`.
const NO_MODES: &[&str] = &["DEFERRED", "IMMEDIATE", "EXCLUSIVE", "CONCURRENT", "WRITE"];
/// What to write instead.
const MODES: &str =
    ", or BEGIN READ ONLY: nobody waits for who begins, and who only reads is never in conflict";
const SAVEPOINTS: &str = "a statement that fails undoes itself and leaves its transaction open; what is to be \
                          undone alone is a transaction of its own";
const LEVELS: &[&str] = &["SERIALIZABLE", "SNAPSHOT", "READ COMMITTED"];

/// A word of a text and where it stands.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    start: usize,
}

impl Word<'_> {
    fn is(self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    fn is_one_of(self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// What is between spaces and comments, without the semicolon at the end.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(behind) = rest.strip_prefix("/*") {
                behind.find("*/").map_or(rest.len(), |end| end + 4)
            } else {
                let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
                let end = if rest.starts_with(';') { 1 } else { end };
                let word = Word { text: &rest[..end], start: self.at };
                self.at += end;
                return (end > 0).then_some(word);
            };
            self.at += comment;
        }
    }
}

/// The command that a text is: words, and numbers of transactions, quoted or not, behind `TERMINATE`. None
/// for what is no command.
///
/// **Cost**: a look at the first word of everything else.
///
/// **Errors**: it begins as a command and goes on as none.
pub(crate) fn read_command(text: &str) -> Option<Result<Command, Diagnostic>> {
    let mut words = Words { text, at: 0 };
    let first = words.next().filter(|word| word.is_one_of(FIRST))?;
    let mut rest: Vec<Word<'_>> = words.collect();
    while rest.last().is_some_and(|word| word.text == ";") {
        rest.pop();
    }
    let is_transaction = rest
        .first()
        .is_none_or(|word| word.is_one_of(&["TRANSACTION", "WORK", "READ", "WRITE", "ISOLATION"]));
    if first.is("START") && !is_transaction {
        // Of a database, or the clause of old: the parser knows them.
        return None;
    }
    if first.is("SHOW") {
        let is_database = rest.len() == 1 && rest[0].is_one_of(&["DATABASE", "DATABASES"]);
        return is_database.then_some(Ok(Command::ShowDatabase));
    }
    Some(behind(first, &rest))
}

/// The command of a first word and those behind it.
fn behind(first: Word<'_>, rest: &[Word<'_>]) -> Result<Command, Diagnostic> {
    let transaction = rest.first().is_some_and(|word| word.is_one_of(&["TRANSACTION", "WORK"]));
    let rest_of_it = &rest[usize::from(transaction)..];
    if first.is("BEGIN") {
        return begin(rest_of_it);
    }
    if first.is("START") {
        let modes = if rest_of_it.is_empty() { "" } else { MODES };
        return Err(wrong("there is no command START", first).hint(format!("write BEGIN{modes}")));
    }
    if first.is("ABORT") {
        return Err(wrong("there is no command ABORT", first).hint("write ROLLBACK"));
    }
    if first.is("TERMINATE") {
        return terminate(first, rest);
    }
    if let ([to, ..], true) = (rest_of_it, first.is("ROLLBACK"))
        && to.is("TO")
    {
        return Err(wrong("there are no savepoints", *to).hint(SAVEPOINTS));
    }
    let (command, rest) = if first.is("COMMIT") {
        (Command::Commit, rest_of_it)
    } else if first.is("ROLLBACK") {
        (Command::Rollback, rest_of_it)
    } else if first.is("CHECKPOINT") {
        (Command::Checkpoint, rest)
    } else {
        (Command::Reorganize, rest)
    };
    match rest.first() {
        None => Ok(command),
        Some(&word) => Err(end_expected(first, word)),
    }
}

/// `BEGIN`, without the word `TRANSACTION`.
fn begin(rest: &[Word<'_>]) -> Result<Command, Diagnostic> {
    let is_mode = |read: &Word<'_>, only: &Word<'_>| read.is("READ") && only.is("ONLY");
    let (rest, reads_only) = match rest {
        [read, only, rest @ ..] | [rest @ .., read, only] if is_mode(read, only) => (rest, true),
        rest => (rest, false),
    };
    let level = match rest {
        [] => return Ok(Command::Begin(None, reads_only)),
        [one, two, level @ ..] if one.is("ISOLATION") && two.is("LEVEL") => level,
        level => level,
    };
    if let Some((&first, &last)) = level.first().zip(level.last())
        && level.iter().any(|word| word.is_one_of(NO_MODES))
    {
        let mode = level.iter().map(|word| word.text).collect::<Vec<_>>().join(" ").to_ascii_uppercase();
        let primary = format!("there is no BEGIN {}", shortened(&mode));
        return Err(over(primary, first, last).hint(format!("write BEGIN{MODES}")));
    }
    let Some((last, named)) = level.split_last().filter(|(_, before)| before.len() < 2) else {
        return Err(no_level(rest, level));
    };
    let name = named.iter().chain([last]).map(|word| word.text).collect::<Vec<_>>().join(" ");
    match isolation(&name) {
        Some(level) => Ok(Command::Begin(Some(level), reads_only)),
        None => Err(no_level(rest, level)),
    }
}

/// What stands behind `BEGIN` is no level.
fn no_level(rest: &[Word<'_>], level: &[Word<'_>]) -> Diagnostic {
    let hint = format!("the levels are {}; BEGIN alone takes the one of the database", LEVELS.join(", "));
    let Some((&first, &last)) = level.first().zip(level.last()) else {
        let place = rest.last().copied().unwrap_or(Word { text: "", start: 0 });
        return wrong("the name of an isolation level is missing", place).hint(hint);
    };
    let name = level.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let error = over(format!("there is no isolation level \"{}\"", shortened(&name)), first, last);
    match nearest(&name.to_ascii_uppercase(), LEVELS.iter().copied()) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.hint(hint),
    }
}

/// `TERMINATE` and what follows.
fn terminate(first: Word<'_>, rest: &[Word<'_>]) -> Result<Command, Diagnostic> {
    const HINT: &str =
        "SHOW TRANSACTIONS lists the numbers; write TERMINATE TRANSACTION 12, or several with commas";
    let numbers = match rest {
        [word, numbers @ ..] if word.is_one_of(&["TRANSACTION", "TRANSACTIONS"]) => numbers,
        [word, ..] => {
            let primary = format!("expected TRANSACTION, found \"{}\"", shortened(word.text));
            return Err(wrong(primary, *word).hint(HINT));
        }
        [] => rest,
    };
    let Some((&one, &last)) = numbers.first().zip(numbers.last()) else {
        return Err(wrong("the number of a transaction is missing", first).hint(HINT));
    };
    let all = numbers.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for number in all.split(',') {
        let number = number.trim().trim_matches(['\'', '"']);
        let Ok(number) = number.parse() else {
            let primary = format!("\"{}\" is not the number of a transaction", shortened(number));
            return Err(over(primary, one, last).hint(HINT));
        };
        found.push(number);
    }
    Ok(Command::Terminate(found))
}

fn end_expected(first: Word<'_>, found: Word<'_>) -> Diagnostic {
    let command = first.text.to_ascii_uppercase();
    let primary = format!("expected the end of {command}, found \"{}\"", shortened(found.text));
    wrong(primary, found).hint(format!("write {command} alone"))
}

fn wrong(primary: impl Into<String>, word: Word<'_>) -> Diagnostic {
    over(primary, word, word)
}

fn over(primary: impl Into<String>, first: Word<'_>, last: Word<'_>) -> Diagnostic {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span::new(place(first.start), place(last.start + last.text.len()));
    Diagnostic::compile(ErrorKind::SyntaxError, "UnexpectedSyntax", primary).at(span)
}

/// What a message quotes of a text.
fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 30;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
