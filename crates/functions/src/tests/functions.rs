//! Scalar functions: expressions against expected text, and the registry.

use std::collections::HashSet;

use trimorph_types::Value;
use trimorph_types::format::{IdsOnly, format_literal};

use super::evaluator::{Failure, NOW, value};
use crate::{Context, NoGraph, lookup, names};

/// Lines `expression ==> literal` or `expression ==> !Kind Detail`.
pub(super) fn check(table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let (expression, expected) = line.split_once(" ==> ").unwrap();
        let found = match value(expression) {
            Ok(value) => format_literal(&value, &IdsOnly),
            Err(Failure::Function(error)) => format!("!{} {}", error.kind.name(), error.detail),
            Err(failure) => panic!("{expression}: {failure:?}"),
        };
        assert_eq!(found, expected, "{expression}");
    }
}

#[test]
fn math() {
    check(
        "
        abs(-3) ==> 3
        abs(-3.5) ==> 3.5
        abs(-9223372036854775808) ==> !ArithmeticError NumberOutOfRange
        abs('a') ==> !TypeError InvalidArgumentType
        abs(null) ==> null
        ceil(0.1) ==> 1.0
        ceil(-0.9) ==> -0.0
        floor(-0.1) ==> -1.0
        floor(3) ==> 3.0
        round(2.5) ==> 3.0
        round(-2.5) ==> -2.0
        round(-1.5001) ==> -2.0
        round(0.49999999999999994) ==> 0.0
        round(3.141592, 3) ==> 3.142
        round(2.675, 2) ==> 2.68
        round(-2.675, 2) ==> -2.68
        round(9.995, 2) ==> 10.0
        round(1.55, 1, 'HALF_EVEN') ==> 1.6
        round(1.65, 1, 'half_even') ==> 1.6
        round(1.25, 1, 'HALF_DOWN') ==> 1.2
        round(1.21, 1, 'UP') ==> 1.3
        round(-1.29, 1, 'DOWN') ==> -1.2
        round(-1.29, 1, 'CEILING') ==> -1.2
        round(-1.21, 1, 'FLOOR') ==> -1.3
        round(1.5, 99) ==> 1.5
        round(1.5, -1) ==> !ArgumentError InvalidArgumentValue
        round(1.5, 1, 'SIDEWAYS') ==> !ArgumentError InvalidArgumentValue
        sign(-17) ==> -1
        sign(0.0) ==> 0
        sign(0.0 / 0.0) ==> 0
        sqrt(256) ==> 16.0
        sqrt(-1) ==> NaN
        exp(0) ==> 1.0
        log(e()) ==> 1.0
        log(0) ==> -Inf
        log10(1000) ==> 3.0
        sin(0) ==> 0.0
        cos(0) ==> 1.0
        round(tan(0.5), 6) ==> 0.546302
        round(cot(0.5), 6) ==> 1.830488
        asin(1) = pi() / 2 ==> true
        acos(1) ==> 0.0
        round(atan(1) * 4, 6) ==> 3.141593
        round(atan2(0.5, 0.6), 6) ==> 0.694738
        degrees(pi()) ==> 180.0
        radians(180) = pi() ==> true
        round(haversin(0.5), 6) ==> 0.061209
        isNaN(0.0 / 0.0) ==> true
        isNaN(1) ==> false
        rand() < 1.0 AND rand() >= 0.0 ==> true
        size(randomUUID()) ==> 36
        substring(randomUUID(), 14, 1) ==> '4'
        ",
    );
}

