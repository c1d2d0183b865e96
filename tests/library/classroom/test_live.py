"""The connections of a class, over real WebSockets: admission, the messages to each role, and disconnection."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from core.classroom import class_admission, live_class, message_handlers, registry, screens, web
from core.classroom.class_file import class_file_path
from core.classroom.codes import projector_key
from core.ui.server.identity.anonymous_owner import COOKIE, new_secret
from tests.chromium import LONGEST_WAIT


class Screen:
    """A browser's connection; `told` waits until the last message fulfils a condition."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def say(self, **said: Any) -> None:
        self.socket.send_text(json.dumps(said))

    def hear(self) -> dict[str, Any]:
        return json.loads(self.socket.receive_text())  # type: ignore[no-any-return]

    def told(self, fits: Any = lambda _told: True) -> dict[str, Any]:
        while True:
            heard = self.hear()
            if "told" in heard and fits(heard["told"]):
                return heard["told"]  # type: ignore[no-any-return]

    def until(self, name: str) -> Any:
        while name not in (heard := self.hear()):
            pass
        return heard[name]


class House:
    """A server, and browsers with cookies of their own."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack
        self.client = stack.enter_context(TestClient(Starlette(routes=web.class_routes())))
        made = self.client.post("/classroom/start").json()
        self.code, self.key = made["code"], made["key"]

    def screen(self, cookie: str = "", **first: Any) -> Screen:
        headers = {"cookie": f"{COOKIE}={cookie or new_secret()}"}
        one = Screen(self.stack.enter_context(self.client.websocket_connect("/classroom/line", headers=headers)))
        one.say(**{"code": self.code, **first})
        return one

    def learner(self, cookie: str = "", **first: Any) -> Screen:
        return self.screen(cookie, role="learner", is_new=True, **first)

    def desk(self) -> Screen:
        return self.screen(role="desk", key=self.key)


@pytest.fixture
def house() -> Iterator[House]:
    with ExitStack() as stack:
        yield House(stack)


def test_a_class_from_the_first_to_the_last_word(house: House) -> None:
    desk, projector = house.desk(), house.screen(role="projector", key=projector_key(house.key))
    mia = house.learner(name="Mia")
    tom = house.learner()
    assert mia.told()["name"] == "Mia" and tom.told()["name"]
    assert len(desk.told(lambda now: len(now["learners"]) == 2)["learners"]) == 2
    projector.say(do="show", address="masks?layer=1", exhibit=2, by="p")
    for one in (mia, tom, desk):
        assert one.told(lambda now: now["view"]["address"])["view"]["exhibit"] == 2
    desk.say(do="ask", ask="More or less?", kind="choice", options=["more", "less"])
    mia.told(lambda now: now["question"])
    mia.say(do="answer", n=1, round=1, value="0")
    seen = projector.told(lambda now: now["question"] and now["question"]["n_answered"])
    assert seen["question"]["n_answered"] == 1 and seen["n_learner"] == 2 and not seen["question"]["rounds"]
    desk.say(do="reveal", on=True)
    shown = tom.told(lambda now: now["question"] and now["question"]["rounds"])["question"]["rounds"]
    assert shown == [{"options": [["more", 1, "0"], ["less", 0, "1"]]}]
    desk.say(do="end")
    assert all(one.until("ended") for one in (mia, tom, projector, desk))


def test_a_reload_and_a_lost_line_come_back_to_the_same_answers(house: House) -> None:
    desk, cookie = house.desk(), new_secret()
    mia = house.learner(cookie, name="Mia")
    mia.told()
    desk.say(do="ask", ask="?", kind="word")
    mia.told(lambda now: now["question"])
    mia.say(do="answer", n=1, round=1, value="ball")
    mia.told(lambda now: now["question"]["mine"] == "ball")
    mia.socket.close()
    again = house.screen(cookie, role="learner").told()
    assert again["name"] == "Mia" and again["question"]["mine"] == "ball"
    mia = house.screen(cookie, role="learner")
    mia.say(do="way back")
    key = mia.until("reply")
    mia.say(do="way back")  # a second link ends the first, and this browser is still known by its cookie
    key, old = mia.until("reply"), key
    assert house.screen(cookie, role="learner", key=old).told()["name"] == "Mia"
    assert house.screen(role="learner", key=old).until("refused") == class_admission.NEWCOMER
    other = house.screen(role="learner", key=key).told()
    assert other["name"] == "Mia" and other["question"]["mine"] == "ball"
    assert house.screen(role="learner", key=key).until("refused") == class_admission.NEWCOMER, "it works once"
    assert len(desk.told(lambda now: now["question"] and now["question"]["n_answered"])["learners"]) == 1


def test_a_browser_that_is_not_in_yet_is_asked_who_it_is(house: House) -> None:
    assert house.screen(role="learner").until("refused") == class_admission.NEWCOMER


@pytest.mark.parametrize("key", ["", "0" * 32, None, 7, ["x"]])
@pytest.mark.parametrize("role", ["desk", "projector", "teacher", "", None])
def test_nobody_leads_a_class_without_its_secret(house: House, role: Any, key: Any) -> None:
    assert "no class" in house.screen(role=role, key=key).until("refused")


def test_a_learner_leads_nothing(house: House) -> None:
    mia, desk = house.learner(), house.desk()
    mia.told()
    for do in (
        "pause",
        "reveal",
        "show",
        "mode",
        "end",
        "send out",
        "compute",
        "table",
        "page",
        "ask",
        "names",
        "x",
        None,
    ):
        mia.say(do=do, on=True, address="masks", learner="x", mode="free", ask="?", kind="word")
        assert "cannot" in mia.until("refused")
    assert not desk.told()["is_paused"]


def test_a_learner_sent_out_gets_no_more_messages(house: House) -> None:
    cookie, desk = new_secret(), house.desk()
    mia = house.learner(cookie, name="Mia")
    mia.told()
    who = desk.told(lambda now: now["learners"])["learners"][0]["id"]
    desk.say(do="send out", learner=who)
    assert "sent you out" in mia.until("refused")
    desk.say(do="ask", ask="Secret?", kind="word")
    desk.told(lambda now: now["question"])
    with pytest.raises(WebSocketDisconnect):  # the server hangs up, whatever the browser does
        mia.until("told")
    assert "sent you out" in house.learner(cookie).until("refused")


def test_a_silent_connection_or_one_that_sends_bytes_does_no_harm(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screens, "FIRST_SECONDS", 0.05)
    headers = {"cookie": f"{COOKIE}={new_secret()}"}
    with house.client.websocket_connect("/classroom/line", headers=headers):
        time.sleep(0.2)
    monkeypatch.setattr(screens, "FIRST_SECONDS", LONGEST_WAIT)
    mia = house.learner()
    mia.told()
    mia.socket.send_bytes(b"\x00\xff")
    assert "isn't a message" in mia.until("refused")


def test_classes_without_number_are_not_begun(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each limit says so in words; nobody's own classes keep others from beginning one."""
    monkeypatch.setattr(registry, "MOST_OF_OWNER", 2)

    def start(cookie: str) -> int:
        return house.client.post("/classroom/start", headers={"cookie": f"{COOKIE}={cookie}"}).status_code

    mine = new_secret()
    assert [start(mine) for _ in range(4)] == [200, 200, 409, 409] and start(new_secret()) == 200


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "nan", '"x"', "[" * 5000, '{"do": ' * 900, "\x00", "{}" + "x" * 20_000]
)
def test_no_message_breaks_a_line_of_another(house: House, text: str) -> None:
    mia, tom = house.learner(), house.learner()
    mia.told()
    tom.told()
    mia.socket.send_text(text)
    assert mia.until("refused")
    tom.say(do="hand", up=True)
    assert tom.told(lambda now: now["hand"])["hand"]


