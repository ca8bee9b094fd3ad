//! Arithmetic, rounding, casts of numbers, aggregates.

use super::evaluator::check;

#[test]
fn arithmetic() {
    check(
        r#"
        add(1, 2) ==> "3"^^xsd:integer
        add("1"^^xsd:byte, "2"^^xsd:short) ==> "3"^^xsd:integer
        add(1.0, 2) ==> "3.0"^^xsd:decimal
        add("1.50"^^xsd:decimal, "01"^^xsd:int) ==> "2.5"^^xsd:decimal
        add(1, 2.0e0) ==> "3.0E0"^^xsd:double
        add("1"^^xsd:float, 2) ==> "3.0E0"^^xsd:float
        add("1"^^xsd:float, 2.5) ==> "3.5E0"^^xsd:float
        add("1"^^xsd:float, 2.0e0) ==> "3.0E0"^^xsd:double
        add("a", 1) ==> error
        add("1", "2") ==> error
        add(_:b, 1) ==> error
        add("300"^^xsd:byte, 1) ==> error
        add(null, 1) ==> error
        // Beyond 64 bits integers stay integers.
        add(9223372036854775807, 1) ==> "9223372036854775808"^^xsd:integer
        add("9223372036854775808"^^xsd:integer, -1) ==> "9223372036854775807"^^xsd:integer
        mul(9223372036854775807, 9223372036854775807) ==> "85070591730234615847396907784232501249"^^xsd:integer
        mul("99999999999999999999"^^xsd:integer, "99999999999999999999"^^xsd:integer) ==> error
        sub(1, 2) ==> "-1"^^xsd:integer
        mul(2, 1.5) ==> "3.0"^^xsd:decimal
        div(6, 3) ==> "2.0"^^xsd:decimal
        div(1, 3) ==> "0.333333333333333333"^^xsd:decimal
        div(1, 0) ==> error
        div(1.0, 0.0) ==> error
        div(1.0e0, 0) ==> "INF"^^xsd:double
        div(0, 0.0e0) ==> "NaN"^^xsd:double
        div("1"^^xsd:float, "3"^^xsd:float) ==> "3.3333334E-1"^^xsd:float
        // Digits behind the point go before the number does.
        mul(div(1, 3), mul(div(1, 3), div(1, 3))) ==> "0.03703703703703703692296296296296296304"^^xsd:decimal
        add(1000000000000000000000000000000.0, div(1, 3)) ==> "1000000000000000000000000000000.3333333"^^xsd:decimal
        neg(5) ==> "-5"^^xsd:integer
        neg(-9223372036854775808) ==> "9223372036854775808"^^xsd:integer
        neg("1.5"^^xsd:float) ==> "-1.5E0"^^xsd:float
        neg("a") ==> error
        plus("05"^^xsd:int) ==> "5"^^xsd:integer
        plus("a") ==> error
        add(#9, 1) ==> "43"^^xsd:integer
        // sparql10/expr-ops
        div(xsd.integer("6"), xsd.decimal("2")) ==> "3.0"^^xsd:decimal
        sub(xsd.float("3"), xsd.double("1")) ==> "2.0E0"^^xsd:double
        "#,
    );
}

#[test]
fn rounding() {
    check(
        r#"
        // sparql11/functions: abs01, ceil01, floor01, round01
        abs(-2) ==> "2"^^xsd:integer
        abs(-1.6) ==> "1.6"^^xsd:decimal
        ceil(2.5) ==> "3.0"^^xsd:decimal
        ceil(1.1) ==> "2.0"^^xsd:decimal
        ceil(-1.6) ==> "-1.0"^^xsd:decimal
        ceil(-2) ==> "-2"^^xsd:integer
        floor(2.5) ==> "2.0"^^xsd:decimal
        floor(-1.6) ==> "-2.0"^^xsd:decimal
        round(2.5) ==> "3.0"^^xsd:decimal
        round(1.1) ==> "1.0"^^xsd:decimal
        round(-1.6) ==> "-2.0"^^xsd:decimal
        round(-2.5) ==> "-2.0"^^xsd:decimal
        round(2.4999e0) ==> "2.0E0"^^xsd:double
        round(-2.5e0) ==> "-2.0E0"^^xsd:double
        round(-0.5e0) ==> "-0.0E0"^^xsd:double
        round(-0.2e0) ==> "-0.0E0"^^xsd:double
        round("-0.4"^^xsd:float) ==> "-0.0E0"^^xsd:float
        round(0.2e0) ==> "0.0E0"^^xsd:double
        round("2.5"^^xsd:float) ==> "3.0E0"^^xsd:float
        ceil("INF"^^xsd:double) ==> "INF"^^xsd:double
        abs("-7"^^xsd:byte) ==> "7"^^xsd:integer
        abs(-9223372036854775808) ==> "9223372036854775808"^^xsd:integer
        abs("-1"^^xsd:nonNegativeInteger) ==> error
        ceil("a") ==> error
        "#,
    );
}

#[test]
fn casts() {
    check(
        r#"
        // sparql10/cast: which texts read as what
        xsd.float("-10.2E3") ==> "-1.02E4"^^xsd:float
        xsd.double("+33.3300") ==> "3.333E1"^^xsd:double
        xsd.decimal("+33.3300") ==> "33.33"^^xsd:decimal
        xsd.decimal("-10.2E3") ==> error
        xsd.decimal("13") ==> "13.0"^^xsd:decimal
        xsd.integer("13") ==> "13"^^xsd:integer
        xsd.integer("+33.3300") ==> error
        xsd.integer(" 13 ") ==> "13"^^xsd:integer
        xsd.integer("true") ==> error
        xsd.integer(<a>) ==> error
        xsd.integer("a"@en) ==> error
        xsd.integer(true) ==> "1"^^xsd:integer
        xsd.integer(-2.9) ==> "-2"^^xsd:integer
        xsd.integer(1.5e3) ==> "1500"^^xsd:integer
        xsd.integer(1e300) ==> error
        xsd.integer("NaN"^^xsd:double) ==> error
        xsd.integer("99999999999999999999") ==> "99999999999999999999"^^xsd:integer
        xsd.byte(127) ==> "127"^^xsd:byte
        xsd.byte(128) ==> error
        xsd.unsignedByte("-1") ==> error
        xsd.positiveInteger(0) ==> error
        xsd.unsignedLong("18446744073709551615") ==> "18446744073709551615"^^xsd:unsignedLong
        xsd.decimal(0.1e0) ==> "0.1"^^xsd:decimal
        xsd.decimal(1e-40) ==> "0.0"^^xsd:decimal
        xsd.decimal(1.5e20) ==> "150000000000000000000.0"^^xsd:decimal
        xsd.decimal("INF"^^xsd:double) ==> error
        xsd.decimal("1.5"^^xsd:float) ==> "1.5"^^xsd:decimal
        xsd.double("INF") ==> "INF"^^xsd:double
        xsd.double("inf") ==> error
        xsd.double(false) ==> "0.0E0"^^xsd:double
        xsd.float(16777217) ==> "1.6777216E7"^^xsd:float
        // sparql11/cast/cast-bool
        xsd.boolean("true") ==> "true"^^xsd:boolean
        xsd.boolean("1") ==> "true"^^xsd:boolean
        xsd.boolean("0") ==> "false"^^xsd:boolean
        xsd.boolean("TRUE") ==> error
        xsd.boolean(0) ==> "false"^^xsd:boolean
        xsd.boolean(-1.5) ==> "true"^^xsd:boolean
        xsd.boolean("NaN"^^xsd:float) ==> "false"^^xsd:boolean
        xsd.string(1) ==> "1"
        xsd.string("01"^^xsd:int) ==> "1"
        xsd.string(2.0) ==> "2"
        xsd.string("1.50"^^xsd:decimal) ==> "1.5"
        xsd.string(1.0e0) ==> "1"
        xsd.string(1e6) ==> "1.0E6"
        xsd.string(1.5e-7) ==> "1.5E-7"
        xsd.string("0.1"^^xsd:float) ==> "0.1"
        xsd.string(<http://a>) ==> "http://a"
        xsd.string(_:a) ==> error
        xsd.string("a"@en) ==> "a"
        xsd.string("1"^^xsd:boolean) ==> "true"
        xsd.string("a"^^<t>) ==> "a"
        "#,
    );
}

#[test]
fn aggregates() {
    check(
        r#"
        sum([]) ==> "0"^^xsd:integer
        sum([1, 2, 3]) ==> "6"^^xsd:integer
        sum([1, 2.2, 3.5]) ==> "6.7"^^xsd:decimal
        sum([1, "2"^^xsd:float]) ==> "3.0E0"^^xsd:float
        sum([1, "a"]) ==> error
        sum([1, null]) ==> error
        sum([9223372036854775807, 1]) ==> "9223372036854775808"^^xsd:integer
        avg([]) ==> "0"^^xsd:integer
        avg([1, 2]) ==> "1.5"^^xsd:decimal
        // sparql11/aggregates/agg-avg-01
        avg([1, 2.2, 3.5, 2.2, 2.2]) ==> "2.22"^^xsd:decimal
        avg([1.0e0, 2]) ==> "1.5E0"^^xsd:double
        avg([1, <a>]) ==> error
        min([]) ==> error
        min([3, 1.5, 2e0]) ==> "1.5"^^xsd:decimal
        max([3, 1.5, "4"^^xsd:byte]) ==> "4"^^xsd:byte
        min([1, "a", <a>, _:b]) ==> _:b
        max([1, 2, 2]) ==> "2"^^xsd:integer
        max(["b", "c", "a"]) ==> "c"
        min([1.0, 1]) ==> "1.0"^^xsd:decimal
        min([1, 1.0]) ==> "1.0"^^xsd:decimal
        max([1, null]) ==> error
        max([#7, <http://n/1>]) ==> #7
        max(["2005-01-01T00:00:00Z"^^xsd:dateTime, "2005-01-01T00:30:00+01:00"^^xsd:dateTime]) ==> "2005-01-01T00:00:00Z"^^xsd:dateTime
        max([<<(<a> <b> <c>)>>, 1]) ==> <<( <a> <b> <c> )>>
        sample([]) ==> error
        sample([null, 1]) ==> "1"^^xsd:integer
        group_concat([]) ==> ""
        group_concat(["1"@en, "2"@en]) ==> "1 2"
        group_concat(["1", 22, <a>], ", ") ==> "1, 22, a"
        group_concat(["01"^^xsd:int, #9, 1.50], "") ==> "01421.50"
        group_concat(["1", null]) ==> error
        group_concat([_:b]) ==> error
        "#,
    );
}
