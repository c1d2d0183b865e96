"""The receipt: what was answered and trained, as a file that the learner hands in. It is plain JSON, signed.

The signature says that this server wrote it, and so that its times are right. A receipt from elsewhere, from a
learner's own computer, say, is read as well; what it says is then verified by computing alone.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.data.files import data_dir
from core.jobs.runs import clean_name
from core.lessons.homework.answers import Said
from core.lessons.homework.assignment import Assignment, read

FORMAT = 1
MOST_BYTES = 300_000
MOST_RUNS = 20
MOST_SECONDS = 1e11  # of a clock: beyond the year 5000 a calendar may refuse them


@dataclass(frozen=True, kw_only=True)
class Trained:
    """One of the learner's trainings.

    Attributes:
        spec: as the store of runs takes it; seed: of all its draws.
        step, n_step: how far it came.
        numbers: the last of each curve, by name.
    """

    spec: Mapping[str, Any]
    seed: int
    step: int
    n_step: int
    numbers: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What is handed in; `made` in Unix seconds, `is_ours`: whether this server has signed it."""

    name: str
    given: Assignment
    made: float
    said: Sequence[Said]
    runs: Sequence[Trained]
    is_ours: bool = False


class ReceiptRefused(ValueError):
    """A file is no receipt; the message says why in plain words."""


def to_bytes(receipt: Receipt) -> bytes:
    """The file, signed by this server."""
    told = {
        "glassformer receipt": FORMAT,
        "name": receipt.name,
        "homework": receipt.given.code,
        "made": receipt.made,
        "answers": [asdict(one) for one in receipt.said],
        "runs": [asdict(one) for one in receipt.runs],
    }
    return json.dumps(told | {"signature": _signature(told)}, indent=1).encode()


def from_bytes(data: bytes) -> Receipt:
    """What `to_bytes` made, here or elsewhere. Raises ReceiptRefused."""
    if len(data) > MOST_BYTES:
        raise ReceiptRefused("This file is too large for a receipt.")
    try:
        told = json.loads(data)
        given = read(told["homework"])
        if told["glassformer receipt"] != FORMAT or given is None:
            raise ReceiptRefused("This receipt is of another version of Glassformer.")
        if not 0 <= (made := float(told["made"])) < MOST_SECONDS:
            raise ReceiptRefused("This receipt was made at no time that there is.")
        signature = str(told.pop("signature"))
        return Receipt(
            name=clean_name(str(told["name"]), "Nobody"),
            given=given,
            made=made,
            said=[_said(one) for one in told["answers"]],
            runs=[_trained(one) for one in told["runs"][:MOST_RUNS]],
            is_ours=hmac.compare_digest(signature.encode(), _signature(told).encode()),
        )
    except ReceiptRefused:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise ReceiptRefused("This file is no receipt of Glassformer.") from error


def _said(one: Mapping[str, Any]) -> Said:
    step, _, part = str(one["place"]).partition(".")
    place = f"{int(step)}.{int(part)}"
    return Said(place=place, first=one["first"], last=one["last"], n_try=int(one["n_try"]), at=float(one["at"]))


def _trained(one: Mapping[str, Any]) -> Trained:
    numbers = {str(name)[:80]: float(value) for name, value in dict(one["numbers"]).items()}
    counts = {name: int(one[name]) for name in ("seed", "step", "n_step")}
    return Trained(spec=dict(one["spec"]), numbers=numbers, **counts)


def _signature(told: Mapping[str, Any]) -> str:
    plain = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    return hmac.new(_key(), plain, hashlib.sha256).hexdigest()


def _key() -> bytes:
    """This server's own, made at the first receipt."""
    path = data_dir() / "homework.key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(handle, "wb") as file:
        key = secrets.token_bytes(32)
        file.write(key)
    return key