#[test]
fn strings() {
    check(
        r"
        left('héllo', 2) ==> 'hé'
        left('hello', 99) ==> 'hello'
        left('hello', -1) ==> !ArgumentError NegativeIntegerArgument
        left(1, 1) ==> !TypeError InvalidArgumentType
        right('héllo', 4) ==> 'éllo'
        right('hello', 0) ==> ''
        right('hello', 99) ==> 'hello'
        substring('0123456789', 1) ==> '123456789'
        substring('0123456789', 2, 3) ==> '234'
        substring('abc', 3) ==> ''
        substring('abc', 7, 2) ==> ''
        substring('abc', -1) ==> !ArgumentError NegativeIntegerArgument
        substring('abc', 0, -1) ==> !ArgumentError NegativeIntegerArgument
        substring('abc', null) ==> null
        replace('hello', 'l', 'w') ==> 'hewwo'
        replace('hello', 'l', 'w', 1) ==> 'hewlo'
        split('one,two,,three', ',') ==> ['one', 'two', '', 'three']
        split('one1two', '1') ==> ['one', 'two']
        split('a-b,c', ['-', ',']) ==> ['a', 'b', 'c']
        split('añb', '') ==> ['a', 'ñ', 'b']
        split('', ',') ==> ['']
        trim('  a b ') ==> 'a b'
        ltrim('  a ') ==> 'a '
        rtrim('  a ') ==> '  a'
        btrim('xxaxx', 'x') ==> 'a'
        ltrim('xyxa', 'xy') ==> 'a'
        rtrim('axy', 'xy') ==> 'a'
        toUpper('straße') ==> 'STRASSE'
        upper('a') ==> 'A'
        toLower('ÀB') ==> 'àb'
        lower('A') ==> 'a'
        char_length('日本') ==> 2
        size('日本') ==> 2
        reverse('añb') ==> 'bña'
        'it' + '\'s' ==> 'it\'s'
        ",
    );
}

#[test]
fn lists_and_predicates() {
    check(
        "
        size([1, null]) ==> 2
        size(null) ==> null
        size(1) ==> !TypeError InvalidArgumentType
        head([1, 2]) ==> 1
        head([]) ==> null
        last([1, 2]) ==> 2
        last([]) ==> null
        tail([1, 2, 3]) ==> [2, 3]
        tail([]) ==> []
        reverse([1, 2]) ==> [2, 1]
        range(0, 3) ==> [0, 1, 2, 3]
        range(5, 1) ==> []
        range(9223372036854775806, 9223372036854775807) ==> [9223372036854775806, 9223372036854775807]
        range(-9223372036854775808, 9223372036854775807, 9223372036854775807) ==> [-9223372036854775808, -1, 9223372036854775806]
        range(1, 2, 0) ==> !ArgumentError NumberOutOfRange
        range(1.0, 2) ==> !ArgumentError InvalidArgumentType
        range(0, 9223372036854775807) ==> !ArgumentError NumberOutOfRange
        range(0, null) ==> null
        coalesce(null, 1, 2) ==> 1
        coalesce(null) ==> null
        nullIf(1, 1.0) ==> null
        nullIf(1, 2) ==> 1
        nullIf(null, 2) ==> null
        exists(null) ==> false
        exists(1) ==> true
        isEmpty('') ==> true
        isEmpty([1]) ==> false
        isEmpty({}) ==> true
        isEmpty(null) ==> null
        isEmpty(1) ==> !TypeError InvalidArgumentType
        keys({b: 1, a: null}) ==> ['a', 'b']
        properties({a: 1}) ==> {a: 1}
        properties(1) ==> !TypeError InvalidArgumentType
        labels(1) ==> !TypeError InvalidArgumentValue
        type('a') ==> !TypeError InvalidArgumentValue
        valueType(1) ==> 'INTEGER NOT NULL'
        valueType(null) ==> 'NULL'
        valueType([1, null]) ==> 'LIST<INTEGER> NOT NULL'
        valueType([1, 'a']) ==> 'LIST<INTEGER NOT NULL | STRING NOT NULL> NOT NULL'
        valueType([]) ==> 'LIST<NOTHING> NOT NULL'
        ",
    );
}

