"""What the table of changed state is made of: ways to reach a state, kinds of states, and what is asked of them and changed.

``MADE`` in a way stands for the expression that makes the state, ``ANSWER`` for what the program returns, ``NEW`` for another
state; ``STATE`` in a question or a change stands for how the program, or the one who changes it, reaches the state.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """How a program reaches a state: `read` by the program, `held` from outside; `rebound` puts another one in its place."""

    name: str
    setup: str
    read: str
    held: str
    rebound: str


@dataclass(frozen=True, slots=True)
class Change:
    """A statement that changes the state, or, if it `rebinds`, an expression for another one."""

    text: str
    rebinds: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of state: an expression that makes one, and what is asked of it and changed; `classes` are defined ahead.

    It is reached by those of `ways` alone, where there are any.
    """

    name: str
    made: str
    questions: tuple[str, ...]
    changes: tuple[Change, ...]
    classes: str = ""
    ways: tuple[str, ...] = ()


PRELUDE = "import array, collections, collections.abc, enum, functools, types, typing"
_LOSS = "def f(x):\n    return ANSWER"
_CLASS = "class Owner:\n    v = MADE\n    def __init__(self, u): self.u = u\n"


def _way(name: str, setup: str, read: str, held: str, rebound: str = "") -> Way:
    return Way(
        name,
        f"{setup}\n{_LOSS}" if "ANSWER" not in setup else setup,
        read,
        held,
        rebound or (None if rebound is None else f"{held} = NEW"),
    )


def _method(name: str, decorator: str, body_class: str, read: str, call: str, setup: str = "") -> Way:
    """A way through a method: `read` is what the method reads, `call` how the program calls it."""
    text = f"{_CLASS}    {decorator}\n    def m({body_class}, x):\n        return ANSWER\n{setup}\ndef f(x):\n    return {call}"
    return Way(name, text, read, "Owner.v", "Owner.v = NEW")


