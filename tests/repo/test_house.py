"""The structure of the code: a room's own code is in that room, folders stay small, and there are no import cycles."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from core.models.registry import FAMILIES
from core.rooms import rooms

ROOT = Path(__file__).resolve().parents[2]
MOST_MODULES = 15
# Notebooks and teachers' scripts call these by these names, or find a method of the field here.
PUBLIC = {
    *("core.nn.tap", "core.nn.attention", "core.nn.masks", "core.nn.positions", "core.nn.recurrent"),
    *("core.models.registry", "core.models.ngram", "core.models.pretrained"),
    *("core.generate.filters", "core.generate.decode", "core.generate.beam"),
    *("core.data.tokenizers", "core.data.corpora", "core.train.recipes", "core.train.run"),
    *("core.inspect.logit_lens", "core.models.lora"),
}


@cache
def modules() -> dict[str, Path]:
    """Return every module of core by its name; `__init__` files represent their packages."""
    paths = sorted((ROOT / "core").rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules of core that each module, page and the app import, also inside functions."""
    sources = modules() | {path.as_posix(): path for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]}
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in sources.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names if alias.name in modules()}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found[name] |= inner & modules().keys() or {node.module} & modules().keys()
        found[name].discard(name)
    return found


@cache
def asked_by_name(name: str) -> set[str]:
    """Return the objects that a module names as "core.ui.widgets.picture_inputs:pick", to be imported on demand."""
    path = modules().get(name)
    named = re.findall(r'"(core\.[\w.]+):\w+"', path.read_text(encoding="utf-8")) if path else []
    return set(named) & modules().keys()


def room_of(name: str) -> str:
    return name.split(".")[2] if name.startswith("core.rooms.") else ""


def test_no_library_module_serves_one_room_alone():
    """Code that only serves such a module belongs to that room, too. Lessons may import from any room."""
    owner = {name: room_of(name) for name in modules()}
    users = defaultdict(set)
    for name, used in imports().items():
        used = used | asked_by_name(name)
        if not name.startswith("core.lessons"):
            for one in used:
                users[one].add(name)
    free = [n for n, path in modules().items() if not owner[n] and n not in PUBLIC and path.name[0] != "_" and users[n]]
    changed = True
    while changed:
        changed = False
        for name in free:
            rooms = {owner.get(user, "page") for user in users[name]}
            if not owner[name] and len(rooms) == 1 and rooms <= set(map(room_of, modules())) - {""}:
                owner[name], changed = rooms.pop(), True
    assert {name: owner[name] for name in free if owner[name]} == {}


def test_folders_stay_small():
    sizes = Counter(path.parent.relative_to(ROOT).as_posix() for path in modules().values() if path.name[0] != "_")
    full = {folder: n for folder, n in sizes.items() if n > MOST_MODULES}
    assert full == {}, (
        f"at most {MOST_MODULES} modules in a folder: move what belongs together into a folder of its own"
    )


LONG_FUNCTIONS = {
    "core.charts.curves:curves",  # nearly half of it describes its options
    "core.data.tokenizers.chat_process:_prepare_answer",  # classes in it: a process without rights can't import later
}
LONG_SIGNATURES = {
    "core.nn.attention:MultiHeadAttention.__init__",  # public
    "core.nn.block:Block.__init__",
    "core.inspect.numpy_reference.numpy_parts:NumpyRun.attention",
    "core.generate.speculative:speculative_decode",  # all of `generate`, and the draft
    "core.charts.curves:curves",
}


def functions(node: ast.AST, path: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each function below a node, by its name in the module."""
    for child in ast.iter_child_nodes(node):
        name = f"{path}.{getattr(child, 'name', '')}".strip(".")
        if isinstance(child, ast.FunctionDef):
            yield name, child
        yield from functions(child, name if isinstance(child, ast.ClassDef | ast.FunctionDef) else path)


def test_modules_functions_and_signatures_stay_short():
    """Modules have at most 400 lines, functions 60, and signatures 8 parameters: one record says more than nine."""
    long, wide = set(), set()
    for module, path in modules().items():
        source = path.read_text()
        assert source.count("\n") <= 400, f"{module} is longer than 400 lines"
        for name, one in functions(ast.parse(source)):
            given = [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]
            if (one.end_lineno or 0) - one.lineno >= 60:
                long.add(f"{module}:{name}")
            if len([arg for arg in given if arg.arg not in ("self", "cls")]) > 8:
                wide.add(f"{module}:{name}")
    assert (long, wide) == (LONG_FUNCTIONS, LONG_SIGNATURES), "a list names only what it has to"


def test_imports_run_in_no_circle():
    # `core.ui` itself hands on names, each imported when it is asked for.
    left = {name: set(used) for name, used in imports().items() if name != "core.ui"}
    while ends := [name for name, used in left.items() if not used & left.keys()]:
        for name in ends:
            del left[name]
    assert sorted(left) == []  # each of these imports itself in the end


def test_no_two_rooms_stand_at_one_place():
    places = defaultdict(list)
    for room in rooms():
        places[room.section, room.order].append(room.package)
    taken = [f"{' and '.join(found)} both say order={order}" for (_, order), found in places.items() if len(found) > 1]
    assert not taken, f"{'; '.join(taken)}: give one of them another number"


def test_a_kind_of_model_is_known_by_its_family_alone():
    """A room that asks for a class is silent about the next kind of model."""
    kinds = {kind.__name__ for family in FAMILIES.values() for kind in (family.config, family.model)}
    asked = {
        f"{name}:{node.lineno}"
        for name, path in modules().items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if not name.startswith("core.models")
        and isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "isinstance"
        if kinds & {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
    }
    assert asked == set()
