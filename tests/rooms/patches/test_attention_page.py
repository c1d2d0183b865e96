"""Attention over patches, rollout and patches taken away, driven without a browser: controls, links, buttons, sizes."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.rooms import clean, text_of, widget_key

pytestmark = pytest.mark.usefixtures("data")


def room() -> None:
    """The three exhibits alone: the room's other ones have tests of their own."""
    from core.rooms.patches import ROOM

    for name in ("attention", "rollout", "hide"):
        ROOM.show(name)


def opened(**address: str) -> AppTest:
    test = AppTest.from_function(room, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return clean(test.run())


def one(value: str | list[str]) -> str:
    return value if isinstance(value, str) else value[0]


def press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click()
    clean(test.run())


def test_opens_with_a_result_and_its_buttons_hide_patches() -> None:
    test = opened()
    told = text_of(test)
    assert not test.warning and not test.info
    for words in ("The model says **3**", "looks most at", "left out: all", "can 360 held-out"):
        assert words in told
    test.selectbox(key="attend_asks").select_index(16)
    test.slider(key="roll_share").set_value(1.0)
    test.slider(key="hide_k").set_value(16)
    test.toggle(key="hide_map").set_value(True)
    clean(test.run())
    assert "the patch in row 3, column 3 looks most at" in text_of(test)
    assert "| Rollout | – | – |" in text_of(test)  # every token keeps to itself
    press(test, "Hide 16 at random")
    assert one(test.query_params["hide.gone"]) == "16.ffff"
    press(test, "Show all")
    assert "hide.gone" not in test.query_params
    press(test, "Undo")
    assert one(test.query_params["hide.gone"]) == "16.ffff"
    press(test, "Undo")
    assert "hide.gone" not in test.query_params


def test_a_link_holds_the_hidden_patches_and_a_wrong_one_is_told() -> None:
    right = opened(**{"hide.gone": "16.5", "hide_way": "paint it as paper"})
    assert "hide.picture" in widget_key(right, "hide.picture") and "For the whole picture it said" in text_of(right)
    for text, words in (("64.1", "a picture with 64"), ("<b>", "cannot be read")):
        wrong = opened(**{"hide.gone": text})
        assert words in text_of(wrong) and "No patch is hidden" in text_of(wrong)


@pytest.mark.parametrize(("patch_size", "n_layer", "n_token"), [(4, 3, 5), (1, 1, 65)])
def test_models_with_other_patches(
    patch_size: int, n_layer: int, n_token: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.rooms.patches.experiments.digits import Digits, Options
    from core.train import experiment

    options = Options(patch_size=patch_size, n_layer=n_layer, n_step=2)
    training = Digits(options, 0)
    training.advance()
    packed = experiment.pack(training, {"name": "digits", "options": vars(options), "seed": 0})
    (tmp_path / "digits.safetensors").write_bytes(packed)
    monkeypatch.setattr(experiment, "EXAMPLES", tmp_path)
    test = opened()
    assert "the model is shown as of step 1 of 2" in text_of(test)
    assert len(test.selectbox(key="attend_asks").options) == n_token
    assert ("With so few patches no order" in text_of(test)) == (n_token == 5)
    press(test, "Hide the 3 most attended")
    assert one(test.query_params["hide.gone"]).startswith(f"{n_token - 1}.")
