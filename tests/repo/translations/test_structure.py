"""The check of translations finds what a program would stumble over, and nothing else."""

import re
from pathlib import Path

import pytest

from core.data.localization.labels import _SCRIPT_TEXT
from tests.repo.translations.structure import ASSETS, _script_labels, differences, stamp, translation_faults

FILES = [
    *(path for folder in ("rooms", "labels", "lessons") for path in sorted((ASSETS / folder).rglob("*.md"))),
    *sorted((ASSETS / "widgets").rglob("labels.js")),
    ASSETS / "glossary.md",
]
EXHIBIT, LABELS = ASSETS / "rooms/encoder/pretrain.md", ASSETS / "labels/exhibit.md"
LESSON = ASSETS / "lessons/05-masks.md"


def copy(tmp_path: Path, source: Path, old: str = "", new: str = "") -> list[str]:
    """Return the faults of a translation that is the English file with one change."""
    text = source.read_text(encoding="utf-8")
    assert old in text
    name = source.relative_to(ASSETS)
    for path, content in ((tmp_path / name, text), (tmp_path / "locales/xx" / name, text.replace(old, new, 1))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    stamp("xx", tmp_path)
    return translation_faults("xx", tmp_path)


def test_translations_have_the_structure_of_the_english_files() -> None:
    """Catches a translation that fell behind, or that a page could not read."""
    locales = sorted(path.name for path in (ASSETS / "locales").glob("*"))
    assert not {locale: faults for locale in locales if (faults := translation_faults(locale))}


def test_the_english_files_themselves_pass() -> None:
    """Catches a rule that no translation could keep."""
    assert len(FILES) > 200
    assert not {
        path.name: found
        for path in FILES
        if (found := [*differences(text := path.read_text(encoding="utf-8"), text, str(path.relative_to(ASSETS)))])
    }


@pytest.mark.parametrize(
    ("source", "old", "new", "fault"),
    [
        pytest.param(EXHIBIT, "## gaps if true", "## holes if true", "sections", id="another section"),
        pytest.param(EXHIBIT, "## gaps if true", "## gaps", "sections", id="a section without its condition"),
        pytest.param(EXHIBIT, "line.neighbors_right", "line.neighbors", "commands", id="another value"),
        pytest.param(EXHIBIT, "?pre_share=40", "?pre_share=50", "chips", id="a chip with another setting"),
        pytest.param(LABELS, "seed: Seed", "sead: Samen", "no label 'sead'", id="an unknown label"),
        pytest.param(LABELS, "seed: Seed", "seed: Samen {n_row}", "placeholders", id="another placeholder"),
        pytest.param(LESSON, "when: mask_how = or", "when: mask_how = oder", "fixed lines", id="a changed condition"),
    ],
)
def test_a_change_that_breaks_a_page_is_found(tmp_path: Path, source: Path, old: str, new: str, fault: str) -> None:
    assert fault in " ".join(copy(tmp_path, source, old, new))


def test_changed_prose_is_a_translation(tmp_path: Path) -> None:
    assert not copy(tmp_path, EXHIBIT, "soon it beats the two neighbors", "bald schlägt es die beiden Nachbarn")
    assert not copy(tmp_path, LABELS, "seed: Seed", "seed: Samen\nseed.few: Samen")


def test_a_file_behind_its_english_is_named(tmp_path: Path) -> None:
    copy(tmp_path, LABELS)
    path = tmp_path / LABELS.relative_to(ASSETS)
    path.write_text(path.read_text(encoding="utf-8").replace("Seed", "Start"), encoding="utf-8")
    assert "has changed since" in " ".join(translation_faults("xx", tmp_path))
    path.unlink()
    assert "no such English file" in " ".join(translation_faults("xx", tmp_path))


def test_every_text_of_scripts_can_be_read() -> None:
    """Catches an entry of a table that neither a translation's check nor the pseudo-locale would find."""
    for path in sorted((ASSETS / "widgets").rglob("labels.js")):
        text = path.read_text(encoding="utf-8")
        n_entry = len(re.findall(r"""^  (?:\w+|"[^"]+"):""", text, re.MULTILINE))
        assert len(_SCRIPT_TEXT.findall(text)) == len(_script_labels(text)) == n_entry > 0, path
