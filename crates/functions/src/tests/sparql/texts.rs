//! Functions of texts and checksums.

use super::evaluator::check;

#[test]
fn texts() {
    check(
        r#"
        strlen("chat") ==> "4"^^xsd:integer
        strlen("chat"@en) ==> "4"^^xsd:integer
        strlen("食べ物") ==> "3"^^xsd:integer
        strlen("a𝒳b") ==> "3"^^xsd:integer
        strlen(1) ==> error
        strlen(<a>) ==> error
        // SPARQL 1.1, §17.4.3.3
        substr("foobar", 4) ==> "bar"
        substr("foobar"@en, 4) ==> "bar"@en
        substr("foobar", 4, 1) ==> "b"
        substr("foobar"@en, 4, 1) ==> "b"@en
        substr("食べ物", 2, 1) ==> "べ"
        // XPath, §5.4.3
        substr("12345", 2) ==> "2345"
        substr("12345", 2, 3) ==> "234"
        substr("12345", 0, 3) ==> "12"
        substr("12345", -3, 5) ==> "1"
        substr("12345", 5, -3) ==> ""
        substr("12345", 1.5, 2.6) ==> "234"
        substr("12345", "NaN"^^xsd:double, 3) ==> ""
        substr("12345", 1, "NaN"^^xsd:double) ==> ""
        substr("12345", "-INF"^^xsd:double, "INF"^^xsd:double) ==> ""
        substr("12345", -42, "INF"^^xsd:double) ==> "12345"
        substr("12345", "-INF"^^xsd:double) ==> "12345"
        substr("12345", -9223372036854775808, 9223372036854775807) ==> ""
        substr("12345", 9223372036854775807, 9223372036854775807) ==> ""
        substr("12345", "02"^^xsd:int) ==> "2345"
        substr("a", "b") ==> error
        ucase("foo") ==> "FOO"
        ucase("foo"@en) ==> "FOO"@en
        lcase("BAR"@en--ltr) ==> "bar"@en--ltr
        ucase("食べ物") ==> "食べ物"
        ucase(1) ==> error
        strstarts("foobar", "foo") ==> "true"^^xsd:boolean
        strstarts("foobar"@en, "foo"@EN) ==> "true"^^xsd:boolean
        strstarts("foobar"@en, "foo") ==> "true"^^xsd:boolean
        strstarts("foobar", "foo"@en) ==> error
        strstarts("foobar"@en, "foo"@fr) ==> error
        strends("foobar", "bar") ==> "true"^^xsd:boolean
        strends("foobar", "x") ==> "false"^^xsd:boolean
        contains("foobar", "oba") ==> "true"^^xsd:boolean
        contains("foobar", "") ==> "true"^^xsd:boolean
        contains(1, "1") ==> error
        // SPARQL 1.1, §17.4.3.9 and §17.4.3.10
        strbefore("abc", "b") ==> "a"
        strbefore("abc"@en, "bc") ==> "a"@en
        strbefore("abc"@en, "b"@cy) ==> error
        strbefore("abc", "") ==> ""
        strbefore("abc", "xyz") ==> ""
        strbefore("abc"@en, "z"@en) ==> ""
        strbefore("abc"@en, "z") ==> ""
        strbefore("abc"@en, ""@en) ==> ""@en
        strbefore("abc"@en, "") ==> ""@en
        strafter("abc", "b") ==> "c"
        strafter("abc"@en, "ab") ==> "c"@en
        strafter("abc"@en, "b"@cy) ==> error
        strafter("abc", "") ==> "abc"
        strafter("abc", "xyz") ==> ""
        strafter("abc"@en, "z"@en) ==> ""
        strafter("abc"@en, ""@en) ==> "abc"@en
        encode_for_uri("Los Angeles") ==> "Los%20Angeles"
        encode_for_uri("Los Angeles"@en) ==> "Los%20Angeles"
        encode_for_uri("食") ==> "%E9%A3%9F"
        encode_for_uri("100% -_.~/") ==> "100%25%20-_.~%2F"
        // SPARQL 1.1, §17.4.3.12
        concat("foo", "bar") ==> "foobar"
        concat("foo"@en, "bar"@en) ==> "foobar"@en
        concat("foo", "bar"@en) ==> "foobar"
        concat("foo"@en, "bar") ==> "foobar"
        concat() ==> ""
        concat("a"@en) ==> "a"@en
        concat("a", 1) ==> error
        concat("abc"^^xsd:string, "d") ==> "abcd"
        // sparql12/lang-basedir/concat
        concat("a"@en--ltr, "b"@en--ltr) ==> "ab"@en--ltr
        concat("a"@en--ltr, "b"@en--rtl) ==> "ab"
        concat("a"@en--ltr, "b"@en) ==> "ab"
        concat("a"@en--ltr, "b", "c"@en--ltr) ==> "abc"
        langmatches("en", "en") ==> "true"^^xsd:boolean
        langmatches("en-GB", "EN") ==> "true"^^xsd:boolean
        langmatches("eng", "en") ==> "false"^^xsd:boolean
        langmatches("de-Latn-DE", "de-de") ==> "false"^^xsd:boolean
        langmatches("fr", "*") ==> "true"^^xsd:boolean
        langmatches("", "*") ==> "false"^^xsd:boolean
        langmatches("en"@en, "en") ==> error
        "#,
    );
}

#[test]
fn checksums() {
    check(
        r#"
        // sparql11/functions
        md5("foo") ==> "acbd18db4cc2f85cedef654fccc4a4d8"
        md5("食べ物") ==> "e7ada485d13b1decf628c9211bc3a97b"
        sha1("foo") ==> "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33"
        sha256("foo") ==> "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
        sha256("食") ==> "0fbe868d1df356ca9df7ebff346da3a56280e059a7ea81186ef885b140d254ee"
        sha384("foo") ==> "98c11ffdfdd540676b1a137cb1a22b2a70350c9a44171d6b1180c6be5cbb2ee3f79d532c8a1dd9ef2e8e08e752a3babb"
        sha384("食") ==> "adfda7e9ad8789b391855038d0d74dce3efe3af1eefcea35d50b91d6c244a0c546375445b518c9fb61e03e6a060bc95d"
        sha512("食") ==> "b433ed0e60c818bea72d3aa1a43db89b3ed2b624597407b7912bbb7685f2e45ae5500e092da5f938391d282b26bc43e4035b12460c93ab5e2e1a05d582331d85"
        sha1("abc") ==> "a9993e364706816aba3e25717850c26c9cd0d89d"
        sha256("abc") ==> "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        sha384("abc") ==> "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        sha512("abc") ==> "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        md5("") ==> "d41d8cd98f00b204e9800998ecf8427e"
        md5("foo"@en) ==> error
        md5(1) ==> error
        "#,
    );
}
