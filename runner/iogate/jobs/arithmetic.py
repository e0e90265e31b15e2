"""Sums in parentheses, which a job may have in place of a number: ``(2*4k+512)``.

sum = product { (+|-) product }; product = power { (*|/|%) power }; power = term [ ^ power ];
term = "(" sum ")" [unit] | [+|-] term | number [unit]. Pure.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import Decimal, DecimalException

_TOKEN = re.compile(r"(?ai)\s*(0x[0-9a-f]{1,16}|\d{1,20}(?:\.\d{1,20})?|[a-z]+|[-+*/%^()])")
_DEEPEST = 32
_LONGEST = 400
_SUM = {"+": operator.add, "-": operator.sub}
_PRODUCT = {"*": operator.mul, "/": operator.truediv, "%": operator.mod}

Operators = dict[str, Callable[[Decimal, Decimal], Decimal]]


def evaluate(text: str, unit: Callable[[str], Decimal | None]) -> tuple[Decimal, bool]:
    """The value, and whether it has a unit anywhere. ``unit`` says what a number with one is
    multiplied by, None for what is no unit. ValueError for what is no such sum."""
    reader = _Reader(_tokens(text), unit)
    try:
        value = reader.sum()
    except (DecimalException, RecursionError):
        raise ValueError(text) from None
    if reader.tokens or not value.is_finite():
        raise ValueError(text)
    return value, reader.saw_unit


def _tokens(text: str) -> list[str]:
    """The tokens, the last one first."""
    tokens: list[str] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match or len(tokens) > _LONGEST:
            raise ValueError(text)
        tokens.append(match[1].lower())
        at = match.end()
    return tokens[::-1]


class _Reader:
    def __init__(self, tokens: list[str], unit: Callable[[str], Decimal | None]) -> None:
        self.tokens = tokens
        self.saw_unit = False
        self._unit = unit
        self._depth = 0

    def sum(self) -> Decimal:
        return self._chain(_SUM, lambda: self._chain(_PRODUCT, self._power))

    def _chain(self, operators: Operators, part: Callable[[], Decimal]) -> Decimal:
        value = part()
        while self._next() in operators:
            value = operators[self.tokens.pop()](value, part())
        return value

    def _power(self) -> Decimal:
        value = self._term()
        if self._next() != "^":
            return value
        self.tokens.pop()
        return value ** self._power()

    def _term(self) -> Decimal:
        self._depth += 1
        token = self.tokens.pop() if self.tokens and self._depth <= _DEEPEST else ""
        if token in _SUM:
            value = self._term()
            value = -value if token == "-" else value
        elif token == "(":
            value = self.sum()
            self._close()
            value *= self._factor()
        else:
            value = _literal(token) * self._factor()
        self._depth -= 1
        return value

    def _close(self) -> None:
        if self._next() != ")":
            raise ValueError(")")
        self.tokens.pop()

    def _factor(self) -> Decimal:
        if not self._next().isalpha():
            return Decimal(1)
        factor = self._unit(self.tokens.pop())
        if factor is None:
            raise ValueError("unit")
        self.saw_unit = True
        return factor

    def _next(self) -> str:
        return self.tokens[-1] if self.tokens else ""


def _literal(token: str) -> Decimal:
    if token.startswith("0x"):
        return Decimal(int(token, 16))
    if not token[:1].isdecimal():
        raise ValueError(token)
    return Decimal(token)
