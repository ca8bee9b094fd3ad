"""SPARQL over a museum's catalogue, against pyoxigraph: what people ask of data as they have it.

The questions are in `../catalogue/families/`, by family. Every answer is compared with pyoxigraph's before it is timed.
"""

from catalogue import data, questions
from everyday import compare, summary

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
    """The systems that are there, and question -> system -> fields, each line shown when it is known."""
    path = data.file(race.work, scale)
    systems = [race.built(name, f"catalogue-{scale:g}.{name}", "load_rdf", file=str(path)) for name in race.names(SYSTEMS)]
    systems = sorted((s for s in systems if s), key=lambda s: s.name != "oxigraph")  # the first that answers is the reference
    names = [n for n in race.names(SYSTEMS) if any(s.name == n for s in systems)]
    results = {}
    for query in wanted:
        asks = dict.fromkeys(names, (query.text, None))
        check = None if query.count_only else compare.Agreement(query.ordered)
        results[query.name] = race.query(f"catalogue-{scale:g}", query.name, systems, asks, check, plain=True, lang="sparql")
        if query.count_only:
            compare.counts(results[query.name])
        for fields in results[query.name].values():
            fields.pop("answer", None)
        summary.line(query.name, names, results[query.name])
    for system in systems:
        system.stop()
    return names, results
