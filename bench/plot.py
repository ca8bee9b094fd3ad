"""Samples of one run in, a picture of each suite out: how long each system takes, ours being 1.

    python bench/run.py everyday && python bench/plot.py bench/out/20260101-120000.jsonl docs/book/pictures

A row is a query, or a family of queries with the geometric mean over those that both systems answer right. A mark right of the line
is a system that takes longer than ours. Times are CPU times, medians; the axis is logarithmic. Beneath it stand date, machine, versions;
machine and versions are those of where the picture is drawn, so it is drawn where the run was made.
"""

import collections
import importlib.metadata
import json
import math
import pathlib
import platform
import sys
import time
from xml.sax.saxutils import escape

COLOURS = {"trimorph": "#1f6f8b", "duckdb": "#d98e04", "ladybug": "#b5385a", "kuzu": "#6b5ca5", "sqlite": "#5b8c3a", "limit": "#888888"}
OURS = "trimorph"
ROWS_MAX = 24  # more queries than these are shown by family
LEFT, WIDTH, ROW, TOP = 200, 760, 24, 64


def medians(path):
    """suite -> query -> system -> CPU seconds; systems that were wrong or failed are missing. And the time of the first sample, and
    the loads of the machine."""
    suites, first, loads = collections.defaultdict(lambda: collections.defaultdict(dict)), None, []
    with open(path, encoding="utf-8") as file:
        for one in map(json.loads, file):
            first = first or one["at"]
            loads.append(one["load"])
            if "cpu" in one:
                suites[one["suite"]][one["query"]][one["system"]] = one["cpu"]
    return suites, first, loads


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def rows_of(queries):
    """[(name, system -> times ours)], by query, or by family where there are many."""
    ratios = {q: {name: cpu / found[OURS] for name, cpu in found.items()} for q, found in queries.items() if OURS in found}
    ratios = {query: found for query, found in ratios.items() if len(found) > 1}
    if len(ratios) <= ROWS_MAX:
        return list(ratios.items())
    families = collections.defaultdict(lambda: collections.defaultdict(list))
    for query, found in ratios.items():
        for name, ratio in found.items():
            families[query.split("/")[0]][name].append(ratio)
            families["all"][name].append(ratio)
    rows = [(f"{family} ({len(found[OURS])})", {name: geometric_mean(each) for name, each in found.items()}) for family, found in families.items()]
    return [row for row in rows if not row[0].startswith("all ")] + [row for row in rows if row[0].startswith("all ")]


def machine():
    model, cores = platform.machine(), 1
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        cores = sum(line.startswith("processor") for line in lines)
    except (OSError, StopIteration):
        pass
    return f"{model}, {cores} cores"


def version(name):
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return name


def text(x, y, words, size=13, anchor="start", colour="#222", weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">{escape(words)}</text>'


def draw(title, rows, caption):
    names = sorted({name for _, found in rows for name in found}, key=lambda name: list(COLOURS).index(name) if name in COLOURS else 99)
    values = [ratio for _, found in rows for ratio in found.values()]
    low, high = math.floor(math.log10(min(values)) - 0.1), math.ceil(math.log10(max(values)) + 0.1)
    at = lambda ratio: LEFT + (math.log10(ratio) - low) / (high - low) * (WIDTH - LEFT - 30)  # noqa: E731
    bottom = TOP + ROW * len(rows)
    height = bottom + 50 + 16 * len(caption)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        text(12, 24, title, 16, weight="bold"),
    ]
    x = LEFT
    for name in names:
        out += [f'<circle cx="{x}" cy="44" r="5" fill="{COLOURS.get(name, "#444")}"/>', text(x + 10, 48, name)]
        x += 28 + 8 * len(name)
    for power in range(low, high + 1):
        label = f"{10**power:g} ×" if power else "as long as ours"
        colour = "#ddd" if power else COLOURS[OURS]
        out += [
            f'<line x1="{at(10**power):.1f}" x2="{at(10**power):.1f}" y1="{TOP - 6}" y2="{bottom}" stroke="{colour}"/>',
            text(at(10**power), bottom + 18, label, 12, "middle", "#555"),
        ]
    for number, (label, found) in enumerate(rows):
        y = TOP + ROW * number + ROW / 2
        out.append(text(LEFT - 12, y + 4, label, 13, "end", weight="bold" if label.startswith("all ") else "normal"))
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 30}" y1="{y}" y2="{y}" stroke="#f0f0f0"/>')
        for name, ratio in found.items():
            told = escape(f"{label}, {name}: {ratio:.3g} times ours")
            out.append(f'<circle cx="{at(ratio):.1f}" cy="{y}" r="5" fill="{COLOURS.get(name, "#444")}" fill-opacity="0.85"><title>{told}</title></circle>')
    for number, line in enumerate(caption):
        out.append(text(12, bottom + 44 + 16 * number, line, 11, colour="#555"))
    return "\n".join([*out, "</svg>", ""])


def main():
    samples, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    suites, first, loads = medians(samples)
    day = time.strftime("%Y-%m-%d", time.gmtime(first))
    for suite, queries in suites.items():
        rows = rows_of(queries)
        if not rows:
            continue
        names = sorted({name for _, found in rows for name in found} - {"limit"})
        caption = [
            f"{day}; {machine()}, load {min(loads):.0f} to {max(loads):.0f}; one thread each; {', '.join(map(version, names))}",
            "CPU time, median, ours = 1: a mark to the right takes longer than ours; in brackets, queries that both answer",
        ]
        path = folder / f"{suite}.svg"
        path.write_text(draw(suite, rows, caption), encoding="utf-8")
        print(path)
        for label, found in rows:
            print("  " + label.ljust(28) + "  ".join(f"{name} {ratio:.3g}" for name, ratio in sorted(found.items()) if name != OURS))


if __name__ == "__main__":
    main()
