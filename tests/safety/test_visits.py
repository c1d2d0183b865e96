"""T1, T5 and T13 on every page: links, cookies and messages that no browser would send; and nothing leaves the machine.

The visitors speak to a server whose home cannot be written (see `conftest.py`), so this is its first day, too.
"""

import importlib
import random
import re
import statistics
import time
from pathlib import Path

import pytest

from core.rooms import all_exhibits, rooms
from tests.chromium import LONGEST_WAIT
from tests.counts import IS_FULL, count, rest_is_full, tally
from tests.safety.conftest import Watched
from tests.safety.hostile import NAMES, PAYLOADS, TEXTS, VALUES
from tests.safety.visitor import Visitor, Widget, query, secret

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 2_000_000  # of one message: the largest picture
MORE_SECONDS = 0.2  # that the server may work on a refused value beyond twice its work on an accepted one
FAULT = "hit an unexpected error"
EVERYWHERE = ("lock", "hide", "note", "depth", "term", "lesson", "step", "run", "corpus", "model", "text", "seed",
              "layer", "head", "share", "present", "embed", "embed_options")  # fmt: skip
TYPED = ("slider", "number_input", "text_area", "text_input")
FORGED = (1e9, -1e9, float("nan"), float("inf"), -float("inf"), 1e308, -0.0, 2.0**63, 0.5)


def pages() -> list[str]:
    """The pages by their names in the address; home has none."""
    return ["" if room.address == "home" else room.address for room in rooms()]


def parameters() -> list[str]:
    """Every name that a control of the app has in the address."""
    names = set(EVERYWHERE)
    for path in (ROOT / "core").rglob("*.py"):
        names |= set(re.findall(r'(?:controls|picks)\.\w+\(\s*"([a-z][a-z0-9_.]*)"', path.read_text(encoding="utf-8")))
    for entry in all_exhibits().values():
        module = importlib.import_module(entry.module)
        if hasattr(module, "Inputs"):
            names |= {str(control.name) for _, control in module.Inputs.controls()}
    assert len(names) > 150
    return sorted(names)


def unharmed(visitor: Visitor, where: str) -> None:
    """No fault was shown, and no message is too large."""
    assert visitor.exceptions == [], where
    assert FAULT not in visitor.text(), where
    largest = max(map(len, visitor.received))
    assert largest <= MOST_BYTES, f"{where}: a message of {largest:,} bytes"


def forged(visitor: Visitor, widget: Widget, rng: random.Random) -> object:
    """A value that the page would never send for this control."""
    if widget.kind in ("slider", "number_input"):
        return rng.choice(FORGED)
    if widget.kind == "button_group":
        return [rng.choice(VALUES)]
    return rng.choice((*VALUES, *PAYLOADS, *NAMES)).encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.full] * (n % 10 > 0)) for n, page in enumerate(pages())]
)
def test_hostile_links_cookies_and_messages(watched: Watched, page: str) -> None:
    rng, names = random.Random(page), parameters()
    words = [*VALUES, *PAYLOADS, *(text for text in TEXTS.values() if len(text) < 3000)]
    n_load = count(1, 40)
    n_message, longer, slowest = 0, [], 0.0
    for n in range(n_load):
        link = {name: rng.choice(words)[:300] for name in rng.sample(names, 120)}
        link |= {name: rng.choice(words) for name in EVERYWHERE}
        word = rng.choice(words)[:200].encode("ascii", "replace").decode()
        word = re.sub(r"[\x00-\x20;,\x7f]", "_", word)
        cookies = "; ".join(f"gf_{name}={word}" for name in ("depth", "lessons", "progress", "present", "theme"))
        with Visitor(watched.url, page, query(link), owner=secret(n), cookies=cookies) as visitor:
            slowest = max(slowest, visitor.open())
            unharmed(visitor, f"{page} {link}")
            found = [one for one in visitor.widgets.values() if one.kind in TYPED]
            rng.shuffle(found)
            for label in [one.label for one in found[: count(6, 100)]]:
                widget = visitor.widgets.get(label)
                if widget is None:
                    continue  # it went with the text or the model before
                before = watched.worked()
                visitor.send(widget, usual_value(widget))
                usual = watched.worked() - before
                widget = visitor.widgets.get(label)
                if widget is None:
                    continue
                value = forged(visitor, widget, rng)
                before = watched.worked()
                slowest = max(slowest, visitor.send(widget, value))
                longer.append(watched.worked() - before - 2 * usual)
                unharmed(visitor, f"{page} {widget.label} {value!r}")
                n_message += 1
    if longer:
        assert statistics.median(longer) < MORE_SECONDS or not IS_FULL, longer
    tally(f"T13 {page or 'home'}", links=n_load, forged=n_message, faults=0, slowest_s=round(slowest, 2))


