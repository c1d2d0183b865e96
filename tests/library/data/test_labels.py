"""Labels by key: reading, filling in, translations; and every label in a file belongs to something."""

import ast
import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.browser.choice_indexed_values import ByChoice
from core.browser.message_packing import pack_message, unpack_message
from core.data.localization import labels
from core.data.localization.labels import Label, Labels, module_labels, pseudo_translate

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An asset folder with one exhibit's labels, and with a German translation of one of them."""
    english, german = tmp_path / "rooms/masks/kinds.md", tmp_path / "locales/de/rooms/masks/kinds.md"
    for path, text in (
        (
            english,
            "# Kinds\n\n## open if true\n{{ n }}: x\n\n## Labels\nrow: A row\nlong: one\n  two\n\n## more\nrow: no\n",
        ),
        (german, "## Labels\nrow: Eine Zeile\n"),
    ):
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(labels, "ASSETS", tmp_path)
    for function in (labels.module_labels, labels._read_labels):
        function.cache_clear()
    yield tmp_path
    for function in (labels.module_labels, labels._read_labels):
        function.cache_clear()


def test_a_section_ends_where_the_next_begins(assets: Path) -> None:
    assert dict(module_labels("core.rooms.masks.kinds")) == {"row": "A row", "long": "one two"}


def test_a_translation_replaces_what_it_has(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "LOCALE", "de")
    assert dict(module_labels("core.rooms.masks.kinds")) == {"row": "Eine Zeile", "long": "one two"}


