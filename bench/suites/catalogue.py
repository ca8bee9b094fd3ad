"""SPARQL over a museum's catalogue, against pyoxigraph: what people ask of data as they have it.

The questions are in `../catalogue/families/`, by family. Every answer is compared with pyoxigraph's before it is timed.
"""

from catalogue import data, questions
from everyday import asking, summary

SYSTEMS = ["trimorph", "oxigraph"]
DEFAULTS = {"repetitions": 3, "limit": 20.0, "enough": 4.0}


def run(race):
    wanted = [q for q in questions.read()
              if (not race.options.query or q.name in race.options.query)
              and (not race.options.family or q.family in race.options.family)]
    for scale in race.options.scale or [1.0]:
        names, results = ask_all(race, wanted, scale)
        summary.show(f"catalogue, scale {scale:g}", names, results)


def ask_all(race, wanted, scale):
    path, suite = data.file(race.work, scale), f"catalogue-{scale:g}"
    built = lambda name: race.built(name, f"{suite}.{name}", "load_rdf", file=str(path))
    systems, names = asking.there(race, SYSTEMS, built, "oxigraph")
    asks = lambda query: dict.fromkeys(names, (query.text, None))
    return names, asking.all_of(race, suite, systems, names, wanted, asks, lang="sparql")
