"""Public names can be guessed: a noun of the field, or a verb and a noun; one word has one meaning.

What this catches: a participle, pronoun or preposition that stands alone (`kept`, `who`, `along`), a word of everyday
language that says nothing by itself (`ask`, `places`), and one name for several things. A room is internal to the app,
so its names need not be unique; those of the library must be. The exceptions can only become fewer.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
EXCEPTIONS = set((ROOT / "tests/repo/name_exceptions.txt").read_text(encoding="utf-8").split())
MOST_PUBLIC = 2_000
# What every exhibit, experiment, command, imported family or chart defines, because others look for it by name.
CONTRACTS = {"Inputs", "Options", "compute", "draw", "table", "config", "main", "recipe", "plan", "example"}
PRONOUNS = "who which what that this these it one ones each both all any none other others another such same self whose"
PREPOSITIONS = (
    "of at in on by to from with without over under along beside behind between before after since until near within "
    "across through around above below against among off out up down into onto upon than as for instead again"
)
PARTICIPLES = (
    "told kept held drawn shown given written begun come came gone done made seen said sent taken found left read "
    "known meant built put cut set hidden chosen spoken thrown worn torn won lost paid laid stood understood foretold"
)
EVERYDAY = (
    "ask tell say begin go come stand hear look need way ways place places thing things piece pieces part parts word "
    "words share answer best first last start end kind right wrong turn line home film strip slip trap stands looks "
    "says arriving asking beginning crossing ending fitting following incoming pointing sending standing waiting"
)
NOUNS_IN_ED = {"bed", "embed", "feed", "need", "seed", "speed"}
WORDS = {word for words in (PRONOUNS, PREPOSITIONS, PARTICIPLES, EVERYDAY) for word in words.split()}


def public_names() -> Iterator[tuple[str, str]]:
    """Name and place of each module, class and function without an underscore."""
    for path in sorted(CORE.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        stem = path.parent.name if path.stem == "__init__" else path.stem
        if not stem.startswith("_"):
            yield stem, place
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, place


def says_nothing(name: str) -> bool:
    """True if a name is a single word that is no noun of the field."""
    word = name.lower()
    is_single = "_" not in name and not re.search(r"[a-z][A-Z]", name)
    return is_single and (word in WORDS or (word.endswith("ed") and word not in NOUNS_IN_ED))


def is_internal(place: str) -> bool:
    """True if a name belongs to a room, which only its own page uses."""
    return place.startswith("core/rooms/") and place != "core/rooms/__init__.py"


def test_no_public_name_is_a_lone_participle_pronoun_or_everyday_word() -> None:
    found = {name for name, place in public_names() if says_nothing(name) and not place.endswith("/" + name + ".py")}
    assert not found - EXCEPTIONS, f"rename them: {sorted(found - EXCEPTIONS)}"


def test_a_library_name_has_one_meaning() -> None:
    places = defaultdict(set)
    for name, place in public_names():
        is_module = place.endswith((f"/{name}.py", f"/{name}/__init__.py"))
        if not is_internal(place) and name not in CONTRACTS and not is_module:
            places[name].add(place)
    found = {name for name, where in places.items() if len(where) > 1}
    assert not found - EXCEPTIONS, f"defined twice: { {name: sorted(places[name]) for name in found - EXCEPTIONS} }"


def test_exceptions_are_still_needed() -> None:
    places = defaultdict(set)
    for name, place in public_names():
        places[name].add(place)
    spare = {name for name in EXCEPTIONS if name not in places}
    assert not spare, f"remove from name_exceptions.txt: {sorted(spare)}"


def test_the_library_has_few_public_names() -> None:
    n_public = sum(not is_internal(place) for _, place in public_names())
    assert n_public <= MOST_PUBLIC, n_public
