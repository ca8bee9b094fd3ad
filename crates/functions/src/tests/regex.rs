//! `=~` against what Java's `String.matches` gives.

use trimorph_base::Random;
use trimorph_types::Value;

use crate::operators::regex_match;

fn ask(text: &str, pattern: &str) -> Result<bool, String> {
    match regex_match(&Value::string(text), &Value::string(pattern)) {
        Ok(Value::Bool(found)) => Ok(found),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.primary),
    }
}

/// Rows of pattern, texts that match, texts that do not.
fn check(rows: &[(&str, &[&str], &[&str])]) {
    for (pattern, yes, no) in rows {
        for text in *yes {
            assert_eq!(ask(text, pattern), Ok(true), "{text:?} =~ {pattern}");
        }
        for text in *no {
            assert_eq!(ask(text, pattern), Ok(false), "{text:?} =~ {pattern}");
        }
    }
}

#[test]
fn classes_are_of_ascii_unless_asked() {
    check(&[
        (r"\w+", &["aZ_09"], &["é", "a b", "٣", ""]),
        (r"(?U)\w+", &["é٣_"], &["-"]),
        (r"\d", &["7"], &["٣", "x"]),
        (r"(?U)\d", &["7", "٣"], &["x"]),
        (r"\D", &["٣", "x"], &["7"]),
        (r"\s", &[" ", "\t", "\x0B"], &["\u{a0}", "\u{2003}"]),
        (r"(?U:\s)", &["\u{a0}", "\u{2003}"], &["x"]),
        (r"\S\W", &["é-", "aé"], &["ab"]),
        (r"a\b-\bb", &["a-b"], &[]),
        // No word before the accent, so a boundary between the two.
        (r"a\bé", &["aé"], &[]),
        (r"(?U)a\bé", &[], &["aé"]),
        (r"a\Bb", &["ab"], &[]),
        (r"[\w\s]+", &["a b"], &["é"]),
        (r"[^\d]", &["x", "٣"], &["1"]),
        (r"\h\H\v\V", &["\u{3000}x\u{2028}x"], &["x\u{3000}xx"]),
    ]);
}

#[test]
fn case_is_of_ascii_unless_asked() {
    check(&[
        ("(?i)straße", &["STRAßE", "Straße"], &["STRASSE"]),
        ("(?i)é", &["é"], &["É"]),
        ("(?iu)é", &["é", "É"], &["e"]),
        ("(?i)k", &["k", "K"], &["\u{212a}"]),
        ("(?iu)k", &["k", "K", "\u{212a}"], &[]),
        ("(?i)[a-c]x", &["AX", "bX", "cx"], &["dx"]),
        ("(?i)[^a-c]", &["d"], &["a", "A"]),
        ("(?iu)[é]", &["É", "é"], &["e"]),
        ("a(?i)b(?-i)c", &["abc", "aBc"], &["ABc", "abC"]),
        ("a(?i:b)c", &["aBc"], &["abC"]),
        ("(a(?i)b)c", &["aBc"], &["aBC"]),
        ("(?i)[Y-b]", &["y", "Z", "A", "b", "_"], &["c", "x"]),
    ]);
}

#[test]
fn what_needs_backtracking() {
    check(&[
        ("(?=.*a)(?!.*b).+", &["cac"], &["cc", "cab"]),
        ("a(?<=a)b", &["ab"], &[]),
        ("a(?<!a)b", &[], &["ab"]),
        (r"(\w+) \1", &["ho ho", "a a"], &["ho ha"]),
        (r"(?<w>\w+) \k<w>", &["ho ho"], &["ho ha"]),
        (r"(?i)(a)\1", &["aA", "AA"], &["ab"]),
        (r"(a)\10", &["aa0"], &["a"]),
        ("a*+a", &[], &["aaa"]),
        ("a++b", &["aab"], &["b"]),
        ("a?+a", &["aa"], &["a"]),
        ("a{1,2}+a", &["aaa"], &["aa"]),
        ("(?>a|ab)c", &["ac"], &["abc"]),
        (r"(?=\bx\b)x(?!y)", &["x"], &["xy"]),
        (r"(?!a)[\w&&[^b]]\d+", &["c12"], &["a1", "b1"]),
        ("a$\n", &["a\n"], &["a"]),
        (r"a\Z\R", &["a\n", "a\r\n"], &["a"]),
    ]);
}

