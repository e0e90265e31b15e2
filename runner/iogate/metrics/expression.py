"""Metrics that a spec defines: arithmetic over the table, ``write.bw / all.bw``.

    sum     = product { ("+" | "-") product }
    product = factor { ("*" | "/") factor }
    factor  = number | path | "(" sum ")" | "-" factor

A path is a metric of the table. One with other characters than letters, digits, dots and
underscores (a job's name may have a dash) stands between backquotes. There is nothing else: no
calls, no names but metrics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from iogate.errors import UsageError
from iogate.model.measurement import Measurement

Value = Callable[[Measurement], float | None]
Resolve = Callable[[str], Value]
MAX_LENGTH = 300  # of which the longest sum is evaluated without much recursion
_MAX_DEPTH = 30
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?(?![\w.]))"
    r"|(?P<path>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)"
    r"|`(?P<quoted>[^`]+)`"
    r"|(?P<sign>[-+*/()])",
    re.ASCII,
)
_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


class ExpressionError(ValueError):
    """What is wrong, ``offset`` characters from the beginning, and what to do about it."""

    def __init__(self, what: str, offset: int, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.offset = offset
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    offset: int


def parse_expression(text: str, resolve: Resolve) -> Value:
    """What computes the expression from a measurement: None where a part has no value, for
    a division by zero and for what is not finite. ``resolve`` gives a path's value, or
    raises UsageError. ExpressionError for text outside the grammar."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression has at most {MAX_LENGTH} characters", 0)
    value = _Parser(_tokens(text), resolve).whole()

    def finite(measurement: Measurement) -> float | None:
        result = value(measurement)
        return result if result is not None and math.isfinite(result) else None

    return finite


def _tokens(text: str) -> list[_Token]:
    tokens, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if not match or match.lastgroup is None:
            raise ExpressionError(
                f"{text[at : at + 10]!r} is not a part of an expression",
                at,
                "use metrics, numbers, + - * / and parentheses; a job's name with other "
                "characters stands between backquotes",
            )
        tokens.append(_Token(match.lastgroup, match[match.lastgroup], at))
        at = match.end()
    return [*tokens, _Token("end", "", len(text))]


class _Parser:
    """Recursive descent; each method consumes what it is named after."""

    def __init__(self, tokens: list[_Token], resolve: Resolve) -> None:
        self._tokens = tokens
        self._resolve = resolve
        self._at = 0
        self._depth = 0

    def whole(self) -> Value:
        value = self._sum()
        if self._next.kind != "end":
            raise self._unexpected("an operator")
        return value

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def _unexpected(self, wanted: str) -> ExpressionError:
        token = self._next
        got = repr(token.text) if token.text else "the end"
        return ExpressionError(f"expected {wanted}, found {got}", token.offset)

    def _sum(self) -> Value:
        value = self._product()
        while self._next.text in ("+", "-") and self._next.kind == "sign":
            value = _combined(self._take().text, value, self._product())
        return value

    def _product(self) -> Value:
        value = self._factor()
        while self._next.text in ("*", "/") and self._next.kind == "sign":
            value = _combined(self._take().text, value, self._factor())
        return value

    def _factor(self) -> Value:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ExpressionError("the expression is nested too deeply", self._next.offset)
        value = self._inner()
        self._depth -= 1
        return value

    def _inner(self) -> Value:
        token = self._next
        if token.kind == "number":
            number = float(self._take().text)
            return lambda _measurement: number
        if token.kind in ("path", "quoted"):
            return self._metric(self._take())
        if token.text == "-":
            self._take()
            return _combined("-", lambda _measurement: 0.0, self._factor())
        if token.text != "(":
            raise self._unexpected("a metric, a number or '('")
        self._take()
        value = self._sum()
        if self._next.text != ")":
            raise self._unexpected("')'")
        self._take()
        return value

    def _metric(self, token: _Token) -> Value:
        try:
            return self._resolve(token.text)
        except UsageError as error:
            raise ExpressionError(error.what, token.offset, error.remedy) from None


def _combined(operator: str, left: Value, right: Value) -> Value:
    compute = _OPERATORS[operator]

    def value(measurement: Measurement) -> float | None:
        a, b = left(measurement), right(measurement)
        if a is None or b is None or (operator == "/" and b == 0):
            return None
        return compute(a, b)

    return value
