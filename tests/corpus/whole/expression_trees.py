"""Symbolic regression candidates: expression trees parsed from text (Pratt parser), simplified, fitted, compared."""

import math
import operator
import re
from dataclasses import dataclass
from typing import Union

import numpy as np

from tests.corpus.case import at


@dataclass(frozen=True)
class Const:
    value: float


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Call:
    fn: str
    args: tuple


Expr = Union[Const, Var, Call]
BINARY = {
    "+": (10, operator.add),
    "-": (10, operator.sub),
    "*": (20, operator.mul),
    "/": (20, operator.truediv),
    "^": (30, operator.pow),
}
FUNCS = {"sin": np.sin, "exp": np.exp, "log": np.log, "neg": operator.neg, "sqrt": math.sqrt}


def tokenize(text):
    for m in re.finditer(r"\s*(?:(\d+\.?\d*)|([a-z_]\w*)|(.))", text):
        num, name, op = m.groups()
        yield ("num", float(num)) if num else ("name", name) if name else ("op", op)
    yield ("end", None)


class Parser:
    def __init__(self, text):
        self.tokens = list(tokenize(text))
        self.i = 0

    def peek(self):
        return self.tokens[self.i]

    def take(self, expected=None):
        tok = self.tokens[self.i]
        if expected is not None and tok[1] != expected:
            raise SyntaxError(f"expected {expected}, got {tok}")
        self.i += 1
        return tok

    def expression(self, power=0):
        kind, value = self.take()
        if kind == "num":
            left = Const(value)
        elif kind == "name" and self.peek() == ("op", "("):
            self.take("(")
            args = [self.expression()]
            self.take(")")
            left = Call(value, tuple(args))
        elif kind == "name":
            left = Var(value)
        elif value == "(":
            left = self.expression()
            self.take(")")
        elif value == "-":
            left = Call("neg", (self.expression(25),))
        else:
            raise SyntaxError(value)
        while self.peek()[1] in BINARY and BINARY[self.peek()[1]][0] > power:
            op = self.take()[1]
            bp = BINARY[op][0]
            left = Call(op, (left, self.expression(bp - (op == "^"))))
        return left


def evaluate(e: Expr, env):
    match e:
        case Const(value):
            return value
        case Var(name):
            return env[name]
        case Call("neg", (a,)):
            return -evaluate(a, env)
        case Call(fn, (a, b)):
            return BINARY[fn][1](evaluate(a, env), evaluate(b, env))
        case Call(fn, args):
            return FUNCS[fn](*[evaluate(a, env) for a in args])
        case _:
            raise TypeError(e)


def simplify(e):
    if not isinstance(e, Call):
        return e
    args = tuple(simplify(a) for a in e.args)
    if e.fn == "*" and Const(1.0) in args:
        rest = [a for a in args if a != Const(1.0)]
        return rest[0] if rest else Const(1.0)
    if e.fn == "+" and args[0] == Const(0.0):
        return args[1]
    if all(isinstance(a, Const) for a in args):
        return Const(float(evaluate(Call(e.fn, args), {})))
    return Call(e.fn, args)


def size(e):
    return 1 + sum(size(a) for a in e.args) if isinstance(e, Call) else 1


CANDIDATES = ["a * sin(b * x) + c", "a * x ^ 2 - b * x + c * 1", "exp(-a * x) * (0 + b) + 2 ^ 3 * c"]
XS = np.linspace(0.1, 2.0, 9)
YS = 1.3 * np.sin(1.7 * XS) + 0.2


@at((1.1, 1.5, 0.3))
def formulas_parsed_and_fitted(a, b, c):
    env = {"a": a, "b": b, "c": c, "x": XS}
    scores = {}
    for text in CANDIDATES:
        tree = simplify(Parser(text).expression())
        pred = evaluate(tree, env)
        scores[text] = np.mean((pred - YS) ** 2) + 0.001 * size(tree)
    best = min(scores, key=scores.get)
    weights = np.exp(-np.array(list(scores.values())))
    return scores[best] + weights @ np.arange(1.0, 4.0)
