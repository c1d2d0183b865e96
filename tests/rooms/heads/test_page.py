"""The room of attention heads, driven without a browser: clicks, links, edits, damaged models."""

import re
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import ui
from core.jobs.store import RunStore
from tests import tiny_model
from tests.pages.choices import headers, told
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "attention" / "heads.py")
page = partial(linked, PAGE, open="all")


def test_a_new_text_begins_at_its_last_token_and_a_link_at_its_own() -> None:
    test = clean(page(query="4").run())
    assert told(test)["query"]["value"] == 4
    begins = {name: told(test)[name]["begins"] for name in ("query", "key")}
    clean(test.text_area(key="text").set_value("Tom had a red ball.").run())
    now = told(test)["query"]
    assert now["value"] == now["high"] and now["begins"] != begins["query"]
    assert told(test)["key"]["begins"] != begins["key"]


def test_a_choice_that_a_link_locks_says_so() -> None:
    assert told(clean(page(layer="1", lock="layer").run()))["layer"]["fixed"] == "locked by the link"


def test_a_pair_is_taken_apart_and_stays_for_another_head() -> None:
    for head in ("2", "0"):
        test = clean(page(head=head, query="3", key="1").run())
        assert sum("q_{3}\\cdot k_{1}" in latex.value for latex in test.latex) == 1


def add_run(data: Path, owner: str = "somebody-else") -> str:
    """A run of somebody else, finished, with its checkpoint."""
    from core.train.recipes import RECIPES

    store = RunStore(data / "runs")
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


def test_a_recurrent_net_has_no_attention_to_show(data: Path) -> None:
    tiny_model.write(data / "models" / "my-gru", cell="gru")
    test = clean(page(model="my-gru").run())
    assert "this link's model is a recurrent net" in text_of(test)
    assert not [one for one in test.selectbox(key="model").options if "my-gru" in one or "GRU" in one]
    from core.train.recipes import RECIPES

    store = RunStore(data / "runs")
    recurrent = store.create("somebody-else", RECIPES["stories-gru"].to_dict(), seed=0)
    tiny_model.write(store.folder(recurrent), cell="gru")
    assert "this link's model is a recurrent net" in text_of(clean(page(model=recurrent).run()))


@pytest.mark.parametrize("damage", ["cut", "no-tokenizer"])
def test_a_damaged_checkpoint_is_told_in_plain_words(data: Path, damage: str) -> None:
    run_id = add_run(data)
    folder = RunStore(data / "runs").folder(run_id)
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
    tiny_model.write(RunStore(data / "runs").folder(run_id), n_layer=1, n_head=2)
    clean(test.run())
    assert told(test)["head"]["high"] == 1


def test_of_a_model_that_the_browser_cannot_run_the_server_hears_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    def told_of(test: AppTest) -> tuple[list[str], list[str | None]]:
        every = [*headers(test)]
        tells = [one["unless"] for name, one in every if name == "tell" and "off" in one["values"]]
        return [one["recipe"] for name, one in every if name == "computation"], tells

    recipes, (unless,) = told_of(clean(page(depth="story").run()))
    assert recipes == ["knock_out", "set_row"] and str(unless).startswith("weights/")
    monkeypatch.setattr(ui, "offer_weights", lambda key: None)
    test = clean(page(depth="story", off=["0.0", "1.0"]).run())
    assert told_of(test) == ([], [None]) and "The server runs this model" in text_of(test)
    assert "No head is off yet" not in text_of(test)
