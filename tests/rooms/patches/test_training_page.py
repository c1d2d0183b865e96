"""The training of the ViT, driven without a browser: every control, links, a training that has just begun."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data import images
from core.rooms.patches import training as room
from core.rooms.patches.answers_chart import in_percent
from core.rooms.patches.experiments import digits as task
from core.train import experiment
from core.ui.training import live
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")


def draw() -> None:
    from core.rooms.patches import ROOM

    ROOM.show("training")


def page(**address: str) -> AppTest:
    test = AppTest.from_function(draw, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def pretend(monkeypatch: pytest.MonkeyPatch, record: experiment.Record, step: int) -> None:
    shown = live.Live(record, {"patch_size": 2, "n_layer": 2, "warped": True}, 3, step, 1_000, True, False)
    monkeypatch.setattr(live, "_shown", lambda name, run: shown)


def test_opens_with_all_three_beside_one_another() -> None:
    test = clean(page().run())
    told = text_of(test)
    assert not test.warning
    right = room.compute(room.Inputs(), experiment.run_of("digits")).n_right
    assert f"**{right['vit']} of 360**" in told and f"{in_percent(right['logistic'] / 360)} in 0." in told
    assert f"**{in_percent(right['vectors'] / 360)}** in 0." in told and "It needed 1/" in told
    assert f"(all {360 - right['vit']}), by number" in told
    assert len(test.get("bidi_component")) == 2 and len(test.get("vega_lite_chart")) == 2
    # "chance alone moves such a share by half a point": the deviation of a share of 99 % of 360
    assert 0.4 < 100 * np.sqrt(0.99 * 0.01 / 360) < 0.6


def test_a_training_that_has_just_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, experiment.start("digits", {}, 3).record(), 2)  # two steps done, and none measured yet
    test = clean(page(train_who="logistic regression", train_over="seconds of processor time").run())
    told = text_of(test)
    assert "After step 0: " in told and "**36 of 360**" in told and "Support vector machine: **" not in told
    assert "The logistic regression hasn't been computed yet." in told
    test.button_group(key="train_who").set_value("vit")
    assert f"the first {room.N_SHOWN} of 324" in text_of(clean(test.run()))


def test_the_verdict_is_what_the_numbers_say(monkeypatch: pytest.MonkeyPatch) -> None:
    record, labels = dict(experiment.run_of("digits").record), images.held_out().labels
    record["seconds.vit"], record["seconds.vectors"] = np.array([0.0, 8.0]), np.array(0.04)
    said = {n_wrong: (labels + (np.arange(360) < n_wrong)) % 10 for n_wrong in (0, 2, 3)}
    for vit, vectors, says in (
        (0, 0, "The support vector machine is as good as the ViT. It needed 1/200 of the time."),
        (0, 2, "The ViT gets 2 more right than the support vector machine, which needed 1/200 of the time"),
        (3, 0, "The support vector machine gets 3 more right than the ViT. It needed"),
    ):
        record |= {"p.vit": np.eye(10)[said[vit]], "said.vectors": said[vectors], "step": record["step"] + 1}
        pretend(monkeypatch, record, 900 + vit + 10 * vectors)
        assert says in text_of(clean(page().run()))
    assert task.PLAIN.keys() == room.WHO.keys() - {"vit"}
