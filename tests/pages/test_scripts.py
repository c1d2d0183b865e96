"""What exhibits give away: pictures, and scripts that print the very numbers that stand on the page."""

import ast
import csv
import io
import math
import re
import runpy
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from core.data.csv_export import csv_text
from core.exhibit import Inputs, NothingToShow
from core.rooms import all_exhibits
from core.train import experiment
from core.ui.exhibit import exhibit_panels
from core.ui.exhibit.exhibit import Exhibit
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing
from core.ui.exhibit.program import program_source
from core.ui.training import live_experiments
from tests.counts import in_turn
from tests.drawn import drawn, ends
from tests.library.contracts.test_exhibits import MODULES, module_of, run_once, train_little
from tests.pages.rooms import clean

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 30
ROOMS = sorted({name.split(".")[0] for name in all_exhibits()})
# Exhibits that can have none, and why.
WITHOUT: dict[str, str] = {"pixels.orders": "it has no numbers before a guess is made; its script is run in ELSEWHERE"}
# Exhibits that draw no picture, and why; their Download panel says so.
TABLE = "all that it shows are words and tables"
GUESS = "it draws when a guess has been made"
NO_PICTURE = {
    "masks.number-for-minus-infinity": TABLE,
    "families.family-table": TABLE,
    "encoder-decoder.beams": TABLE,
    "encoder-decoder.bleu-caveats": TABLE,
    "pretrained.open-a-model": TABLE,
    "strategies.who-crosses": TABLE,
    "sizes.slips": TABLE,
    "pixels.orders": GUESS,
}
PICTURES = ("bidi_component", "arrow_vega_lite_chart", "vega_lite_chart", "plotly_chart", "imgs")
# What a short program for a notebook has no business with.
NOT_IN_A_SCRIPT = re.compile(r"streamlit|core\.(ui|lessons|jobs)")


def shown_by(name: str, monkeypatch: pytest.MonkeyPatch, **address: str) -> tuple[str, str | None, int]:
    """What an exhibit shows: its table as CSV, its script, and how many pictures."""
    kept: list[tuple[str, str | None]] = []

    def footer(title: str, _code: Any, drawn: ExhibitDrawing | None, key: str) -> None:
        table = None if drawn is None else drawn.table()
        kept.append(("" if table is None else csv_text(table), drawn and exhibit_panels._script_of(title, drawn, key)))

    monkeypatch.setattr(exhibit_panels, "show_code_and_download_panels", footer)
    test = clean(drawn(name, **address).test)
    assert len(kept) == 1, name
    no_picture = tuple(f"glassformer_{name}" for name in ("choice", "sentence", "tell"))
    every = [one for kind in PICTURES for one in test.get(kind)]
    return *kept[0], sum(getattr(one.proto, "component_name", "") not in no_picture for one in every)