_WAYS = (
    _way("global", "V = MADE", "V", "V"),
    _way(
        "closure",
        "def outer():\n    v = MADE\n    def f(x):\n        return ANSWER\n    return f\nf = outer()",
        "v",
        "f.__closure__[0].cell_contents",
    ),
    _way("default", "def f(x, v=MADE):\n    return ANSWER", "v", "f.__defaults__[0]", "f.__defaults__ = (NEW,)"),
    _way("keyword default", "def f(x, *, v=MADE):\n    return ANSWER", "v", "f.__kwdefaults__['v']"),
    _way("attribute of a class", _CLASS, "Owner.v", "Owner.v"),
    _way("attribute of an object", f"{_CLASS}OWNER = Owner(1.0)\nOWNER.v = MADE", "OWNER.v", "OWNER.v"),
    _way(
        "attribute of an object, by its dict",
        f"{_CLASS}OWNER = Owner(1.0)\nOWNER.v = MADE",
        "OWNER.v",
        "OWNER.v",
        "OWNER.__dict__ = {'v': NEW}",
    ),
    _way("class attribute of an object", f"{_CLASS}OWNER = Owner(1.0)", "OWNER.v", "Owner.v"),
    _way("class attribute of a made object", _CLASS, "Owner(x).v", "Owner.v"),
    _way("type of an object", f"{_CLASS}OWNER = Owner(1.0)", "type(OWNER).v", "Owner.v"),
    _way("class of an object", f"{_CLASS}OWNER = Owner(1.0)", "OWNER.__class__.v", "Owner.v"),
    _way("type of a made object", _CLASS, "type(Owner(x)).v", "Owner.v"),
    _way("class of a made object", _CLASS, "Owner(x).__class__.v", "Owner.v"),
    _way("inherited, by the type", f"{_CLASS}class Heir(Owner): pass", "type(Heir(x)).v", "Owner.v"),
    _way("base of a class", f"{_CLASS}class Heir(Owner): pass", "Heir.__mro__[1].v", "Owner.v"),
    _way("type, by getattr", _CLASS, "getattr(type(Owner(x)), 'v')", "Owner.v"),
    _method("type of self", "", "self", "type(self).v", "Owner(x).m(x)"),
    _method("class of self", "", "self", "self.__class__.v", "Owner(x).m(x)"),
    _method("self", "", "self", "self.v", "Owner(x).m(x)"),
    _method("type of a global self", "", "self", "type(self).v", "OWNER.m(x)", "OWNER = Owner(1.0)"),
    _method("classmethod of a class", "@classmethod", "cls", "cls.v", "Owner.m(x)"),
    _method("classmethod of an object", "@classmethod", "cls", "cls.v", "OWNER.m(x)", "OWNER = Owner(1.0)"),
    _method("classmethod of a made object", "@classmethod", "cls", "cls.v", "Owner(x).m(x)"),
    _method("inherited classmethod", "@classmethod", "cls", "cls.v", "Heir(x).m(x)", "class Heir(Owner): pass"),
    Way(
        "super",
        "class Base:\n    v = MADE\nclass Owner(Base):\n    v = None\n    def __init__(self, u): self.u = u\n"
        "    def m(self, x):\n        return ANSWER\ndef f(x):\n    return Owner(x).m(x)",
        "super(Owner, self).v",
        "Base.v",
        "Base.v = NEW",
    ),
    Way(
        "property",
        f"{_CLASS}    @property\n    def w(self): return type(self).v\n{_LOSS}",
        "Owner(x).w",
        "Owner.v",
        "Owner.v = NEW",
    ),
    Way(
        "static method of the type",
        f"{_CLASS}    @staticmethod\n    def w(): return Owner.v\n{_LOSS}",
        "type(Owner(x)).w()",
        "Owner.v",
        "Owner.v = NEW",
    ),
    _way(
        "dataclass field",
        "import dataclasses\n@dataclasses.dataclass\nclass Field:\n    v: object\nOWNER = Field(MADE)",
        "OWNER.v",
        "OWNER.v",
    ),
    _way("slot", "class Slotted:\n    __slots__ = ('v',)\nOWNER = Slotted()\nOWNER.v = MADE", "OWNER.v", "OWNER.v"),
    _way("module attribute", "MODULE = types.ModuleType('m')\nMODULE.v = MADE", "MODULE.v", "MODULE.v"),
    _way("namespace", "NAMES = types.SimpleNamespace(v=MADE)", "NAMES.v", "NAMES.v"),
    _way("function attribute", "def holder(): pass\nholder.v = MADE", "holder.v", "holder.v"),
    _way(
        "function attribute, by its dict",
        "def holder(): pass\nholder.v = MADE",
        "holder.v",
        "holder.v",
        "holder.__dict__ = {'v': NEW}",
    ),
    _way("item of a list", "ROW = [None, MADE]", "ROW[1]", "ROW[1]"),
    _way("item of a tuple", "PAIR = (None, MADE)", "PAIR[1]", "PAIR[1]", "PAIR = (None, NEW)"),
    _way("item of a dict", "TABLE = {'v': MADE}", "TABLE['v']", "TABLE['v']"),
    _way("item of a dict, by get", "TABLE = {'v': MADE}", "TABLE.get('v')", "TABLE['v']"),
    _way("item of a defaultdict", "TABLE = collections.defaultdict(int, v=MADE)", "TABLE['v']", "TABLE['v']"),
    _way("item of a deque", "TABLE = collections.deque([MADE])", "TABLE[0]", "TABLE[0]"),
    _way("item of a mappingproxy", "TABLE = {'v': MADE}\nVIEW = types.MappingProxyType(TABLE)", "VIEW['v']", "TABLE['v']"),
    _way(
        "named tuple",
        "PAIR = collections.namedtuple('PAIR', 'u v')(1.0, MADE)",
        "PAIR.v",
        "PAIR.v",
        "PAIR = PAIR._replace(v=NEW)",
    ),
    _way(
        "member of an enum",
        "class Members(enum.Enum):\n    V = [MADE]",
        "Members.V.value[0]",
        "Members.V.value[0]",
        "Members.V._value_ = [NEW]",
    ),
    _way(
        "partial",
        "def apply(v, x):\n    return ANSWER\nbound = functools.partial(apply, MADE)\ndef f(x):\n    return bound(x)",
        "v",
        "bound.args[0]",
        "bound = functools.partial(apply, NEW)",
    ),
    _way(
        "partial, by its state",
        "def apply(v, x):\n    return ANSWER\nbound = functools.partial(apply, MADE)\ndef f(x):\n    return bound(x)",
        "v",
        "bound.args[0]",
        "bound.__setstate__((apply, (NEW,), {}, {}))",
    ),
    _way("helper", "V = MADE\ndef helper(): return V", "helper()", "V"),
    _way("deep inside", "OWNER = types.SimpleNamespace(a=[{'v': MADE}])", "OWNER.a[0]['v']", "OWNER.a[0]['v']"),
)
WAYS = {way.name: way for way in _WAYS}


