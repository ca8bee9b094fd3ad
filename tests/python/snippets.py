"""A page of Markdown in, its fences out, and what is run of them.

A fence is run as its language says, in a folder of its page, in the order of the page: what one makes, the next one finds. Comments
that readers of the page do not see say what is different; each stands right before its fence:

    <!-- not run: WHY -->               nobody runs it
    <!-- file: NAME -->                 it is the contents of this file
    <!-- shown by LANGUAGE: TEXT -->    it is the error, or else the first notice, of this text (cypher, sparql)
    <!-- fails -->                      it ends with an error
    <!-- first, in LANGUAGE:            this is run at this place, and stands before no fence
    … -->

In Python, a comment behind an expression, or on the lines below it, that is a Python value is what the expression gives.
"""

import ast
import asyncio
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\S*)")
MARK = re.compile(r"^ *<!-- (?P<kind>not run|file|shown by cypher|shown by sparql|fails)(?:: (?P<text>.*?))? *-->$")
FIRST = re.compile(r"^ *<!-- first, in (?P<language>\w+):$")

# What rustdoc runs, by the engine's `lib.rs`.
RUST_PAGES = ("README.md", "docs/book/rust.md")


@dataclasses.dataclass
class Snippet:
    page: str
    line: int
    language: str
    text: str
    mark: str = ""
    about: str = ""


def of_page(path):
    """The fences of a page, and what is to be run between them."""
    page, lines, mark = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8").splitlines(), None
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := FENCE.match(line):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            text = "\n".join(one.removeprefix(fence["indent"]) for one in lines[at + 1 : end])
            kind, about = (mark["kind"], mark["text"] or "") if mark else ("", "")
            yield Snippet(page, at + 2, fence["language"], text, kind, about)
            at, mark = end, None
        elif first := FIRST.match(line):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "-->")
            yield Snippet(page, at + 2, first["language"], "\n".join(lines[at + 1 : end]))
            at = end
        elif found := MARK.match(line):
            mark = found
        elif line.strip():
            if mark:
                raise ValueError(f"{page}:{at}: no fence behind this comment")
        at += 1


def command():
    """The command line, where it was built; None where it was not."""
    if named := os.environ.get("TRIMORPH_COMMAND"):
        return pathlib.Path(named)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [target / profile / "trimorph" for profile in ("debug", "release")]
    return next((path for path in built if path.exists()), None)


class Page:
    """What the fences of one page share: a folder, Python's names, a database in memory."""

    def __init__(self, folder, trimorph):
        self.folder, self.trimorph = folder, trimorph
        db = trimorph.Database()
        self.names = {"trimorph": trimorph, "db": db, "conn": db.connect(), "__name__": "page"}

    def run(self, snippet):
        """Runs it; raises what is wrong."""
        match snippet.mark:
            case "not run":
                assert snippet.about, f"{snippet.page}:{snippet.line}: why is it not run?"
                return
            case "file":
                (self.folder / snippet.about).write_text(snippet.text + "\n", encoding="utf-8")
                return
            case "shown by cypher" | "shown by sparql":
                found = self.shown(snippet.about, snippet.mark.rpartition(" ")[2])
                assert found == snippet.text, f"{snippet.page}:{snippet.line}: it is shown\n{found}"
                return
        run = getattr(self, f"run_{snippet.language}", None)
        assert run, f"{snippet.page}:{snippet.line}: nobody knows how to run {snippet.language!r}; say so in a comment"
        if snippet.mark != "fails":
            return run(snippet)
        try:
            run(snippet)
        except self.trimorph.Error:
            return
        raise AssertionError(f"{snippet.page}:{snippet.line}: it was to fail")

    def shown(self, text, language):
        try:
            result = self.names["conn"].execute(text, lang=language)
        except self.trimorph.Error as error:
            return str(error)
        return str(result.notices[0])

    def run_python(self, snippet):
        # As many lines before it as the page has, so that a traceback names the page's line.
        text = "\n" * (snippet.line - 1) + snippet.text
        tree = ast.parse(text, str(ROOT / snippet.page))
        said = values_said(text)
        for statement in tree.body:
            value = self.one_statement(statement, snippet)
            if isinstance(statement, ast.Expr) and statement.end_lineno in said:
                expected = said[statement.end_lineno]
                place = f"{snippet.page}:{statement.lineno}"
                assert value == eval(expected, self.names), f"{place}: it is {value!r}"

    def one_statement(self, statement, snippet):
        file, flags = str(ROOT / snippet.page), ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        if isinstance(statement, ast.Expr):
            code = compile(ast.Expression(statement.value), file, "eval", flags)
        else:
            code = compile(ast.Module([statement], []), file, "exec", flags)
        value = eval(code, self.names)
        return asyncio.run(value) if asyncio.iscoroutine(value) else value

    def run_cypher(self, snippet, language="cypher"):
        for statement in re.split(r";[ \t]*(?://[^\n]*)?(?:\n|$)", snippet.text):
            if statement.strip():
                self.names["conn"].execute(statement, lang=language).fetchall()

    def run_sparql(self, snippet):
        self.names["conn"].sparql(snippet.text).fetchall()

    def run_sh(self, snippet):
        path = command()
        if path is None:
            raise FileNotFoundError("the command line is not built: cargo build -p trimorph-cli")
        search = f"{path.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", snippet.text],
            cwd=self.folder, env=os.environ | {"PATH": search, "NO_COLOR": "1"}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{snippet.page}:{snippet.line}: {done.stdout}{done.stderr}"

    def run_json(self, snippet):
        json.loads(snippet.text)

    def run_toml(self, snippet):
        tomllib = __import__("tomllib")
        tomllib.loads(snippet.text)

    def run_rust(self, snippet):
        assert snippet.page in RUST_PAGES, f"{snippet.page}:{snippet.line}: rustdoc does not know this page"
        library = (ROOT / "crates/engine/src/lib.rs").read_text(encoding="utf-8")
        assert f'include_str!("../../../{snippet.page}")' in library, f"{snippet.page} is not in the engine's lib.rs"


def values_said(text):
    """Comments that are Python values, by the last line of what stands before them."""
    said, last, open_comment = {}, 0, None
    tokens = list(tokenize.generate_tokens(io.StringIO(text + "\n").readline))
    for token in tokens:
        if token.type == tokenize.COMMENT:
            words = token.string.lstrip("# ")
            if open_comment is None:
                open_comment = [last, words]
            else:
                open_comment[1] += " " + words
        elif token.type not in (tokenize.NL, tokenize.NEWLINE):
            if open_comment:
                said[open_comment[0]] = open_comment[1]
                open_comment = None
            last = token.end[0]
    return {line: words for line, words in said.items() if is_value(words)}


def is_value(words):
    if not words or words[0] not in "[({'\"-0123456789TFN":
        return False
    try:
        ast.parse(words, mode="eval")
    except SyntaxError:
        return False
    return True


def has_commands():
    return command() is not None


def have(name):
    return shutil.which(name) is not None