def printed_by(script: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What the script prints when it is run as a program."""
    path = folder / "script.py"
    path.write_text(script, encoding="utf-8")
    capsys.readouterr()
    runpy.run_path(str(path), run_name="__main__")
    return capsys.readouterr().out


def assert_same_table(printed: str, shown: str) -> None:
    found, wanted = (list(csv.reader(io.StringIO(text))) for text in (printed, shown))
    assert found[0] == wanted[0]
    assert len(found) == len(wanted)
    for row, (one, other) in enumerate(zip(found, wanted, strict=True)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert same_cell(a, b), f"row {row}: {a!r} is not {b!r}"


def same_cell(a: str, b: str) -> bool:
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return math.isclose(x, y, rel_tol=1e-5, abs_tol=1e-7) or (math.isnan(x) and math.isnan(y))


def imports_of(script: str) -> list[str]:
    nodes = list(ast.walk(ast.parse(script)))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return plain + [
        f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    ]


@pytest.mark.parametrize("room", in_turn(ROOMS, 8))
def test_the_scripts_of_a_room_print_what_it_shows(
    room: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    without = []
    for name in [name for name in all_exhibits() if name.split(".")[0] == room]:
        shown, script, n_picture = shown_by(name, monkeypatch)
        assert (n_picture == 0) == (name in NO_PICTURE), f"{name} draws {n_picture} pictures"
        if script is None:
            without.append(name)
            continue
        assert len(script.splitlines()) <= MOST_LINES, name
        assert script.rstrip().splitlines()[-1].startswith("print_table("), name
        assert not list(filter(NOT_IN_A_SCRIPT.match, imports_of(script))), name
        assert_same_table(printed_by(script, tmp_path, capsys), shown)
    assert [name for name in without if name not in WITHOUT] == []


# Addresses away from the defaults, hostile ones among them (a text stays a text): one of each room, and all that a
# picture writes there, which the sweep below cannot.
ELSEWHERE: dict[str, dict[str, str]] = {
    "masks.draw-your-own": {"text": 'Tom\'s "box". $folder {x} \\n # Mia', "drawn": "2.3.248"},
    "masks.padding-against-causal": {"batch_texts": 'Mia hid.\n"""\nTom \\ and Mia', "batch_more": "0"},
    "steps.whole-walk": {"walk_text": "a = $b \\ '\"", "walk_edits": "x.1.2=0.5~q.0.1.1=-1.25", "walk_seed": "7"},
    "steps.cost": {"cost_part": "Attention alone", "cost_width": "768"},
    "ngrams.counting-pairs": {"gram_cut": "characters", "gram_first": "3", "gram_top": "12"},
    "ngrams.how-far-back": {"gram_cut": "characters", "order_show": "all"},
    "ngrams.factor-by-factor": {"markov_sentence": "own", "markov_text": 'Tom $saw "a" \\ dog\'s {x}'},
    "ledger.when-ngram-wins": {"budget_text": "little stories", "budget_guess_stories": "Just show me"},
    "seq2seq.override": {"over_step": "3", "over_row": "3:0,0,1,0,0,0,0,0,0"},
    "seq2seq.forcing": {"force_model": "without attention", "force_reversal": "abcdef"},
    "choosing.score-gradients": {"grad_model": "soft", "grad_moment": "2", "baseline": "none", "grad_row": "3"},
    "tokens.four-ways": {"tokens_text": "a $b \\ '\"", "learned_from": "Only the text to be cut", "vocab": "512"},
    "tokens.how-large": {"learned_from": "Little stories", "vocab_width": "128"},
    "tokens.one-hot-look-up": {"text": "Tom saw Mia."},
    "patches.attention": {"attend_asks": "row 1, column 3", "attend_from": "drawing"},
    "patches.cut": {
        "cut_kind": "A photograph",
        "cut_photo": "flower",
        "cut_size": "32 × 32",
        "cut_color": "Gray",
        "cut_seed": "3",
    },
    "patches.rollout": {"roll_share": "0.25", "roll_digit": "88"},
    "patches.shuffle": {"shuffle_guess": "about half", "shuffle_pairs": "3", "shuffle_seed": "5"},
    "scales.reach": {"reach_shift": "never shifted", "reach_row": "0", "reach_column": "5", "reach_from": "drawing"},
    "scales.stages": {"stage_model": "Your own", "stage_patch": "2", "stage_window": "3", "stage_stages": "3"},
    "captions.look": {"look_from": "drawing"},
    "captions.swap": {
        "swap_word": "6",
        "swap_keep": "its words only",
        "swap_first_digit": "30",
        "swap_second_from": "drawing",
    },
    "pixels.complete": {"fill_from": "drawing", "fill_rows": "2", "fill_temperature": "1.0", "fill_top_k": "3"},
    "pixels.orders": {"orders_guess": "neither", "orders_digit": "30"},
    "pixels.quantise": {"quantise_photo": "flower"},
    "positions.learned-positions": {"positions_model": "stories"},
    "positions.contest": {"contest_guess": "Just show me"},
    "decoder.optimizer-step": {"adam_weight": "unembed.weight", "adam_row": "1"},
    "sizes.scale": {"scale_add": "BERT base", "model": "stories-learned"},
    "cache.tables-that-grow": {"table_layer": "1", "table_head": "0"},
    "block.where": {"param_of": "Your own sizes", "param_width": "128", "param_bias": "false"},
    "heads.set-a-row": {"row": "1.2.3:0.5,0,0.25,0.5", "edits": "3", "layer": "1", "head": "2"},
    "home.sentence-through": {"text": 'Mia\'s "kite" $x \\ {y}'},
    "next-token.what-comes-next": {"place": "7", "temperature": "0.5", "top_k": "9", "top_p": "0.8"},
    "next-token.write": {"written": "7", "seed": "3", "top_k": "9", "model": "stories-gru"},
    "strategies.strategies-side-by-side": {"columns": "greedyr2~m0.1s5x~beam3l0~y0.5", "columns_n": "9"},
    "strategies.what-temperature-does": {"sweep_p": "0.5", "place": "9"},
    "beam.truth": {
        "truth_penalty": "1",
        "truth_change": "true",
        "truth_after": "the",
        "truth_word": ".",
        "truth_p": "0.3",
    },
    "encoder.gaps": {"gap_text": 'Mia\'s "box" $x \\ {y} was\u2028sad.', "gap_places": "2.5"},
    "encoder.entities": {"entity_sentence": "own", "entity_text": 'İn "Paris" $x met \\ O\'Neil {y}'},
    "encoder-decoder.swap": {"swap_at": "2", "swap_second": "some red horses"},
    "families.who-reads": {"reads_task": "Round again: which 3 things come next?", "reads_walk": "owl $x fox fox"},
    "embeddings.dot-is-not-cosine": {"vectors": "2,1;-0.5,0"},
    "embeddings.nearest-tokens": {"token": "·he"},
    "embeddings.word-in-two-sentences": {
        "first": "Mia's {x} $y \\ was a kite",
        "second": "A blue kite",
        "word": "kite",
        "path": "whole vectors",
    },
    "pretrained.does-it-work": {"model": "stories-bert", "try_text": 'Tom\'s "box" $x {y} \\ Mia', "try_gap": "2"},
    "fewer-bits.how-many-bits": {"text": 'Tom\'s "box" $x', "bits_guess": "at 3 bits", "bits_scales": "32 weights"},
}


