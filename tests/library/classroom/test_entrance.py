"""Admission to a class: nobody is locked out by a neighbor, and sizes are checked before anything is parsed."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.classroom import class_admission, registry
from core.classroom.class_admission import AdmittedScreen, ClassAdmission, ConnectingBrowser
from core.classroom.codes import projector_key
from core.classroom.live_class import OpenClass
from core.classroom.state import ClassRefused, RetryLater
from core.ui.server.identity.anonymous_owner import _owner_id_of

NEIGHBOR = ConnectingBrowser(_owner_id_of("neighbor"), "192.0.2.1", "neighb")


class Door:
    """The entrance of one class, and for how long it let people wait."""

    def __init__(self) -> None:
        self.code, self.key = registry.start_class()
        self.entrance = ClassAdmission()
        self.entrance.wrong._clock = self.entrance.lookups._clock = lambda: 0.0  # all of it in one moment
        self.waits: list[float] = []
        self.opened = OpenClass(self.code)

    def enter(self, visitor: ConnectingBrowser, **first: Any) -> AdmittedScreen:
        text = first.pop("text", None) or json.dumps({"code": self.code, **first})
        return asyncio.run(self.entrance.enter(text, visitor, self._find))

    def refusal(self, visitor: ConnectingBrowser, **first: Any) -> ClassRefused:
        with pytest.raises(ClassRefused) as refused:
            self.enter(visitor, **first)
        return refused.value

    def _find(self, code: str) -> OpenClass | None:
        return self.opened if registry.find_class(code) is not None else None


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    made = Door()

    async def sleep(seconds: float) -> None:
        made.waits.append(seconds)

    monkeypatch.setattr(class_admission.asyncio, "sleep", sleep)
    with closing(made.opened):
        yield made


def test_a_neighbor_who_tries_codes_locks_nobody_out(door: Door) -> None:
    """Keys, known browsers and links to return come first; a newcomer with the right code waits for a moment."""
    known = ConnectingBrowser(_owner_id_of("mia"), NEIGHBOR.address, NEIGHBOR.mark)
    mia = door.enter(known, role="learner", name="Mia", is_new=True).who
    refused = [door.refusal(NEIGHBOR, role="learner", code=f"{i:06d}", is_new=True) for i in range(300)]
    assert {type(one) for one in refused} == {ClassRefused, RetryLater}, "wrong ones at first, then too many"
    assert door.enter(known, role="learner").who == mia
    way_back = door.opened.room.way_back(mia)
    assert (
        door.enter(ConnectingBrowser(_owner_id_of("tablet"), NEIGHBOR.address), role="learner", key=way_back).who == mia
    )
    assert door.enter(NEIGHBOR, role="desk", key=door.key).role == "desk"
    assert door.enter(NEIGHBOR, role="projector", key=projector_key(door.key)).role == "projector"
    elsewhere = ConnectingBrowser(_owner_id_of("tom"), "198.51.100.1", "other")
    assert door.enter(elsewhere, role="learner", is_new=True).who
    newcomer = ConnectingBrowser(_owner_id_of("lea"), NEIGHBOR.address, NEIGHBOR.mark)
    again = door.refusal(newcomer, role="learner", is_new=True)
    assert isinstance(again, RetryLater) and again.seconds <= 5
    door.entrance.lookups._left.clear()  # the neighbor rests
    assert door.enter(newcomer, role="learner", is_new=True).who


def test_wrong_codes_are_answered_later_and_later_and_right_ones_cost_nothing(door: Door) -> None:
    for i in range(class_admission.WRONG_CODES):
        door.refusal(NEIGHBOR, role="learner", code=f"{i:06d}")
    assert max(door.waits) <= class_admission.MAX_JITTER_SECONDS, "a class mistypes, and does not wait for it"
    door.waits.clear()
    for i in range(20):
        assert str(door.refusal(NEIGHBOR, role="learner", code=f"{i:06d}")) == class_admission.NO_CLASS
    assert door.waits[0] >= class_admission.WRONG_PAUSE and door.waits[-1] >= class_admission.LONGEST_WAIT
    assert max(door.waits) <= class_admission.LONGEST_WAIT + class_admission.MAX_JITTER_SECONDS
    door.waits.clear()
    door.enter(NEIGHBOR, role="learner", is_new=True)
    door.refusal(ConnectingBrowser(_owner_id_of("x"), "198.51.100.1"), role="learner", code="000000")
    assert max(door.waits) <= class_admission.MAX_JITTER_SECONDS


@pytest.mark.parametrize("role", ["desk", "projector", "learner", "teacher", ""])
def test_a_browser_without_cookies_gets_a_message_and_no_seat(door: Door, role: str) -> None:
    """Each of its lines would be a new learner: one phone took all 120 seats."""
    refused = str(door.refusal(ConnectingBrowser(None, "192.0.2.9"), role=role, is_new=True))
    assert refused == (class_admission.NO_COOKIE if role == "learner" else class_admission.NO_CLASS)
    assert not door.opened.room.read().learners


def test_nothing_is_read_before_it_is_bounded(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """20 MB of JSON stopped all responses for a second, also those to visitors who are made to wait."""
    read: list[int] = []
    loads = json.loads
    monkeypatch.setattr(class_admission.json, "loads", lambda text: read.append(len(text)) or loads(text))
    for _ in range(class_admission.WRONG_CODES + 1):
        assert "too long" in str(door.refusal(NEIGHBOR, text='{"code":' + "[" * 5_000))
    assert not read and door.waits[-1] >= class_admission.WRONG_PAUSE, "it counts as a try"


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["\ud800", "x\udfff"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["code", "role", "key", "name", "is_new"]), values), st.booleans())
def test_whatever_is_said_first_is_refused_in_plain_words(said: dict[str, Any], has_code: bool) -> None:
    """Among it half characters, which no file and no answer can hold."""
    text = json.dumps({**said, "role": "learner"} if has_code else said)

    async def enter() -> None:
        await ClassAdmission().enter(text, NEIGHBOR, lambda _code: None)

    with pytest.raises(ClassRefused) as refused:
        asyncio.run(enter())
    str(refused.value).encode()


@pytest.mark.parametrize(
    "text", ['{"code": "\\ud800"}', '{"\\udfff": 1}', '{"a": [{"b": "x\\ud83d"}]}', "1" * 900, "[" * 990]
)
def test_half_a_character_is_no_message(text: str) -> None:
    with pytest.raises(ClassRefused):
        class_admission.read_message(text, class_admission.MOST_FIRST)
    assert class_admission.read_message('{"a": "\\ud83d\\ude00"}', class_admission.MOST_FIRST) == {"a": "😀"}
