"""The field's terms and one notation in all that people read: lessons, glossary, pages and exhibits.

What this catches: a second word for one thing ("place" for position, "bend" for nonlinearity, a loss that is "paid"),
and a second symbol for one matrix.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is not said, in which sense -> what is.
INSTEAD = {
    r"W_o\b|W\^O|W\^\{O\}|\bW_q\b|\bW_k\b|\bW_v\b": "W_Q, W_K, W_V, W_O",
    r"\\sqrt\{d\}|√d\b(?!_)": "the root of d_k",
    r"\bWidth D\b|10000\^\{2i/D\}": "d_model",
    r"\bPE\(p|\bposition p\b": "position t",
    r"\b([Tt]he|a|no|smooth|simplest) bend\b": "nonlinearity",
    r"\b(mean|the|its|whose|model's) surprise (of|at|is|lies|rises)\b|\bmean surprise\b": "surprisal",
    r"\b(each|every|all|earlier|later|last) places? (of|in) (a|the) (text|output|translation)\b": "position",
    r"\bplaces (back|apart|earlier)\b|\bposition of places\b|\bat place \W?\d": "positions",
    r"\bnumber of directions\b|\bdirections (in|along) which (they|the vectors) differ": "axes",
    r"\b(name|names|naming) the next (token|word|letter|character)\b": "predict",
    r"\b(model|it|who|guess\w*) pays?\b.{0,30}\bnats\b|\b(costs?|pays?) (about )?(−|-|minus |\$?\\?)ln\b": "loss",
    r"\brank-collapse\b": "rank collapse",
}


def texts() -> Iterator[tuple[str, str]]:
    """(where, text): Markdown without its programs, and the strings of pages and exhibits, docstrings left out."""
    for path in sorted((ROOT / "assets").rglob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.startswith("- elsewhere:"):  # there stand the names that others use
                yield f"{path.relative_to(ROOT)}:{number}", line
    for folder in ("pages", "core/rooms", "core/lessons"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path.parent.name in ("compute", "experiments"):
                continue  # names of arrays; what people read is not there
            tree = ast.parse(path.read_text(encoding="utf-8"))
            documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
            skipped = {id(one.body[0].value) for one in ast.walk(tree) if isinstance(one, documented)
                       and one.body and isinstance(one.body[0], ast.Expr)}  # fmt: skip
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def test_one_word_for_one_thing() -> None:
    every = list(texts())
    assert len(every) > 10_000, "the texts are no longer found"
    found = [
        f"{where}: {m[0]!r}; say {right!r}"
        for where, text in every
        for wrong, right in INSTEAD.items()
        for m in re.finditer(wrong, text)
    ]
    assert not found, "\n".join(found)