def elsewhere(module: ModuleType) -> Inputs:
    """An exhibit's inputs with each control that is no picture at the far end from where it begins."""
    values: dict[str, Any] = {}
    for field, control in module.Inputs.controls():
        now = module.Inputs(**values)
        there = () if control.kind == "asked" else ends(control.resolve(now))
        for value in [value for value in there if value != getattr(now, field)][-1:]:
            with suppress(ValueError, NothingToShow):  # what another control rules out
                module.Inputs(**values, **{field: value})
                values[field] = value
    return module.Inputs(**values)


@pytest.mark.full
@pytest.mark.parametrize("name", in_turn(sorted(MODULES), 8))
def test_a_script_follows_every_control(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    train_little(monkeypatch)
    module = module_of(name)
    inputs = elsewhere(module)
    trained = Exhibit.from_module(module, "").experiment(inputs)
    with suppress(NothingToShow):
        run = (run_once(trained),) if trained else ()
        result = module.compute(inputs, *run)
        if hasattr(result, "table"):
            script = program_source(name, inputs, trained, *run)
            assert_same_table(printed_by(script, tmp_path, capsys), csv_text(result.table()))


ONE_OF_EACH_ROOM = set({name.partition(".")[0]: name for name in ELSEWHERE}.values())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name not in ONE_OF_EACH_ROOM)) for name in ELSEWHERE]
)
def test_a_script_follows_the_address(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    shown, script, _ = shown_by(name, monkeypatch, **ELSEWHERE[name])
    usual, *_ = shown_by(name, monkeypatch)
    assert script is not None
    assert shown != usual
    assert_same_table(printed_by(script, tmp_path, capsys), shown)


@pytest.mark.parametrize(
    ("name", "experiment_name", "options"),
    [
        ("work.three-switches", "three-switches", {"n_step": 40}),
        pytest.param("work.induction", "induction", {"n_head": 1}, marks=pytest.mark.full),
        pytest.param("work.explanation", "explanation", {"n_head": 2}, marks=pytest.mark.full),
        ("tokens.own-tokens", "own-tokens", {"text": 'Tom\'s "red" $ball \\ 🦎', "n_step": 20}),
    ],
)
def test_a_script_trains_what_the_learner_has_trained_so_far(
    name: str,
    experiment_name: str,
    options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Other options, another seed, stopped after six steps."""
    running = experiment.make_experiment(experiment_name, options, 3)
    for _ in range(6):
        running.advance()
    now = live_experiments.ExperimentRun(
        running.record(), {"n_step": running.n_step} | options, 3, 6, running.n_step, False, False
    )
    monkeypatch.setattr(live_experiments, "train_experiment_on_click", lambda *args, **how: now)
    shown, script, _ = shown_by(name, monkeypatch)
    assert script is not None
    assert_same_table(printed_by(script, tmp_path, capsys), shown)


def test_a_model_of_ones_own_has_a_place_to_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is nothing that a script could know, or should tell."""
    from tests import tiny_model

    tiny_model.write(tmp_path / "models" / "mine")
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    _, script, _ = shown_by("masks.where-the-mask-belongs", monkeypatch, model="mine")
    assert script is not None
    assert 'load_model_and_text("path/to/the/model", ' in script and "Name a folder" in script
    assert str(tmp_path) not in script