def test_only_the_screen_that_sends_too_much_is_closed(house: House) -> None:
    mia, tom = house.learner(), house.learner()
    tom.told()
    mia.told()
    for _ in range(int(live_class.BURST) + 50):
        mia.say(do="hand", up=True)
    while not (heard := mia.hear()).get("is_out"):
        pass
    assert "too much" in heard["refused"]
    tom.say(do="hand", up=True)
    assert tom.told(lambda now: now["hand"])["hand"]


def test_of_too_many_screens_the_oldest_closes_and_the_teacher_never_waits_for_learners(house: House) -> None:
    """300 lines of learners kept desk and projector out; now each learner has three, and each role its own."""
    cookie = new_secret()
    mine = [house.learner(cookie) for _ in range(live_class.MOST_OF_LEARNER + 1)]
    assert mine[0].until("refused") == live_class.OTHER_SCREEN and mine[-1].told()
    for role, key in (("desk", house.key), ("projector", projector_key(house.key))):
        screens = [house.screen(role=role, key=key) for _ in range(live_class.MOST_OF_TEACHER + 1)]
        assert screens[0].until("refused") == live_class.OTHER_SCREEN and screens[-1].told()
    mine[-1].say(do="hand", up=True)
    assert mine[1].told(lambda now: now["hand"])