#[test]
fn lists_as_wholes() {
    check(
        "
        coll.sort([3, 'a', null, 1.5, true]) ==> ['a', true, 1.5, 3, null]
        coll.sort([]) ==> []
        coll.sort(null) ==> null
        coll.sort('ba') ==> !TypeError InvalidArgumentType
        coll.distinct([1, 1.0, null, 2, null, [1], [1.0]]) ==> [1, null, 2, [1]]
        coll.max([1, 2.5, null]) ==> 2.5
        coll.min([null, null]) ==> null
        coll.flatten([1, [2, [3, [4]]], []]) ==> [1, 2, [3, [4]]]
        coll.flatten([1, [2, [3, [4]]]], 2) ==> [1, 2, 3, [4]]
        coll.flatten([[1]], 0) ==> [[1]]
        coll.flatten([[1]], -1) ==> !ArgumentError NumberOutOfRange
        coll.flatten([[1]], '1') ==> !TypeError InvalidArgumentType
        coll.indexOf([1, null, 2.0, 2], 2) ==> 2
        coll.indexOf([1], 'a') ==> -1
        coll.indexOf([1], null) ==> null
        coll.insert([1, 2], 0, null) ==> [null, 1, 2]
        coll.insert([1, 2], 2, 3) ==> [1, 2, 3]
        coll.insert([1, 2], 3, 3) ==> !ArgumentError NumberOutOfRange
        coll.insert(null, 0, 3) ==> null
        coll.remove([1, 2], 1) ==> [1]
        coll.remove([], 0) ==> !ArgumentError NumberOutOfRange
        coll.remove([1], -1) ==> !ArgumentError NumberOutOfRange
        vector.similarity.cosine([1, 2], [2.0, 4]) ==> 1.0
        vector.similarity.cosine([1, 0], [-3, 0]) ==> 0.0
        vector.similarity.cosine([0, 0], [1, 0]) ==> !ArgumentError InvalidArgumentValue
        vector.similarity.cosine([1], [1, 0]) ==> !ArgumentError InvalidArgumentValue
        vector.similarity.cosine([null], [1]) ==> !TypeError InvalidArgumentType
        vector.similarity.euclidean([1, 1], [1, 3]) ==> 0.2
        vector.similarity.euclidean([], []) ==> !ArgumentError InvalidArgumentValue
        ",
    );
}

/// Lists longer than what is sorted at once are merged.
#[test]
fn long_lists_are_sorted() {
    let mut random = trimorph_base::Random::new(5);
    for len in [16_384, 16_385, 50_000, 70_001] {
        let values: Vec<i64> = (0..len).map(|_| i64::try_from(random.below(1_000)).unwrap()).collect();
        let mut expected = values.clone();
        expected.sort_unstable();
        let sort = lookup("coll.sort").unwrap();
        let found = sort.invoke(&Context::new(&NoGraph, NOW, 1), &[values.into()]).unwrap();
        assert_eq!(Vec::<i64>::try_from(found), Ok(expected));
    }
}

