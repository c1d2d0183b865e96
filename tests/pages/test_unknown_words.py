"""In every field for a text of one's own an unknown word is named, and a click puts a known one in its place."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import Control
from core.ui.controls import controls
from core.ui.exhibit import exhibit, exhibit_input_form
from tests.pages.rooms import clean, linked, text_of

ROOT = Path(__file__).resolve().parents[2]
TYPED = "日 the dog."  # no vocabulary of words or letters here has the first
OTHERS = ("", " ", "the dog", "Привет мир", "🙂", "Zaphod drives", "  ,.!  ", "<mask> * [x](y) $a$", "zebra " * 833)
# The page on which the fields of a file stand, and what a link must choose so that they do.
PAGE = {
    "ui/models/pick_inputs": ("generate/next_token", {"model": "stories-gru"}),
    "rooms/hard_attention/lecture": ("before/choosing", {}),
    "rooms/decoder/leak": ("families/decoder", {}),
    "rooms/decoder/write": ("families/decoder", {}),
    "rooms/draft_and_verify/film": ("today/draft_and_verify", {}),
    "rooms/embeddings/pick_sentences": ("attention/embeddings", {"model": "stories-alibi"}),
    "rooms/encoder/class_attention": ("families/encoder", {"class_review": "own"}),
    "rooms/encoder/directions": ("families/encoder", {}),
    "rooms/encoder/entities": ("families/encoder", {"entity_sentence": "own"}),
    "rooms/encoder/finetune": ("families/encoder", {"tune_review": "own"}),
    "rooms/encoder/gaps": ("families/encoder", {}),
    "rooms/encoder/next_sentence": ("families/encoder", {}),
    "rooms/encoder/together": ("families/encoder", {}),
    "rooms/encoder_decoder/applications": ("families/encoder_decoder", {"apps_task": "question"}),
    **{
        f"rooms/encoder_decoder/{exhibit}": ("families/encoder_decoder", {})
        for exhibit in ("beams", "forcing", "looks_back", "maps", "roles", "swap", "translate")
    },
    "rooms/families/same_question": ("families/table", {}),
    "rooms/families/who_reads": ("families/table", {}),
    "rooms/ledger/ledger": ("before/ledger", {"ledger_sentence": "your own"}),
    "rooms/masks/batch": ("attention/masks", {}),
    "rooms/masks/cheating": ("attention/masks", {}),
    "rooms/masks/kinds": ("attention/masks", {"mask_reads": "Another text (cross-attention)"}),
    "rooms/ngrams/markov": ("before/ngrams", {"markov_sentence": "own"}),
    "rooms/pretrained/model_choice": ("families/pretrained", {}),
    "rooms/recurrent/both_ends": ("before/recurrent", {}),
    "rooms/seq2seq/alignment": ("before/seq2seq", {"align_task": "a date"}),
    "rooms/seq2seq/dates": ("before/seq2seq", {}),
    "rooms/seq2seq/forcing": ("before/seq2seq", {}),
    "rooms/seq2seq/override": ("before/seq2seq", {}),
}
ANY_WORD = {
    "rooms/pretrained/check": "only of models that find answers; none ships, and unknown words are named there, too",
    "rooms/embeddings/which_token": "only of models with more tokens than a list can show; none of them ships",
    "rooms/encoder_decoder/caveats": "BLEU compares words, whatever they are",
    "rooms/heads/set_a_row": "a row of weights, which no field asks for",
    "rooms/masks/draw": "a mask, which no field asks for",
    "rooms/patches/hide": "hidden patches, which no field asks for",
    "rooms/home/sentence": "the browser reads it, and its caption names what is spelled letter by letter",
    "rooms/model_map/whole_model": "the browser reads it, and says below the map what is spelled letter by letter",
    "rooms/positions/inputs": "every word gets a drawn vector; and numbers of places",
    "rooms/step_by_step/walk": "every word gets a drawn vector",
    "rooms/adapters/experiments/adapters": "lines of one's own, whose other words are read letter by letter",
    "rooms/adapters/fifty_lines": "as the lines",
    "rooms/studio/watch": "names of tensors; wrong ones are told in tests/rooms/studio/test_watch.py",
    "rooms/adapters/on_and_off": "as the lines",
    "rooms/adapters/thin_update": "as the lines",
    "rooms/circuits/features": "a story's beginning, whose other words are read letter by letter",
    "rooms/tokens/born": "byte-pair encoding spells everything",
    "rooms/tokens/own": "byte-pair encoding spells everything",
    "rooms/tokens/pick_text": "what each vocabulary loses is what the room shows; its own tokens spell everything",
    "rooms/studio/watched_tensors": "as rooms/studio/watch, whose field it is",
    "rooms/studio/selected_run": "names a run; no control asks for it",
    "rooms/sweeps/selected_sweep": "names a sweep; no control asks for it",
    "rooms/sweeps/setup": "values of settings, and what is none is named beside the button",
    "rooms/tokens/experiments/own_tokens": "as rooms/tokens/pick_text, which asks for it",
}
PAGES = sorted({page for page, _ in PAGE.values()})
QUICK = ("before/ledger", "before/ngrams", "families/table", "generate/next_token")


def file_of(path: str) -> str:
    return Path(path).resolve().relative_to(ROOT / "core").with_suffix("").as_posix()


def link(page: str) -> dict[str, str]:
    return {name: value for where, needed in PAGE.values() if where == page for name, value in needed.items()}


def places(node: Any, path: tuple[int, ...] = ()) -> dict[str, tuple[int, ...]]:
    """Where each exhibit's head stands among all that the page draws."""
    if getattr(node, "type", "") == "subheader":
        return {node.value: path}
    below = getattr(node, "children", {})
    return {name: where for i, one in below.items() for name, where in places(one, (*path, i)).items()}


