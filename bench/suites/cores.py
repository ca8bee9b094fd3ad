"""What a second thread gains on everyday queries: those that take 20 ms and more on one, and why where it is little.

For each of them the wall and CPU times on one thread and on two, the least of several runs. Two reasons have names:

- *alone*: the part of the time in which one thread of the two has work (`2 - cpu / wall`): rows become Python's, what sorts or merges
  is one thread's, or a scan is too short to be shared;
- *more CPU*: how much more the two take together: both read memory, which gives two threads hardly more than one, or each makes a table
  of its own and the two are merged.
"""

from everyday import data, families
from race import OURS, Failed, System, table

DEFAULTS = {"repetitions": 3, "limit": 20.0, "enough": 4.0}
SHORTEST = 0.02  # seconds on one thread
WANTED = 1.7


def run(race):
    wanted = [q for q in families.queries()
              if (not race.options.query or q.name in race.options.query)
              and (not race.options.family or q.family in race.options.family)]
    for scale in race.options.scale or [1.0]:
        files = data.files(race.work, scale)
        built = race.built(OURS, f"everyday-{scale:g}.{OURS}", "load_snb", **files)
        built.stop()
        drawn = data.Drawn(files["parquet"])
        # One after the other: a database is open for one process.
        one = asked(race, built.path, 1, wanted, drawn)
        two = asked(race, built.path, 2, [q for q in wanted if q.name in one], drawn)
        found = [gained(race, query, one[query], two[query]) for query in two]
        show(scale, found)


def asked(race, path, threads, queries, drawn):
    """Query -> the fastest of its runs; without those that are short or fail."""
    system, found = System(OURS, path, threads, race.options.limit), {}
    for query in queries:
        ask = query.asks(drawn).get(OURS)
        try:
            if not ask or system.ask(*ask, fetch=query.fetch)["wall"] < SHORTEST / 2:
                continue
            runs = [system.ask(*ask, fetch=query.fetch) for _ in range(race.options.repetitions)]
            best = min(runs, key=lambda run: run["wall"])
            if threads > 1 or best["wall"] >= SHORTEST:
                found[query.name] = best
                print(f"  {query.name:<40} {threads} {best['wall'] * 1e3:.0f}", flush=True)
        except Failed as error:
            print(f"  {query.name}: {error}", flush=True)
    system.stop()
    return found


def gained(race, query, one, two):
    """What the second thread gains, and what keeps it from more."""
    gain = {"query": query, "gain": one["wall"] / two["wall"], "one": one["wall"], "two": two["wall"], "rows": one["count"],
            "alone": max(0.0, 2 - two["cpu"] / two["wall"]), "more": two["cpu"] / one["cpu"]}
    race.record(suite="cores", system=OURS, **gain)
    return gain


def show(scale, found):
    rows = [[g["query"], f"{g['gain']:.2f}", f"{g['one'] * 1e3:.0f}", f"{g['two'] * 1e3:.0f}", f"{g['alone']:.0%}", f"{g['more']:.2f}",
             g["rows"]] for g in sorted(found, key=lambda g: g["gain"]) if g["gain"] < WANTED]
    mean = sum(g["gain"] for g in found) / len(found) if found else 0
    table(f"everyday, generated SNB {scale:g}: {len(found)} queries of 20 ms and more, {mean:.2f} times as fast on two threads on the mean, "
          f"{len(rows)} less than {WANTED} — wall ms", ["query", "gain", "one", "two", "alone", "more CPU", "rows"], rows)
