//! REGEX and REPLACE.

use super::evaluator::{check, text, value};
use trimorph_types::Value;

#[test]
fn patterns() {
    check(
        r#"
        // sparql10/regex
        regex("abc", "abc", "i") ==> "true"^^xsd:boolean
        regex("a\nc", "a[b\\n]c") ==> "true"^^xsd:boolean
        regex("a\nc", "a.c") ==> "false"^^xsd:boolean
        regex("a\nc", "a.c", "s") ==> "true"^^xsd:boolean
        regex("a\nc", " a\n\r\t[\\n]c ", "x") ==> "true"^^xsd:boolean
        regex("a\nc", " a\n\tc ", "x") ==> "false"^^xsd:boolean
        regex("axc", "a[^b]c") ==> "true"^^xsd:boolean
        regex("abbbc", "ab{1,2}c") ==> "false"^^xsd:boolean
        regex("abbbc", "ab{1,}c") ==> "true"^^xsd:boolean
        regex("abcDEFghiJKL", "DeFghI", "i") ==> "true"^^xsd:boolean
        regex("http://example.com", "example\\.com") ==> "true"^^xsd:boolean
        regex("examplexcom", "example\\.com") ==> "false"^^xsd:boolean
        regex("a\nb\nc", "^b$") ==> "false"^^xsd:boolean
        regex("a\nb\nc", "^b$", "m") ==> "true"^^xsd:boolean
        regex("abc\n", "c$") ==> "false"^^xsd:boolean
        // XPath, §5.6.3
        regex("abracadabra", "bra") ==> "true"^^xsd:boolean
        regex("abracadabra", "^a.*a$") ==> "true"^^xsd:boolean
        regex("abracadabra", "^bra") ==> "false"^^xsd:boolean
        regex("helloworld", "hello world", "x") ==> "true"^^xsd:boolean
        regex("helloworld", "hello[ ]world", "x") ==> "false"^^xsd:boolean
        regex("hello world", "hello\\ sworld", "x") ==> "false"^^xsd:boolean
        regex("a.b", "a.b", "q") ==> "true"^^xsd:boolean
        regex("axb", "a.b", "q") ==> "false"^^xsd:boolean
        regex("A.B", "a.b", "qi") ==> "true"^^xsd:boolean
        regex("abc"@en, "b") ==> "true"^^xsd:boolean
        regex("abc", "b"@en) ==> error
        regex(1, "1") ==> error
        regex("abc", "(") ==> error
        regex("abc", "b", "y") ==> error
        regex("abc", "\\") ==> error
        regex("abc", "[") ==> error
        // Classes.
        regex("m", "^[a-z-[aeiou]]$") ==> "true"^^xsd:boolean
        regex("e", "^[a-z-[aeiou]]$") ==> "false"^^xsd:boolean
        regex("-", "^[a-]$") ==> "true"^^xsd:boolean
        regex("-", "^[-a]$") ==> "true"^^xsd:boolean
        regex("b", "^[+--]$") ==> "false"^^xsd:boolean
        regex(",", "^[+--]$") ==> "true"^^xsd:boolean
        regex("[", "^[[]$") ==> "true"^^xsd:boolean
        regex("&", "^[a&&b]$") ==> "true"^^xsd:boolean
        regex("~", "^[a~~b]$") ==> "true"^^xsd:boolean
        regex("x1", "^\\i\\d$") ==> "true"^^xsd:boolean
        regex("-", "^\\c$") ==> "true"^^xsd:boolean
        regex("-", "^[^\\C]$") ==> "true"^^xsd:boolean
        regex("-", "^\\i$") ==> "false"^^xsd:boolean
        regex("é", "^\\w$") ==> "true"^^xsd:boolean
        regex("_", "^\\w$") ==> "false"^^xsd:boolean
        regex("\t", "^[\\s]$") ==> "true"^^xsd:boolean
        regex("é", "^\\p{Ll}$") ==> "true"^^xsd:boolean
        regex("é", "^\\p{Nope}$") ==> error
        regex("a#b", "a#b") ==> "true"^^xsd:boolean
        // Back-references, and what other engines read.
        regex("abab", "^(ab)\\1$") ==> "true"^^xsd:boolean
        regex("abab0", "^(ab)\\10$") ==> "true"^^xsd:boolean
        regex("ab", "(?i)AB") ==> "true"^^xsd:boolean
        regex("foobar", "foo(?=bar)") ==> "true"^^xsd:boolean
        regex("a word", "\\bword\\b") ==> "true"^^xsd:boolean
        "#,
    );
}

