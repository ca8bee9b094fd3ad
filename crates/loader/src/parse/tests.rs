//! Parsers of single fields, table by table.

use super::*;

#[test]
fn integers() {
    let cases: &[(&str, Option<i64>)] = &[
        ("0", Some(0)),
        ("-1", Some(-1)),
        ("+7", Some(7)),
        ("12345678", Some(12_345_678)),
        ("123456789", Some(123_456_789)),
        ("687195119159", Some(687_195_119_159)),
        ("999999999999999999", Some(999_999_999_999_999_999)),
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("0000000000000000000000000000001", Some(1)),
        ("9223372036854775808", None),
        ("", None),
        ("-", None),
        ("1 ", None),
        (" 1", None),
        ("1.0", None),
        ("1234567:", None),
        ("1234567/", None),
        ("12345678a", None),
        ("--1", None),
        ("\u{661}", None),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_int(text.as_bytes()), *expected, "{text}");
    }
}

#[test]
fn dates_exist_or_are_refused() {
    let cases: &[(&str, Option<i64>)] = &[
        ("1970-01-01", Some(0)),
        ("1969-12-31", Some(-1)),
        ("2000-02-29", Some(11_016)),
        ("2012-02-29", Some(15_399)),
        ("+2012-02-29", Some(15_399)),
        ("0000-01-01", Some(-719_528)),
        ("2011-02-29", None),
        ("1900-02-29", None),
        ("2011-13-01", None),
        ("2011-00-01", None),
        ("2011-01-00", None),
        ("2011-04-31", None),
        ("2011-1-1", None),
        ("2011-01-01 ", None),
        ("20110101", None),
        ("+999999999-12-31", Some(365_241_780_471)),
        ("+1000000000-01-01", None),
        ("", None),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_date(text.as_bytes()), *expected, "{text}");
    }
    for days in (-1_000_000..1_000_000).step_by(97) {
        let (year, month, day) = civil_from_days(days);
        assert_eq!(days_from_civil(year, month, day), days);
    }
}