#[test]
fn syntax_of_java() {
    check(&[
        (r"\Qa.b*\E+", &["a.b*", "a.b**"], &["axbb"]),
        (r"\Qa.b", &["a.b"], &["axb"]),
        (r"[\Q]^\E]+", &["]^"], &["\\"]),
        (r"x\Ry", &["x\ny", "x\r\ny", "x\u{2028}y"], &["x\n\ny"]),
        (r"\p{Alpha}\p{Upper}\p{Punct}", &["aB!"], &["éB!"]),
        (r"(?U)\p{Alpha}", &["é"], &["1"]),
        (r"\p{L}\p{Lu}\pN\PN", &["éÉ١x"], &["ééé1"]),
        (r"\p{IsLatin}\p{IsAlphabetic}\p{IsGreek}\p{script=Cyrillic}\p{gc=Lu}", &["éaαжЖ"], &["aaaaa"]),
        (r"\P{Lower}", &["A", "é"], &["a"]),
        ("[a-z&&[^aeiou]]", &["b"], &["a"]),
        ("[a-d[m-p]]", &["a", "n"], &["e"]),
        ("[^a-d[m-p]]", &["e"], &["a", "n"]),
        ("[a-z&&def]", &["d"], &["a"]),
        ("[]a]", &["]", "a"], &["b"]),
        ("[a-]", &["-", "a"], &["b"]),
        (r"[\-\]\\^.~]", &["-", "]", "\\", "^", ".", "~"], &["a"]),
        (r"\x41B\x{1F600}\0101\t\cA", &["AB\u{1F600}A\t\u{1}"], &[]),
        (r"\uD83D\uDE00", &["\u{1F600}"], &[]),
        ("(?x) a b # both\n c", &["abc"], &["a b c"]),
        ("(?x)[a b]", &["a", "b"], &[" "]),
        ("a.b", &["axb", "a\u{e9}b"], &["a\nb", "a\rb", "a\u{2028}b"]),
        ("(?s)a.b", &["a\nb"], &["ab"]),
        ("(?d)a.b", &["a\rb"], &["a\nb"]),
        ("(?m)a$\n^b", &["a\nb"], &["a b"]),
        ("^a$", &["a"], &["a\n", "ba"]),
        ("(^a$)|b$", &["a", "b"], &["ab"]),
        ("a{2}b{1,}c{0,1}", &["aab", "aabbc"], &["ab"]),
        ("a|b", &["a", "b"], &["ab"]),
        ("", &[""], &["a"]),
        ("a}]", &["a}]"], &[]),
        (r"\.\*\ \-\é", &[".* -é"], &[]),
    ]);
}

#[test]
fn faults_are_told() {
    for (pattern, reason) in [
        ("(", "a group is not closed"),
        (")", "a group is closed that was not opened"),
        ("[a", "a class is not closed"),
        ("a{", "{ is not followed by a count"),
        ("a{,3}", "{ is not followed by a count"),
        ("a\\", "is not followed by anything"),
        (r"\y", r"\y is not supported"),
        (r"\X", r"\X is not supported"),
        ("(?q)a", "unknown flag \"q\""),
        ("[z-a]", "range z-a is empty"),
        (r"\p{Nope}", ""),
        (r"\p{InGreek}", "blocks such as \"InGreek\" are not supported"),
        (r"\p{L}\p{^x[}", "unknown property"),
        ("*a", ""),
        (r"(a)\2", ""),
        (r"(?<1>a)", "is no name of a group"),
        (r"((((a{100}){100}){100}){100})", "too large"),
        (r"(?=((((a{100}){100}){100}){100}))a", "too large"),
    ] {
        let error = ask("a", pattern).unwrap_err();
        assert!(error.starts_with("invalid regular expression"), "{pattern}: {error}");
        assert!(error.contains(reason), "{pattern}: {error}");
    }
    assert!(ask("a", &"(".repeat(200)).unwrap_err().contains("more than 100 groups"));
    assert!(ask("a", &"[".repeat(200)).unwrap_err().contains("more than 50 classes"));
    assert!(ask("a", &"a".repeat(100_000)).unwrap_err().contains("more than 65536 bytes"));
}

#[test]
fn steps_are_bounded() {
    let text = format!("{}b", "a".repeat(40));
    let error = ask(&text, "(?=(a+)+$)x|(?:(a|a)+)+\\1c").unwrap_err();
    assert_eq!(error, "regular expression takes too many steps");
    // Without look-around there is no such bound, and no need of one.
    assert_eq!(ask(&text, "(a|a)+c"), Ok(false));
}

/// Characters in any order neither panic nor take long.
#[test]
fn any_text_is_a_pattern_or_a_fault() {
    let mut random = Random::new(7);
    let alphabet: Vec<char> = r"ab09\\\(([[))]]{}*+?|^$.&&--QEpPkuxcRZbwdi<>=!:,#é ".chars().collect();
    for _ in 0..20_000 {
        let length = random.below(14);
        let pattern: String = (0..length).map(|_| *random.pick(&alphabet)).collect();
        _ = ask("ab09", &pattern);
    }
}

/// A long text is matched in another way than a short one, to the same end.
#[test]
fn long_texts_match_as_short_ones_do() {
    for (pattern, part) in [
        ("(ab|c)*", "abc"),
        ("(ab|c)*d", "abc"),
        (".*\\bend", "word "),
        (".*", "two\nlines"),
        ("(?s).*", "two\nlines"),
        ("(?U).*\\bé.*", "é à "),
        ("[^x]*", "ünïcödé"),
        ("(?i)(WORD )*", "word "),
        ("a|(abc)*", "abc"),
    ] {
        let (short, long) = (part.repeat(3), part.repeat((2 << 20) / part.len()));
        for end in ["", "d", "end", "x"] {
            let answers = [&short, &long].map(|text| ask(&format!("{text}{end}"), pattern));
            assert_eq!(answers[0], answers[1], "{pattern} of {part:?} and {end:?}");
        }
    }
}
