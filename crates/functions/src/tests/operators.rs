//! Operators: expressions against expected text.

use trimorph_types::{Date, LocalTime, Value};

use super::functions::check;
use crate::operators::{add, differs, slice, subtract};

#[test]
fn arithmetic() {
    check(
        "
        1 + 2 ==> 3
        1 + 2.0 ==> 3.0
        9223372036854775807 + 1 ==> !ArithmeticError NumberOutOfRange
        -9223372036854775808 - 1 ==> !ArithmeticError NumberOutOfRange
        9223372036854775807 * 2 ==> !ArithmeticError NumberOutOfRange
        -9223372036854775808 / -1 ==> !ArithmeticError NumberOutOfRange
        -9223372036854775808 % -1 ==> 0
        -(-9223372036854775808) ==> !ArithmeticError NumberOutOfRange
        7 / 2 ==> 3
        -7 / 2 ==> -3
        7 / 2.0 ==> 3.5
        1 / 0 ==> !ArithmeticError DivisionByZero
        1 % 0 ==> !ArithmeticError DivisionByZero
        1.0 / 0 ==> Inf
        0.0 / 0 ==> NaN
        -7 % 3 ==> -1
        7.5 % 2 ==> 1.5
        2 ^ 3 ==> 8.0
        4 ^ 0.5 ==> 2.0
        null + 1 ==> null
        1 - null ==> null
        null ^ 2 ==> null
        null / 0 ==> null
        true + 1 ==> !TypeError InvalidArgumentType
        {} + 1 ==> !TypeError InvalidArgumentType
        -'a' ==> !TypeError InvalidArgumentType
        ",
    );
}

/// What other languages take is refused with what to write.
#[test]
fn habits_of_other_languages() {
    let today = Value::Date(Date { days: 20_000 });
    let noon = Value::LocalTime(LocalTime { nanos: 0 });
    let text = Value::string("abc");
    let days = Some("write duration({days: 1}) instead of a number");
    let part = Some("write substring(text, start, length), left(text, n) or right(text, n)");
    for (answer, hint) in [
        (add(&today, &Value::Int(1)), days),
        (add(&Value::Int(1), &today), days),
        (subtract(&today, &Value::Float(0.5)), days),
        (subtract(&noon, &Value::Int(1)), Some("write duration({hours: 1}) instead of a number")),
        (add(&Value::Bool(true), &Value::Int(1)), None),
        (slice(&text, None, Some(&Value::Int(1))), part),
        (slice(&Value::Int(1), None, None), None),
    ] {
        let error = answer.expect_err("is refused");
        assert_eq!(error.hint.as_deref(), hint, "{error}");
    }
}

#[test]
fn concatenation() {
    check(
        "
        'a' + 'b' ==> 'ab'
        'a' + 1 ==> 'a1'
        1.5 + 'a' ==> '1.5a'
        'a' + null ==> null
        'a' + date('2015-07-21') ==> !TypeError InvalidArgumentType
        [1] + [2, null] ==> [1, 2, null]
        [1] + 2 ==> [1, 2]
        0 + [1] ==> [0, 1]
        'a' + ['b'] ==> ['a', 'b']
        [1] + null ==> null
        ",
    );
}

#[test]
fn logic_is_ternary() {
    check(
        "
        true AND null ==> null
        false AND null ==> false
        null AND false ==> false
        true OR null ==> true
        false OR null ==> null
        true XOR null ==> null
        true XOR true ==> false
        NOT null ==> null
        NOT false ==> true
        1 AND true ==> !TypeError InvalidArgumentType
        NOT 'a' ==> !TypeError InvalidArgumentType
        null IS NULL ==> true
        1 IS NOT NULL ==> true
        ",
    );
}

#[test]
fn comparison_across_types() {
    check(
        "
        1 < 2.5 ==> true
        9007199254740993 > 9007199254740992.0 ==> true
        9007199254740993 = 9007199254740992.0 ==> false
        9223372036854775807 < 9223372036854775808.0 ==> true
        1 < 'a' ==> null
        1 = 'a' ==> false
        null = null ==> null
        null <> 1 ==> null
        false < true ==> true
        'a' < 'aa' ==> true
        'B' < 'a' ==> true
        [1, 2] < [1, 3] ==> true
        [1] < [1, 0] ==> true
        [1, null] = [2, null] ==> false
        {a: 1} = {a: 1.0} ==> true
        {a: 1} < {a: 2} ==> true
        {a: null} <= {a: null} ==> null
        NaN = NaN ==> false
        NaN <> NaN ==> true
        NaN <= NaN ==> false
        NaN < 'a' ==> null
        ",
    );
}

#[test]
fn access() {
    check(
        "
        [1, 2, 3][0] ==> 1
        [1, 2, 3][-1] ==> 3
        [1, 2, 3][3] ==> null
        [1, 2, 3][-4] ==> null
        [1][9223372036854775807] ==> null
        [1][-9223372036854775808] ==> null
        [1][null] ==> null
        [1]['a'] ==> !TypeError ListElementAccessByNonInteger
        {a: 1}['a'] ==> 1
        {a: 1}[0] ==> !TypeError MapElementAccessByNonString
        {a: 1}.b ==> null
        null[0] ==> null
        1[0] ==> !TypeError InvalidArgumentType
        {a: {b: 2}}.a.b ==> 2
        [1, 2, 3][1..] ==> [2, 3]
        [1, 2, 3][..-1] ==> [1, 2]
        [1, 2, 3][-9..9] ==> [1, 2, 3]
        [1, 2, 3][2..1] ==> []
        [1, 2, 3][null..1] ==> null
        [1, 2, 3][0..'a'] ==> !TypeError InvalidArgumentType
        'abc'[0..1] ==> !TypeError InvalidArgumentType
        ",
    );
}

