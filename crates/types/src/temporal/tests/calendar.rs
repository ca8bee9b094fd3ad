//! The calendar against itself and known days.

use crate::temporal::calendar::{
    add_months, date_from_days, days_from_date, days_in_month, days_in_quarter, days_in_year, far_date,
    far_days, ordinal_day, week_of, week_year_start, weekday, weeks_in_year,
};

#[test]
fn every_day_of_nine_centuries_follows_the_one_before() {
    let mut day = days_from_date(1599, 12, 31);
    for year in 1600..2500 {
        assert_eq!(ordinal_day(day), days_in_year(year - 1));
        for month in 1..=12 {
            for day_of_month in 1..=days_in_month(year, month) {
                let week_before = week_of(day);
                day += 1;
                assert_eq!(days_from_date(year, month, day_of_month), day);
                assert_eq!(date_from_days(day), (year, month, day_of_month));
                assert_eq!(weekday(day), weekday(day - 1) % 7 + 1);
                let (week_year, week) = week_of(day);
                assert_eq!(week_year_start(week_year) + (week - 1) * 7 + weekday(day) - 1, day);
                if weekday(day) == 1 {
                    let next = if week_before.1 < weeks_in_year(week_before.0) {
                        (week_before.0, week_before.1 + 1)
                    } else {
                        (week_before.0 + 1, 1)
                    };
                    assert_eq!((week_year, week), next);
                } else {
                    assert_eq!((week_year, week), week_before);
                }
            }
        }
        assert_eq!((1..=4).map(|q| days_in_quarter(year, q)).sum::<i64>(), days_in_year(year));
    }
}

/// Both ways to count, over all days of 1,200 years and where the ways meet.
#[test]
fn near_dates_are_those_of_the_far_way() {
    let around = |year: i64| far_days(year, 3, 1) - 800..far_days(year, 3, 1) + 800;
    let ends = [around(-32_801), around(-32_800), around(0), around(734_965), around(1_015_776)];
    for day in (-219_146..219_146).chain(ends.into_iter().flatten()) {
        let date = far_date(day);
        assert_eq!(date_from_days(day), date);
        assert_eq!(days_from_date(date.0, date.1, date.2), day);
    }
    for day in
        (-1_000_000_000..1_000_000_000_i64).step_by(99_991).chain([i64::from(i32::MIN), i32::MAX.into()])
    {
        let date = far_date(day);
        assert_eq!(date_from_days(day), date);
        assert_eq!(days_from_date(date.0, date.1, date.2), day);
    }
}

#[test]
fn known_days() {
    for (date, days, day_of_week) in [
        ((1970, 1, 1), 0, 4),
        ((1969, 12, 31), -1, 3),
        ((2000, 2, 29), 11_016, 2),
        ((2024, 2, 29), 19_782, 4),
        ((1, 1, 1), -719_162, 1),
        ((0, 3, 1), -719_468, 3),
        ((-1, 12, 31), -719_529, 5),
    ] {
        assert_eq!(days_from_date(date.0, date.1, date.2), days);
        assert_eq!(date_from_days(days), date);
        assert_eq!(weekday(days), day_of_week, "{date:?}");
    }
}

#[test]
fn months_end_where_they_end() {
    for (from, months, to) in [
        ((2011, 1, 31), 1, Some((2011, 2, 28))),
        ((2012, 1, 31), 1, Some((2012, 2, 29))),
        ((2012, 3, 31), -1, Some((2012, 2, 29))),
        ((2012, 2, 29), 12, Some((2013, 2, 28))),
        ((1970, 1, 15), -1, Some((1969, 12, 15))),
        ((1970, 1, 15), 12 * 999_997_929, Some((999_999_899, 1, 15))),
        ((1970, 1, 15), i64::MAX, None),
        ((1970, 1, 15), i64::MIN, None),
    ] {
        let found = add_months(days_from_date(from.0, from.1, from.2), months);
        assert_eq!(found.map(date_from_days), to, "{from:?} + {months}");
    }
}