#[test]
fn replacements() {
    check(
        r#"
        // SPARQL 1.1, §17.4.3.15, and XPath, §5.6.4
        replace("abcd", "b", "Z") ==> "aZcd"
        replace("abab", "B", "Z", "i") ==> "aZaZ"
        replace("abab", "B.", "Z", "i") ==> "aZb"
        replace("abcd"@en, "b", "Z") ==> "aZcd"@en
        replace("abracadabra", "bra", "*") ==> "a*cada*"
        replace("abracadabra", "a.*a", "*") ==> "*"
        replace("abracadabra", "a.*?a", "*") ==> "*c*bra"
        replace("abracadabra", "a", "") ==> "brcdbr"
        replace("abracadabra", "a(.)", "a$1$1") ==> "abbraccaddabbra"
        // What matches the empty text as well, as the next version of XPath has it.
        replace("http://a.org/b#c", "[^#]*$", "") ==> "http://a.org/b#"
        replace("  a b ", "^\\s*|\\s*$", "") ==> "a b"
        replace("abc", "x*", "-") ==> "-a-b-c-"
        replace("日本", "x?", "-") ==> "-日-本-"
        replace("abab", "(x?)b\\1", "-") ==> "a-a-"
        replace("", "^$", "-") ==> "-"
        replace("abracadabra", ".*?", "$1") ==> "abracadabra"
        replace("AAAA", "A+", "b") ==> "b"
        replace("AAAA", "A+?", "b") ==> "bbbb"
        replace("darted", "^(.*?)d(.*)$", "$1c$2") ==> "carted"
        replace("abc", "(b)", "[$0]") ==> "a[b]c"
        replace("abc", "(b)", "$12") ==> "ab2c"
        replace("abc", "b", "\\$\\\\") ==> "a$\\c"
        replace("abc", "b", "$") ==> error
        replace("abc", "b", "\\n") ==> error
        replace("a.c", ".", "$", "q") ==> "a$c"
        replace("abab", "(a)b\\1", "x") ==> "xb"
        replace("日本語", "本", "$0$0") ==> "日本本語"
        replace(1, "1", "2") ==> error
        replace("abc", "b", "x"@en) ==> error
        // sparql11/functions/replace01: [^a-z0-9] to "-"
        replace("BAZ", "[^a-z0-9]", "-") ==> "---"
        replace("100%", "[^a-z0-9]", "-") ==> "100-"
        replace("食べ物", "[^a-z0-9]", "-") ==> "---"
        "#,
    );
}

#[test]
fn patterns_that_cost_too_much_are_errors() {
    let long = "a".repeat(70_000);
    assert_eq!(text(&format!("regex(\"a\", \"{long}\")")), "error");
    assert_eq!(text("regex(\"a\", \"(((a{100}){100}){100}){100}\")"), "error");
    let text_of_a = "a".repeat(5_000);
    assert_eq!(text(&format!("regex(\"{text_of_a}\", \"^(a|aa)+(?!a)\\\\1\\\\1b$\")")), "error");
    let nested = "[a-".repeat(10_000);
    assert_eq!(text(&format!("regex(\"a\", \"{nested}\")")), "error");
    assert_eq!(text(&format!("regex(\"a\", \"{}\")", "(".repeat(10_000))), "error");
}

#[test]
fn long_texts_match_as_short_ones() {
    let long = format!("{}needle\n{}", "x".repeat(1 << 20), "y".repeat(100));
    for (pattern, flags, expected) in [
        ("needle", "", true),
        ("NEEDLE", "i", true),
        ("NEEDLE", "", false),
        ("^x+needle$", "", false),
        ("^x+needle$", "m", true),
        ("y$", "", true),
        ("a|needle", "", true),
    ] {
        let graph = super::evaluator::Named;
        let context = crate::Context::new(&graph, crate::tests::evaluator::NOW, 7);
        let args = [long.as_str(), pattern, flags].map(Value::string);
        let found = crate::lookup("sparql.regex").unwrap().invoke(&context, &args).unwrap();
        assert!(matches!(found, Value::Bool(x) if x == expected), "{pattern} {flags}");
    }
    assert!(matches!(value("regex(\"a\", \"a\")"), Value::Bool(true)));
}
