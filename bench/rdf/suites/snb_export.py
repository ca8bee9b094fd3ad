"""SNB's CSV files as N-Triples: `python bench/rdf/suites/snb_export.py SNB_DIR OUT.nt`.

A node is `<http://www.ldbc.eu/snb/CLASS/ID>`, its class `snb:CLASS`, a column `snb:column`; lists are a statement for each
element. An edge file `A_name_B` gives `snb:name` from A to B; the edges' own columns are left out, as in most RDF versions of
the benchmark. Comments and posts are `snb:Message` too; so SNB 0.1 gives 3.4 million statements.
"""

import argparse
import csv
import io
import pathlib
import subprocess
import sys

BASE = "http://www.ldbc.eu/snb/"
VOCABULARY = BASE + "vocabulary/"
XSD = "http://www.w3.org/2001/XMLSchema#"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
# What a class is a kind of, and the classes that edge files name otherwise.
ALSO = {"Comment": ["Message"], "Post": ["Message"]}
NODES_OF = {"City": "Place", "Country": "Place", "University": "Organisation", "Company": "Organisation"}
INTEGERS = {"id", "length"}
LISTS = {"language", "email"}


def rows(folder):
    """The header and the rows of a folder of zstd CSV files."""
    for path in sorted(folder.glob("*.csv.zst")):
        text = subprocess.run(["zstd", "-dcq", str(path)], check=True, stdout=subprocess.PIPE).stdout.decode()
        reader = csv.reader(io.StringIO(text, newline=""), delimiter="|")
        header = next(reader)
        for row in reader:
            yield header, row


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")


def literal(column, text):
    if column in INTEGERS:
        return f'"{int(text)}"^^<{XSD}integer>'
    if column == "creationDate":
        # The canonical form of an instant in UTC: no zeros behind the point.
        moment = text.replace("+00:00", "")
        moment = moment.rstrip("0").rstrip(".") if "." in moment else moment
        return f'"{moment}Z"^^<{XSD}dateTime>'
    if column == "birthday":
        return f'"{text}"^^<{XSD}date>'
    return f'"{escaped(text)}"'


def iri(name, key):
    return f"<{BASE}{NODES_OF.get(name, name)}/{key}>"


def write_nodes(folder, out):
    name = folder.name
    for header, row in rows(folder):
        subject = iri(name, row[header.index("id")])
        values = dict(zip(header, row))
        kinds = [values["type"]] if name in ("Place", "Organisation") else []
        for kind in [name, *kinds, *ALSO.get(name, [])]:
            out.write(f"{subject} {TYPE} <{VOCABULARY}{kind}> .\n")
        for column, text in values.items():
            if not text or (column == "type" and kinds):
                continue
            many = column in LISTS and name == "Person"
            for one in text.split(";") if many else [text]:
                out.write(f"{subject} <{VOCABULARY}{column}> {literal(column, one)} .\n")


def write_edges(folder, out):
    first, name, second = folder.name.split("_")
    for header, row in rows(folder):
        source, target = (row[at] for at, column in enumerate(header) if column.endswith("Id"))
        out.write(f"{iri(first, source)} <{VOCABULARY}{name}> {iri(second, target)} .\n")


def export(snb, out):
    folders = sorted(path for path in pathlib.Path(snb).glob("**/composite-projected-fk/initial_snapshot/*/*") if path.is_dir())
    if not folders:
        sys.exit(f"no SNB files below {snb}")
    for folder in (f for f in folders if "_" not in f.name):
        write_nodes(folder, out)
    for folder in (f for f in folders if "_" in f.name):
        write_edges(folder, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snb")
    parser.add_argument("out")
    arguments = parser.parse_args()
    with open(arguments.out, "w", encoding="utf-8") as file:
        export(arguments.snb, file)
