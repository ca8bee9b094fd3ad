"""The page of a plan as a browser shows it: a real one, without a window."""

import json
import os
import re
import shutil
import subprocess

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")

# Asked of the page when it is laid out; the answer stands in the page that comes back.
ASKED = """
<script>
addEventListener("load", () => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const box = (element) => element.getBoundingClientRect();
  const shown = () => all(".row").filter((row) => row.checkVisibility()).length;
  const told = { errors: window.errors, resources: performance.getEntriesByType("resource").length, rows: shown() };
  const columns = all(".row").map((row) => [...row.children].map((cell) => Math.round(box(cell).right)));
  told.aligned = columns.every((one) => one.slice(0, -1).join() === columns[0].slice(0, -1).join());
  told.apart = all(".row .n").every((cell) => cell.scrollWidth <= cell.clientWidth + 1);
  const indents = all(".op").map((op) => parseFloat(getComputedStyle(op).paddingLeft));
  told.indented = Math.max(...indents) > 0 && indents[0] === 0;
  told.bars = all(".bar").filter((bar) => getComputedStyle(bar).backgroundImage.includes("gradient")).length;
  told.bold = all("b").length;
  const summary = document.querySelector("details > summary");
  summary.click();
  told.folded = shown();
  summary.click();
  told.unfolded = shown();
  const facts = document.createElement("pre");
  facts.id = "facts";
  facts.textContent = JSON.stringify(told);
  document.body.append(facts);
});
</script>
"""
WATCHED = "<head><script>window.errors = []; addEventListener('error', (e) => errors.push(e.message), true)</script>"


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        why = f"none of {', '.join(NAMES)} is installed"
        if os.environ.get("TRIMORPH_BROWSER") == "required":
            pytest.fail(why)
        pytest.skip(why)
    return found


def asked(browser, page, folder, *settings):
    """What the browser tells of a page."""
    path = folder / "plan.html"
    path.write_text(page.replace("<head>", WATCHED).replace("</body>", ASKED + "</body>"), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile", *settings]
    out = subprocess.run([browser, *flags, "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=300, check=True).stdout
    facts = re.search(r'<pre id="facts">(.*?)</pre>', out, re.DOTALL)
    assert facts, out[-2000:]
    return json.loads(facts[1])


@pytest.fixture
def graph(conn):
    conn.execute("UNWIND range(1, 2000) AS i CREATE (:Person {id: i, name: 'p' + toString(i)})")
    conn.execute("MATCH (a:Person), (b:Person) WHERE b.id IN [a.id % 2000 + 1, a.id * 7 % 2000 + 1] CREATE (a)-[:KNOWS]->(b)")
    return conn


QUERY = "MATCH (a:Person)-[:KNOWS]->(b)-[:KNOWS]->(c) WHERE a.name <> '<b>x</b>' RETURN b.name, count(*) AS n ORDER BY n DESC LIMIT 5"


def test_a_measured_plan_is_a_page_with_columns_bars_and_folds(browser, graph, tmp_path):
    page = graph.execute("PROFILE " + QUERY).plan_as("html")
    told = asked(browser, page, tmp_path)
    assert told["errors"] == [] and told["resources"] == 0
    assert told["rows"] == page.count('class="row') and told["rows"] > 4
    assert told["aligned"] and told["apart"] and told["indented"]
    assert told["bars"] == told["rows"] - 1
    assert told["bold"] == 0
    # Nothing is left of a folded plan but the head and its first line.
    assert (told["folded"], told["unfolded"]) == (2, told["rows"])


def test_a_plan_that_did_not_run_is_one_too(browser, graph, tmp_path):
    page = graph.execute("EXPLAIN " + QUERY).plan_as("html")
    told = asked(browser, page, tmp_path, "--window-size=400,800")
    assert told["errors"] == [] and told["bars"] == 0
    assert told["aligned"] and told["apart"] and (told["folded"], told["unfolded"]) == (2, told["rows"])
