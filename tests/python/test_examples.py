"""The examples run, and say what they are about."""

import json
import os
import subprocess
import sys

import pytest
import snippets
from snippets import ROOT

EXAMPLES = ROOT / "examples"


def run(*words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, env=os.environ | {"NO_COLOR": "1", "PYTHONUTF8": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("movies.py", ["42 nodes and 54 relationships", "Rob Reiner", "Meg Ryan", "Keanu Reeves - The Matrix - Hugo Weaving - Cloud Atlas - Tom Hanks - Apollo 13 - Kevin Bacon", "The Matrix Reloaded  │     6"]),
        ("flights.py", ["OSL", "['TOS', 'OSL', 'FRA', 'SIN', 'SYD']", "AMS, ", "Germany"]),
    ],
)
def test_script(script, said, tmp_path):
    pytest.importorskip("pandas")
    found = run(sys.executable, str(EXAMPLES / script), folder=tmp_path)
    for words in said:
        assert words in found, found


def test_shell_script(tmp_path):
    path = snippets.command()
    if path is None and os.environ.get("CI") != "true":
        pytest.skip("the command line is not built: cargo build -p trimorph-cli")
    found = run(str(path), "-f", "movies.cypher", folder=EXAMPLES)
    assert "Lana Wachowski" in found and "1990" in found and "drama" in found, found


def test_notebook(monkeypatch):
    """Its cells, one after the other; tests/first_hour.py runs notebooks in a kernel."""
    pytest.importorskip("pandas")
    pytest.importorskip("networkx")
    monkeypatch.chdir(EXAMPLES)
    names, shown = {}, []
    for cell in json.loads((EXAMPLES / "movies.ipynb").read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs"), "a notebook in the repository has no outputs"
        if cell["cell_type"] == "code":
            page = snippets.Snippet("examples/movies.ipynb", 1, "python", "".join(cell["source"]))
            shown.append(last_value(page.text, names))
    assert "Sleepless in Seattle" in shown[1]._repr_html_()
    assert shown[2].loc[1990, "films"] == 7 and shown[3][0][1] == "Tom Hanks"
    assert "<" in shown[4]._repr_html_()


def last_value(text, names):
    import ast

    *before, last = ast.parse(text).body
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return exec(compile(ast.Module([last], []), "cell", "exec"), names)