@pytest.mark.parametrize("body", ["no key", "a: 1\na: 2", ": x"])
def test_a_line_that_is_no_label_is_refused(assets: Path, body: str) -> None:
    (assets / "rooms/masks/kinds.md").write_text(f"# T\n\n## Labels\n{body}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="key: text"):
        module_labels("core.rooms.masks.kinds")


def test_values_are_filled_in_and_one_is_singular() -> None:
    made = Labels({"open": "{n:,} cells are open", "open.one": "One cell is open", "share": "{p:.1%} of {what}"})
    assert made("open", n=2_000) == "2,000 cells are open"
    assert made("open", n=1) == "One cell is open"
    assert made("share", p=0.25, what="{p}") == "25.0% of {p}"  # a value is not a template
    with pytest.raises(KeyError, match="no label 'shut'"):
        made["shut"]


def test_the_first_word_of_a_sentence_alone_becomes_capital() -> None:
    """Fails where `str.capitalize` makes "the GPT of 2019" end in small letters."""
    assert [Labels.capitalize(text) for text in ("the GPT of 2019", "étude", "")] == ["The GPT of 2019", "Étude", ""]


def test_options_are_named_by_their_field() -> None:
    made = Labels({"how": "Combined", "how.or": "or", "how.and": "and"})
    assert made.options("how") == {"or": "or", "and": "and"}
    assert made.options("how", "and", "or") == {"and": "and", "or": "or"}


def name_of(text: str) -> str:
    assert isinstance(text, Label)
    return text.name


def test_a_label_has_one_name_in_every_language(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches a name that is made from the text: a link from one language would lose its settings in another."""
    english = module_labels("core.rooms.masks.kinds")["row"]
    module_labels.cache_clear()
    monkeypatch.setattr(labels, "LOCALE", "de")
    german = module_labels("core.rooms.masks.kinds")["row"]
    assert (english, german) == ("A row", "Eine Zeile")
    assert name_of(english) == name_of(german) == "rooms.masks.kinds:row"
    wheel = module_labels("glassformer.core.rooms.masks.kinds")
    assert name_of(wheel["row"]) == "rooms.masks.kinds:row"


def test_values_are_part_of_the_name_and_labels_by_their_own() -> None:
    """Catches two titles of one key that would share their settings, and a translated value in a name."""
    english, german = (
        Labels({"title": "{name}, {who} {i}", "who": who, "n": "many", "n.one": "one"}, module="m") for who in "ab"
    )
    made = english("title", name="x", who=english["who"], i=3)
    assert (made, name_of(made)) == ("x, a 3", "m:title name=x who=m:who i=3")
    assert name_of(german("title", name="x", who=german["who"], i=3)) == name_of(made)
    assert name_of(english("title", name="x", who=english["who"], i=4)) != name_of(made)
    assert name_of(english("n", n=1)) == "m:n n=1"  # the plural's form depends on the language
    assert name_of(Labels.capitalize(english["who"])) == "m:who"


def test_a_label_is_a_text_everywhere() -> None:
    """Catches a class that JSON, a cache or a copy takes for something else than its text."""
    made = Label("A row", "m:row")
    assert made == "A row" and {made: 1}["A row"] == 1 and json.dumps(made) == '"A row"' and repr(made) == "'A row'"
    again = copy.deepcopy(made)
    assert (again, again.name) == (made, "m:row")


@pytest.mark.parametrize("label", [Label("A", "m:a"), ByChoice([Label("A", "m:a"), Label("B", "m:b")], ("layer",))])
def test_a_message_has_the_name_of_its_label(label: object) -> None:
    """Catches a picture that its address knows by its translated title, with or without a choice in it."""
    assert unpack_message(pack_message({"label": label}, {}))[0]["label_name"] == "m:a"
    assert "label_name" not in unpack_message(pack_message({"label": "A"}, {}))[0]


PARTS = st.sampled_from(
    ["{n}", "{{ n|of('.2f') }}", "{% if a %}", "{% endif %}", "`code`", "$x^2$", "[a](masks?b=c)", "word"]
)


@given(st.lists(PARTS, min_size=1, max_size=6))
def test_a_pseudo_translation_keeps_what_a_program_reads(parts: list[str]) -> None:
    text = " ".join(parts)
    made = pseudo_translate(text)
    for part in parts:
        assert made.count(part) >= text.count(part) or part in ("word", "[a](masks?b=c)")
    assert "(masks?b=c)" in made or "masks" not in text
    assert made.startswith("⟦") or not {"word", "[a](masks?b=c)"} & {*parts}


def places() -> Iterator[tuple[str, Path, str, str]]:
    """Module, source, section and key of each label."""
    for path in sorted((ROOT / "core").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        source = path.read_text(encoding="utf-8")
        for page in re.findall(r'^    page="(.+)",$', source, re.MULTILINE):  # it shows its room's labels
            source += (ROOT / page).read_text(encoding="utf-8")
        for key in module_labels(module):
            yield module, path, source, key


ANY = r"[\w.%+-]*"


def key_pattern(node: ast.expr) -> str:
    """The pattern of a text or an f-string, with anything for its values; "" for anything without a letter."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    written = [str(one.value) if isinstance(one, ast.Constant) else "" for one in parts]
    return "".join(re.escape(one) or ANY for one in written) if re.search("[a-z]", "".join(written)) else ""


@cache
def used_keys(source: str) -> re.Pattern[str]:
    """A pattern of the keys that a module may use: its texts, its f-strings, and all options of a field."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".options") and node.args:
            found.add(key_pattern(node.args[0]) + r"\.[\w.%+-]+")
        elif isinstance(node, ast.expr):
            found.add(key_pattern(node))
    return re.compile("|".join(sorted(found - {""})))


def takes_keys_from_elsewhere(source: str) -> bool:
    """Whether a module gets keys of its labels from another one, `LABELS[outcome.key]`."""
    given = [
        node.slice if isinstance(node, ast.Subscript) else node.args[0]
        for node in ast.walk(ast.parse(source))
        if ast.unparse(node).startswith(("LABELS[", "LABELS("))
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.Call) and node.args)
    ]
    return any(isinstance(one, ast.Call | ast.Attribute) for one in given)


def test_every_label_is_used() -> None:
    """Catches a label that stayed behind when its control went, and one that is misspelt in its file."""
    unused, everything = [], "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "core").rglob("*.py"))
    for module, _, source, key in places():
        field = key.split(".")[0]
        is_field = re.search(rf"^    {field}: .*=", source, re.MULTILINE) is not None
        if is_field or (key in ("title", "card") and "ROOM = Room(" in source):
            continue
        if any(used_keys(source).fullmatch(one) for one in (key, key.removesuffix(".one"))):
            continue
        if not (takes_keys_from_elsewhere(source) and f'"{key}"' in everything):
            unused.append(f"{module}: {key}")
    assert not unused


def test_every_section_of_a_label_file_belongs_to_a_module() -> None:
    for path in (*(ROOT / "assets/labels").glob("*.md"), *(ROOT / "assets/rooms").glob("*/labels.md")):
        package = "core/" + (path.stem if path.parent.name == "labels" else f"rooms/{path.parent.name}")
        for section in re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            name = section.replace(".", "/")
            assert (
                section == "room"
                or (ROOT / package / f"{name}.py").exists()
                or (ROOT / package / name / "__init__.py").exists()
                or (section == path.stem)
            ), f"{path.name}: {section}"
