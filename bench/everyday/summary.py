"""What a run of the everyday queries says: geometric means by family, where a peer wins, what is wrong or fails."""

import math

import race as races


def line(query, names, fields):
    """One query, as soon as it is known: CPU milliseconds of each system."""
    print(f"  {query:<40} " + "  ".join(f"{n} {races.milliseconds(fields.get(n)):>7}" for n in names), flush=True)


def best_peer(fields):
    """(name, CPU seconds) of the fastest right peer, or None."""
    found = [(f["cpu"], name) for name, f in fields.items() if name not in (races.OURS, races.BEFORE) and "cpu" in f]
    return (min(found)[1], min(found)[0]) if found else None


def ours(fields):
    """Our CPU seconds; the limit where we were cut off, so at least that; None where we are wrong, failed or were not asked."""
    found = fields.get(races.OURS, {})
    return float(found["error"].split()[1]) if cut_off(fields) else found.get("cpu")


def cut_off(fields):
    return fields.get(races.OURS, {}).get("error", "").startswith(">")


def ratio_of(fields):
    """Ours divided by the best peer in CPU time; None where one of them has no figure."""
    peer, seconds = best_peer(fields), ours(fields)
    return seconds / peer[1] if peer and seconds is not None else None


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def show(title, names, results):
    families, ratios, late = {}, {}, {}
    for query, fields in results.items():
        ratio, family = ratio_of(fields), query.split("/")[0]
        families.setdefault(family, []).append(ratio)
        late[family] = late.get(family, 0) + cut_off(fields)
        if ratio is not None:
            ratios[query] = ratio
    rows = []
    for family, found in [*families.items(), ("all", [r for f in families.values() for r in f])]:
        known = [r for r in found if r is not None]
        rows.append([family, len(found), len(known), f"{geometric_mean(known):.2f}" if known else "-",
                     sum(r > 1 for r in known), late.get(family, sum(late.values())), f"{max(known):.2f}" if known else "-"])
    races.table(f"{title} — ours / best peer, CPU time; where we were cut off, the limit counts",
                ["family", "queries", "compared", "geometric mean", "peer wins", "cut off", "worst"], rows)

    rows = []
    for query, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio > 1:
            peer, seconds = best_peer(results[query])
            fields = {"cpu": seconds}
            at_least = "> " if cut_off(results[query]) else ""
            rows.append([query, f"{at_least}{ratio:.2f}", races.milliseconds(results[query][races.OURS]), races.milliseconds(fields), peer])
    races.table("a peer wins, worst first — CPU ms", ["query", "ratio", "ours", "peer's", "peer"], rows)

    print("\nwrong, failed or cut off")
    for query, fields in results.items():
        for name in names:
            if "error" in fields.get(name, {}):
                print(f"  {query} {name}: {' '.join(fields[name]['error'].split())[:300]}")
