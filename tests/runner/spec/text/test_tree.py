from __future__ import annotations

import pytest

from iogate.errors import SpecError
from iogate.spec.text.scalars import plain_value, to_json
from iogate.spec.text.tree import Mapping, Scalar, Sequence, parse_tree
from support.specs import FILE, place


def parse(text: str) -> Mapping:
    tree = parse_tree(text, str(FILE))
    assert isinstance(tree, Mapping)
    return tree


def refused(text: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        parse_tree(text, str(FILE))
    return caught.value


def test_every_key_and_value_knows_its_place() -> None:
    tree = parse("a:\n  - b: c\n  - d\n")
    assert (tree.entries["a"].key_at.line, tree.entries["a"].key_at.column) == (1, 1)
    items = tree.get("a")
    assert isinstance(items, Sequence)
    first, second = items.items
    assert isinstance(first, Mapping)
    assert (first.entries["b"].key_at.line, first.entries["b"].key_at.column) == (2, 5)
    assert (first.entries["b"].value.where.line, first.entries["b"].value.where.column) == (2, 8)
    assert (second.where.line, second.where.column) == (3, 5)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("12", 12),
        ("-3", -3),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("on", "on"),
        ("no", "no"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("010", "010"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        (".inf", ".inf"),
        ("=", "="),
    ],
)
def test_plain_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    scalar = parse(f"k: {text}").get("k")
    assert isinstance(scalar, Scalar)
    found = plain_value(scalar)
    assert found == value
    assert type(found) is type(value)


def test_quoted_scalars_are_text() -> None:
    assert to_json(parse("a: 'true'\nb: \"12\"\nc: !!str 7\n")) == {
        "a": "true",
        "b": "12",
        "c": "7",
    }


def test_merge_keys_give_way_to_own_keys_and_to_earlier_sources() -> None:
    text = "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz: {b: 3, <<: [*x, *y]}\nw: {<<: *y}\n"
    tree = to_json(parse(text))
    assert tree["z"] == {"a": 1, "b": 3, "c": 2}
    assert tree["w"] == {"b": 2, "c": 2}


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("a: 1\nb: 2\na: 3\n", (3, 1), "there twice"),
        ("a:\n\tb: 1\n", (2, 1), "tab"),
        ("a: &x\n  b: *x\n", (2, 6), "contains itself"),
        ("a: &x [1, *x]\n", (1, 11), "contains itself"),
        ("a: *nope\n", (1, 4), "no anchor"),
        ("a: &x 1\nb: &x 2\n", (2, 4), "twice"),
        ("a: !!python/object/apply:os.system [id]\n", (1, 4), "not allowed"),
        ("a: !!binary aGk=\n", (1, 4), "not allowed"),
        ("a: !local 3\n", (1, 4), "not allowed"),
        ("!!set {a}\n", (1, 1), "not allowed"),
        ("a: 1\n---\nb: 2\n", (2, 1), "second document"),
        ("", (1, 1), "empty"),
        ("# nothing\n", (1, 1), "empty"),
        ("a: {b: 1\n", (1, 4), "not closed"),
        ("a: [1, 2\nb: 3\n", (1, 4), "not closed"),
        ("a: 'open\n", (1, 4), "not closed"),
        ("a: \x01\n", (1, 4), "U+0001"),
        ('a: [b, "\\ud83d"]\n', (1, 8), "half a character"),
        ('a: 1\n"\\ude00": 2\n', (2, 1), "half a character"),
        ("{a: b}: c\n", (1, 1), "key"),
        ("a: {<<: 3}\n", (1, 9), "merges"),
    ],
)
def test_what_is_no_plain_tree_is_refused_with_its_place(
    text: str, where: tuple[int, int], says: str
) -> None:
    error = refused(text)
    assert place(error) == where
    assert says in error.what


def test_a_character_may_be_written_in_two_halves_as_in_json() -> None:
    assert to_json(parse_tree('{"a": "\\ud83d\\ude00"}', "t")) == {"a": "\U0001f600"}


def test_multiplying_aliases_are_bounded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    error = refused("\n".join(lines))
    assert "aliases" in error.what
    assert place(error)[0] == 5


def test_merged_aliases_are_bounded_too() -> None:
    lines = ["a0: &a0 {k: [x, x, x, x, x, x, x, x]}"]
    lines += [f"a{n}: &a{n} {{l: *a{n - 1}, m: *a{n - 1}, n: *a{n - 1}}}" for n in range(1, 12)]
    assert "aliases" in refused("\n".join(lines)).what


def test_depth_and_length_are_bounded() -> None:
    assert "deep" in refused("[" * 5000).what
    assert "characters" in refused("a: " + "x" * 600_000).what
