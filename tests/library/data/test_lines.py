"""Lists of one text per line: a line ends at a line feed, and not at what else Unicode calls the end of a line.

Catches: `str.splitlines` on what a person wrote, which makes two lines of one that holds a form feed.
"""

import re
from pathlib import Path

import pytest

from core.data.lines import nonempty_lines
from core.data.tokenizers import WordByteTokenizer
from core.rooms.adapters.experiments.adapters import HOLD_OUT_EVERY, split_lines
from core.rooms.embeddings import sentence_vectors

ROOT = Path(__file__).resolve().parents[3]
INSIDE = [chr(c) for c in range(0xD800) if len(f"a{chr(c)}b".splitlines()) > 1]
INSIDE = [c for c in INSIDE if c not in "\n\r"]
# Of texts that are ours: source code, an error's message, the glossary's file.
OURS = {"core/browser/chart_images.py", "core/rooms/hard_attention/compute/lecture.py", "core/data/glossary.py",
        "core/inspect/lecture_errata/attention_errata.py"}  # fmt: skip


@pytest.mark.parametrize("mark", INSIDE, ids=ascii)
def test_a_mark_inside_of_a_line_ends_none(mark: str) -> None:
    text = "\n".join(f"line {i}{mark}still line {i}" for i in range(2 * HOLD_OUT_EVERY))
    learned, held = split_lines(text)
    assert len(learned) + len(held) == 2 * HOLD_OUT_EVERY == len(nonempty_lines(text))
    assert sentence_vectors.sentence_lines(f"one{mark}half\ntwo") == (f"one{mark}half", "two")
    tokenizer = WordByteTokenizer.train("one two")
    assert tokenizer.decode(tokenizer.encode_spelled(text, 0.5, 0)) == text


def test_lines_end_as_files_of_all_systems_end_them() -> None:
    assert len(INSIDE) == 8
    assert nonempty_lines(" a\r\n\r\nb\rc\n\n d ") == ["a", "b", "c", "d"]


def test_nothing_that_a_person_wrote_is_cut_by_splitlines() -> None:
    found = {str(path.relative_to(ROOT)) for path in (ROOT / "core").rglob("*.py")
             if re.search(r"\.splitlines\(", path.read_text(encoding="utf-8"))}  # fmt: skip
    assert found <= OURS
