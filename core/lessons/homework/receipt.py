"""Receipts: files with a learner's answers and runs, to be handed in. A receipt is signed plain JSON.

The file names the server that signed it by its public key, so every server can tell whether a receipt was changed after
signing. But only for its own receipts does a server know that the times and the deadline are true.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from core.data.localization.labels import module_labels
from core.jobs.runs import clean_display_name
from core.lessons.homework import signing
from core.lessons.homework.answer_store import StoredAnswer
from core.lessons.homework.assignment import Assignment, parse_assignment
from core.lessons.homework.ed25519 import N_KEY, N_SIGNATURE

LABELS = module_labels(__name__)

RECEIPT_FORMAT = 2
MOST_BYTES = 300_000
MOST_RUNS = 20
MOST_ANSWERS = 500
MOST_NUMBERS = 100  # of one run
MOST_COUNT = 2**31  # of tries, steps and seeds
MOST_SECONDS = 1e10  # of a clock, which is beyond the year 2286
NO_RECEIPT = LABELS["not_a_receipt"]
SignatureVerdict = Literal["here", "elsewhere", "changed"]
SIGNED_HERE: SignatureVerdict = "here"
SIGNED_ELSEWHERE: SignatureVerdict = "elsewhere"  # by another server
CHANGED_AFTER_SIGNING: SignatureVerdict = "changed"
MOST_DIGITS = 16  # of a whole number
MOST_DEPTH = 20  # of nested objects and lists


@dataclass(frozen=True, kw_only=True)
class TrainedRun:
    """One of the learner's runs."""

    spec: Mapping[str, object]  # in the form that the store of runs takes
    seed: int  # of all its random numbers
    step: int  # the last one trained
    n_step: int
    numbers: Mapping[str, float]  # of its curves, by name (see `marking.curve_endpoints`)


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """A receipt, as handed in."""

    name: str
    given: Assignment
    made: float  # when it was saved, Unix seconds
    said: Sequence[StoredAnswer]
    runs: Sequence[TrainedRun]
    signature: SignatureVerdict = CHANGED_AFTER_SIGNING  # the verdict on its signature
    server: str = ""  # the public key that it names, 64 hexadecimal digits; "" before it is signed


class ReceiptRefused(ValueError):
    """The file isn't a receipt; the message says why and what to do, and is fit to be shown."""


def receipt_to_bytes(receipt: Receipt) -> bytes:
    """Return the receipt's file, signed by this server. Raises OSError if the key can't be read."""
    told = {
        "glassformer receipt": RECEIPT_FORMAT,
        "name": receipt.name,
        "homework": receipt.given.text,
        "made": receipt.made,
        "answers": [asdict(one) for one in receipt.said],
        "runs": [asdict(one) for one in receipt.runs],
        "server": signing.receipt_public_key().hex(),
    }
    signature = signing.receipt_signature(_canonical_json(told)).hex()
    return json.dumps(told | {"signature": signature}, indent=1).encode()


def parse_receipt(data: bytes) -> Receipt:
    """Parse a file `receipt_to_bytes` made, here or elsewhere. Raises ReceiptRefused, and OSError without a key."""
    if len(data) > MOST_BYTES:
        raise ReceiptRefused(LABELS("too_large", most=MOST_BYTES // 1000))
    try:
        told = _parse_json(data)
        if told["glassformer receipt"] != RECEIPT_FORMAT:
            raise ReceiptRefused(LABELS["other_version"])
        signature, server = _verified(told)
        return Receipt(
            name=clean_display_name(told["name"], LABELS["nobody"]),
            given=_given(told["homework"]),
            made=_number(told["made"], MOST_SECONDS),
            said=_answers(told["answers"]),
            runs=[_trained(one) for one in _listed(told["runs"], MOST_RUNS)],
            signature=signature,
            server=server,
        )
    except ReceiptRefused:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ReceiptRefused(NO_RECEIPT) from error


def _verified(told: dict[str, Any]) -> tuple[SignatureVerdict, str]:
    """Return the verdict on the signature of a receipt, and the server that the receipt names."""
    signature, server = told.pop("signature"), told["server"]
    if not _is_hex(signature, N_SIGNATURE) or not _is_hex(server, N_KEY):
        return CHANGED_AFTER_SIGNING, ""
    if not signing.is_receipt_signed(bytes.fromhex(server), _canonical_json(told), bytes.fromhex(signature)):
        return CHANGED_AFTER_SIGNING, server
    return SIGNED_HERE if server == signing.receipt_public_key().hex() else SIGNED_ELSEWHERE, server


def _is_hex(value: object, n_byte: int) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{2 * n_byte}}}", value, re.ASCII) is not None


def _given(text: str) -> Assignment:
    given = parse_assignment(text)
    if given is None:
        raise ValueError(text)
    return given


def _answers(told: object) -> list[StoredAnswer]:
    found = [_said(one) for one in _listed(told, MOST_ANSWERS)]
    if len({one.place for one in found}) < len(found):
        raise ValueError("two answers to one question")
    return found


def _said(one: Mapping[str, Any]) -> StoredAnswer:
    step, _, part = one["place"].partition(".")
    place = f"{int(step)}.{int(part)}"
    n_try, at = _count(one["n_try"]), _number(one["at"], MOST_SECONDS)
    return StoredAnswer(place=place, first=one["first"], last=one["last"], n_try=n_try, at=at)


def _trained(one: Mapping[str, Any]) -> TrainedRun:
    numbers = {str(name)[:80]: _number(value, math.inf, -math.inf) for name, value in dict(one["numbers"]).items()}
    if len(numbers) > MOST_NUMBERS:
        raise ValueError("too many numbers of one training")
    seed, step, n_step = (_count(one[name]) for name in ("seed", "step", "n_step"))
    return TrainedRun(spec=dict(one["spec"]), numbers=numbers, seed=seed, step=step, n_step=n_step)


def _listed(value: object, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(f"a list of at most {most}")
    return value


def _count(value: object) -> int:
    return int(_number(value, MOST_COUNT))


def _number(value: object, high: float, low: float = 0) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError("a number within its bounds")
    return value


def _parse_json(data: bytes) -> Any:
    """Return the value of a JSON text in UTF-8, with or without a byte order mark.

    The caller limits the size beforehand.

    Raises ValueError: if it isn't JSON, has the same name twice in one object, has a number that isn't finite or has
    more than 16 digits, has half a surrogate pair, or is nested more than 20 deep.
    """
    try:
        value = json.loads(
            data.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite,
            parse_int=_short,
        )  # fmt: skip
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check_depth(value, MOST_DEPTH)
    _canonical_json(value)
    return value


def _canonical_json(value: object) -> bytes:
    """Return the canonical JSON text of a value: sorted names, no spaces. Raises ValueError for half a character."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _check_depth(value: object, left: int) -> None:
    if isinstance(value, dict | list):
        if not left:
            raise ValueError("nested too deeply")
        for one in value.values() if isinstance(value, dict) else value:
            _check_depth(one, left - 1)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("the same name twice")
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} isn't a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite")
    return number


def _short(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("a whole number with too many digits")
    return int(text)
