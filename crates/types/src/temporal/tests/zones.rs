//! Named zones: offsets over time, hours that occur twice or not at all, and the rules of POSIX.

use crate::temporal::posix_zone::PosixRule;
use crate::temporal::{ZoneId, parse_datetime, parse_local_datetime};
use crate::value::DateTime;

fn utc(text: &str) -> i64 {
    parse_local_datetime(text).unwrap().seconds
}

#[test]
fn offsets_at_instants() {
    for (zone, at, hours) in [
        ("Europe/Stockholm", "2017-03-26T00:59:59", 1.0),
        ("Europe/Stockholm", "2017-03-26T01:00:00", 2.0),
        ("Europe/Stockholm", "2017-10-29T00:59:59", 2.0),
        ("Europe/Stockholm", "2017-10-29T01:00:00", 1.0),
        // Beyond the table, by the rule.
        ("Europe/Stockholm", "2417-07-01T00:00:00", 2.0),
        ("America/New_York", "2100-01-01T00:00:00", -5.0),
        ("America/New_York", "2100-07-01T00:00:00", -4.0),
        ("Australia/Sydney", "2100-01-01T00:00:00", 11.0),
        ("Australia/Lord_Howe", "2024-01-01T00:00:00", 11.0),
        ("Australia/Lord_Howe", "2024-07-01T00:00:00", 10.5),
        ("Asia/Kathmandu", "2024-07-01T00:00:00", 5.75),
        ("Australia/Eucla", "2015-07-21T00:00:00", 8.75),
        ("Pacific/Kiritimati", "2024-07-01T00:00:00", 14.0),
        ("Etc/GMT+5", "2024-07-01T00:00:00", -5.0),
    ] {
        let offset = ZoneId::parse(zone).unwrap().at(utc(at)).offset_seconds();
        assert!((f64::from(offset) - hours * 3_600.0).abs() < 0.5, "{zone} at {at}: {offset}");
    }
}

/// Within the run of an instant every instant has the same offset, and another run follows or none does.
#[test]
fn runs_share_an_offset() {
    let names = [
        "Europe/Stockholm",
        "America/New_York",
        "Australia/Sydney",
        "Australia/Lord_Howe",
        "Asia/Kolkata",
        "Africa/Casablanca",
        "Pacific/Apia",
        "Europe/Dublin",
        "+05:30",
        "Z",
    ];
    for zone in names.map(|name| ZoneId::parse(name).unwrap()) {
        // Days apart, through what tables and rules know.
        for k in -300..600 {
            let at = k * 86_400 * 97 + k * 977;
            let (found, run) = zone.run_at(at);
            assert!(run.contains(&at), "{zone:?} at {at}: {run:?}");
            assert_eq!(found, zone.at(at), "{zone:?} at {at}");
            let (first, last) = (run.start.max(at - 86_400 * 400), (run.end - 1).min(at + 86_400 * 400));
            for part in 0..=20 {
                let within = first + (last - first) / 20 * part;
                assert_eq!(found, zone.at(within), "{zone:?} at {within} of {run:?}");
            }
            assert_eq!(found, zone.at(last), "{zone:?} at the end of {run:?}");
        }
    }
}

#[test]
fn local_times_near_changes() {
    for (zone, local, expected) in [
        // Skipped: forward by the gap.
        ("Europe/Stockholm", "2017-03-26T02:30", "2017-03-26T03:30+02:00[Europe/Stockholm]"),
        ("America/New_York", "2024-03-10T02:00", "2024-03-10T03:00-04:00[America/New_York]"),
        // A whole day: Samoa had no December 30th, 2011.
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-31T12:00+14:00[Pacific/Apia]"),
        // Twice: the earlier.
        ("Europe/Stockholm", "2017-10-29T02:30", "2017-10-29T02:30+02:00[Europe/Stockholm]"),
        ("Australia/Lord_Howe", "2024-04-07T01:45", "2024-04-07T01:45+11:00[Australia/Lord_Howe]"),
        // Just outside.
        ("Europe/Stockholm", "2017-10-29T03:00", "2017-10-29T03:00+01:00[Europe/Stockholm]"),
        ("Europe/Stockholm", "2017-03-26T01:59:59", "2017-03-26T01:59:59+01:00[Europe/Stockholm]"),
    ] {
        let zone = ZoneId::parse(zone).unwrap();
        let found = DateTime::from_local(parse_local_datetime(local).unwrap(), &zone);
        assert_eq!(found.to_string(), expected);
    }
    // An offset in the text chooses the later of two.
    let later = "2017-10-29T02:30+01:00[Europe/Stockholm]";
    assert_eq!(parse_datetime(later, &ZoneId::UTC).unwrap().to_string(), later);
}

/// Through every change of a few zones: showing an instant and reading it back with its offset gives the
/// instant.
#[test]
fn instants_survive_their_local_time() {
    for name in
        ["Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"]
    {
        let zone = ZoneId::parse(name).unwrap();
        for step in 0..40_000 {
            let utc = -5_000_000_000 + step * 251_659;
            let shown = DateTime::from_utc(utc, 0, &zone);
            let offset = shown.zone.offset_seconds();
            assert_eq!(zone.utc_of_local_with_offset(shown.local().seconds, offset), Some(utc), "{shown}");
        }
    }
}

#[test]
fn names() {
    assert_eq!(ZoneId::parse("america/los angeles").unwrap(), ZoneId::Named("America/Los_Angeles".into()));
    assert_eq!(ZoneId::parse("Z").unwrap(), ZoneId::UTC);
    assert_eq!(ZoneId::parse("+0130").unwrap(), ZoneId::Offset(5_400));
    for text in ["", "Nowhere", "+25:00", "+", "Europe/", "../etc/passwd"] {
        assert!(ZoneId::parse(text).is_err(), "{text}");
    }
}

#[test]
fn posix_rules() {
    for (rule, at, hours) in [
        ("EST5EDT,M3.2.0,M11.1.0", "2024-03-10T06:59:59", -5.0),
        ("EST5EDT,M3.2.0,M11.1.0", "2024-03-10T07:00:00", -4.0),
        ("EST5EDT,M3.2.0,M11.1.0", "2024-11-03T06:00:00", -5.0),
        // The southern hemisphere: daylight time spans the new year.
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-01-01T00:00:00", 11.0),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-07-01T00:00:00", 10.0),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2024-07-01T00:00:00", 10.5),
        ("<-03>3", "2024-07-01T00:00:00", -3.0),
        // Negative time of day: the evening before.
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31T00:59:59", -2.0),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31T01:00:00", -1.0),
        ("IST-2IDT,J60,J300", "2024-02-29T12:00:00", 2.0),
        ("IST-2IDT,J60,J300", "2024-03-01T00:00:00", 3.0),
        ("IST-2IDT,59,300", "2024-02-29T00:00:00", 3.0),
    ] {
        let offset = PosixRule::read(rule).unwrap().offset_at(utc(at));
        assert!((f64::from(offset) - hours * 3_600.0).abs() < 0.5, "{rule} at {at}: {offset}");
    }
    for rule in ["", "EST", "5", "EST5EDT", "EST5EDT,M13.1.0,M1.1.0", "EST5EDT,M3.2.0", "<EST5"] {
        assert!(PosixRule::read(rule).is_none(), "{rule}");
    }
}