#[test]
fn text_and_membership() {
    check(
        r"
        'abc' STARTS WITH 'ab' ==> true
        'abc' ENDS WITH '' ==> true
        'abc' CONTAINS 'x' ==> false
        'abc' CONTAINS 1 ==> null
        null STARTS WITH 'a' ==> null
        'abc' =~ 'a.c' ==> true
        'abc' =~ 'b' ==> false
        'ABC' =~ '(?i)a|abc' ==> true
        'abc' =~ null ==> null
        'abc' =~ '(' ==> !ArgumentError InvalidArgumentValue
        1 IN [1.0] ==> true
        1 IN [] ==> false
        null IN [] ==> false
        null IN [1] ==> null
        1 IN null ==> null
        1 IN 1 ==> !TypeError InvalidArgumentType
        ",
    );
}

#[test]
fn durations_at_the_extremes() {
    check(
        "
        duration('PT0S') * 1e300 ==> 'PT0S'
        duration('PT0S') / 1e-300 ==> 'PT0S'
        duration('PT0S') / 1e300 ==> 'PT0S'
        duration('P1Y2M3DT4S') / 1e300 ==> 'PT0S'
        duration('P1Y2M3DT4S') * 1e-300 ==> 'PT0S'
        duration('P1Y2M3DT4S') * 0.0 ==> 'PT0S'
        duration('PT1S') * 1e300 ==> !ArithmeticError NumberOutOfRange
        duration('PT1S') / -1e-300 ==> !ArithmeticError NumberOutOfRange
        duration('PT1S') / 0.0 ==> !ArithmeticError DivisionByZero
        duration('PT1S') * (0.0 / 0) ==> !ArithmeticError NumberOutOfRange
        duration('PT0S') * (1.0 / 0) ==> !ArithmeticError NumberOutOfRange
        duration('PT0.000000001S') * 1e25 ==> 'PT2777777777777H46M40S'
        duration('PT0.000000001S') / 1e-25 ==> 'PT2777777777777H46M40S'
        duration('PT-0.000000001S') * 1e27 ==> 'PT-277777777777777H-46M-40S'
        duration('PT1S') * 1.2345678901234567e-9 ==> 'PT0.000000001S'
        duration('PT9223372036854775807S') * 0.12345678901234567 ==> 'PT316302193204541H21M35.667620254S'
        duration({seconds: 9223372036854775807}) / 1.0000000000000002 ==> 'PT2562047788015214H59M22.325592629S'
        duration('P9223372036854775807D') * 1 ==> 'P9223372036854775807D'
        duration('P9223372036854775807D') * 2 ==> !ArithmeticError NumberOutOfRange
        duration({days: -9223372036854775808}) / -1 ==> !ArithmeticError NumberOutOfRange
        duration({days: -1}) - duration({days: -9223372036854775808}) ==> 'P9223372036854775807D'
        duration({days: 1}) - duration({days: -9223372036854775808}) ==> !ArithmeticError NumberOutOfRange
        duration('PT0.25S') - duration('PT0.5S') ==> 'PT-0.25S'
        duration({milliseconds: 9223372036854775807}) ==> 'PT2562047788015H12M55.807S'
        duration({microseconds: -9223372036854775807}) ==> 'PT-2562047788H-54.775807S'
        duration({nanoseconds: 9223372036854775807}) ==> 'PT2562047H47M16.854775807S'
        duration('PT1S') / 3 ==> 'PT0.333333333S'
        ",
    );
}

#[test]
fn ranges_at_the_extremes() {
    check(
        "
        range(9223372036854775807, 1) ==> []
        range(0, -9223372036854775808) ==> []
        range(-9223372036854775808, 9223372036854775807, -1) ==> []
        range(9223372036854775807, -9223372036854775808, 9223372036854775807) ==> []
        range(0, 1, -9223372036854775808) ==> []
        range(9223372036854775806, 9223372036854775807) ==> [9223372036854775806, 9223372036854775807]
        range(9223372036854775807, 9223372036854775807, 9223372036854775807) ==> [9223372036854775807]
        range(0, -9223372036854775808, -9223372036854775808) ==> [0, -9223372036854775808]
        range(-9223372036854775808, 9223372036854775807, 9223372036854775807) ==> [-9223372036854775808, -1, 9223372036854775806]
        range(9223372036854775807, -9223372036854775808, -9223372036854775808) ==> [9223372036854775807, -1]
        range(-9223372036854775808, -9223372036854775808, 0) ==> !ArgumentError NumberOutOfRange
        range(0, 9223372036854775807) ==> !ArgumentError NumberOutOfRange
        range(9223372036854775807, -9223372036854775808, -1) ==> !ArgumentError NumberOutOfRange
        toString(-0.0) ==> '-0.0'
        toString(0.0) ==> '0.0'
        'x' + -0.0 ==> 'x-0.0'
        ",
    );
}

/// No text has this operator: the optimizer makes it of pairs that must differ.
#[test]
fn the_first_differs_from_the_others() {
    let (one, two, null) = (Value::Int(1), Value::Int(2), Value::Null);
    for (values, expected) in [
        (vec![], Some(true)),
        (vec![&one], Some(true)),
        (vec![&one, &two, &two], Some(true)),
        (vec![&one, &two, &one], Some(false)),
        (vec![&one, &null, &two], None),
        (vec![&one, &null, &one], Some(false)),
        (vec![&null, &one], None),
    ] {
        let values: Vec<Value> = values.into_iter().cloned().collect();
        let answer = match differs(&values) {
            Value::Bool(answer) => Some(answer),
            _ => None,
        };
        assert_eq!(answer, expected, "{values:?}");
    }
}
