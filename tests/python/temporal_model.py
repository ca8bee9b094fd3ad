"""Dates, times and durations of openCypher in whole numbers: a model to compare with, and random questions with its answers.

A `Moment` has an epoch day or none, nanoseconds of the day or none, a zone or none (an offset in seconds, or a name) and its
offset; which of them it has says its type. A duration is (months, days, nanoseconds). `question(random)` gives an expression
and the value it must have. The calendar is computed by the algorithms of Howard Hinnant's "chrono-compatible low-level date
algorithms"; zones are those of the standard library, which knows the years 1930 to 2036 well enough.
"""

import datetime
import zoneinfo

NANOS = 10**9
DAY = 86_400 * NANOS
ZONES = ["Europe/Stockholm", "America/New_York", "Asia/Kolkata", "Pacific/Honolulu", "Australia/Sydney"]
DATE_UNITS = ["millennium", "century", "decade", "year", "weekYear", "quarter", "month", "week", "day"]
TIME_UNITS = {"hour": 3600 * NANOS, "minute": 60 * NANOS, "second": NANOS, "millisecond": 10**6, "microsecond": 10**3}


class Unknown(Exception):
    """The model has no answer: the question is not asked."""


def quotient(a, b):
    """Rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return a - b * quotient(a, b)


def epoch_day(year, month, day):
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def civil(day):
    """(year, month, day of the month)"""
    era, of_era = divmod(day + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    date = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, date


def month_length(year, month):
    following = (year + 1, 1) if month == 12 else (year, month + 1)
    return epoch_day(*following, 1) - epoch_day(year, month, 1)


def weekday(day):
    """Monday is 1."""
    return (day + 3) % 7 + 1


def first_monday(year):
    """The first day of the first week of a year: the week of 4 January."""
    fourth = epoch_day(year, 1, 4)
    return fourth - weekday(fourth) + 1


def week_of(day):
    """(week year, week)"""
    year = civil(day)[0]
    of = next(y for y in (year + 1, year, year - 1) if day >= first_monday(y))
    return of, (day - first_monday(of)) // 7 + 1


def quarter_start(day):
    year, month, _ = civil(day)
    return epoch_day(year, (month - 1) // 3 * 3 + 1, 1)


def plus_months(day, count):
    """The day of the month is cut where the month is shorter."""
    year, month, date = civil(day)
    year, month = divmod(year * 12 + month - 1 + count, 12)
    return epoch_day(year, month + 1, min(date, month_length(year, month + 1)))


def date_text(day):
    year, month, date = civil(day)
    written = f"{year:04}" if 0 <= year <= 9999 else f"{year:05}" if year < 0 else f"+{year}"
    return f"{written}-{month:02}-{date:02}"


def time_text(nanos):
    """Seconds where they are not 0, their fraction in groups of three digits."""
    seconds, fraction = divmod(nanos, NANOS)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}"
    if seconds % 60 or fraction:
        text += f":{seconds % 60:02}"
    if fraction:
        digits = f"{fraction:09}"
        while digits.endswith("000"):
            digits = digits[:-3]
        text += f".{digits}"
    return text


def offset_text(offset):
    if offset == 0:
        return "Z"
    size = abs(offset)
    text = f"{'-' if offset < 0 else '+'}{size // 3600:02}:{size // 60 % 60:02}"
    return text + (f":{size % 60:02}" if size % 60 else "")


def duration_text(duration):
    months, days, nanos = duration
    parts = [(quotient(months, 12), "Y"), (remainder(months, 12), "M"), (days, "D")]
    text = "P" + "".join(f"{n}{unit}" for n, unit in parts if n)
    if nanos:
        sign, size = "-" if nanos < 0 else "", abs(nanos)
        seconds, fraction = divmod(size, NANOS)
        text += "T" + "".join(f"{sign}{n}{unit}" for n, unit in [(seconds // 3600, "H"), (seconds // 60 % 60, "M")] if n)
        if seconds % 60 or fraction:
            text += f"{sign}{seconds % 60}" + (f".{fraction:09}".rstrip("0") if fraction else "") + "S"
    return text if text != "P" else "PT0S"


def offset_at(zone, instant):
    """The offset of a zone at an instant in nanoseconds."""
    if isinstance(zone, int):
        return zone
    seconds = instant // NANOS
    if not -1_200_000_000 < seconds < 2_110_000_000:
        raise Unknown
    utc = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return int(utc.astimezone(zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds())


def settled(zone, day, nanos):
    """(day, nanos, offset): in an overlap the earlier offset, in a gap a time later by the gap's length."""
    if isinstance(zone, int):
        return day, nanos, zone
    if not 1930 < civil(day)[0] < 2037:
        raise Unknown
    local = datetime.datetime(*civil(day)) + datetime.timedelta(seconds=nanos // NANOS)
    before = int(local.replace(tzinfo=zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds())
    after = offset_at(zone, day * DAY + nanos - before * NANOS)
    if after > before and offset_at(zone, day * DAY + nanos - after * NANOS) == before:
        return (*divmod(day * DAY + nanos + (after - before) * NANOS, DAY), after)
    return day, nanos, before


class Moment:
    """A value of one of the five types."""

    def __init__(self, day=None, nanos=None, zone=None, offset=None):
        if zone is not None and offset is None:
            day, nanos, offset = settled(zone, day, nanos) if day is not None else (day, nanos, zone)
        self.day, self.nanos, self.zone, self.offset = day, nanos, zone, offset

    def kind(self):
        if self.nanos is None:
            return "date"
        if self.day is None:
            return "localtime" if self.zone is None else "time"
        return "localdatetime" if self.zone is None else "datetime"

    def text(self):
        parts = [part for part, has in ((self.day, date_text), (self.nanos, time_text)) if part is not None for part in [has(part)]]
        zone = "" if self.zone is None else offset_text(self.offset)
        return "T".join(parts) + zone + (f"[{self.zone}]" if isinstance(self.zone, str) else "")

    def literal(self):
        return f"{self.kind()}('{self.text()}')"

    def instant(self):
        return self.day * DAY + self.nanos - self.offset * NANOS


def at(instant, zone):
    offset = offset_at(zone, instant)
    return Moment(*divmod(instant + offset * NANOS, DAY), zone, offset)


# What is random -------------------------------------------------------------------------------------------------------------


def some_day(random):
    chance = random.random()
    if chance < 0.15:
        year = random.choice([1, 4, 99, 999, 1600, 1900, 2000, 2100, -1, -4, 0, -100, 10_000, 123_456, -123_456])
    else:
        year = random.randint(1972, 2036)
    month = random.randint(1, 12)
    last = month_length(year, month)
    month, date = random.choice([(1, 1), (12, 31), (12, 29), (1, 3), (1, 4), *[(month, random.choice([1, last, random.randint(1, 28)]))] * 9])
    return epoch_day(year, month, date)


def some_nanos(random):
    whole = random.choice([0, 3600, 60, 1, 1, 1, 1]) * random.randint(0, 23)
    whole = random.randrange(86_400) if random.random() < 0.8 else whole
    return whole * NANOS + random.choice([0, 0, 645_876_123, 1, 999_999_999, 100_000_000, 645_000_000, 2000])


def some_offset(random):
    return random.choice([0, 3600, -3600, 19_800, -34_200, 64_800, -64_800])


def some_moment(random, kinds=("date", "localtime", "time", "localdatetime", "datetime")):
    kind = random.choice(kinds)
    if kind == "date":
        return Moment(some_day(random))
    if kind == "localtime":
        return Moment(None, some_nanos(random))
    if kind == "time":
        return Moment(None, some_nanos(random), some_offset(random))
    if kind == "localdatetime":
        return Moment(some_day(random), some_nanos(random))
    if random.random() < 0.5:
        return Moment(some_day(random), some_nanos(random), some_offset(random))
    # Of days on which clocks are changed, more than there are.
    day = random.choice([epoch_day(2017, 10, 29), epoch_day(2017, 3, 26), *[epoch_day(1981, 1, 1) + random.randrange(20_000)] * 8])
    return Moment(day, some_nanos(random), random.choice(ZONES))


def some_duration(random):
    if random.random() < 0.3:
        nanos = random.choice([0, NANOS, -NANOS, 1, -1, -400_000_000, 90_061 * NANOS + 5, -90_061 * NANOS - 5, DAY])
        return random.choice([0, 1, -1, 12, -25, 149]), random.choice([0, 1, -1, 30, -400]), nanos
    nanos = random.randint(-(10**6), 10**6) * NANOS + random.choice([0, 0, 5, -5, 500_000_000])
    return random.randint(-30, 30), random.randint(-60, 60), nanos


# What lies between ----------------------------------------------------------------------------------------------------------


def aligned(a, b):
    """Both with what the other has: `None` where neither has a date; and whether both had one."""
    if a.day is None and b.day is None:
        both = a.zone is not None and b.zone is not None
        return None, b.nanos - a.nanos + ((a.offset - b.offset) * NANOS if both else 0), False
    day = {"a": a.day if a.day is not None else b.day, "b": b.day if b.day is not None else a.day}
    zone_a = next(z for z in (a.zone, b.zone, 0) if z is not None)
    zone_b = next(z for z in (b.zone, a.zone, 0) if z is not None)
    first = a if a.kind() == "datetime" else Moment(day["a"], a.nanos or 0, zone_a)
    second = b if b.kind() == "datetime" else Moment(day["b"], b.nanos or 0, zone_b)
    return first, at(second.instant(), first.zone), a.day is not None and b.day is not None


def whole_days(a, b):
    """The day of `b` as seen from `a`: a day that is not whole does not count."""
    if b.day > a.day and b.nanos < a.nanos:
        return b.day - 1
    return b.day + 1 if b.day < a.day and b.nanos > a.nanos else b.day


def months_until(a, b):
    (year, month, date), (to_year, to_month, to_date) = civil(a.day), civil(whole_days(a, b))
    return quotient((to_year * 12 + to_month) * 32 + to_date - (year * 12 + month) * 32 - date, 32)


def between(a, b):
    first, second, dated = aligned(a, b)
    if first is None:
        return 0, 0, second
    if not dated:
        return 0, 0, second.instant() - first.instant()
    months = months_until(first, second)
    later = Moment(plus_months(first.day, months), first.nanos, first.zone) if months else first
    days = whole_days(later, second) - later.day
    later = Moment(later.day + days, first.nanos, first.zone) if days else later
    return months, days, second.instant() - later.instant()


def in_months(a, b):
    first, second, dated = aligned(a, b)
    return (months_until(first, second) if dated else 0), 0, 0


def in_days(a, b):
    first, second, dated = aligned(a, b)
    return 0, (whole_days(first, second) - first.day if dated else 0), 0


def in_seconds(a, b):
    first, second, _ = aligned(a, b)
    return 0, 0, second if first is None else second.instant() - first.instant()


def moved(moment, duration, sign):
    """A moment with a duration added: months, then days, then the rest."""
    months, days, nanos = (sign * part for part in duration)
    kind = moment.kind()
    if kind in ("localtime", "time"):
        return Moment(None, (moment.nanos + nanos) % DAY, moment.zone, moment.offset)
    day = plus_months(moment.day, months) + days
    if kind == "date":
        return Moment(day + quotient(nanos // NANOS, 86_400))
    if kind == "localdatetime":
        return Moment(*divmod(day * DAY + moment.nanos + nanos, DAY))
    later = Moment(plus_months(moment.day, months), moment.nanos, moment.zone) if months else moment
    later = Moment(later.day + days, later.nanos, moment.zone) if days else later
    return at(later.instant() + nanos, moment.zone)


# Questions ------------------------------------------------------------------------------------------------------------------


def ask_between(random):
    a, b = some_moment(random), some_moment(random)
    name, asked = random.choice([("between", between), ("inMonths", in_months), ("inDays", in_days), ("inSeconds", in_seconds)])
    return f"toString(duration.{name}({a.literal()}, {b.literal()}))", duration_text(asked(a, b))


def ask_sum(random):
    moment, duration, sign = some_moment(random), some_duration(random), random.choice("+-")
    written = f"duration('{duration_text(duration)}')"
    text = f"{written} + {moment.literal()}" if sign == "+" and random.random() < 0.3 else f"{moment.literal()} {sign} {written}"
    return f"toString({text})", moved(moment, duration, 1 if sign == "+" else -1).text()


def truncated_day(unit, day):
    year, month, _ = civil(day)
    return {
        "millennium": lambda: epoch_day(year // 1000 * 1000, 1, 1),
        "century": lambda: epoch_day(year // 100 * 100, 1, 1),
        "decade": lambda: epoch_day(year // 10 * 10, 1, 1),
        "year": lambda: epoch_day(year, 1, 1),
        "weekYear": lambda: first_monday(week_of(day)[0]),
        "quarter": lambda: quarter_start(day),
        "month": lambda: epoch_day(year, month, 1),
        "week": lambda: day - weekday(day) + 1,
        "day": lambda: day,
    }[unit]()


def with_date_field(random, day, fields):
    """A day with perhaps one component chosen anew, which is put into `fields`."""
    year, month, date = civil(day)
    field = random.choice([None, None, "day", "month", "dayOfWeek", "ordinalDay", "dayOfQuarter", "week", "quarter", "year"])
    if field is None or (field in ("month", "year") and date > 28):
        return day
    most = {"day": 28, "month": 12, "dayOfWeek": 7, "ordinalDay": 365, "dayOfQuarter": 90, "week": 52, "quarter": 4, "year": 3000}
    value = fields[field] = random.randint(1, most[field])
    return {
        "day": lambda: epoch_day(year, month, value),
        "month": lambda: epoch_day(year, value, date),
        "dayOfWeek": lambda: day - weekday(day) + value,
        "ordinalDay": lambda: epoch_day(year, 1, 1) + value - 1,
        "dayOfQuarter": lambda: quarter_start(day) + value - 1,
        "week": lambda: first_monday(week_of(day)[0]) + (value - 1) * 7 + weekday(day) - 1,
        "quarter": lambda: plus_months(day, 3 * (value - 1 - (month - 1) // 3)),
        "year": lambda: epoch_day(value, month, date),
    }[field]()


def map_text(fields, random):
    entries = [f"{name}: {value if not isinstance(value, str) else repr(value)}" for name, value in fields.items()]
    random.shuffle(entries)
    return "{" + ", ".join(entries) + "}"


def ask_truncated(random):
    kind = random.choice(["date", "localdatetime", "datetime", "localtime", "time"])
    is_time = kind in ("localtime", "time")
    units = ["day", *TIME_UNITS] if is_time else DATE_UNITS if kind == "date" else [*DATE_UNITS, *TIME_UNITS]
    unit = random.choice(units)
    kinds = ["localdatetime", "datetime"] + (["localtime", "time"] if is_time else ["date"] if unit in DATE_UNITS else [])
    moment, fields = some_moment(random, kinds), {}
    day, nanos = moment.day, moment.nanos or 0
    if unit in DATE_UNITS:
        day, nanos = None if day is None else truncated_day(unit, day), 0
    else:
        nanos -= nanos % TIME_UNITS[unit]
    if not is_time:
        day = with_date_field(random, day, fields)
    if kind != "date" and random.random() < 0.4:
        sizes = [("hour", 24), ("minute", 60), ("second", 60), ("millisecond", 1000), ("microsecond", 1000), ("nanosecond", 1000)]
        smaller = sizes[list(TIME_UNITS).index(unit) + 1 if unit in TIME_UNITS else 0:]
        field, most = random.choice(smaller)
        fields[field] = random.randrange(most)
        nanos += fields[field] * TIME_UNITS.get(field, 1)
    zone = 0 if moment.zone is None else moment.offset if kind == "time" else moment.zone
    if kind in ("time", "datetime") and random.random() < 0.3:
        zone = random.choice([3600, -3600] if kind == "time" else [3600, *ZONES])
        fields["timezone"] = zone if isinstance(zone, str) else offset_text(zone)
    more = f", {map_text(fields, random)}" if fields or random.random() < 0.5 else ""
    return f"toString({kind}.truncate('{unit}', {moment.literal()}{more}))", of_kind(kind, day, nanos, zone).text()


def of_kind(kind, day, nanos, zone):
    return {
        "date": lambda: Moment(day),
        "localtime": lambda: Moment(None, nanos),
        "time": lambda: Moment(None, nanos, zone),
        "localdatetime": lambda: Moment(day, nanos),
        "datetime": lambda: Moment(day, nanos, zone),
    }[kind]()


def ask_built(random):
    """A value of a map of its components, of which the small ones are left out now and then."""
    kind, fields, day, complete = random.choice(["date", "localdatetime", "datetime", "localtime", "time"]), {}, None, True
    if kind not in ("localtime", "time"):
        full, few = some_day(random), random.random() < 0.3
        (year, month, date), (week_year, week) = civil(full), week_of(full)
        fields, day, complete = random.choice([
            ({"year": year}, epoch_day(year, 1, 1), False),
            ({"year": year, "month": month}, epoch_day(year, month, 1), False),
            ({"year": year, "month": month, "day": date}, full, True),
            ({"year": week_year, "week": week}, full - weekday(full) + 1, False),
            ({"year": week_year, "week": week, "dayOfWeek": weekday(full)}, full, True),
            ({"year": year, "ordinalDay": full - epoch_day(year, 1, 1) + 1}, full, True),
            ({"year": year, "quarter": (month - 1) // 3 + 1}, quarter_start(full), False),
            ({"year": year, "quarter": (month - 1) // 3 + 1, "dayOfQuarter": full - quarter_start(full) + 1}, full, True),
        ])
        complete = complete and not few
    nanos = 0
    if kind != "date" and complete:
        chosen = some_nanos(random)
        parts = {"hour": chosen // TIME_UNITS["hour"], "minute": chosen // TIME_UNITS["minute"] % 60, "second": chosen // NANOS % 60}
        fraction, count = chosen % NANOS, random.randint(1, 3)
        fields |= dict(list(parts.items())[:count])
        nanos = sum(value * TIME_UNITS[name] for name, value in list(parts.items())[:count])
        if count == 3:
            of_a_second = {"millisecond": fraction // 10**6, "microsecond": fraction // 1000 % 1000, "nanosecond": fraction % 1000}
            whole = random.choice([of_a_second, {"millisecond": fraction // 10**6}, {"microsecond": fraction // 1000}, {"nanosecond": fraction}, {}])
            fields |= whole
            nanos += sum(value * TIME_UNITS.get(name, 1) for name, value in whole.items())
    zone = 0
    if kind in ("time", "datetime") and random.random() < 0.6:
        zone = random.choice(ZONES) if kind == "datetime" and random.random() < 0.4 else some_offset(random)
        fields["timezone"] = zone if isinstance(zone, str) else offset_text(zone)
    return f"toString({kind}({map_text(fields, random)}))", of_kind(kind, day, nanos, zone).text()


def ask_selected(random):
    """A value made of others, with components chosen anew and perhaps in another zone."""
    kind, entries, fields = random.choice(["date", "localdatetime", "datetime", "localtime", "time"]), {}, {}
    day = nanos = source = None
    if kind not in ("localtime", "time"):
        whole = kind != "date" and random.random() < 0.4
        moment = some_moment(random, ["localdatetime", "datetime"] + ([] if whole else ["date"]))
        entries["datetime" if whole else "date"] = moment.literal()
        day, nanos, source = moment.day, moment.nanos if whole else None, moment if whole else None
        day = with_date_field(random, day, fields)
    if kind != "date" and nanos is None and (day is None or random.random() < 0.7):
        source = some_moment(random, ["localtime", "time", "localdatetime", "datetime"])
        entries["time"], nanos = source.literal(), source.nanos
    if nanos is not None and random.random() < 0.3:
        fields["second"] = random.randrange(60)
        nanos += (fields["second"] - nanos // NANOS % 60) * NANOS
    zone = source.zone if source is not None else None
    zone = 0 if zone is None else source.offset if kind == "time" else zone
    result, other = of_kind(kind, day, nanos or 0, zone), None
    if kind in ("time", "datetime") and random.random() < 0.4:
        other = random.choice(ZONES) if kind == "datetime" and random.random() < 0.5 else some_offset(random)
        entries["timezone"] = repr(other if isinstance(other, str) else offset_text(other))
        if source is None or source.zone is None:
            result = of_kind(kind, day, nanos or 0, other)
        elif kind == "time":
            result = Moment(None, (nanos + (other - zone) * NANOS) % DAY, other)
        else:
            result = at(result.instant(), other)
    entries |= fields
    return f"toString({kind}({{{', '.join(f'{name}: {value}' for name, value in entries.items())}}}))", result.text()


def components(moment):
    parts = {}
    if moment.day is not None:
        (year, month, date), (week_year, week) = civil(moment.day), week_of(moment.day)
        parts |= {"year": year, "quarter": (month - 1) // 3 + 1, "month": month, "week": week, "weekYear": week_year, "day": date}
        parts |= {"ordinalDay": moment.day - epoch_day(year, 1, 1) + 1, "weekDay": weekday(moment.day), "dayOfWeek": weekday(moment.day)}
        parts["dayOfQuarter"] = moment.day - quarter_start(moment.day) + 1
    if moment.nanos is not None:
        seconds, fraction = divmod(moment.nanos, NANOS)
        parts |= {"hour": seconds // 3600, "minute": seconds // 60 % 60, "second": seconds % 60}
        parts |= {"millisecond": fraction // 10**6, "microsecond": fraction // 1000, "nanosecond": fraction}
    if moment.zone is not None:
        zone = moment.zone if isinstance(moment.zone, str) else offset_text(moment.offset)
        parts |= {"offset": offset_text(moment.offset), "offsetMinutes": quotient(moment.offset, 60), "offsetSeconds": moment.offset, "timezone": zone}
    if moment.kind() == "datetime":
        parts |= {"epochSeconds": moment.instant() // NANOS, "epochMillis": moment.instant() // 10**6}
    return parts


def ask_component(random):
    moment = some_moment(random)
    part, value = random.choice(list(components(moment).items()))
    return f"{moment.literal()}.{part}", value


def components_of_duration(duration):
    months, days, nanos = duration
    seconds, fraction = divmod(nanos, NANOS)
    return {
        "years": quotient(months, 12), "quarters": quotient(months, 3), "months": months, "weeks": quotient(days, 7), "days": days,
        "hours": quotient(seconds, 3600), "minutes": quotient(seconds, 60), "seconds": seconds,
        "milliseconds": seconds * 1000 + fraction // 10**6, "microseconds": seconds * 10**6 + fraction // 1000, "nanoseconds": nanos,
        "quartersOfYear": remainder(quotient(months, 3), 4), "monthsOfQuarter": remainder(months, 3), "monthsOfYear": remainder(months, 12),
        "daysOfWeek": remainder(days, 7), "minutesOfHour": remainder(quotient(seconds, 60), 60), "secondsOfMinute": remainder(seconds, 60),
        "millisecondsOfSecond": fraction // 10**6, "microsecondsOfSecond": fraction // 1000, "nanosecondsOfSecond": fraction,
    }


def ask_component_of_duration(random):
    duration = some_duration(random)
    part, value = random.choice(list(components_of_duration(duration).items()))
    return f"duration('{duration_text(duration)}').{part}", value


def ask_durations(random):
    a, b, sign = some_duration(random), some_duration(random), random.choice("+-*")
    if sign == "*":
        factor = random.choice([1, 2, 3, -1, 0])
        return f"toString(duration('{duration_text(a)}') * {factor})", duration_text([part * factor for part in a])
    result = [x + y if sign == "+" else x - y for x, y in zip(a, b, strict=True)]
    return f"toString(duration('{duration_text(a)}') {sign} duration('{duration_text(b)}'))", duration_text(result)


def ask_built_duration(random):
    sizes = {"years": (12, 0, 0), "quarters": (3, 0, 0), "months": (1, 0, 0), "weeks": (0, 7, 0), "days": (0, 1, 0)}
    sizes |= {f"{name}s": (0, 0, size) for name, size in TIME_UNITS.items()} | {"nanoseconds": (0, 0, 1)}
    fields = {name: random.randint(-100, 100) for name in random.sample(list(sizes), random.randint(1, 6))}
    result = [sum(size[i] * fields[name] for name, size in sizes.items() if name in fields) for i in range(3)]
    return f"toString(duration({map_text(fields, random)}))", duration_text(result)


def related(symbol, a, b):
    """Of two moments of one type."""
    x, y = ((m.day or 0) * DAY + (m.nanos or 0) - (m.offset or 0) * NANOS for m in (a, b))
    if x == y and a.text() != b.text():
        raise Unknown
    return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "=": x == y, "<>": x != y}[symbol]


def ask_comparison(random):
    kind = random.choice(["date", "localtime", "time", "localdatetime", "datetime"])
    a, b, symbol = some_moment(random, [kind]), some_moment(random, [kind]), random.choice(["<", "<=", ">", ">=", "=", "<>"])
    return f"{a.literal()} {symbol} {b.literal()}", related(symbol, a, b)


def ask_parsed(random):
    """Texts in the forms of ISO 8601 that a value may be written in."""
    day = some_day(random)
    (year, month, date), (week_year, week) = civil(day), week_of(day)
    if not 0 <= min(year, week_year) or max(year, week_year) > 9999:
        raise Unknown
    s = random.choice(["-", ""])
    text, day = random.choice([
        (f"{year:04}{s}{month:02}{s}{date:02}", day),
        (f"{year:04}{s}{month:02}", epoch_day(year, month, 1)),
        (f"{week_year:04}{s}W{week:02}{s}{weekday(day)}", day),
        (f"{week_year:04}{s}W{week:02}", day - weekday(day) + 1),
        (f"{year:04}{s}{day - epoch_day(year, 1, 1) + 1:03}", day),
        (f"{year:04}", epoch_day(year, 1, 1)),
    ])
    chosen, s, count = some_nanos(random), random.choice([":", ""]), random.randint(0, 3)
    nanos = chosen if count == 3 else chosen - chosen % [3600 * NANOS, 60 * NANOS, NANOS][count]
    seconds, fraction = divmod(nanos, NANOS)
    time = f"{seconds // 3600:02}" + (f"{s}{seconds // 60 % 60:02}" if count else "") + (f"{s}{seconds % 60:02}" if count > 1 else "")
    time += f".{fraction:09}".rstrip("0") if fraction else ""
    offset = random.choice([0, 3600, -3600, 19_800, -12_600])
    sign, hours, minutes = "-" if offset < 0 else "+", abs(offset) // 3600, abs(offset) // 60 % 60
    zone = random.choice([f"{sign}{hours:02}:{minutes:02}", f"{sign}{hours:02}{minutes:02}", *([f"{sign}{hours:02}"] if minutes == 0 else [])])
    return random.choice([
        (f"toString(date('{text}'))", Moment(day).text()),
        (f"toString(localdatetime('{text}T{time}'))", Moment(day, nanos).text()),
        (f"toString(localtime('{time}'))", Moment(None, nanos).text()),
        (f"toString(time('{time}{zone}'))", Moment(None, nanos, offset).text()),
        (f"toString(datetime('{text}T{time}{zone}'))", Moment(day, nanos, offset).text()),
    ])


QUESTIONS = [
    ask_between, ask_sum, ask_truncated, ask_truncated, ask_built, ask_built, ask_selected, ask_component, ask_component_of_duration,
    ask_durations, ask_built_duration, ask_comparison, ask_parsed,
]


def column_question(random, kind, moments):
    """(expression of `n.m`, its values for some moments of one type)"""
    other, duration = some_moment(random), some_duration(random)
    choice = random.randrange(5)
    if choice == 0:
        part = random.choice(list(components(moments[0])))
        return f"n.m.{part}", [components(moment)[part] for moment in moments]
    if choice == 1:
        units = [*(DATE_UNITS if kind in ("date", "localdatetime", "datetime") else ["day"]), *(TIME_UNITS if kind != "date" else [])]
        unit = random.choice(units)
        return f"toString({kind}.truncate('{unit}', n.m))", [truncated(kind, unit, moment).text() for moment in moments]
    if choice == 2:
        sign = random.choice("+-")
        text = f"toString(n.m {sign} duration('{duration_text(duration)}'))"
        return text, [moved(moment, duration, 1 if sign == "+" else -1).text() for moment in moments]
    if choice == 3:
        name, asked = random.choice([("between", between), ("inMonths", in_months), ("inDays", in_days), ("inSeconds", in_seconds)])
        if random.random() < 0.5:
            return f"toString(duration.{name}(n.m, {other.literal()}))", [duration_text(asked(moment, other)) for moment in moments]
        return f"toString(duration.{name}({other.literal()}, n.m))", [duration_text(asked(other, moment)) for moment in moments]
    symbol, other = random.choice(["<", "<=", ">", ">=", "=", "<>"]), random.choice(moments)
    return f"n.m {symbol} {other.literal()}", [related(symbol, moment, other) for moment in moments]


def truncated(kind, unit, moment):
    day, nanos = moment.day, moment.nanos or 0
    if unit in DATE_UNITS:
        day, nanos = None if day is None else truncated_day(unit, day), 0
    else:
        nanos -= nanos % TIME_UNITS[unit]
    return of_kind(kind, day, nanos, 0 if moment.zone is None else moment.offset if kind == "time" else moment.zone)


def question(random):
    """(expression, value)"""
    while True:
        try:
            return random.choice(QUESTIONS)(random)
        except (Unknown, OverflowError):
            continue
