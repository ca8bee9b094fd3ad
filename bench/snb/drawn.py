"""Parameters of the BI texts, drawn from generated data with a fixed seed, as the benchmark draws its own.

Tags and countries are drawn by how often they are used, so that most rows have something to count; dates lie where messages do.
"""

import datetime as dt
import random


def rows(query, drawn, count):
    """`count` maps for a query (`"1"` to `"18"`), always the same for the same data."""
    pick = random.Random(f"bi {query} 5")
    tags, classes, countries = used(drawn)
    dates = drawn.column("Comment", "creationDate")
    languages = sorted(set(drawn.column("Post", "language")))
    persons = drawn.column("KNOWS_Person_Person", "source")
    for _ in range(count):
        tag, other = pick.choice(tags), pick.choice(tags)
        country, abroad = pick.choice(countries), pick.choice(countries)
        date, later = (dates[pick.randrange(len(dates) // 4, len(dates) * 9 // 10)].date() for _ in range(2))
        yield {"datetime": dt.datetime.combine(date, dt.time(14, 38, 32), dt.timezone.utc), "date": date, "startDate": date,
               "endDate": date + dt.timedelta(days=80 if query in ("9", "11") else 12 if query == "8" else 0),
               "tag": tag, "tagA": tag, "tagB": other, "dateA": date, "dateB": later, "tagClass": pick.choice(classes),
               "country": country, "country1": country, "country2": abroad, "personId": pick.choice(persons),
               "minPathDistance": 3, "maxPathDistance": 4, "lengthThreshold": pick.randint(40, 110),
               "languages": pick.sample(languages, min(3, len(languages))), "maxKnowsLimit": pick.randint(3, 6), "delta": pick.randint(8, 14)}


def used(drawn):
    """Names of tags, of their classes, and of countries, each as often as posts have the tag, or persons live there."""
    names, classes = by_id(drawn, "Tag"), by_id(drawn, "TagClass")
    of_tag = ends(drawn, "HAS_TYPE_Tag_TagClass")
    tags = drawn.column("HAS_TAG_Post_Tag", "target")
    country_of, cities = ends(drawn, "IS_PART_OF_City_Country"), drawn.column("IS_LOCATED_IN_Person_City", "target")
    countries = by_id(drawn, "Country")
    return [names[t] for t in tags], [classes[of_tag[t]] for t in tags], [countries[country_of[c]] for c in cities]


def by_id(drawn, table):
    """The names of a table by id."""
    return {row["id"]: row["name"] for row in read(drawn, table, ["id", "name"])}


def ends(drawn, table):
    """Where the relationships of each start lead, where there is one of each."""
    return {row["source"]: row["target"] for row in read(drawn, table, ["source", "target"])}


def read(drawn, table, columns):
    """Rows of a table."""
    import pyarrow.parquet as pq

    return pq.read_table(f"{drawn.directory}/{table}.parquet", columns=columns).to_pylist()
