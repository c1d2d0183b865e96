"""Receipts: what their signature proves, and that whatever a file holds is read, or refused in words."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from core.lessons.homework import receipt as receipts
from core.lessons.homework.answer_store import StoredAnswer
from core.lessons.homework.assignment import Assignment, moment_text
from core.lessons.homework.marking import mark_receipt
from core.lessons.homework.receipt import (
    CHANGED_AFTER_SIGNING,
    SIGNED_ELSEWHERE,
    SIGNED_HERE,
    Receipt,
    ReceiptRefused,
    TrainedRun,
    parse_receipt,
)
from tests.counts import count, tally

RUN = TrainedRun(
    spec={"experiment": "cheating", "options": {"n_step": 9}}, seed=1, step=9, n_step=9, numbers={"a": 0.5}
)
SAID = [
    StoredAnswer(place="1.1", first=21, last=21.0, n_try=2, at=1_999_990_000.25),
    StoredAnswer(place="2.1", first="same", last="worse", n_try=1, at=1_999_990_100.0),
    StoredAnswer(place="3.0", first=None, last=[1.0, 0.5], n_try=3, at=1_999_990_200.0),
]
MADE = Receipt(
    name="Zoë Mia", given=Assignment("short-masks", 2_000_000_000), made=1_999_999_000.5, said=SAID, runs=[RUN]
)
ALIKE = str.maketrans("aeioMZ", "аеіоМΖ")  # Cyrillic and Greek


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


@contextmanager
def other_server(folder: Path) -> Iterator[None]:
    """Another server's key inside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(folder / "elsewhere"))
        yield


def meaning(found: Receipt) -> str:
    """Everything that a teacher reads, with its types: 1 is not 1.0."""
    return repr(astuple(replace(found, signature=CHANGED_AFTER_SIGNING, server="")))


def test_a_receipt_comes_back_as_it_was_and_names_its_server(folder: Path) -> None:
    data = receipts.receipt_to_bytes(MADE)
    here = parse_receipt(data)
    assert here.signature == SIGNED_HERE and meaning(here) == meaning(MADE)
    with other_server(folder):
        there = parse_receipt(data)
    assert (there.signature, there.server) == (SIGNED_ELSEWHERE, here.server) and meaning(there) == meaning(MADE)


# What changes a receipt; True: it means the same, and stands as it was signed.
def _harmless(chance: random.Random, told: dict[str, Any]) -> bytes:
    names = list(told)
    chance.shuffle(names)
    shuffled = {name: told[name] for name in names}
    indent, is_ascii = chance.choice([None, 1, 4]), chance.random() < 0.5
    text = json.dumps(shuffled, indent=indent, ensure_ascii=is_ascii)
    text = text.replace("1999999000.5", chance.choice(["1999999000.50", "1.9999990005e9", "19999990005e-1"]))
    return chance.choice([b"", b"\xef\xbb\xbf", b"\n "][:2]) + text.encode() + chance.choice([b"", b"\r\n\t "])


def _changed_name(chance: random.Random, told: dict[str, Any]) -> None:
    name = told["name"]
    told["name"] = chance.choice(
        [
            name.translate(ALIKE),
            name + " ",
            name.upper(),
            "Zoe\u0308 Mia",
            name + "\u200b",
            f"Tom {chance.random()}",
            "",
        ]
    )


def _changed_answer(chance: random.Random, told: dict[str, Any]) -> None:
    one, field = chance.choice(told["answers"]), chance.choice(["first", "last"])
    others = [
        None,
        21,
        21.0,
        "21",
        chance.random(),
        chance.randrange(100),
        "same",
        "worse",
        "s\u0430me",
        [1, 0.5],
        True,
    ]
    one[field] = chance.choice([other for other in others if repr(other) != repr(one[field])])