def usual_value(widget: Widget) -> object:
    """A value that the control takes."""
    if widget.kind == "slider":
        return widget.proto.min
    if widget.kind == "number_input":
        return widget.proto.min if widget.proto.has_min else 0.0
    return "Anna had a ball"


@pytest.mark.parametrize("page", rest_is_full("heads", "embeddings", "next_token", "strategies", "masks"))
def test_the_largest_picture_is_below_2_megabytes(watched: Watched, page: str) -> None:
    for text in ("Anna had a red ball. " * 60, "a " * 500, "张三有一个球" * 160):
        with Visitor(watched.url, page, query({"text": text})) as visitor:
            visitor.open()
            unharmed(visitor, page)


def test_a_message_of_garbage_ends_the_connection_and_nothing_else(watched: Watched) -> None:
    rng = random.Random(5)
    for n in range(count(5, 200)):
        with Visitor(watched.url) as visitor:
            visitor.socket.send(rng.randbytes(rng.choice((0, 1, 10, 1000, 100_000))) if n % 2 else "text " * n)
            visitor.socket.close()
    with Visitor(watched.url) as visitor:
        assert visitor.open() < LONGEST_WAIT
        unharmed(visitor, "home")


def test_memory_stays(watched: Watched) -> None:
    """Forged sizes take no memory. (Stands after the tour, so that what every page keeps is there already.)"""
    with Visitor(watched.url, "cache") as visitor:
        visitor.open()
        before = watched.memory()
        for widget in list(visitor.widgets.values()):
            if widget.kind in ("slider", "number_input"):
                for value in (1e9, 1e18, 1e308):
                    visitor.send(widget, value)
        grown = (watched.memory() - before) / 1e6
    assert grown < 50, f"{grown:.0f} MB"
    tally("T13 memory", more_MB=round(grown, 1), resident_MB=round(watched.memory() / 1e6))


def test_no_connection_but_to_this_machine(watched: Watched) -> None:
    """All that the server and its workers connected to until here, which is a tour of all pages."""
    with Visitor(watched.url) as visitor:
        visitor.open()
    asked = watched.noted("socket.connect", "socket.sendto")
    foreign = [one for one in asked if not re.match(r"\('(127\.\d+\.\d+\.\d+|::1|localhost)'|'/|b'|''", one)]
    assert foreign == []
    tally("T5 server", connections=len(asked), foreign=0)


def test_every_file_is_written_in_the_data_folder(watched: Watched) -> None:
    """T4: whatever the visitors' links and texts named."""
    with Visitor(watched.url) as visitor:
        visitor.open()
    time.sleep(0.2)
    tried = watched.noted("open", "os.rename", "os.symlink", "os.link", "sqlite3.connect")
    named = {path for one in tried for path in re.findall(r"['\"](/[^'\"]*)['\"]", one) if "/__pycache__/" not in path}
    outside = {
        path for path in named if not path.startswith((str(watched.folder), "/dev/", "/proc/no-home", "/proc/self/"))
    }
    assert outside == set()
    assert len(named) > 3
    started = watched.noted("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
    assert all("core.jobs" in one or "multiprocessing" in one for one in started), started
    unpickled = set(watched.noted("pickle.find_class"))
    # The caches' own copies, in memory, and what our own processes hand to each other.
    known = re.compile(
        r"\('(streamlit|core|numpy|pandas|multiprocessing|pathlib|builtins|collections)(\.\w+)*', '\w+'\)"
    )
    assert not {one for one in unpickled if not known.fullmatch(one)}
    tally("T4 server", paths_written=len(named), outside=0)
