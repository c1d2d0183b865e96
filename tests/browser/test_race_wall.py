"""The race on the wall can be read from the last row, whatever its settings and however many race."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.classroom.race import leaderboard
from core.classroom.race.leaderboard import Racer
from core.classroom.race.race_settings import RACE_SETTINGS, RacerSettings, setting_texts, settings_summary
from tests.browser.rooms import ROOT
from tests.browser.test_classroom import Opened, opened

__all__ = ["opened"]
UNREADABLE = (Path(__file__).parent / "wall.js").read_text(encoding="utf-8")
LOOKS = ("The race", "What mattered", "Winner and median", "The worst run")
SIZES = ({"width": 1024, "height": 768}, {"width": 1440, "height": 900}, {"width": 1920, "height": 1080})
SHOW = """async (race) => {
  const script = [...document.scripts].find(({ src }) => src.includes("projector.js")).src;
  const { raceWall } = await import(new URL("race/race_projector.js", script));
  for (const one of document.body.children) one.hidden = true;
  const sheet = document.createElement("section");
  sheet.className = "sheet race";
  const draw = () => sheet.replaceChildren(document.createElement("button"), raceWall(race, 30, draw));
  document.body.append(sheet);
  document.body.className = "projector";
  draw();
}"""


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py")


def invented(n: int, seed: int, *, is_over: bool) -> dict[str, Any]:
    """A race of so many, with settings and curves drawn at random, as the server tells it to the projector."""
    draw = random.Random(seed)
    places = []
    for i in range(n):
        settings = RacerSettings(**{name: draw.choice(list(one.values)) for name, one in RACE_SETTINGS.items()})
        end, share = draw.uniform(1.9, 4), 1 if is_over else draw.random()
        curve = tuple((share * k / 20, end + 4 * 0.8**k) for k in range(1, 21))
        places.append(
            Racer(
                id=f"racer {i}", name=f"Bartholomew {i}", settings=settings, n_parameter=draw.randrange(10**6),
                n_step=1000, step=round(1000 * share), state="finished" if share == 1 else "running", curve=curve,
            )
        )  # fmt: skip
    places = leaderboard.rank_racers(places)
    rows = [
        leaderboard.board_row(one) | {"place": k}
        for k, one in zip(leaderboard.racer_places(places), places, strict=True)
    ]
    last = places[-1]
    why = [
        leaderboard.board_row(replace(last, curve=((1, 2.0),))) | {"label": label, "from": value, "to": value}
        for label, value in setting_texts(last.settings).items()
    ]
    return {
        "n": 1, "text": "Python's documentation", "seconds": 10, "in_teams": False, "goal": 2.5, "seed": 0,
        "stage": "run", "n_entered": n, "n_racer": n, "n_done": n if is_over else 0, "is_over": is_over,
        "seconds_left": 300, "board": rows, "shown": [], "mattered": leaderboard.setting_effects(places),
        "median": leaderboard.compare_winner_with_median(places), "why": why if is_over else [],
        "worst": {"settings": settings_summary(last.settings), "score": 3.0, "message": ""},
    }  # fmt: skip


@pytest.mark.parametrize("n", [1, 3, 30])
def test_everything_on_the_wall_is_large_and_in_sight(opened: Opened, n: int) -> None:
    """Fails if letters are below 24 px, lines below 3, a chart is small or cut, or labels lie over each other (41)."""
    page = opened("projector", 1440)
    for is_over in (False, True):
        race = json.loads(json.dumps(invented(n, seed=n, is_over=is_over)))
        page.evaluate(SHOW, race)
        looks = [one for one in LOOKS if page.get_by_role("button", name=one).is_visible()] or [""]
        assert len(looks) == (len(LOOKS) if is_over else 1)
        for size in SIZES:
            page.set_viewport_size(size)
            for look in looks:
                if look:
                    page.get_by_role("button", name=look).click()
                labels = [one["label"] for one in race["mattered"]] if look == "What mattered" else [""]
                for label in labels:
                    if label:
                        page.locator(".shares").get_by_role("button", name=label).click()
                    page.wait_for_timeout(100)
                    assert page.evaluate(UNREADABLE) == [], (size, look, label)
        page.locator("section.sheet.race").last.evaluate("(one) => one.remove()")
