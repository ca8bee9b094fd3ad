//! Parts of moments, arithmetic with durations, casts.

use super::evaluator::check;

#[test]
fn parts() {
    check(
        r#"
        year("2010-12-21T15:38:02-08:00"^^xsd:dateTime) ==> "2010"^^xsd:integer
        month("2010-12-21T15:38:02-08:00"^^xsd:dateTime) ==> "12"^^xsd:integer
        day("2010-12-21T15:38:02-08:00"^^xsd:dateTime) ==> "21"^^xsd:integer
        hours("2010-12-21T15:38:02-08:00"^^xsd:dateTime) ==> "15"^^xsd:integer
        minutes("2010-12-21T15:38:02-08:00"^^xsd:dateTime) ==> "38"^^xsd:integer
        seconds("2010-12-21T15:38:02-08:00"^^xsd:dateTime) ==> "2.0"^^xsd:decimal
        seconds("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) ==> "13.815"^^xsd:decimal
        year("-0044-03-15"^^xsd:date) ==> "-44"^^xsd:integer
        day("2010-12-21Z"^^xsd:date) ==> "21"^^xsd:integer
        hours("24:00:00"^^xsd:time) ==> "0"^^xsd:integer
        minutes("15:38:02.5Z"^^xsd:time) ==> "38"^^xsd:integer
        year("15:38:02"^^xsd:time) ==> error
        year("2010"^^xsd:gYear) ==> "2010"^^xsd:integer
        year("-0044Z"^^xsd:gYear) ==> "-44"^^xsd:integer
        year("2010-12"^^xsd:gYearMonth) ==> "2010"^^xsd:integer
        month("2010-12+01:00"^^xsd:gYearMonth) ==> "12"^^xsd:integer
        month("--12"^^xsd:gMonth) ==> "12"^^xsd:integer
        month("--12-05:00"^^xsd:gMonth) ==> "12"^^xsd:integer
        month("--12-24"^^xsd:gMonthDay) ==> "12"^^xsd:integer
        day("--12-24"^^xsd:gMonthDay) ==> "24"^^xsd:integer
        day("---24"^^xsd:gDay) ==> "24"^^xsd:integer
        month("2010"^^xsd:gYear) ==> error
        day("2010-12"^^xsd:gYearMonth) ==> error
        year("--12-24"^^xsd:gMonthDay) ==> error
        month("---24"^^xsd:gDay) ==> error
        tz("2010+05:30"^^xsd:gYear) ==> "+05:30"
        hours("2010-12-21"^^xsd:date) ==> error
        year("2010") ==> error
        year("2010-13-01"^^xsd:date) ==> error
        // SPARQL 1.1, §17.4.5.8 and §17.4.5.9
        timezone("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) ==> "-PT5H"^^xsd:dayTimeDuration
        timezone("2011-01-10T14:45:13.815Z"^^xsd:dateTime) ==> "PT0S"^^xsd:dayTimeDuration
        timezone("2011-01-10T14:45:13.815"^^xsd:dateTime) ==> error
        tz("2011-01-10T14:45:13.815-05:00"^^xsd:dateTime) ==> "-05:00"
        tz("2011-01-10T14:45:13.815Z"^^xsd:dateTime) ==> "Z"
        tz("2011-01-10T14:45:13.815"^^xsd:dateTime) ==> ""
        tz("2011-01-10T00:00:00+05:30"^^xsd:dateTime) ==> "+05:30"
        tz(1) ==> error
        now() ==> "2024-02-29T13:14:15.123456789Z"^^xsd:dateTime
        "#,
    );
}

#[test]
fn arithmetic() {
    check(
        r#"
        sub("2000-10-30T06:12:00-05:00"^^xsd:dateTime, "1999-11-28T09:00:00Z"^^xsd:dateTime) ==> "P337DT2H12M"^^xsd:dayTimeDuration
        sub("2000-10-30"^^xsd:date, "1999-11-28"^^xsd:date) ==> "P337D"^^xsd:dayTimeDuration
        sub("11:12:00Z"^^xsd:time, "04:00:00-05:00"^^xsd:time) ==> "PT2H12M"^^xsd:dayTimeDuration
        add("2000-10-30T11:12:00"^^xsd:dateTime, "P1Y2M"^^xsd:yearMonthDuration) ==> "2001-12-30T11:12:00"^^xsd:dateTime
        add("2000-10-30T11:12:00"^^xsd:dateTime, "P3DT1H15M"^^xsd:dayTimeDuration) ==> "2000-11-02T12:27:00"^^xsd:dateTime
        sub("2000-10-30T11:12:00"^^xsd:dateTime, "P3DT1H15M"^^xsd:dayTimeDuration) ==> "2000-10-27T09:57:00"^^xsd:dateTime
        sub("2000-02-29Z"^^xsd:date, "P1Y"^^xsd:yearMonthDuration) ==> "1999-02-28Z"^^xsd:date
        add("2000-10-30"^^xsd:date, "P2DT2H30M0S"^^xsd:dayTimeDuration) ==> "2000-11-01"^^xsd:date
        sub("2000-10-30"^^xsd:date, "P3DT1H15M"^^xsd:dayTimeDuration) ==> "2000-10-26"^^xsd:date
        add("23:12:00+03:00"^^xsd:time, "P1DT3H15M"^^xsd:dayTimeDuration) ==> "02:27:00+03:00"^^xsd:time
        add("23:12:00"^^xsd:time, "P1M"^^xsd:yearMonthDuration) ==> error
        add("P2Y11M"^^xsd:yearMonthDuration, "P3Y3M"^^xsd:yearMonthDuration) ==> "P6Y2M"^^xsd:yearMonthDuration
        sub("P2DT12H"^^xsd:dayTimeDuration, "P1DT10H30M"^^xsd:dayTimeDuration) ==> "P1DT1H30M"^^xsd:dayTimeDuration
        sub("P1M"^^xsd:yearMonthDuration, "P1M"^^xsd:yearMonthDuration) ==> "P0M"^^xsd:yearMonthDuration
        add("P1M"^^xsd:yearMonthDuration, "-P1D"^^xsd:dayTimeDuration) ==> error
        mul("P2Y11M"^^xsd:yearMonthDuration, 2.3) ==> "P6Y9M"^^xsd:yearMonthDuration
        mul("PT2H10M"^^xsd:dayTimeDuration, 2.1) ==> "PT4H33M"^^xsd:dayTimeDuration
        div("P2Y11M"^^xsd:yearMonthDuration, 1.5) ==> "P1Y11M"^^xsd:yearMonthDuration
        div("P1D"^^xsd:dayTimeDuration, 2) ==> "PT12H"^^xsd:dayTimeDuration
        div("P1D"^^xsd:dayTimeDuration, 0) ==> error
        div("P3Y4M"^^xsd:yearMonthDuration, "-P1Y4M"^^xsd:yearMonthDuration) ==> "-2.5"^^xsd:decimal
        div("P2D"^^xsd:dayTimeDuration, "PT12H"^^xsd:dayTimeDuration) ==> "4.0"^^xsd:decimal
        neg("P1D"^^xsd:dayTimeDuration) ==> "-P1D"^^xsd:dayTimeDuration
        add("2000-10-30"^^xsd:date, 1) ==> error
        add("2000-10-30"^^xsd:date, "2000-10-30"^^xsd:date) ==> error
        add("999999999-12-31"^^xsd:date, "P1D"^^xsd:dayTimeDuration) ==> error
        add("2000-10-30"^^xsd:date, "P99999999999999999M"^^xsd:yearMonthDuration) ==> error
        "#,
    );
}

#[test]
fn casts() {
    check(
        r#"
        xsd.dateTime("2002-10-10T17:00:00Z") ==> "2002-10-10T17:00:00Z"^^xsd:dateTime
        xsd.dateTime(" 2002-10-10T17:00:00.50 ") ==> "2002-10-10T17:00:00.5"^^xsd:dateTime
        xsd.dateTime("2002-10-10"^^xsd:date) ==> "2002-10-10T00:00:00"^^xsd:dateTime
        xsd.dateTime("2002-10-10+02:00"^^xsd:date) ==> "2002-10-10T00:00:00+02:00"^^xsd:dateTime
        xsd.dateTime("2002-10-10") ==> error
        xsd.dateTime(1) ==> error
        xsd.date("2002-10-10T17:00:00Z"^^xsd:dateTime) ==> "2002-10-10Z"^^xsd:date
        xsd.date("2002-10-10T17:00:00"^^xsd:dateTime) ==> "2002-10-10"^^xsd:date
        xsd.date("2002-10-10-05:00") ==> "2002-10-10-05:00"^^xsd:date
        xsd.time("2002-10-10T17:00:00.25Z"^^xsd:dateTime) ==> "17:00:00.25Z"^^xsd:time
        xsd.time("17:00:00") ==> "17:00:00"^^xsd:time
        xsd.time("17:00") ==> error
        xsd.duration("P14M") ==> "P1Y2M"^^xsd:duration
        xsd.dayTimeDuration("P1Y1DT36H"^^xsd:duration) ==> "P2DT12H"^^xsd:dayTimeDuration
        xsd.dayTimeDuration("P1Y") ==> error
        xsd.yearMonthDuration("P1Y1DT36H"^^xsd:duration) ==> "P1Y"^^xsd:yearMonthDuration
        xsd.yearMonthDuration("PT1H") ==> error
        xsd.yearMonthDuration("PT1H"^^xsd:dayTimeDuration) ==> "P0M"^^xsd:yearMonthDuration
        xsd.string("2002-10-10T17:00:00.00+00:00"^^xsd:dateTime) ==> "2002-10-10T17:00:00Z"
        xsd.string("PT36H"^^xsd:dayTimeDuration) ==> "P1DT12H"
        xsd.string("24:00:00"^^xsd:time) ==> "00:00:00"
        "#,
    );
}
