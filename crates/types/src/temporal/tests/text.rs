//! Text in and out.

use crate::samples::Samples;
use crate::temporal::{
    ZoneId, parse_date, parse_datetime, parse_duration, parse_local_datetime, parse_local_time, parse_time,
};
use crate::value::Duration;

/// `parse(print(x)) = x` for random values of every type.
#[test]
fn what_is_printed_reads_back() {
    let mut random = Samples::new(2_015);
    for _ in 0..20_000 {
        let date = random.date();
        assert_eq!(parse_date(&date.to_string()), Ok(date), "{date}");
        let time = random.local_time();
        assert_eq!(parse_local_time(&time.to_string()), Ok(time), "{time}");
        let time = random.time();
        assert_eq!(parse_time(&time.to_string(), 0), Ok(time), "{time}");
        let local = random.local_datetime();
        assert_eq!(parse_local_datetime(&local.to_string()), Ok(local), "{local}");
        let instant = random.datetime();
        assert_eq!(parse_datetime(&instant.to_string(), &ZoneId::UTC), Ok(instant.clone()), "{instant}");
        let duration = random.duration();
        assert_eq!(parse_duration(&duration.to_string()), Ok(duration), "{duration}");
    }
}

#[test]
fn dates() {
    for (text, expected) in [
        ("2015-07-21", "2015-07-21"),
        ("20150721", "2015-07-21"),
        ("2015-07", "2015-07-01"),
        ("201507", "2015-07-01"),
        ("2015-W30-2", "2015-07-21"),
        ("2015W302", "2015-07-21"),
        ("2015-W30", "2015-07-20"),
        ("2015W30", "2015-07-20"),
        ("2015-202", "2015-07-21"),
        ("2015202", "2015-07-21"),
        ("2015-Q2-60", "2015-05-30"),
        ("2015Q260", "2015-05-30"),
        ("2020-Q2-15", "2020-04-15"),
        ("2020-Q1-91", "2020-03-31"),
        ("2015-Q2", "2015-04-01"),
        ("2015Q4", "2015-10-01"),
        ("+12345-Q4-92", "+12345-12-31"),
        ("2015", "2015-01-01"),
        ("+2015-W13-4", "2015-03-26"),
        ("-0001-02-03", "-0001-02-03"),
        ("+12345-02-03", "+12345-02-03"),
        ("0000-02-29", "0000-02-29"),
        ("2020-W53-7", "2021-01-03"),
    ] {
        assert_eq!(parse_date(text).unwrap().to_string(), expected, "{text}");
    }
    for text in [
        "",
        "-",
        "2",
        "201",
        "20151",
        "2015-",
        "2015-1-",
        "2015-13",
        "2015-00",
        "2015-02-30",
        "2015-366",
        "2015-000",
        "2015-W54",
        "2021-W53",
        "2015-W00",
        "2015-W30-8",
        "2015-W30-0",
        "2015-Q0",
        "2015-Q5",
        "2015-Q2-",
        "2015-Q2-0",
        "2015-Q2-00",
        "2015-Q2-92",
        "2021-Q1-91",
        "2015Q2-60",
        "2015Q26",
        "2015-Q260",
        "+2015072100",
        "+999999999999-01-01",
        "2015-07-21 ",
        " 2015",
        "2015-07-21T",
        "二〇一五",
        "2015W3",
    ] {
        assert!(parse_date(text).is_err(), "{text} was read as a date");
    }
}

#[test]
fn times_and_offsets() {
    for (text, expected) in [
        ("21:40:32.142", "21:40:32.142Z"),
        ("T21:40", "21:40Z"),
        ("214032,5", "21:40:32.500Z"),
        ("2140", "21:40Z"),
        ("21", "21:00Z"),
        ("21:40:32.142+0100", "21:40:32.142+01:00"),
        ("22+18:00", "22:00+18:00"),
        ("2140-02", "21:40-02:00"),
        ("10:00-00:00", "10:00Z"),
        ("10:00z", "10:00Z"),
        ("12:34:56+02:05:59", "12:34:56+02:05:59"),
        ("12:34:56.100200300-020507", "12:34:56.100200300-02:05:07"),
    ] {
        assert_eq!(parse_time(text, 0).unwrap().to_string(), expected, "{text}");
    }
    for text in [
        "",
        "T",
        "1",
        "24:00",
        "10:60",
        "10:00:60",
        "10:0",
        "10:00:00.",
        "10:00:00.1234567890",
        "10:00+18:01",
        "10:00+1",
        "10:00+01:60",
        "10:00+",
        "10:00ZZ",
        "10:00[Europe/Stockholm]",
        "10::00",
    ] {
        assert!(parse_time(text, 0).is_err(), "{text} was read as a time");
    }
}