#[test]
fn conversions() {
    check(
        "
        toInteger('42') ==> 42
        toInteger(' -7 ') ==> -7
        toInteger('2.9') ==> 2
        toInteger('1e3') ==> 1000
        toInteger('foo') ==> null
        toInteger('') ==> null
        toInteger('inf') ==> null
        toInteger(-82.9) ==> -82
        toInteger(true) ==> 1
        toInteger(1e300) ==> !ArithmeticError NumberOutOfRange
        toInteger('1e300') ==> null
        toInteger([]) ==> !TypeError InvalidArgumentValue
        toInteger({}) ==> !TypeError InvalidArgumentValue
        toIntegerOrNull([]) ==> null
        toIntegerOrNull(1e300) ==> null
        toFloat(1) ==> 1.0
        toFloat('5') ==> 5.0
        toFloat('-1.5e2') ==> -150.0
        toFloat('nope') ==> null
        toFloat(true) ==> !TypeError InvalidArgumentValue
        toFloatOrNull(true) ==> null
        toString(1) ==> '1'
        toString(1.0) ==> '1.0'
        toString(1e21) ==> '1e21'
        toString(true) ==> 'true'
        toString('a') ==> 'a'
        toString(1.0 / 0) ==> 'Infinity'
        toString(date('2015-07-21')) ==> '2015-07-21'
        toString(duration('P1Y2M')) ==> 'P1Y2M'
        toString([]) ==> !TypeError InvalidArgumentValue
        toStringOrNull({}) ==> null
        toBoolean('TRUE') ==> true
        toBoolean('no') ==> null
        toBoolean(0) ==> false
        toBoolean(1.0) ==> !TypeError InvalidArgumentValue
        toBooleanOrNull(1.0) ==> null
        toIntegerList(['1', 2.5, 'x', null, []]) ==> [1, 2, null, null, null]
        toFloatList(['1', 2]) ==> [1.0, 2.0]
        toStringList([1, true, []]) ==> ['1', 'true', null]
        toBooleanList(['true', 0, 'x']) ==> [true, false, null]
        toBooleanList(1) ==> !TypeError InvalidArgumentType
        ",
    );
}

