"""The room Patches, driven without a browser: controls, links, buttons, and trainings of other sizes."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data import images
from core.rooms.patches import cut, hide, training as room
from core.rooms.patches.experiments import digits as task
from core.train import experiment
from core.ui.training import live_experiments
from tests.pages.choices import told
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")
PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "images" / "patches.py")


def shown(*names: str, **address: str) -> AppTest:
    """These exhibits without the rest of the room."""
    script = "from core.rooms.patches import ROOM\n" + "".join(f'ROOM.show("{name}")\n' for name in names)
    test = AppTest.from_string(script, default_timeout=60)
    test.query_params.update({"open": "all"} | address)
    return clean(test.run())


@pytest.mark.parametrize(("patch_size", "n_layer", "n_token"), [(4, 3, 5), (1, 1, 65)])
def test_models_with_other_patches(
    patch_size: int, n_layer: int, n_token: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"patch_size": patch_size, "n_layer": n_layer, "warped": True, "n_step": 2}
    training = experiment.make_experiment("digits", options, 0)
    training.advance()
    packed = experiment.pack_record(training, {"name": "digits", "options": options, "seed": 0})
    (tmp_path / "digits.safetensors").write_bytes(packed)
    monkeypatch.setattr(experiment, "EXAMPLE_FOLDER", tmp_path)
    test = shown("cut", "attention", "rollout", "similarity", "shuffle", "hide", cut_patch_8="2 × 2")
    said = text_of(test)
    assert "the model is shown as of step 1 of 2" in said and "the weights are drawn" in said
    assert len(told(test)["attend_asks"]["options"]) == n_token
    assert ("With so few patches no order" in said) == ("there is no grid to find" in said) == (n_token == 5)
    assert (f"of {n_token - 1}** positions" in said) == (n_token == 65)
    n_patch = n_token - 1
    assert len(hide.patches_from_address(told(test)["hide.gone"]["value"], n_patch)) == hide.N_AT_FIRST


def test_every_size_of_picture_and_patch() -> None:
    test = shown("cut", cut_kind="A photograph")
    assert "**197 tokens**" in text_of(test) and "16 times narrower" in text_of(test)
    for size, offered in cut.PATCH_CHOICES.items():
        assert all(size % patch == 0 and (size // patch) ** 2 <= 256 for patch in (*offered, cut.DEFAULT_PATCHES[size]))
        test.button_group(key="cut_size").set_value(size)
        clean(test.run())
        for patch, color, n_channel in ((offered[0], "gray", 1), (offered[-1], "color", 3)):
            test.button_group(key=f"cut_patch_{size}").set_value(patch)
            test.button_group(key="cut_color").set_value(color)
            told = text_of(clean(test.run()))
            assert f"**{1 + (size // patch) ** 2} tokens**" in told
            assert f"turns **{n_channel * patch**2:,} number" in told
    test.button_group(key="cut_kind").set_value("digit")
    clean(test.run())
    for patch, n_token in ((1, 65), (4, 5), (8, 2)):  # a digit in patches that nobody trained
        test.button_group(key="cut_patch_8").set_value(patch)
        told = text_of(clean(test.run()))
        assert f"**{n_token} tokens**" in told and "the weights are drawn" in told and "seed 0" in told


def pretend(monkeypatch: pytest.MonkeyPatch, record: experiment.Record, step: int) -> None:
    now = live_experiments.ExperimentRun(
        record, {"patch_size": 2, "n_layer": 2, "warped": True}, 3, step, 1_000, True, False
    )
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: now)


def test_a_training_that_has_just_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(
        monkeypatch, experiment.make_experiment("digits", {}, 3).record(), 2
    )  # two steps done, and none measured yet
    test = shown("training", train_who="logistic regression", train_over="seconds of processor time")
    told = text_of(test)
    assert "After step 0: " in told and "**36 of 360**" in told and "Support vector machine: **" not in told
    assert "The logistic regression hasn't been computed yet." in told
    test.button_group(key="train_who").set_value("vit")
    assert f"the first {room.N_SHOWN} of 324" in text_of(clean(test.run()))


def test_the_verdict_is_what_the_numbers_say(monkeypatch: pytest.MonkeyPatch) -> None:
    record, labels = dict(experiment.run_experiment("digits").record), images.held_out_digits().labels
    record["seconds.vit"], record["seconds.vectors"] = np.array([0.0, 8.0]), np.array(0.04)
    said = {n_wrong: (labels + (np.arange(360) < n_wrong)) % 10 for n_wrong in (0, 2, 3)}
    for vit, vectors, says in (
        (0, 0, "The support vector machine is as good as the ViT. It needed 1/200 of the time."),
        (0, 2, "The ViT gets 2 more right than the support vector machine, which needed 1/200 of the time"),
        (3, 0, "The support vector machine gets 3 more right than the ViT. It needed"),
    ):
        record |= {"p.vit": np.eye(10)[said[vit]], "said.vectors": said[vectors], "step": record["step"] + 1}
        pretend(monkeypatch, record, 900 + vit + 10 * vectors)
        assert says in text_of(shown("training"))
    assert task.PLAIN_CLASSIFIERS.keys() == room.CLASSIFIER_NAMES.keys() - {"vit"}
