"""Parameters of the interactive reads, drawn from the generated data with a fixed seed.

A read gets `count` rows. Persons have friends; messages are half posts, half comments; dates lie between the first quarter and the
end of all messages' dates; names are such as the data has, weighted by how often.
"""

import datetime as dt
import random

QUERIES = [f"ic-{n}" for n in range(1, 15)] + [f"is-{n}" for n in range(1, 8)]


def rows(query, drawn, count):
    """`count` maps for a query, always the same for the same data."""
    pick = random.Random(f"{query} 11")
    knows = drawn.column("KNOWS_Person_Person", "source")
    dates = drawn.column("Comment", "creationDate")
    posts, comments = drawn.column("Post", "id"), drawn.column("Comment", "id")
    for number in range(count):
        person, other = pick.choice(knows), pick.choice(knows)
        date = dates[pick.randrange(len(dates) // 4, len(dates))].replace(hour=0, minute=0, second=0, microsecond=0)
        country_x, country_y = ("India", "China") if number == 0 else pick.sample(drawn.column("Country", "name"), 2)
        yield {"personId": person, "person1Id": person, "person2Id": other if other != person else knows[0],
               "messageId": pick.choice(posts if number % 2 == 0 else comments),
               "firstName": pick.choice(drawn.column("Person", "firstName")),
               "maxDate": date, "minDate": date, "startDate": date, "endDate": date + dt.timedelta(days=60),
               "countryX": country_x, "countryY": country_y, "country": country_x,
               "tagName": drawn.pick("Tag", "name", 1, pick.random())[0] if number else drawn.most_used_tag(),
               "tagClass": pick.choice(["Agent", "Person", "Work", "Place"]), "month": pick.randint(1, 12),
               "workFromYear": pick.randint(2005, 2012)}