def test_the_projector_can_only_show(house: House) -> None:
    """Fault: its key was the desk's, and was visible to all in the address bar."""
    desk, projector = house.desk(), house.screen(role="projector", key=projector_key(house.key))
    for do in sorted(
        {*message_handlers._TEACHER, *screens._SLOW, "new keys", "projector key", "way back", "answer"} - {"show"}
    ):
        time.sleep(1 / live_class.PER_SECOND)
        projector.say(do=do, on=True, learner="x", ask="?", kind="word", mode="free")
        assert "only show" in projector.until("refused")
    projector.say(do="show", address="masks", exhibit=0, by="p")
    assert desk.told(lambda now: now["view"]["address"] == "masks")["question"] is None


def test_new_keys_close_every_other_desk_and_projector(house: House) -> None:
    desk, other = house.desk(), house.desk()
    projector = house.screen(role="projector", key=projector_key(house.key))
    desk.say(do="projector key")
    assert desk.until("reply") == projector_key(house.key)
    desk.say(do="new keys")
    key = desk.until("reply")
    assert other.until("refused") == projector.until("refused") == live_class.NEW_KEYS
    desk.say(do="pause", on=True)
    assert desk.told(lambda now: now["is_paused"])
    for role, old in (("desk", house.key), ("projector", projector_key(house.key))):
        assert "no class" in house.screen(role=role, key=old).until("refused")
    assert house.screen(role="desk", key=key).told()["is_paused"]