def _when(condition: str) -> str:
    return f"x * (2.0 if {condition} else 3.0)"


def _kind(
    name: str, made: str, questions: tuple[str, ...], changes: tuple[str, ...], another: str = "", classes: str = ""
) -> Kind:
    rebinding = (Change(another, rebinds=True),) if another else ()
    return Kind(name, made, questions, (*(Change(text) for text in changes), *rebinding), classes)


_ANY = (_when("STATE"), "x * len(str(STATE))", _when("STATE is None"), _when("hasattr(STATE, 'append')"),
        _when("isinstance(STATE, (set, list))"))  # fmt: skip
_SIZED = ("x * len(STATE)", _when("2 in STATE"), _when("2 not in STATE"), *_ANY)
_ITERATED = ("x * sum(STATE)", "sum(x * item for item in STATE)", "x * max(STATE)", "x * sorted(STATE)[-1]",
             "x * len(list(STATE))", "sum(x for item in (1, 2, 3) if item in STATE)",
             "x * len({item for item in (1, 2, 3) if item in STATE})")  # fmt: skip
_SET = (*_SIZED, *_ITERATED, _when("STATE == {1}"), _when("STATE != {1}"), _when("STATE <= {1}"), _when("{2} < STATE"),
        "x * len(STATE | {5})", _when("STATE & {2}"), _when("STATE - {1}"), _when("STATE ^ {1}"), _when("STATE.issubset({1})"),
        _when("STATE.isdisjoint({2})"), "x * len(STATE.union({9}))", _when("[STATE] == [{1}]"),
        "x * len(frozenset(STATE))", _when("any(item in STATE for item in (2, 3))"))  # fmt: skip
_SEQUENCE = (*_SIZED, *_ITERATED, "x * STATE[0]", "x * STATE[-1]", "x * STATE[-1] * len(STATE)")
_MAPPING = (*_SIZED, "x * STATE[1]", "x * STATE.get(2, 5.0)", "x * sum(STATE.values())", "x * len(STATE.items())",
            _when("2 in STATE.keys()"), _when("(1, 1.0) in STATE.items()"), "sum(x * item for item in STATE.values())",
            _when("STATE == {1: 1.0}"))  # fmt: skip
_MAPPING_CHANGES = ("STATE[2] = 4.0", "STATE[1] = 7.0", "STATE.clear()")
_OBJECT = (_when("hasattr(STATE, 'k')"), _when("hasattr(STATE, 'new')"), "x * getattr(STATE, 'new', 5.0)", "x * STATE.k",
           "x * type(STATE).k", "x * STATE.__class__.k", _when("isinstance(STATE, B)"), _when("type(STATE) is A"), _when("STATE"),
           _when("isinstance(STATE, New)"), _when("isinstance(STATE, (int, New))"),
           _when("callable(STATE)"), _when("STATE == 1"), "x * STATE.m()", "x * type(STATE).m(STATE)", "x * STATE.s()",
           "x * type(STATE).s()", "x * STATE.c()", "x * STATE.t['a']", "x * type(STATE).t['a']", _when("2 in STATE.z"),
           _when("2 in type(STATE).z"), "x * STATE.w", "x * STATE.n", _when("'n' in vars(STATE)"),
           _when("issubclass(type(STATE), B)"), _when("hasattr(type(STATE), 'new')"),
           "x * getattr(type(STATE), 'new', 5.0)")  # fmt: skip
