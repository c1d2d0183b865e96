"""The room of attention heads, driven without a browser: clicks, links, edits, damaged models."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import ui
from core.jobs.store import Store
from core.rooms.heads import all_heads, one_head
from core.ui.controls import choices
from tests import tiny_model
from tests.drawn import drawn
from tests.pages.choices import headers, looked, told
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "attention" / "heads.py")
page = partial(linked, PAGE, open="all")


def test_opens_with_a_result_and_names_no_head_above_every_score() -> None:
    assert "reads all tokens alike" in text_of(clean(page().run()))
    for threshold in ("1.0", "0.05"):
        assert ("**None of" in text_of(clean(page(threshold=threshold).run()))) == (threshold == "1.0")
    for score in ("First token", "Focus"):
        test = clean(page(rank=score).run())
        assert "reads all tokens alike would get" in text_of(test)
    assert "would get 0.00" in text_of(test)


def test_every_sentence_that_the_browser_can_choose_says_what_the_exhibit_computes() -> None:
    """The counts of all scores and thresholds are sent at once: each must be the one of the exhibit's own result."""
    inputs = all_heads.Inputs()
    for name in all_heads.RANKS:
        for threshold in (0.05, 0.2, 0.5, 1.0):
            result = all_heads.compute(all_heads.Inputs(given=inputs.given, rank=name, threshold=threshold))
            text = text_of(clean(page(rank=all_heads.RANKS[name], threshold=str(threshold)).run()))
            n, value = len(result.reached), result.scored[0].value
            assert (
                f"**{n or 'None'} of {len(result.ranked)}** heads {'reaches' if n < 2 else 'reach'} {threshold:.2f}"
                in text
            )
            assert f"{value:.2f} ★ layer {result.scored[0].layer}, head {result.scored[0].head}" in text


def test_the_row_of_a_head_says_where_it_reads_from() -> None:
    given = one_head.Inputs().given
    for layer, head, query in ((0, 1, 5), (1, 3, 29)):
        row = given.attention.weights[layer, head, query]
        text = text_of(clean(page(layer=str(layer), head=str(head), query=str(query)).run()))
        assert f"from token {row.argmax()} " in text and f"{row.max():.2f} of 1." in text


def test_the_arithmetic_of_a_weight_is_shown_for_weights_alone() -> None:
    for shows, has_formula in (("Weights", True), ("Scores", False)):
        test = clean(page(shows=shows).run())
        head = next(one for name, one in headers(test) if name == "matrix" and "query" in str(one["chooses"]))
        assert (looked(head["operands"], test) is not None) == has_formula


def test_of_a_large_model_one_head_is_sent_and_the_server_hears_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    def matrix(test: AppTest) -> dict[str, Any]:
        return next(header for name, header in headers(test) if name == "matrix" and "query" in str(header["chooses"]))

    every = matrix(page(depth="story", layer="1", head="2").run())
    assert every["arrays"]["values"]["along"] == ["shows", "layer", "head"]
    monkeypatch.setattr(choices, "MOST_NUMBERS", 0)
    test = clean(page(depth="story", layer="1", head="2").run())
    one = matrix(test)
    assert one["arrays"]["values"]["along"] == ["shows"]
    assert looked(one["label"], test) == "Layer 1, head 2"
    assert {"gf-tell-one-head", "gf-tell-all-heads"} & {one.key for one in test.get("bidi_component")} == {
        "gf-tell-one-head"
    }


def test_a_new_text_begins_at_its_last_token_and_a_link_at_its_own() -> None:
    test = clean(page(query="4").run())
    assert told(test)["query"]["value"] == 4
    begins = {name: told(test)[name]["begins"] for name in ("query", "key")}
    clean(test.text_area(key="text").set_value("Tom had a red ball.").run())
    now = told(test)["query"]
    assert now["value"] == now["high"] and now["begins"] != begins["query"]
    assert told(test)["key"]["begins"] != begins["key"]


def test_choices_that_no_control_offers_are_not_used() -> None:
    test = page(layer="99", head="x", query="-3", rank="nonsense", key="3.5").run()
    assert not test.exception and len(test.warning) == 5
    assert {name: one["value"] == one["default"] for name, one in told(test).items()}["layer"]
    test = page(layer="1", lock="layer").run()
    assert told(clean(test))["layer"]["fixed"] == "locked by the link"


def test_a_pair_is_taken_apart_and_stays_for_another_head() -> None:
    for head in ("2", "0"):
        test = clean(page(head=head, query="3", key="1").run())
        assert sum("q_{3}\\cdot k_{1}" in latex.value for latex in test.latex) == 1


def test_the_rollout_says_of_each_row_what_it_needs() -> None:
    said = [text_of(clean(page(rollout_row=row).run())) for row in ("3", "21")]
    assert "After 3 “played” comes" in said[0] and "After 21 “Mia” comes" in said[1]


def test_heads_switched_off_change_the_loss_and_without_any_it_is_the_models_own() -> None:
    def told(**link: str) -> tuple[str, str]:
        text = text_of(clean(page(depth="numbers", **link).run()))
        return text, re.search(r"Loss of the text: \**([\d.−]+)\** \(", text)[1]

    text, own = told(off="")
    assert "before and after are the same" in text and "KL divergence: 0.000" in text
    text, without = told()  # it opens with one off
    assert "No head is off yet" not in text and float(without) > float(own) + 0.3
    assert told(instead="its mean")[1] not in (own, without)


def open_editor(**address: str) -> AppTest:
    return clean(page(**address).run())


