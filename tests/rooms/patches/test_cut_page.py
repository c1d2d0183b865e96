"""Cut, similarity and shuffle, driven without a browser: every control at its ends, links, a model of other patches."""

from functools import partial
from pathlib import Path
from types import MappingProxyType

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.patches import ROOM, cut
from core.train import experiment
from core.ui.text import escape_markdown
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "images" / "patches.py")
page = partial(linked, PAGE)


def alone(*pieces: str, **address: str) -> AppTest:
    """These exhibits without the rest of the room."""
    shown = "\n".join(f'ROOM.show("{piece}")' for piece in pieces)
    script = f"from core.rooms.patches import ROOM\n{shown}\n"
    test = AppTest.from_string(script, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def test_the_room_opens_with_a_result() -> None:
    test = clean(page().run())
    titles = [escape_markdown(entry.exhibit().title) for entry in ROOM.exhibits]
    assert [one.value for one in test.subheader if one.value in titles] == titles
    told = text_of(test)
    assert not test.warning and "**17 tokens**" in told and "appears once you have guessed" in told


def test_every_size_of_picture_and_patch() -> None:
    test = clean(alone("cut", cut_kind="A photograph").run())
    assert "**197 tokens**" in text_of(test) and "16 times narrower" in text_of(test)
    for size, offered in cut.PATCHES.items():
        assert (
            all(size % patch == 0 and (size // patch) ** 2 <= 256 for patch in offered) and cut.FIRST[size] in offered
        )
        test.button_group(key="cut_size").set_value(size)
        clean(test.run())
        for patch, color in ((offered[0], "gray"), (offered[-1], "color")):
            test.button_group(key=f"cut_patch_{size}").set_value(patch)
            test.button_group(key="cut_color").set_value(color)
            clean(test.run())
            n_number = patch**2 * (1 if color == "gray" else 3)
            told = text_of(test)
            assert f"**{1 + (size // patch) ** 2} tokens**" in told and f"turns **{n_number}** number" in told
    test.number_input(key="cut_seed").set_value(2**31 - 1)
    assert "from seed 2147483647" in text_of(clean(test.run()))


def test_a_digit_in_patches_that_nobody_trained() -> None:
    test = clean(alone("cut").run())
    assert "trained in “A ViT learns to read”" in text_of(test) and not test.number_input
    for patch, n_token in ((1, 65), (4, 5), (8, 2)):
        test.button_group(key="cut_patch_8").set_value(patch)
        told = text_of(clean(test.run()))
        assert f"**{n_token} tokens**" in told and "the weights are drawn" in told and "seed 0" in told


def test_shuffle_at_both_ends() -> None:
    test = clean(alone("shuffle").run())
    assert "percentage points" not in text_of(test)
    test.button_group(key="shuffle_guess").set_value("half")
    told = text_of(clean(test.run()))
    assert "You guessed: about half. The answer: " in told and "all patches moved" in told
    test.slider(key="shuffle_pairs").set_value(0)
    test.number_input(key="shuffle_seed").set_value(2**31 - 1)
    told = text_of(clean(test.run()))
    assert "not at all: the very same numbers" in told and "0 of 16 patches" in told and "You guessed" not in told


@pytest.mark.parametrize("patch_size", [1, 4])
def test_a_model_of_other_patches(monkeypatch: pytest.MonkeyPatch, patch_size: int) -> None:
    """One's own training may have just begun, with patches of another size."""
    options = {"patch_size": patch_size, "n_layer": 1, "warped": True, "n_step": 5}
    running = experiment.start("digits", options, 3)
    shown = live.Live(running.record(), MappingProxyType(options), 3, 0, 5, True, False)
    monkeypatch.setattr(live, "_shown", lambda name, run: shown)
    told = text_of(clean(alone("cut", "similarity", "shuffle", cut_patch_8="2 × 2").run()))
    n_patch = (8 // patch_size) ** 2
    grid = "there is no grid to find" if n_patch == 4 else f"of {n_patch}** positions"
    assert grid in told and "the weights are drawn" in told


def test_without_a_trained_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    test = clean(alone("cut", "similarity", "shuffle").run())
    assert len(test.info) == 2 and "the weights are drawn" in text_of(test)