#[test]
fn datetimes() {
    for (text, expected) in [
        (
            "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]",
            "2015-07-21T21:40:32.142+02:00[Europe/Stockholm]",
        ),
        ("2015-07-21T21:40[europe/london]", "2015-07-21T21:40+01:00[Europe/London]"),
        ("1818-07-21T21:40:32.142[Europe/Stockholm]", "1818-07-21T21:40:32.142+00:53:28[Europe/Stockholm]"),
        ("2015-07-21", "2015-07-21T00:00Z"),
        ("2015T21", "2015-01-01T21:00Z"),
        ("2015-07-21T21:40Z[UTC]", "2015-07-21T21:40Z[UTC]"),
        ("+999999999-12-31T23:59:59.999999999Z", "+999999999-12-31T23:59:59.999999999Z"),
    ] {
        assert_eq!(parse_datetime(text, &ZoneId::UTC).unwrap().to_string(), expected, "{text}");
    }
    for text in [
        "2015-07-21T",
        "T10:00",
        "2015-07-21T10:00]",
        "2015-07-21T10:00[",
        "2015-07-21T10:00[]",
        "2015-07-21T10:00[Europe/Stockholm",
        "2015-07-21T10:00+02:00[Europe/London]",
    ] {
        assert!(parse_datetime(text, &ZoneId::UTC).is_err(), "{text} was read as a datetime");
    }
    assert!(parse_local_datetime("2015-07-21T10:00Z").is_err());
}

#[test]
fn durations() {
    for (text, expected) in [
        ("P14DT16H12M", "P14DT16H12M"),
        ("P5M1.5D", "P5M1DT12H"),
        ("P0.75M", "P22DT19H51M49.5S"),
        ("PT0.75M", "PT45S"),
        ("P2.5W", "P17DT12H"),
        ("P12Y5M14DT16H12M70S", "P12Y5M14DT16H13M10S"),
        ("P2012-02-02T14:37:21.545", "P2012Y2M2DT14H37M21.545S"),
        ("P20120202T143721.545", "P2012Y2M2DT14H37M21.545S"),
        ("-P1M", "P-1M"),
        ("P-1Y2M", "P-10M"),
        ("PT-0,001S", "PT-0.001S"),
        ("P0D", "PT0S"),
        ("PT0.0000000019S", "PT0.000000001S"),
        ("PT9223372036854775807S", "PT2562047788015215H30M7S"),
    ] {
        assert_eq!(parse_duration(text).unwrap().to_string(), expected, "{text}");
    }
    for text in [
        "",
        "P",
        "PT",
        "1D",
        "P1",
        "PD",
        "P1H",
        "PT1D",
        "P1DT",
        "P1D1M",
        "P1D1D",
        "P1.D",
        "P.5D",
        "P1e3D",
        "P2012-13-02T00:00",
        "PT9223372036854775808S",
        "P99999999999999999999999999999999999999999Y",
    ] {
        assert!(parse_duration(text).is_err(), "{text} was read as a duration");
    }
    let shortest = Duration { months: 0, days: 0, seconds: -1, nanos: 999_999_999 };
    assert_eq!(shortest.to_string(), "PT-0.000000001S");
    let longest = Duration { months: i64::MIN, days: i64::MIN, seconds: i64::MIN, nanos: 0 };
    assert_eq!(
        longest.to_string(),
        "P-768614336404564650Y-8M-9223372036854775808DT-2562047788015215H-30M-8S"
    );
}