#[test]
fn instants() {
    /// Seconds, nanoseconds, offset.
    type Instant = (i64, u32, i32);
    let cases: &[(&str, Option<Instant>)] = &[
        ("1970-01-01T00:00:00Z", Some((0, 0, 0))),
        ("2011-07-28T12:15:43.300+00:00", Some((1_311_855_343, 300_000_000, 0))),
        ("2011-07-28T14:15:43.300+02:00", Some((1_311_855_343, 300_000_000, 7200))),
        ("2011-07-28T12:15:43+02:05:59", Some((1_311_847_784, 0, 7559))),
        ("2011-07-28T12:15:43+18:00:01", None),
        ("2011-07-28T12:15:43+02:05-59", None),
        ("2011-07-28 14:15:43.3+0200", Some((1_311_855_343, 300_000_000, 7200))),
        ("1969-12-31T23:59:59.5", Some((-1, 500_000_000, 0))),
        ("2011-07-28T12:15", Some((1_311_855_300, 0, 0))),
        ("2011-07-28T24:00:00Z", None),
        ("2011-07-28T12:60:00Z", None),
        ("2011-07-28T12:00:60Z", None),
        ("2011-02-30T12:00:00Z", None),
        ("2011-07-28T12:15:43.+00:00", None),
        ("2011-07-28T12:15:43.1234567890Z", None),
        ("2011-07-28T12:15:43+19:00", None),
        ("2011-07-28", None),
        ("2011-07-28T12", None),
    ];
    for (text, expected) in cases {
        let found = parse_datetime(text.as_bytes()).map(|(i, o)| (i.seconds, i.nanos, o));
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn usual_instants_are_what_they_are_to_the_general_parser() {
    let alphabet = b"0123456789-:.T+Z\xb0/ ";
    let mut random = trimorph_base::Random::new(5);
    let mut found = 0;
    for _ in 0..200_000 {
        let mut text = format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{}",
            [1600, 1969, 1970, 2012, 2262, 2263, random.below(10_000)][random.below(7)],
            random.below(14),
            random.below(33),
            random.below(25),
            random.below(61),
            random.below(61),
            random.below(1000),
            ["Z", "+00:00", "+01:00", ""][random.below(4)]
        )
        .into_bytes();
        if random.below(3) == 0 {
            let at = random.below(text.len());
            text[at] = alphabet[random.below(alphabet.len())];
        }
        let general = parse_datetime(&text).filter(|(_, offset)| *offset == 0).map(|(instant, _)| instant);
        let nanos = |i: trimorph_types::LocalDateTime| {
            i.seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(i.nanos.into())
        };
        if let Some(usual) = parse_usual_instant(&text) {
            assert_eq!(Some(usual), general.and_then(nanos), "{}", String::from_utf8_lossy(&text));
            found += 1;
        }
    }
    assert!(found > 20_000, "{found}");
    assert_eq!(parse_usual_instant(b"2010-01-03T15:10:31.499+00:00"), Some(1_262_531_431_499_000_000));
}

#[test]
fn integers_of_all_lengths() {
    let mut random = trimorph_base::Random::new(6);
    for _ in 0..100_000 {
        let number = random.bits().cast_signed() >> random.below(64);
        let mut text = format!("{}{number}", ["", "0", "000"][random.below(3)]).into_bytes();
        if number < 0 {
            text = number.to_string().into_bytes();
        }
        assert_eq!(parse_int(&text), Some(number));
        let at = random.below(text.len());
        text[at] = b" /:a-+\xb5"[random.below(7)];
        let text = String::from_utf8_lossy(&text);
        assert_eq!(parse_int(text.as_bytes()), text.parse().ok(), "{text}");
    }
}

#[test]
fn instants_in_named_zones() {
    let cases: &[(&str, Option<&str>)] = &[
        ("2020-06-01T12:00:00+02:00[Europe/Berlin]", Some("2020-06-01T12:00+02:00[Europe/Berlin]")),
        ("2020-01-01 12:00:00.5[europe/berlin]", Some("2020-01-01T12:00:00.500+01:00[Europe/Berlin]")),
        ("2020-01-01T12:00Z[UTC]", Some("2020-01-01T12:00Z[UTC]")),
        // Both of an hour that comes twice, and an hour that never comes.
        ("2020-10-25T02:30+01:00[Europe/Berlin]", Some("2020-10-25T02:30+01:00[Europe/Berlin]")),
        ("2020-10-25T02:30[Europe/Berlin]", Some("2020-10-25T02:30+02:00[Europe/Berlin]")),
        ("2020-03-29T02:30[Europe/Berlin]", Some("2020-03-29T03:30+02:00[Europe/Berlin]")),
        ("1880-01-01T00:00+00:53:28[Europe/Berlin]", Some("1880-01-01T00:00+00:53:28[Europe/Berlin]")),
        ("2020-06-01T12:00:00+01:00[Europe/Berlin]", None),
        ("2020-06-01T12:00:00+02:00[Europe/Nowhere]", None),
        ("2020-06-01T12:00:00+02:00[]", None),
        ("2020-06-01T12:00:00+02:00]", None),
        ("[Europe/Berlin]", None),
        ("]", None),
    ];
    for (text, expected) in cases {
        let found = parse_datetime_in_zone(text.as_bytes()).map(|d| d.to_string());
        assert_eq!(found.as_deref(), *expected, "{text}");
    }
}

#[test]
fn durations() {
    let parse = |t: &str| parse_duration(t.as_bytes()).map(|d| (d.months, d.days, d.seconds, d.nanos));
    assert_eq!(parse("P1Y2M3DT4H5M6.5S"), Some((14, 3, 14_706, 500_000_000)));
    assert_eq!(parse("P2W"), Some((0, 14, 0, 0)));
    assert_eq!(parse("-PT1.5S"), Some((0, 0, -2, 500_000_000)));
    assert_eq!(parse("PT-0.5S"), Some((0, 0, -1, 500_000_000)));
    for bad in ["", "P", "PT", "1Y", "P1S", "PT1D", "P1M1Y", "PT1.5M", "P1", "PT99999999999999999999S"] {
        assert_eq!(parse(bad), None, "{bad}");
    }
}

#[test]
fn nothing_panics_on_short_or_odd_bytes() {
    let alphabet = b"0129-+:.TZP S\xff\xc3";
    let mut state = 7_u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = (state >> 33) % 32;
        let mut bits = state;
        let text: Vec<u8> = (0..length)
            .map(|_| {
                bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                alphabet[(bits >> 40) as usize % alphabet.len()]
            })
            .collect();
        let _ = (parse_int(&text), parse_float(&text), parse_bool(&text), parse_date(&text));
        let _ = (parse_local_time(&text), parse_time(&text), parse_duration(&text));
        let _ = parse_datetime_in_zone(&text);
        let _ = (parse_datetime(&text), parse_local_datetime(&text), parse_usual_instant(&text));
    }
}
