"""What the pages show is run: see `snippets.py` for how."""

import doctest
import os
import re

import pytest
import snippets
import trimorph
from snippets import ROOT

BOOK = sorted((ROOT / "docs/book").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "bench/README.md", ROOT / "CONTRIBUTING.md", *BOOK]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page(path, tmp_path, monkeypatch):
    for library in ("pandas", "polars", "pyarrow", "networkx", "scipy", "rdflib"):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    page = snippets.Page(tmp_path, trimorph)
    for snippet in snippets.of_page(path):
        if snippet.language == "sh" and not snippets.has_commands() and os.environ.get("CI") != "true":
            pytest.skip("the command line is not built: cargo build -p trimorph-cli")
        try:
            page.run(snippet)
        except (AssertionError, FileNotFoundError):
            raise
        except Exception as error:
            raise AssertionError(f"{snippet.page}:{snippet.line}: {error}") from error


def test_the_site_has_all_pages():
    summary = (ROOT / "docs/book/SUMMARY.md").read_text(encoding="utf-8")
    assert [page.name for page in BOOK if f"({page.name})" not in summary] == ["SUMMARY.md"]


def test_docstrings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testmod(trimorph, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert done.attempted > 0 and done.failed == 0


def titles(path):
    """The anchors that a page has, as GitHub and mdBook make them of its titles."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for title in re.findall(r"^#+ (.*)$", text, flags=re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


@pytest.mark.parametrize("path", [*PAGES, *sorted((ROOT / "docs/design").glob("*.md")), ROOT / "ARCHITECTURE.md"], ids=lambda path: str(path.relative_to(ROOT)))
def test_links(path):
    """Links within the repository lead somewhere, down to the title."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = (path.parent / name).resolve() if name else path
        assert there.exists(), f"{path}: {target} is not there"
        if anchor and there.suffix == ".md":
            assert anchor in titles(there), f"{path}: {there.name} has no title #{anchor}; it has {sorted(titles(there))}"