_A = """@typing.runtime_checkable
class New(typing.Protocol):
    def new(self): ...
class R:
    k = 2.0
class B(R): pass
class A(R):
    t = {'a': 1.0}
    z = {1}
    def __init__(self): self.n = 1.5
    def m(self): return self.k
    @staticmethod
    def s(): return 3.0
    @classmethod
    def c(cls): return cls.k
    @property
    def w(self): return type(self).k"""
_CLASS_CHANGES = ("A.k = 7.0", "R.k = 7.0", "A.new = 7.0", "R.new = 7.0", "A.__bool__ = lambda self: False",
                  "A.__len__ = lambda self: 0", "A.__call__ = lambda self: 1.0", "A.__eq__ = lambda self, other: True",
                  "A.m = lambda self: 9.0", "A.s = staticmethod(lambda: 9.0)", "A.c = classmethod(lambda cls: 9.0)",
                  "A.t['a'] = 7.0", "A.z.add(2)", "A.w = 9.0", "A.n = property(lambda self: 9.0)",
                  "A.__getattr__ = lambda self, name: 9.0", "del A.m", "A.__bases__ = (B,)")  # fmt: skip

KINDS = {
    kind.name: kind
    for kind in (
        _kind(
            "number",
            "1.5",
            (
                "x * STATE",
                _when("STATE > 2"),
                _when("STATE"),
                _when("STATE == 1.5"),
                _when("isinstance(STATE, int)"),
                "x * len(str(STATE))",
                _when("STATE in (2, 3)"),
                _when("STATE in {2, 3}"),
            ),
            (),
            "2",
        ),
        _kind(
            "text",
            "'ab'",
            (
                *_ANY,
                _when("'b' in STATE"),
                _when("STATE == 'ab'"),
                "x * len(STATE)",
                _when("STATE[0] == 'a'"),
                "x * {'ab': 1.0, 'cd': 4.0}[STATE]",
                _when("STATE in {'ab'}"),
            ),
            (),
            "'cd'",
        ),
        _kind("none", "None", (_when("STATE"), _when("STATE is None"), _when("STATE == 1")), (), "1.0"),
        _kind("list", "[1]", _SEQUENCE, ("STATE.append(2)", "STATE[0] = 7", "STATE.clear()"), "[2, 3]"),
        _kind("tuple", "(1,)", _SEQUENCE, (), "(2, 3)"),
        _kind("set", "{1}", _SET, ("STATE.add(2)", "STATE.clear()"), "{2, 3}"),
        _kind(
            "set of texts",
            "{'a'}",
            (
                _when("'b' in STATE"),
                _when("STATE == {'a'}"),
                _when("STATE"),
                "sum(x for name in ('a', 'b', 'c') if name not in STATE)",
            ),
            ("STATE.add('b')",),
            "{'b'}",
        ),
        _kind(
            "set of equal numbers",
            "{1}",
            ("x * len(str(STATE))", _when("STATE == {1}")),
            ("STATE.clear(); STATE.add(1.0)",),
            "{True}",
        ),
        _kind(
            "set of objects",
            "{A()}",
            (_when("1 in STATE"), _when("len(STATE) > 1")),
            ("STATE.add(1)",),
            classes="class A:\n    def __eq__(self, other): return False\n    def __hash__(self): return 1",
        ),
        _kind(
            "set in a list",
            "[{1}]",
            (
                _when("2 in STATE[0]"),
                _when("STATE == [{1}]"),
                _when("{1} in STATE"),
                "x * len(str(STATE))",
                "sum(x for s in STATE if 2 in s)",
            ),
            ("STATE[0].add(2)", "STATE.append({2})"),
            "[{2}]",
        ),
        _kind(
            "set in a dict",
            "{'a': {1}}",
            (
                _when("2 in STATE['a']"),
                _when("STATE == {'a': {1}}"),
                _when("2 in STATE.get('a')"),
                _when("{1} in STATE.values()"),
                "sum(x for s in STATE.values() if 2 in s)",
            ),
            ("STATE['a'].add(2)",),
            "{'a': {2}}",
        ),
        _kind("set in a tuple", "({1},)", (_when("2 in STATE[0]"), _when("STATE == ({1},)")), ("STATE[0].add(2)",), "({2},)"),
        _kind("frozenset", "frozenset({1})", _SET, (), "frozenset({2, 3})"),
        _kind(
            "bytearray",
            "bytearray(b'\\x01')",
            (
                *_SEQUENCE,
                _when("STATE == b'\\x01'"),
                _when("STATE.startswith(b'\\x01')"),
                "x * len(bytes(STATE))",
                "x * STATE.count(1)",
            ),
            ("STATE.append(2)", "STATE[0] = 7", "STATE.clear()"),
            "bytearray(b'\\x02')",
        ),
        _kind(
            "memoryview",
            "memoryview(bytearray(b'\\x01'))",
            (_when("1 in STATE"), _when("STATE == b'\\x01'"), "x * STATE[0]", "x * sum(STATE.tolist())", "x * len(STATE)"),
            ("STATE[0] = 7",),
            "memoryview(b'\\x02')",
        ),
        _kind("dict", "{1: 1.0}", _MAPPING, _MAPPING_CHANGES, "{2: 3.0}"),
        _kind(
            "keys of a dict",
            "SOURCE.keys()",
            (*_SET[:11], *_SET[15:22]),
            ("SOURCE[2] = 4.0", "SOURCE.clear()"),
            "{2: 3.0}.keys()",
            "SOURCE = {1: 1.0}",
        ),
        _kind(
            "values of a dict",
            "SOURCE.values()",
            (*_SIZED, *_ITERATED),
            ("SOURCE[2] = 2.0", "SOURCE[1] = 2.0", "SOURCE.clear()"),
            "{2: 3.0}.values()",
            "SOURCE = {1: 1.0}",
        ),
        _kind(
            "items of a dict",
            "SOURCE.items()",
            (
                _when("(2, 2.0) in STATE"),
                "x * len(STATE)",
                _when("STATE"),
                "x * len(str(STATE))",
                _when("STATE == {(1, 1.0)}"),
                "sum(x * b for a, b in STATE)",
            ),
            ("SOURCE[2] = 2.0", "SOURCE.clear()"),
            "{2: 2.0}.items()",
            "SOURCE = {1: 1.0}",
        ),
        _kind(
            "mappingproxy",
            "types.MappingProxyType(SOURCE)",
            _MAPPING,
            ("SOURCE[2] = 2.0", "SOURCE[1] = 7.0", "SOURCE.clear()"),
            "types.MappingProxyType({2: 3.0})",
            "SOURCE = {1: 1.0}",
        ),
        _kind(
            "mappingproxy of a class",
            "vars(C)",
            (_when("'new' in STATE"), "x * STATE['k']"),
            ("C.new = 1.0", "C.k = 7.0"),
            classes="class C:\n    k = 1.0",
        ),
        _kind(
            "array",
            "np.array([1.0])",
            (*_SEQUENCE[:-1], "x * STATE.sum()", _when("(STATE == 1.0).all()"), "x * STATE.shape[0]"),
            ("STATE[0] = 2.0",),
            "np.array([2.0, 3.0])",
        ),
        _kind(
            "whole array",
            "np.array([1])",
            ("x * STATE[0]", _when("2 in STATE"), "x * (1.0, 2.0, 3.0)[STATE[0]]"),
            ("STATE[0] = 2",),
            "np.array([2, 0])",
        ),
        _kind(
            "array of array",
            "array.array('d', [1.0])",
            _SEQUENCE,
            ("STATE.append(2.0)", "STATE[0] = 7.0"),
            "array.array('d', [2.0])",
        ),
        _kind(
            "deque",
            "collections.deque([1])",
            (*_SEQUENCE, _when("STATE == collections.deque([1])")),
            ("STATE.append(2)", "STATE[0] = 7", "STATE.clear()"),
            "collections.deque([2])",
        ),
        _kind(
            "defaultdict",
            "collections.defaultdict(float, {1: 1.0})",
            (*_MAPPING, "x * STATE[5]"),
            (*_MAPPING_CHANGES, "STATE.default_factory = lambda: 9.0"),
            "collections.defaultdict(float, {1: 3.0})",
        ),
        _kind(
            "defaultdict of sets",
            "collections.defaultdict(set, {1: {1}})",
            (_when("2 in STATE[1]"), _when("2 in STATE.get(1)"), _when("STATE == {1: {1}}")),
            ("STATE[1].add(2)",),
        ),
        _kind(
            "OrderedDict", "collections.OrderedDict({1: 1.0})", _MAPPING, _MAPPING_CHANGES, "collections.OrderedDict({2: 3.0})"
        ),
        _kind(
            "Counter",
            "collections.Counter({1: 1.0})",
            (*_MAPPING, "x * STATE[5]"),
            _MAPPING_CHANGES,
            "collections.Counter({2: 3.0})",
        ),
        _kind("ChainMap", "collections.ChainMap({1: 1.0})", _MAPPING, _MAPPING_CHANGES, "collections.ChainMap({2: 3.0})"),
        _kind("UserDict", "collections.UserDict({1: 1.0})", _MAPPING, _MAPPING_CHANGES, "collections.UserDict({2: 3.0})"),
        _kind(
            "UserList",
            "collections.UserList([1])",
            _SEQUENCE,
            ("STATE.append(2)", "STATE[0] = 7"),
            "collections.UserList([2, 3])",
        ),
        _kind(
            "subclass of set",
            "A({1})",
            _SET,
            ("STATE.add(2)", "STATE.clear()", "A.__contains__ = lambda self, v: True"),
            "A({2})",
            "class A(set): pass",
        ),
        _kind(
            "subclass of dict",
            "A({1: 1.0})",
            _MAPPING,
            (*_MAPPING_CHANGES, "A.__contains__ = lambda self, v: True"),
            "A({2: 3.0})",
            "class A(dict): pass",
        ),
        _kind(
            "namespace",
            "types.SimpleNamespace(k=2.0)",
            (
                "x * STATE.k",
                _when("hasattr(STATE, 'new')"),
                "x * getattr(STATE, 'new', 5.0)",
                "x * len(str(STATE))",
                _when("STATE == types.SimpleNamespace(k=2.0)"),
                _when("'new' in vars(STATE)"),
            ),
            ("STATE.k = 7.25", "STATE.new = 1.0", "del STATE.k"),
            "types.SimpleNamespace(k=3.0)",
        ),
        _kind(
            "object",
            "A()",
            _OBJECT,
            (*_CLASS_CHANGES, "STATE.k = 7.0", "STATE.new = 7.0", "STATE.n = 7.0", "del STATE.n", "STATE.__class__ = B"),
            "B()",
            _A,
        ),
        _kind(
            "class",
            "A",
            (
                "x * STATE.k",
                _when("hasattr(STATE, 'new')"),
                "x * getattr(STATE, 'new', 5.0)",
                _when("issubclass(STATE, B)"),
                "x * STATE().m()",
                "x * STATE.s()",
                "x * STATE.c()",
                "x * STATE.t['a']",
                _when("2 in STATE.z"),
                "x * STATE().w",
                "x * STATE().n",
                "x * type(STATE()).k",
                "x * STATE().__class__.c()",
                "x * STATE.m(STATE())",
                _when("STATE is A"),
                _when("isinstance(STATE(), STATE)"),
                _when("callable(STATE())"),
                "x * STATE.__mro__[1].k",
                "x * len(STATE.__name__)",
            ),
            (*_CLASS_CHANGES, "A.__name__ = 'Other'", "A.__init__ = lambda self: setattr(self, 'n', 9.0)"),
            "B",
            _A,
        ),
        _kind(
            "function",
            "g",
            (
                "x * STATE()",
                "x * STATE.k",
                _when("hasattr(STATE, 'new')"),
                _when("callable(STATE)"),
                _when("STATE is g"),
                "x * STATE.__defaults__[0]",
                "x * len(STATE.__name__)",
                "STATE(k=x)",
            ),
            ("g.__defaults__ = (7.0,)", "g.__code__ = other.__code__", "g.k = 7.0", "g.new = 1.0", "del g.k", "g.__name__ = 'h'"),
            "other",
            "def g(k=1.5): return 2.0 * k\ndef other(k=1.5): return 3.0 * k\ng.k = 1.0",
        ),
        _kind(
            "named tuple class",
            "N",
            ("x * STATE(1.0).b", "x * STATE(1.0)._replace(a=x).b", "x * len(STATE._fields)", "x * STATE(1.0).total()"),
            (
                "N.__new__.__defaults__ = (7.0,)",
                "N.total = lambda self: 9.0",
                "N.b = property(lambda self: 9.0)",
                "N._field_defaults['b'] = 7.0",
            ),
            "M",
            "N = collections.namedtuple('N', 'a b', defaults=(1.0,)); N.total = lambda self: self.a + self.b\n"
            "M = collections.namedtuple('M', 'a b', defaults=(2.0,)); M.total = lambda self: 5.0",
        ),
        _kind(
            "dataclass",
            "A",
            ("x * STATE(1.0).b", "STATE(x).a * STATE(x).b", "x * STATE(1.0).c", "x * STATE(1.0).m()", "x * len(STATE(1.0).d)"),
            (
                "A.b = 7.0",
                "A.__init__.__defaults__ = (7.0, *A.__init__.__defaults__[1:])",
                "A.c = 7.0",
                "A.m = lambda self: 9.0",
                "SHARED.append(1)",
            ),
            "",
            "import dataclasses\nSHARED = []\n@dataclasses.dataclass\nclass A:\n    a: float\n    b: float = 2.0\n"
            "    d: list = dataclasses.field(default_factory=lambda: list(SHARED))\n"
            "    c = 3.0\n    def m(self): return type(self).c",
        ),
        _kind(
            "enum",
            "E.A",
            (
                "x * STATE.value",
                _when("STATE is E.A"),
                _when("STATE == E.A"),
                "x * len(STATE.name)",
                _when("STATE in (E.A,)"),
                _when("STATE in {E.A}"),
                "x * STATE.m()",
                "x * len(type(STATE))",
            ),
            ("E.m = lambda self: 9.0", "E.A._value_ = 7.0"),
            "E.B",
            "class E(enum.Enum):\n    A = 1.0\n    B = 2.0\n    def m(self): return self.value",
        ),
        _kind(
            "abstract class",
            "I()",
            (_when("isinstance(STATE, T)"), _when("isinstance(STATE, collections.abc.Sized)")),
            ("T.register(I)", "I.__len__ = lambda self: 0"),
            "",
            "import abc\nclass T(abc.ABC): pass\nclass I: pass",
        ),
        _kind(
            "partial object",
            "functools.partial(pow2, k=2.0)",
            (
                "STATE(x)",
                "x * len(STATE.keywords)",
                _when("'new' in STATE.keywords"),
                "x * STATE.keywords['k']",
                "x * len(str(STATE.keywords))",
            ),
            ("STATE.keywords['k'] = 7.25", "STATE.keywords['new'] = 1.0"),
            "functools.partial(pow2, k=3.0)",
            "def pow2(x, k=1.0, new=0.0): return x * k + new * x",
        ),
        _kind(
            "bound method",
            "BOX.m",
            ("x * STATE()", _when("STATE == BOX.m"), _when("2 in STATE.__self__.z")),
            ("BOX.k = 7.0", "BOX.z.add(2)", "Box.m = lambda self: 9.0"),
            "Box().m",
            "class Box:\n    def __init__(self): self.k = 2.0; self.z = {1}\n    def m(self): return self.k\nBOX = Box()",
        ),
        _kind(
            "bound builtin",
            "SOURCE.__contains__",
            (_when("STATE(2)"), _when("2 in STATE.__self__")),
            ("SOURCE.add(2)",),
            "{2}.__contains__",
            "SOURCE = {1}",
        ),
    )
}
