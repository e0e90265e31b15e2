"""One noun for a thing: the words of CONTRIBUTING.md, where a machine can hold them."""

import ast
import json
import re
from collections.abc import Iterator

import pytest

from repository.tree import ROOT, texts

CODE = re.compile(r"^( *)```.*?^\1```|`[^`]*`|\]\([^)]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL)
"""What in a document is no prose: blocks, names, addresses, comments."""

NOT_OURS = {"runner/iogate/host/kernel_log.py"}
"""Words that the kernel writes."""

LIMIT = re.compile(r"\bthresholds?\b(?!:)", re.IGNORECASE)
FAILED = re.compile(
    r"\blimits? (?:is |are |was |were )?broken|\bbroken limit"
    r"|\bbreak(?:s|ing)? (?:a|the|its|their) limit",
    re.IGNORECASE,
)
DETECTABLE = re.compile(r"\bthey see\b (?!the few)|\bblocks? sees? |\btoo thin\b", re.IGNORECASE)
WORDS = pytest.mark.parametrize("word", [LIMIT, FAILED, DETECTABLE], ids=["limit", "failed", "see"])


def documents() -> Iterator[tuple[str, str]]:
    for path, text in texts(".md").items():
        if (path.parts[0] == "docs" and "decisions" not in path.parts) or len(path.parts) == 1:
            yield str(path), CODE.sub(" ", text)


def sentences(source: str) -> Iterator[str]:
    """The strings of a module that have a blank, so that a person may read them: no docstrings."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docs else None
        if isinstance(text, str) and " " in text:
            yield text


def strings() -> Iterator[tuple[str, str]]:
    for path, text in texts(".py").items():
        if path.parts[0] in ("runner", "reports") and str(path) not in NOT_OURS:
            for sentence in sentences(text):
                yield str(path), sentence
    for path, text in texts(".j2").items():
        yield str(path), re.sub(r"{[{%].*?[%}]}", " ", text, flags=re.DOTALL)


def descriptions() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "schemas").glob("*.json")):
        for text in _described(json.loads(path.read_text(encoding="utf-8"))):
            yield path.name, re.sub(r"``.*?``", " ", text, flags=re.DOTALL)


def _described(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("description"), str):
            yield node["description"]
        for value in node.values():
            yield from _described(value)
    elif isinstance(node, list):
        for value in node:
            yield from _described(value)


def _with(word: re.Pattern[str], read: Iterator[tuple[str, str]]) -> list[str]:
    return [f"{name}: …{_around(text, hit)}…" for name, text in read for hit in word.finditer(text)]


def _around(text: str, hit: re.Match[str]) -> str:
    return " ".join(text[max(0, hit.start() - 40) : hit.end() + 40].split())


@WORDS
def test_documents_have_one_noun_for_a_thing(word: re.Pattern[str]) -> None:
    assert not _with(word, documents())


@WORDS
def test_what_the_program_says_has_one_noun_for_a_thing(word: re.Pattern[str]) -> None:
    assert not _with(word, strings())


def test_schemas_call_a_limit_a_limit() -> None:
    assert not _with(LIMIT, descriptions())


def test_the_key_of_a_spec_may_be_named() -> None:
    read = "x: `thresholds` are limits; thresholds: stands beside fio"
    assert not _with(LIMIT, iter([("a", CODE.sub(" ", read))]))
    assert _with(LIMIT, iter([("a", "a threshold failed")]))


def test_a_docstring_is_no_sentence_that_a_user_reads() -> None:
    assert list(sentences('"""A threshold."""\nx = f"{1} limits hold"\n')) == [" limits hold"]