#[test]
fn temporal_beyond_the_tables() {
    check(
        "
        // The statement's clock: 2024-02-29T13:14:15.123456789Z.
        datetime() ==> '2024-02-29T13:14:15.123456789Z'
        date() ==> '2024-02-29'
        date.statement('Pacific/Kiritimati') ==> '2024-03-01'
        localtime() ==> '13:14:15.123456789'
        time({timezone: '+02:00'}) ==> '15:14:15.123456789+02:00'
        datetime({timezone: 'America/Los Angeles'}).offset ==> '-08:00'
        localdatetime.transaction() ==> '2024-02-29T13:14:15.123456789'
        timestamp() ==> 1709212455123
        datetime() = datetime.statement() ==> true
        datetime.realtime() > datetime() ==> true
        datetime.fromEpoch(0, 5) ==> '1970-01-01T00:00:00.000000005Z'
        datetime.fromEpochMillis(-1) ==> '1969-12-31T23:59:59.999Z'
        datetime({epochMillis: 469020674645, timezone: '+01:00'}) ==> '1984-11-11T12:31:14.645+01:00'
        datetime({epochSeconds: 1, nanosecond: 7}) ==> '1970-01-01T00:00:01.000000007Z'
        datetime.fromEpoch(9223372036854775807, 0) ==> !ArithmeticError NumberOutOfRange
        // Text that is not one.
        date('2015-13-01') ==> !ArgumentError InvalidArgumentValue
        date('2015-02-29') ==> !ArgumentError InvalidArgumentValue
        date('') ==> !ArgumentError InvalidArgumentValue
        date('2015-07-21T10:00') ==> !ArgumentError InvalidArgumentValue
        localtime('24:00') ==> !ArgumentError InvalidArgumentValue
        time('10:00+19:00') ==> !ArgumentError InvalidArgumentValue
        datetime('2015-07-21T21:40[Nowhere/Land]') ==> !ArgumentError InvalidArgumentValue
        datetime('2015-07-21T21:40:32+05:00[Europe/Stockholm]') ==> !ArgumentError InvalidArgumentValue
        duration('P') ==> !ArgumentError InvalidArgumentValue
        duration('PT') ==> !ArgumentError InvalidArgumentValue
        duration('P1H') ==> !ArgumentError InvalidArgumentValue
        // Maps that say too little, too much or nonsense.
        date({month: 3}) ==> !ArgumentError InvalidArgumentValue
        date({year: 2000, day: 3}) ==> !ArgumentError InvalidArgumentValue
        date({year: 2000, month: 2, week: 3}) ==> !ArgumentError InvalidArgumentValue
        date({year: 2000, month: 13}) ==> !ArgumentError NumberOutOfRange
        date({year: 2000, moth: 1}) ==> !ArgumentError InvalidArgumentValue
        date({year: '2000'}) ==> !TypeError InvalidArgumentType
        date({year: 2000, hour: 1}) ==> !ArgumentError InvalidArgumentValue
        date({year: 6000000}) ==> '+6000000-01-01'
        date({year: 1000000000}) ==> !ArgumentError NumberOutOfRange
        date({year: 999999999, month: 12, day: 31}) + duration('P1D') ==> !ArithmeticError NumberOutOfRange
        localtime({minute: 3}) ==> !ArgumentError InvalidArgumentValue
        localtime({hour: 3, minute: 60}) ==> !ArgumentError NumberOutOfRange
        localtime({hour: 3, minute: 1, second: 1, millisecond: 1, nanosecond: 1000000}) ==> !ArgumentError NumberOutOfRange
        duration({}) ==> !ArgumentError InvalidArgumentValue
        duration({moths: 1}) ==> !ArgumentError InvalidArgumentValue
        date(1) ==> !TypeError InvalidArgumentType
        date(localtime('10:00')) ==> !TypeError InvalidArgumentType
        // Selecting: the zone comes with the time, and another zone moves the clock.
        datetime({date: date('1984-10-11'), time: datetime('2000-07-01T12:00[Europe/Stockholm]')}) ==> '1984-10-11T12:00+01:00[Europe/Stockholm]'
        datetime({date: datetime('1984-10-11T12:00[Europe/Stockholm]'), hour: 10}) ==> '1984-10-11T10:00Z'
        datetime({date: date('1984-10-11'), time: time('12:00+01:00'), timezone: '+05:00'}) ==> '1984-10-11T16:00+05:00'
        time({time: time('09:30:14+0100'), timezone: '-0500'}) ==> '03:30:14-05:00'
        time({time: localtime(time('09:30:14+0100')), timezone: '-0500'}) ==> '09:30:14-05:00'
        date({date: date('2012-02-29'), year: 2013}) ==> '2013-02-28'
        date({date: date('2012-03-31'), month: 2}) ==> '2012-02-29'
        // A clock that shows the hour twice keeps what it was; one that skips it goes forward.
        datetime({datetime: datetime('2017-10-29T02:30+01:00[Europe/Stockholm]')}) ==> '2017-10-29T02:30+01:00[Europe/Stockholm]'
        datetime('2017-10-29T02:30[Europe/Stockholm]') ==> '2017-10-29T02:30+02:00[Europe/Stockholm]'
        datetime('2017-03-26T02:30[Europe/Stockholm]') ==> '2017-03-26T03:30+02:00[Europe/Stockholm]'
        // Truncation.
        date.truncate('month') ==> '2024-02-01'
        date.truncate('week', date('2024-01-01'), {dayOfWeek: 4}) ==> '2024-01-04'
        date.truncate('Quarter', date('2024-02-29')) ==> '2024-01-01'
        date.truncate('millennium', date('-0001-06-01')) ==> '-1000-01-01'
        datetime.truncate('day', datetime('2017-10-29T12:00[Europe/Stockholm]')) ==> '2017-10-29T00:00+02:00[Europe/Stockholm]'
        datetime.truncate('month', date('2024-02-29'), {timezone: 'Europe/Stockholm'}) ==> '2024-02-01T00:00+01:00[Europe/Stockholm]'
        datetime.truncate('hour', date('2024-02-29')) ==> !ArgumentError InvalidArgumentValue
        date.truncate('hour', datetime()) ==> !ArgumentError InvalidArgumentValue
        localtime.truncate('month', datetime()) ==> !ArgumentError InvalidArgumentValue
        date.truncate('fortnight', date()) ==> !ArgumentError InvalidArgumentValue
        date.truncate(null, date()) ==> null
        // Arithmetic.
        date('2011-01-31') + duration('P1M') + duration('P12M') ==> '2012-02-28'
        date('2011-01-31') + (duration('P1M') + duration('P12M')) ==> '2012-02-29'
        date('2012-02-29') + duration('P1Y') ==> '2013-02-28'
        date('1970-01-01') - duration('P1D') ==> '1969-12-31'
        date('2012-03-31') - duration('P1M') ==> '2012-02-29'
        date('2024-01-01') + duration('PT47H') ==> '2024-01-02'
        date('2024-01-01') - duration('PT23H') ==> '2024-01-01'
        duration('P1D') + date('2024-02-28') ==> '2024-02-29'
        time('13:42:19Z') + duration({days: 1, hours: 12}) ==> '01:42:19Z'
        datetime('2017-10-28T12:00[Europe/Stockholm]') + duration('P1D') ==> '2017-10-29T12:00+01:00[Europe/Stockholm]'
        datetime('2017-10-28T12:00[Europe/Stockholm]') + duration('PT24H') ==> '2017-10-29T11:00+01:00[Europe/Stockholm]'
        duration({hours: 5, minutes: 21}) * 14 ==> 'PT74H54M'
        2 * duration('P1M') ==> 'P2M'
        duration({hours: 3, minutes: 16}) / 2 ==> 'PT1H38M'
        duration('P11DT13H46M40S') * 0.3333333333333333 ==> 'P3DT20H35M33.333333333S'
        -duration('P1M-1D') ==> 'P-1M1D'
        duration('P1D') / 0 ==> !ArithmeticError DivisionByZero
        duration('P1D') * 'a' ==> !TypeError InvalidArgumentType
        duration({months: 9223372036854775807}) + duration('P1M') ==> !ArithmeticError NumberOutOfRange
        date('2024-01-01') - date('2023-01-01') ==> !TypeError InvalidArgumentType
        // Differences.
        duration.between(date('2018-01-31'), date('2018-02-28')) ==> 'P28D'
        duration.between(date('2018-03-31'), date('2018-02-28')) ==> 'P-1M'
        duration.between(date('1969-12-31'), date('1970-01-01')) ==> 'P1D'
        duration.inMonths(date('2018-01-31'), date('2019-01-30')) ==> 'P11M'
        duration.inMonths(localdatetime('2018-01-01T12:00'), localdatetime('2018-02-01T11:59')) ==> 'PT0S'
        duration.between(1, date()) ==> !TypeError InvalidArgumentType
        duration.between(null, date()) ==> null
        // Components.
        date('2008-12-29').weekYear ==> 2009
        date('2008-12-29').week ==> 1
        date('2024-02-29').dayOfQuarter ==> 60
        date('-0001-03-01').year ==> -1
        duration('P1Y5M10DT3H4M5.006S').monthsOfYear ==> 5
        duration('P1Y5M10DT3H4M5.006S').minutesOfHour ==> 4
        duration('P1Y5M10DT3H4M5.006S').millisecondsOfSecond ==> 6
        duration('P1Y5M10DT3H4M5.006S').milliseconds ==> 11045006
        date('2024-02-29').moth ==> !ArgumentError InvalidArgumentValue
        // Comparison: by instant; durations have no order but equality.
        datetime('2020-01-01T12:00+01:00') < datetime('2020-01-01T12:00Z') ==> true
        time('10:00+01:00') < time('09:30Z') ==> true
        date('2020-01-01') < datetime('2020-01-01T12:00Z') ==> null
        date('2020-01-01') = datetime('2020-01-01T00:00Z') ==> false
        duration('P1D') < duration('P2D') ==> null
        duration('P1D') = duration('PT24H') ==> false
        duration('PT60S') = duration('PT1M') ==> true
        ",
    );
}