def _changed_count(chance: random.Random, told: dict[str, Any]) -> None:
    one = chance.choice(told["answers"])
    field = chance.choice(["n_try", "at", "place"])
    one[field] = {"n_try": one["n_try"] + 1.0 * chance.choice([0, 1]), "at": one["at"] - 0.25,
                  "place": chance.choice([f"0{one['place']}", "9.9", f" {one['place']}"])}[field]  # fmt: skip


def _changed_deadline(chance: random.Random, told: dict[str, Any]) -> None:
    told["homework"] = chance.choice(["short-masks.2000000001", "short-mask.2000000000", f"masks.{2 * 10**9 - 1}"])


def _changed_time(chance: random.Random, told: dict[str, Any]) -> None:
    told["made"] -= chance.randrange(1, 10**6)


def _changed_run(chance: random.Random, told: dict[str, Any]) -> None:
    run = told["runs"][0]
    change: list[Callable[[], Any]] = [
        lambda: run["numbers"].update(a=chance.random()),
        lambda: run.update(n_step=run["n_step"] + 1),
        lambda: run.update(seed=1.0),
        lambda: run["spec"].update(options={}),
        lambda: told["runs"].append(run),
        lambda: told["runs"].clear(),
    ]
    chance.choice(change)()


def _changed_server(chance: random.Random, told: dict[str, Any]) -> None:
    told["server"] = chance.choice([chance.randbytes(32).hex(), told["server"].upper(), "", "01" + "00" * 31])


def _changed_signature(chance: random.Random, told: dict[str, Any]) -> None:
    digits = list(told["signature"])
    digits[chance.randrange(128)] = chance.choice("0123456789abcdef")
    _changed_answer(chance, told)
    told["signature"] = chance.choice(["".join(digits), "00" * 64, "", told["signature"].upper()])


def _more(chance: random.Random, told: dict[str, Any]) -> None:
    chance.choice([told, told["answers"][0], told["runs"][0]])["more"] = chance.random()


def _doubled(chance: random.Random, told: dict[str, Any]) -> bytes:
    field, value = chance.choice([("name", "Tom"), ("homework", "masks.2000000000"), ("first", 7), ("last", 7)])
    text = json.dumps(told)
    where = f'"{field}":'
    return text.replace(where, f'"{field}": {json.dumps(value)}, {where}', 1).encode()


CHANGES = [
    _changed_name, _changed_answer, _changed_count, _changed_deadline, _changed_time, _changed_run, _changed_server,
    _changed_signature, _more, _doubled,
]  # fmt: skip