def opened(page: str) -> AppTest:
    test = linked(str(ROOT / "app.py"), **link(page))
    test.switch_page(f"pages/{page}.py")
    return clean(test.run())


@pytest.fixture
def fields(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """Each field that is drawn, and the file that asks."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")
    found: dict[str, str] = {}

    asked_by_controls = controls.render_control

    def noted(control: Control) -> Any:
        asking = file_of(sys._getframe(1).f_code.co_filename)
        if control.kind.startswith("text") and asking != "ui/exhibit/exhibit_input_form":  # of those see below
            found[str(control.name)] = asking
        return asked_by_controls(control)

    def noted_by_class(kind: Any, *args: Any, **how: Any) -> Any:
        given = exhibit_input_form.render_inputs(kind, *args, **how)
        for name, control in kind.controls():
            owner = next(one for one in kind.__mro__ if name in vars(one).get("__annotations__", {}))
            is_asked = given is not None and (control.when is None or control.when(given))
            if control.kind.startswith("text") and is_asked:
                found.setdefault(str(control.name), file_of(str(sys.modules[owner.__module__].__file__)))
        return given

    monkeypatch.setattr(controls, "render_control", noted)
    monkeypatch.setattr(exhibit, "render_inputs", noted_by_class)
    return found


def test_every_field_is_swept_or_takes_any_word() -> None:
    asking = {
        file_of(str(path))
        for path in (ROOT / "core").rglob("*.py")
        if path not in (ROOT / "core/exhibit/controls.py", ROOT / "core/ui/controls/controls.py")
        and re.search(r"(\b(exhibit|inputs)\.|= )text_(input|area)\(", path.read_text(encoding="utf-8"))
    }
    assert asking == set(PAGE) | set(ANY_WORD)


@pytest.mark.parametrize("page", [p if p in QUICK else pytest.param(p, marks=pytest.mark.full) for p in PAGES])
def test_an_unknown_word_is_named_and_known_ones_are_offered(page: str, fields: dict[str, str]) -> None:
    test = opened(page)
    assert {file for file, (where, _) in PAGE.items() if where == page} <= set(fields.values())

    def box(name: str) -> Any:
        return next(one for one in [*test.text_input, *test.text_area] if one.key == name)

    for name in [name for name, file in fields.items() if file in PAGE]:
        before, stood = box(name).value, places(test.main)
        clean(box(name).set_value(TYPED).run())
        assert places(test.main) == stood, f"a note of {name} moves what stands below, which then begins anew"
        assert "“日" in text_of(test), name
        offered = [one for one in test.button if str(one.key).startswith(f"gf-offer-{name}-")]
        assert 1 <= len(offered) <= 6, name
        clean(offered[0].click().run())
        label, value = offered[0].label, box(name).value
        assert value.startswith(label) and TYPED.removeprefix("日").startswith(value[len(label) :]), name
        clean(box(name).set_value(before).run())


@pytest.mark.full
@pytest.mark.parametrize("page", PAGES)
def test_whatever_is_typed_brings_no_fault(page: str, fields: dict[str, str]) -> None:
    test = opened(page)
    for text in OTHERS:
        for one in [*test.text_input, *test.text_area]:
            if fields.get(str(one.key)) in PAGE:
                one.set_value(text)
        clean(test.run())