#[test]
fn names_are_found_in_any_case_and_are_unique() {
    assert_eq!(lookup("TOUPPER").unwrap().name, "toUpper");
    assert_eq!(lookup("DateTime.FromEpochMillis").unwrap().name, "datetime.fromEpochMillis");
    assert!(lookup("no.such").is_none());
    let mut seen = HashSet::new();
    for name in names() {
        assert!(seen.insert(name.to_lowercase()), "{name} is there twice");
        assert!(lookup(name).is_some());
    }
    assert!(seen.len() > 100);
}

/// No function panics or fails on null, and none on any mixture of odd arguments.
#[test]
fn odd_arguments_never_panic() {
    let graph = NoGraph;
    let context = Context::new(&graph, NOW, 1);
    let odd = [
        "null",
        "true",
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "0.0",
        "-1.5",
        "1e308",
        "NaN",
        "''",
        "'ß'",
        "'2015-07-21'",
        "'P1M'",
        "'Europe/Stockholm'",
        "'day'",
        "[]",
        "[1, null, 'a']",
        "{}",
        "{year: -999999999}",
        "{year: 9223372036854775807}",
        "{hours: 1e19}",
        "{months: -9223372036854775808}",
        "date('-999999-01-01')",
        "localtime('10:00')",
        "time('23:59:59.999999999-18:00')",
        "localdatetime('-999999999-01-01T00:00')",
        "localdatetime('+999999999-12-31T23:59:59')",
        "datetime()",
        "datetime('2017-10-29T02:30[Europe/Stockholm]')",
        "duration('P-1Y')",
        "duration({seconds: 9223372036854775807})",
        "duration({days: -9223372036854775808, months: -9223372036854775808, seconds: -9223372036854775808})",
    ]
    .map(|text| value(text).unwrap());
    for function in names().map(|name| lookup(name).unwrap()) {
        if function.null_in_null_out && function.accepts(1) {
            assert!(function.invoke(&context, &[Value::Null]).unwrap().is_null(), "{}(null)", function.name);
        }
        for a in &odd {
            _ = function.invoke(&context, std::slice::from_ref(a));
            for b in &odd {
                // A range of billions is right but slow.
                if function.name == "range" {
                    continue;
                }
                _ = function.invoke(&context, &[a.clone(), b.clone()]);
                for c in odd.iter().step_by(3) {
                    _ = function.invoke(&context, &[a.clone(), b.clone(), c.clone()]);
                }
            }
        }
    }
    use crate::operators as op;
    for a in &odd {
        _ = (op::negate(a), op::plus(a), op::not(a));
        for b in &odd {
            let all = [
                op::add,
                op::subtract,
                op::multiply,
                op::divide,
                op::modulo,
                op::power,
                op::and,
                op::or,
                op::xor,
            ];
            all.iter().for_each(|apply| _ = apply(a, b));
            _ = (
                op::in_list(a, b),
                op::regex_match(a, b),
                op::index(&context, a, b),
                op::slice(a, Some(b), Some(b)),
            );
            _ = format_literal(&op::add(a, b).unwrap_or_default(), &IdsOnly);
        }
    }
}

#[test]
fn ids_of_relationships_are_distinct_integers_up_to_the_last_edge_table() {
    use trimorph_base::{EdgeId, EdgeTableId, NodeId};
    let context = Context::new(&NoGraph, NOW, 1);
    let id_of = |table: u16| {
        let id = EdgeId::new(EdgeTableId(table), 5);
        let relationship = trimorph_types::Relationship { id, start: NodeId(0), end: NodeId(1) };
        match lookup("id").unwrap().invoke(&context, &[Value::Relationship(relationship)]) {
            Ok(Value::Int(i)) => i,
            other => panic!("{other:?}"),
        }
    };
    let ids: HashSet<i64> = (0..=u16::MAX).map(id_of).collect();
    assert_eq!(ids.len(), EdgeId::TABLES_MAX);
    assert!(ids.iter().all(|id| *id > 0));
}
