"""What a translation must keep of its English file, for translators and for the tests.

    python -m tests.repo.translations.structure de            lists what differs in assets/locales/de
    python -m tests.repo.translations.structure de --stamp    notes that its files match today's English

A translation of `assets/a/b.md` is `assets/locales/<locale>/a/b.md`. `english.json` in the folder of a locale has, for
each of its files, a hash of the English text that was translated: when the English changes, the check names the file.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ASSETS = Path(__file__).resolve().parents[3] / "assets"
PLURALS = ("zero", "one", "two", "few", "many")
# What a program reads in a text: commands of templates, formulas, code, targets of links, icons.
PROGRAM = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]+`|(?<=\])\([^)\n]*\)|:material/\w+:", re.DOTALL
)
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")  # a template's own words
LABEL = re.compile(r"^([\w.%+-]+):(?: (.*(?:\n +.*)*))?$", re.MULTILINE)
SCRIPT_LABEL = re.compile(r"""^ +(?:"([^"\n]+)"|(\w+)):\s+("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'),?$""", re.MULTILINE)
SECTION = re.compile(r"^##? ", re.MULTILINE)
CHIP = re.compile(
    r"^\*\*.*\*\*((?: +\([a-z]+\))?(?: +\?\S+)?(?: +when: .+)?)$", re.MULTILINE
)  # depth, settings, condition
FENCE = re.compile(r"^```(\w.*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Lines of a lesson's blocks and head whose values are names or numbers, not prose.
FIXED = re.compile(
    r"^(minutes|needs|exhibit|with|set|lock|hide|when|right|answer|compute|number|curve|own):.*$", re.MULTILINE
)


def hash_text(text: str) -> str:
    """Return the hash of an English text that `english.json` keeps."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def translation_faults(locale: str, assets: Path = ASSETS) -> list[str]:
    """Return everything in which a locale's files differ in structure from the English ones, "file: what"."""
    folder = assets / "locales" / locale
    stamps = _stamps(folder)
    faults = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or name == "english.json":
            continue
        english = assets / name
        if not english.exists():
            faults.append(f"{name}: there is no such English file")
            continue
        text = english.read_text(encoding="utf-8")
        if stamps.get(name) != hash_text(text):
            faults.append(f"{name}: the English has changed since it was translated; compare, then run with --stamp")
        faults += [f"{name}: {one}" for one in differences(text, path.read_text(encoding="utf-8"), name)]
    return faults


def differences(english: str, translated: str, name: str) -> Iterator[str]:
    """Compare what a program reads in both texts of the file `name`."""
    if name.endswith(".js"):
        yield from _label_differences(_script_labels(english), _script_labels(translated))
        return
    ours, theirs = _sections(english, name), _sections(translated, name)
    if [*ours] != [*theirs]:
        yield f"its sections are {', '.join(theirs)}; the English ones are {', '.join(ours)}"
        return
    for head, body in ours.items():
        if head == "Labels" or name.startswith("labels/") or name.endswith("/labels.md"):
            yield from _label_differences(dict(LABEL.findall(body)), dict(LABEL.findall(theirs[head])))
        else:
            for what, pattern in (
                ("commands, code, formulas, links", PROGRAM),
                ("chips", CHIP),
                ("fixed lines", FIXED),
            ):
                mine, other = (Counter(_found(pattern, text)) for text in (body, theirs[head]))
                if mine != other:
                    differ = ", ".join(sorted({*(mine - other), *(other - mine)}))
                    yield f"section {head!r}: other {what}: {differ}"


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return [
        QUOTED.sub('""', " ".join(one.group(pattern.groups and pattern is CHIP).split()))
        for one in pattern.finditer(text)
    ]


def _label_differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[str]:
    """A label may be missing in Markdown, where English replaces it, and may have more plural forms."""
    for key, text in theirs.items():
        base, _, plural = key.rpartition(".")
        english = ours.get(key, ours.get(base) if plural in PLURALS else None)
        if english is None:
            yield f"there is no label {key!r}"
            continue
        mine, other = ({*re.findall(r"\{(\w+)", one)} for one in (english, text))
        if not other <= mine | {"n"} or (mine - other and plural not in PLURALS):
            yield f"label {key!r} has other placeholders: {', '.join(sorted(mine ^ other))}"


def _sections(text: str, name: str) -> dict[str, str]:
    """Split a file at its headings. Those of lessons and the first of each file are prose, and count by number."""
    parts = SECTION.split(text)
    is_prose = name.startswith("lessons/")
    heads = [f"part {i}" if is_prose or i <= 1 else part.partition("\n")[0].strip() for i, part in enumerate(parts)]
    return {
        head: part.partition("\n")[2] if part != parts[0] else part for head, part in zip(heads, parts, strict=True)
    }


def _script_labels(text: str) -> dict[str, str]:
    return {quoted or plain: label for quoted, plain, label in SCRIPT_LABEL.findall(text)}


def _stamps(folder: Path) -> dict[str, str]:
    path = folder / "english.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def stamp(locale: str, assets: Path = ASSETS) -> None:
    """Note the hashes of today's English files for each file of a locale."""
    folder = assets / "locales" / locale
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    found = {one: hash_text((assets / one).read_text(encoding="utf-8")) for one in names if (assets / one).exists()}
    (folder / "english.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "--stamp" in sys.argv:
        stamp(sys.argv[1])
    print(*translation_faults(sys.argv[1]), sep="\n")