def test_a_locked_class_holds_up_no_other(house: House) -> None:
    """One disk thread for all classes: with a lock on one, a word to another took ten seconds."""
    made = house.client.post("/classroom/start").json()
    mia, tom = house.learner(), house.learner(code=made["code"])
    mia.told(), tom.told()
    with closing(sqlite3.connect(class_file_path(house.code), isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        mia.say(do="hand", up=True)
        tom.say(do="hand", up=True)
        assert tom.told(lambda now: now["hand"]), "while the other one waits"
        db.execute("ROLLBACK")
    assert mia.told(lambda now: now["hand"]), "and nothing of it was lost"


def test_half_a_character_is_refused_and_the_line_goes_on(house: House, caplog: pytest.LogCaptureFixture) -> None:
    desk, mia = house.desk(), house.learner()
    mia.told()
    for said in ({"do": "answer", "n": 1, "round": 1, "value": "\ud800"}, {"do": "attack", "sentence": "x\udfff"}):
        mia.say(**said)
        assert "Half of a character" in mia.until("refused")
    desk.say(do="ask", ask="\ud800?", kind="word")
    assert "Half of a character" in desk.until("refused") and not caplog.records


def test_an_unexpected_error_is_reported_and_the_connection_stays_open(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    mia = house.learner()
    mia.told()
    monkeypatch.setattr(screens.message_handlers, "handle_learner_message", lambda *_: 1 / 0)
    mia.say(do="hand", up=True)
    assert "went wrong" in mia.until("refused")
    monkeypatch.undo()


def test_the_desk_asks_the_lessons_and_gets_the_results(house: House) -> None:
    desk, mia = house.desk(), house.learner(name="=cmd|x")
    mia.told()
    desk.say(do="places")
    places = desk.until("reply")
    assert all("masks" in [one["slug"] for one in places[kind]] for kind in ("lessons", "rooms"))
    desk.say(do="questions", of="masks", is_room=True)
    assert [one["source"] for one in desk.until("reply")] == ["masks.train-without/guess"]
    desk.say(do="questions", of="masks")
    source = desk.until("reply")[0]["source"]
    desk.say(do="ask known", source=source)
    mia.told(lambda now: now["question"])
    mia.say(do="answer", n=1, round=1, value=21)
    mia.told(lambda now: now["question"]["mine"] == 21)
    desk.say(do="compute")
    assert desk.told(lambda now: now["question"] and now["question"]["is_answered"])["learners"][0]["is_right"] is True
    desk.say(do="table")
    table = desk.until("reply")
    assert "'=cmd|x" in table and ",21.0,yes,no," in table
    desk.say(do="page")
    page = desk.until("reply")
    assert "=cmd" not in page and "36 cells" in page and "<script" not in page


def test_a_story_comes_with_its_seed(house: House) -> None:
    desk = house.desk()
    desk.say(do="story", seed=3)
    text = desk.until("reply")
    desk.say(do="ask", ask="Next?", kind="word", text=text, seed=3)
    assert desk.told(lambda now: now["question"])["question"]["answer"]["right"]
    desk.say(do="story", seed=-1)
    assert "seed" in desk.until("refused")


def test_the_code_as_a_picture_names_this_server(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house.client.get("/classroom/code.svg?of=nothing").status_code == 404
    answer = house.client.get(f"/classroom/code.svg?of={house.code}")
    assert answer.headers["content-type"] == "image/svg+xml" and b"<svg" in answer.content
    monkeypatch.setenv("GLASSFORMER_HOSTS", "class.example")
    page = house.client.get("/projector", headers={"host": "localhost:8501"}).text
    assert 'data-way="http://class.example:8501"' in page


@pytest.mark.parametrize(("host", "names", "reached"), [
    ("localhost:8501", "", "http://localhost:8501"),
    ("127.0.0.1:8501", "class.school.example", "http://class.school.example:8501"),
    ("class.school.example", "class.school.example", "http://class.school.example"),
    ("localhost", "*.school.example", "http://localhost"),
])  # fmt: skip
def test_the_way_in_is_one_that_phones_can_take(
    host: str, names: str, reached: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from starlette.requests import Request

    monkeypatch.setenv("GLASSFORMER_HOSTS", names)
    scope = {"type": "http", "method": "GET", "path": "/classroom/code.svg", "headers": [(b"host", host.encode())]}
    scope |= {"scheme": "http", "server": ("x", 80), "query_string": b"", "root_path": ""}
    assert web._reached(Request(scope), web._CODE) == reached


def test_a_slow_connection_gets_the_newest_state(house: House) -> None:
    """A browser that reads nothing for a while is then sent only the current state, not all earlier ones."""
    desk, mia = house.desk(), house.learner()
    mia.told()
    for i in range(30):
        desk.say(do="show", address=f"masks?layer={i}", exhibit=0, by="p")
    heard = 0
    while True:
        heard += 1
        if mia.told()["view"]["address"] == "masks?layer=29":
            break
    assert heard < 30


def test_nobody_keeps_the_server_computing_for_the_others(house: House) -> None:
    desk, mia, tom = house.desk(), house.learner(name="Mia"), house.learner(name="Tom")
    desk.say(do="race", text="bottle-and-cup", seconds=5)
    for one in (mia, tom):
        one.told(lambda now: now["race"])
    for _ in range(35):
        mia.say(do="plan", settings={})
    assert mia.until("refused").startswith("Not so fast")
    tom.say(do="plan", settings={})
    assert tom.until("reply")["n_step"] > 100


def test_the_projectors_page_needs_its_key(house: House) -> None:
    mia, page = house.learner(name="Mia"), "<h1>Masks</h1>" * 1000

    def put(at: str, key: str = projector_key(house.key), of: str = house.code, text: str = page) -> int:
        asked = {"of": of, "at": at}
        return house.client.post("/classroom/board", params=asked, headers={"x-key": key}, content=text).status_code

    def get(key: str, of: str = house.code) -> Any:
        return house.client.get("/classroom/board", params={"of": of, "key": key})

    assert put("masks") == 200
    first = mia.told(lambda now: now["board"]["address"] == "masks")["board"]["key"]
    assert get(first).text == page and get(first).headers["content-type"].startswith("text/plain")
    assert put("heads") == 200
    second = mia.told(lambda now: now["board"]["address"] == "heads")["board"]["key"]
    for wrong in ("", "0", second[:-1], "x' OR 1=1 --"):
        assert get(wrong).status_code == 404
    assert get(second, of="K7M2QX").status_code == get(second, of="<b>").status_code == 404
    assert [put("x", key=key) for key in ("", "0" * 32, house.key)] == [404, 404, 404]
    assert put("x", of="K7M2QX") == 404 and put("x", text="a" * (web.MOST_BOARD + 1)) == 413
    assert get(second).status_code == 200, "what was refused changed nothing"
    house.desk().say(do="end")
    mia.until("ended")
    assert get(second).status_code == put("masks") == 404, "with the class it is gone"