def test_no_change_is_taken_for_what_this_server_signed(folder: Path) -> None:
    """Fault: an edited answer, name or deadline passes as a signed one; or a file that was only saved
    in another way and is called changed.
    """
    chance, data = random.Random(37), receipts.receipt_to_bytes(MADE)
    came: Counter[str] = Counter()
    n = count(300, 10_000)
    for i in range(n):
        told = json.loads(data)
        if i % 12 == 10:
            assert parse_receipt(changed := _harmless(chance, told)).signature == SIGNED_HERE
        elif i % 12 == 11:  # a forger's own server signs the change
            CHANGES[i // 12 % 7](chance, told)
            with suppress(ReceiptRefused), other_server(folder):
                told["answers"] = told["answers"][: chance.randrange(4)]
                changed = receipts.receipt_to_bytes(parse_receipt(json.dumps(told).encode()))
            if chance.random() < 0.5:  # and claims to be this one
                changed = json.dumps(json.loads(changed) | {"server": json.loads(data)["server"]}).encode()
        else:
            changed = CHANGES[i % 12](chance, told) or json.dumps(told).encode()
            assert json.loads(changed) != json.loads(data) or CHANGES[i % 12] is _doubled or b"1.0" in changed
        try:
            found = parse_receipt(changed)
        except ReceiptRefused:
            came["refused"] += 1
            continue
        came[found.signature] += 1
        assert found.signature != SIGNED_HERE or meaning(found) == meaning(MADE), changed
        assert i % 12 >= 10 or found.signature == CHANGED_AFTER_SIGNING, changed
    assert min(came[one] for one in (SIGNED_HERE, SIGNED_ELSEWHERE, CHANGED_AFTER_SIGNING, "refused")) > n // 60
    tally("receipts", changes=n, **{name.split()[-1]: number for name, number in came.items()})


def test_a_changed_byte_is_refused_or_called_changed_or_means_the_same() -> None:
    """Fault: as above, by changes that know nothing of the format."""
    chance, data = random.Random(38), receipts.receipt_to_bytes(MADE)
    came: Counter[str] = Counter()
    for _ in range(count(150, 5_000)):
        changed = bytearray(data)
        for _ in range(chance.choice([1, 1, 2])):
            at = chance.randrange(len(changed))
            changed[at] = ord(chance.choice("0123456789" if chr(changed[at]).isdigit() else "aeZ .-1"))
        with suppress(ReceiptRefused):
            found = parse_receipt(bytes(changed))
            came[found.signature] += 1
            assert found.signature == CHANGED_AFTER_SIGNING or meaning(found) == meaning(MADE), changed
    assert came[CHANGED_AFTER_SIGNING] > 30


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150)
@example("made", 1e300)
@example("made", -1.0)
@given(
    st.sampled_from(["name", "homework", "made", "answers", "runs", "server", "signature", "glassformer receipt"]), JSON
)
def test_whatever_a_file_holds_is_read_or_refused_in_words(name: str, value: Any) -> None:
    told = json.loads(receipts.receipt_to_bytes(MADE)) | {name: value}
    with suppress(ReceiptRefused):
        found = parse_receipt(json.dumps(told).encode())
        assert len(mark_receipt(found)) == 3 and moment_text(found.made, None) and found.name


@given(st.binary(max_size=200))
def test_a_file_that_is_no_receipt_gets_a_clear_message(data: bytes) -> None:
    with pytest.raises(ReceiptRefused):
        parse_receipt(data)


@pytest.mark.parametrize(
    "put",
    ["9" * 4000, "1e999", "NaN", "-Infinity", '"\\ud800"', "[" * 100_000, "[" * 30 + "]" * 30, '{"a":1,"a":1}', "９"],
    ids=lambda put: put[:8],
)
@pytest.mark.parametrize("field", ['"name"', '"first"', '"numbers"', '"spec"', '"n_try"'])
def test_values_that_are_none_are_refused(field: str, put: str) -> None:
    """Fault: half a character, endless digits, no number or deep nesting that stop a table or a later page."""
    told = json.loads(receipts.receipt_to_bytes(MADE))
    for signature in (told["signature"], ""):
        text = json.dumps(told | {"signature": signature})
        start = text.index(f"{field}: ") + len(field) + 2
        with pytest.raises(ReceiptRefused):
            parse_receipt(f'{text[:start]}{put}, "x": {text[start:]}'.encode())


def test_more_than_a_receipt_holds_is_refused_before_it_is_read() -> None:
    """Fault: four thousand runs are checked before the first is refused."""
    for most, changed in (
        (receipts.MOST_RUNS, lambda n: replace(MADE, runs=[RUN] * n)),
        (receipts.MOST_ANSWERS, lambda n: replace(MADE, said=[replace(SAID[0], place=f"1.{i}") for i in range(n)])),
    ):
        assert parse_receipt(receipts.receipt_to_bytes(changed(most))).signature == SIGNED_HERE
        with pytest.raises(ReceiptRefused):
            parse_receipt(receipts.receipt_to_bytes(changed(most + 1)))
    with pytest.raises(ReceiptRefused, match="too large"):
        parse_receipt(b" " * receipts.MOST_BYTES + receipts.receipt_to_bytes(MADE))
    with pytest.raises(ReceiptRefused, match="another version"):
        parse_receipt(json.dumps(json.loads(receipts.receipt_to_bytes(MADE)) | {"glassformer receipt": 1}).encode())