def test_a_link_with_an_edited_row_shows_the_edit() -> None:
    test = open_editor(layer="0", head="0", row="0.0.2:0.5,0.25,0.25")
    assert "Nothing is edited yet" not in text_of(test)
    assert "summed to 1.500" in text_of(open_editor(layer="0", head="0", row="0.0.2:0.5,0.5,0.5"))
    other = open_editor(layer="1", head="0", row="0.0.2:0.5,0.25,0.25")
    assert "Nothing is edited yet" in text_of(other)


@pytest.mark.parametrize("row", ["x", "0.0.2:nan,0,0", "0.0.999:1", "0.0.2:0,0,0", "0.0.2:" + "1," * 5000])
def test_a_link_with_a_broken_row_says_so(row: str) -> None:
    test = open_editor(layer="0", head="0", row=row)
    assert "Nothing is edited yet" in text_of(test)
    assert len(test.warning) == 1


def add_run(data: Path, owner: str = "somebody-else") -> str:
    """A run of somebody else, finished, with its checkpoint."""
    from core.train.recipes import RECIPES

    store = Store(data / "runs")
    run_id = store.create(owner, RECIPES["stories"].to_dict(), seed=0, name="A *run* of mine")
    tiny_model.write(store.folder(run_id), n_layer=1)
    return run_id


def test_a_link_to_another_persons_run_works_for_looking_and_one_to_no_run_says_so(data: Path) -> None:
    run_id = add_run(data)
    for link in (run_id, f"A *run* of mine · {run_id}"):
        test = clean(page(model=link).run())
        assert test.selectbox(key="model").value == run_id
    assert "1 layer" in text_of(test)
    test = clean(page(model="0123456789abcdef").run())
    assert "There is no run" in text_of(test) and "reads all tokens alike" in text_of(test)


def test_the_list_of_models_shows_titles_and_the_address_ids(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ui.models.picker.owner_id", lambda: "a learner")
    twins = [add_run(data, "a learner") for _ in range(2)]
    test = clean(page(model=twins[1]).run())
    titles = test.selectbox(key="model").options
    assert len({*titles}) == len(titles) and {"A *run* of mine", "A *run* of mine (2)"} <= {*titles}
    assert not [title for title in titles if re.search("[0-9a-f]{16}", title)]
    assert test.query_params["model"] in (twins[1], [twins[1]])
    test.selectbox(key="model").select_index(titles.index("A *run* of mine")).run()
    other = {"A *run* of mine", "A *run* of mine (2)"}
    assert clean(test).selectbox(key="model").value == twins[0] and other <= {*titles}
    assert test.query_params["model"] in (twins[0], [twins[0]])
    test.selectbox(key="model").select_index(0).run()
    assert clean(test).selectbox(key="model").value == "stories" and "model" not in test.query_params


def test_a_model_without_a_causal_mask_can_be_looked_at(data: Path) -> None:
    run_id = add_run(data)
    tiny_model.write(Store(data / "runs").folder(run_id), causal=False)
    test = clean(page(model=run_id, rollout_row="0", query="0").run())
    assert "would get 0." in text_of(test)
    assert "It can read no other token." not in text_of(test)  # its first token reads the later ones
    clean(page(model=run_id, rank="Focus").run())


def test_a_recurrent_net_has_no_attention_to_show(data: Path) -> None:
    tiny_model.write(data / "models" / "my-gru", cell="gru")
    test = clean(page(model="my-gru").run())
    assert "this link's model is a recurrent net" in text_of(test)
    assert not [one for one in test.selectbox(key="model").options if "my-gru" in one or "GRU" in one]
    from core.train.recipes import RECIPES

    store = Store(data / "runs")
    recurrent = store.create("somebody-else", RECIPES["stories-gru"].to_dict(), seed=0)
    tiny_model.write(store.folder(recurrent), cell="gru")
    assert "this link's model is a recurrent net" in text_of(clean(page(model=recurrent).run()))


@pytest.mark.parametrize("damage", ["cut", "no-tokenizer"])
def test_a_damaged_checkpoint_is_told_in_plain_words(data: Path, damage: str) -> None:
    run_id = add_run(data)
    folder = Store(data / "runs").folder(run_id)
    if damage == "cut":
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:1000])
    else:
        (folder / "tokenizer.json").unlink()
    test = page(model=run_id).run()
    assert not test.exception
    assert len(test.error) == 1 and "Choose another model" in test.error[0].value
    test.selectbox(key="model").set_value("stories")
    clean(test.run())


def test_a_new_checkpoint_is_seen_at_once(data: Path) -> None:
    run_id = add_run(data)
    test = clean(page(model=run_id).run())
    assert told(test)["head"]["high"] == 3
    tiny_model.write(Store(data / "runs").folder(run_id), n_layer=1, n_head=2)
    clean(test.run())
    assert told(test)["head"]["high"] == 1


@pytest.mark.parametrize("name", ["heads.set-a-row", "heads.switch-off"])
def test_in_a_lesson_too_effects_are_measured_on_models_of_the_next_token_alone(name: str) -> None:
    told = " ".join(one.value for one in clean(drawn(name, model="stories-bert").test).info)
    assert "This room is for decoders (GPT)" in told


def test_of_a_model_that_the_browser_cannot_run_the_server_hears_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    def told_of(test: AppTest) -> tuple[list[str], list[str | None]]:
        every = [*headers(test)]
        tells = [one["unless"] for name, one in every if name == "tell" and "off" in one["values"]]
        return [one["recipe"] for name, one in every if name == "computation"], tells

    recipes, (unless,) = told_of(clean(page(depth="story").run()))
    assert recipes == ["knock_out", "set_row"] and str(unless).startswith("weights/")
    monkeypatch.setattr(ui, "offer", lambda key: None)
    test = clean(page(depth="story", off=["0.0", "1.0"]).run())
    assert told_of(test) == ([], [None]) and "The server runs this model" in text_of(test)
    assert "No head is off yet" not in text_of(test)
