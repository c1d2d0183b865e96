"""Every exhibit that opens a decoder, on today's: it computes or says why not, and its numbers follow from each other.

Which exhibits these are is read from their declarations; models have windows, caps, norms behind the parts, parts side
by side, experts, heads that share keys, positions that turn in part (`tests/todays_decoders.py`).
"""

import importlib
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from core.exhibit import NothingToShow, option_values
from core.generate.cache import CachedModel
from core.inspect import attention_record, head_scores as heads, rollout
from core.inspect.attention_record import AttentionRecord, max_change_per_position
from core.inspect.costs.model_cost import decoding_step_cost
from core.inspect.logit_lens import logit_lens
from core.inspect.model_inputs.model_and_text import ModelAndText, encode_text, load_any_model, sample_text_of
from core.inspect.model_inputs.model_key import ModelKey
from core.models.gpt import GPTConfig
from core.nn.masks import sliding_window
from core.nn.tap import Trace
from core.rooms import all_exhibits
from core.rooms.block import through_the_block
from core.rooms.block.compute import residual_stream
from core.rooms.cache import same_words, tables
from core.rooms.decoder import one_step
from core.rooms.decoder.compute.readout import LastRow, last_row
from core.rooms.heads import one_head, set_a_row
from core.rooms.heads.compute import ablation
from core.rooms.masks.compute.masks import MaskedHeads, cross_attention_heads, run_with_mask
from core.rooms.tokens import rows
from core.ui.exhibit.exhibit_drawing_state import _arrays_of
from tests import todays_decoders
from tests.counts import in_turn

TEXT = "Tom and Mia played near the park. Mia hid under the bench."
CLOSE: Any = {"rtol": 1e-4, "atol": 1e-5}
REFUSES: dict[str, Callable[[Any], bool]] = {
    "positions.learned-positions": lambda config: True,  # angles are fixed: there is nothing learned
    "block.units": lambda config: config.modern.experts is not None,
}
every_special = pytest.mark.parametrize("name", todays_decoders.SPECIAL)
MORE = [pytest.param(one, marks=pytest.mark.full) for one in todays_decoders.MORE]
every_model = pytest.mark.parametrize("name", [*todays_decoders.SPECIAL, *MORE])
models_in_turn = pytest.mark.parametrize("name", [*in_turn(todays_decoders.SPECIAL, 3), *MORE])
special_in_turn = pytest.mark.parametrize("name", in_turn(todays_decoders.SPECIAL, 3))


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ModelAndText]:
    @cache
    def of(name: str, text: str = TEXT) -> ModelAndText:
        if name not in folders:
            folders[name] = todays_decoders.write(tmp_path_factory.mktemp("models") / name, name)
        key = ModelKey.at(folders[name])
        return ModelAndText(key, encode_text(key, text))

    folders: dict[str, Any] = {}
    return of


def looked_at(module: ModuleType, found: ModelAndText) -> dict[str, Any]:
    """The inputs with which an exhibit looks at this model; none where it looks at no decoder."""
    values: dict[str, Any] = {}
    for name, control in module.Inputs.controls():
        if control.kind != "custom":
            continue
        try:
            first = control.resolve(None).default
        except (AttributeError, TypeError):  # it follows from the values above
            continue
        key = first.key if isinstance(first, ModelAndText) else first
        if isinstance(key, ModelKey) and isinstance(load_any_model(key).config, GPTConfig):
            most = first.encoded.most if isinstance(first, ModelAndText) else None
            read = ModelAndText(found.key, encode_text(found.key, sample_text_of(found.key), most))
            values[name] = read if isinstance(first, ModelAndText) else found.key
    return values


@pytest.fixture
def is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time each step only once, because the timing doesn't matter here."""
    monkeypatch.setattr(same_words, "compare_cache", partial(same_words.compare_cache, n_repeat=1))


@pytest.mark.slow
@models_in_turn
@pytest.mark.usefixtures("is_quick")
def test_every_exhibit_of_a_decoder_computes_or_says_why_not(given: Any, name: str) -> None:
    tried = 0
    for exhibit, entry in all_exhibits().items():
        module = importlib.import_module(entry.module)
        values = looked_at(module, given(name))
        if not values:
            continue
        tried += 1
        refuses = exhibit in REFUSES and REFUSES[exhibit](given(name).config)
        try:
            result = module.compute(module.Inputs(**values))
        except NothingToShow as nothing:
            assert refuses and str(nothing).endswith("."), f"{exhibit}: {nothing}"  # noqa: PT017
            continue
        assert not refuses, exhibit
        if hasattr(result, "table"):
            assert len({len(column) for column in result.table().values()}) == 1, exhibit
        assert isinstance(getattr(result, "formula", ""), str), exhibit
        for what, array in _arrays_of(result).items():
            assert array.dtype != object, f"{exhibit}: {what}"
        for record in records_of(result):
            weights_follow_from_scores(record)
    assert tried >= 40


@pytest.mark.full
@every_model
@pytest.mark.usefixtures("is_quick")
def test_each_control_to_its_ends(given: Any, name: str) -> None:
    for exhibit, entry in all_exhibits().items():
        module = importlib.import_module(entry.module)
        values = looked_at(module, given(name))
        begin = module.Inputs(**values) if values else None
        for field, control in module.Inputs.controls() if values else ():
            at = control.resolve(begin)
            ends: tuple[Any, ...] = ()
            if control.kind in ("slider", "number"):
                ends = (at.options["low"], at.options["high"])
            elif control.kind in ("select", "segmented"):
                ends = tuple(option_values(at))[:8]
            for value in ends:
                inputs = module.Inputs(**values, **{field: value})
                trained = getattr(module, "TRAINED", "")
                if callable(trained) and trained(inputs):
                    continue  # of a model that the room trains
                try:
                    module.compute(inputs)
                except NothingToShow as nothing:
                    assert str(nothing).endswith("."), f"{exhibit}: {field}={value}"  # noqa: PT017


def records_of(result: Any) -> Iterator[AttentionRecord | MaskedHeads]:
    for one in (result, *vars(result).values()) if hasattr(result, "__dict__") else (result,):
        if isinstance(one, AttentionRecord | MaskedHeads):
            yield one


def weights_follow_from_scores(record: AttentionRecord | MaskedHeads) -> None:
    """The displayed scores under the displayed mask give the displayed weights."""
    if isinstance(record, MaskedHeads):
        scores, weights, masks = record.all_scores, record.all_weights, record.mask[None]
    else:
        scores, weights, masks = record.scores, record.weights, record.masks
    open_ = torch.tensor(np.broadcast_to(masks[:, None], scores.shape))
    again = torch.tensor(scores).masked_fill(~open_, -torch.inf)
    if record.sinks is not None:  # one more column, which is then left out
        sinks = torch.tensor(record.sinks)[:, :, None, None].expand(*again.shape[:-1], 1)
        again = torch.cat([again, sinks], -1)
    again = again.softmax(-1).nan_to_num()[..., : scores.shape[-1]]
    np.testing.assert_allclose(weights, again.numpy(), **CLOSE)
    assert (weights[~open_.numpy()] == 0).all()


@every_model
def test_a_layer_reads_within_its_window_and_learns_of_the_rest_in_steps(given: Any, name: str) -> None:
    found = given(name)
    record, config, n = found.attention, found.config, found.n_token
    for layer, mask in enumerate(record.masks):
        window = config.modern.window if config.has_window(layer) else n
        assert np.array_equal(mask, sliding_window(n, window).numpy())
        assert np.array_equal(record.mask_of(layer), mask)
        assert set(zip(*np.nonzero(mask), strict=True)) == set(
            zip(*(record.head_table(found.tokens, layer, 0)[side] for side in ("query", "key")), strict=True)
        )
    assert record.layers_differ == (config.modern.windowed is not None)
    before = torch.tensor(record.logits)
    moved = np.zeros((n, n), bool)
    for s in range(n):  # what really arrives of a token
        changed = list(found.ids)
        changed[s] = (changed[s] + 7) % config.vocab_size
        after = torch.tensor(attention_record.attention(found.model, changed).logits)
        moved[:, s] = max_change_per_position(found.model, after, before).numpy() > 0
    assert np.array_equal(moved, record.reach)


@every_special
def test_hiding_a_token_is_measured_where_something_of_it_arrives(given: Any, name: str) -> None:
    found = given(name)
    hidden = rollout.occlude_tokens(found.model, found.ids, found.attention.reach)
    expected = found.attention.reach & ~np.eye(found.n_token, dtype=bool)
    assert np.array_equal(np.isfinite(hidden.change), expected)
    whole = rollout.rollout(found.attention.weights)[-1]
    assert (whole[~found.attention.reach] == 0).all()


@every_special
def test_a_score_in_its_own_numbers(given: Any, name: str) -> None:
    """Each line of the formula holds: both sides of every sign are the same number."""
    record = given(name).attention
    for at in ((0, 0, 9, 7), (1, 2, 5, 4), (2, 3, 13, 13)):
        lines = one_head.score_in_numbers(record, *at).split(r"\\")
        known: dict[str, float] = {}
        for line in lines:
            left, _, right = line.partition("&=")
            *terms, shown = right.split("=")
            for term in terms:
                assert value_of(term, known) == pytest.approx(float(shown), abs=2e-3), line
            known[left.strip()] = float(shown)
        assert known[r"\text{score}"] == pytest.approx(float(record.scores[at]), abs=1e-3)
    symbols = one_head.score_in_symbols(record, "qk", r"\frac{qk}{\sqrt{d}}")
    assert (r"\tanh" in symbols) == (record.softcap is not None)


@every_special
def test_a_weight_in_its_own_numbers(given: Any, name: str) -> None:
    found = given(name)
    record, masked = (
        found.attention,
        cross_attention_heads(found.model, found.ids, found.ids[:6], 5, 1, 2, found.tokens),
    )
    head = {"layer": 1, "head": 2, "query": 5, "key": 4, "weights": record.weights[1, 2], "has_sink": False}
    row = one_head.OneHead(record=record, tokens=found.tokens, **head).formula
    for formula, weight in ((row, record.weights[1, 2, 5, 4]), (masked.formula, masked.weights[13].max())):
        above, below, shown = re.findall(r"\\frac\{([\d.]+)\}\{([\d.]+)\} = ([\d.]+)", formula)[-1]
        assert float(above) / float(below) == pytest.approx(float(shown), abs=1e-3)
        assert float(shown) == pytest.approx(float(weight), abs=1e-4)
        assert (r"\text{sink}" in formula or " + e^{" in formula) == (name == "sinks-and-gates")


def value_of(latex: str, known: dict[str, float]) -> float:
    text = re.sub(r"\\frac\{([^{}]*)\}\{\\sqrt\{([^{}]*)\}\}", r"(\1) / math.sqrt(\2)", latex)
    text = text.replace(r"\cdot", "*").replace(r"\,", "*").replace(r"\tanh", "math.tanh")
    names = {name: value for name, value in known.items() if name.isidentifier()}
    return float(eval(text, {"math": math, **names}))  # noqa: S307  (of our own)


@every_special
def test_what_a_head_would_get_that_reads_all_alike(given: Any, name: str) -> None:
    found = given(name)
    model, masks = found.model, found.attention.masks
    alike = {
        f"blocks.{layer}.attn.weights": lambda x, mask=mask: (
            torch.tensor(mask / mask.sum(-1, keepdims=True)).to(x.dtype).expand_as(x)
        )
        for layer, mask in enumerate(masks)
    }
    with torch.no_grad(), Trace(model, alike) as traced:
        model(torch.tensor([found.ids]))
    scores = heads.head_scores_from_weights(
        attention_record.stack_layers(traced, "attn.weights"), found.ids, mask=masks
    )
    for score in ("previous_token", "first_token", "current_token", "focus"):
        uniform = scores.uniform[score]
        np.testing.assert_allclose(getattr(scores, score), np.broadcast_to(uniform[:, None], (3, 4)), atol=1e-6)
    one = heads.score_heads(model, found.ids)
    assert all(0 <= value <= 1 for value in one.focus.ravel())


def test_a_window_of_one_leaves_no_choice() -> None:
    weights = np.broadcast_to(np.eye(5), (2, 1, 5, 5))
    masks = np.stack([np.tril(np.ones((5, 5), bool)), np.eye(5, dtype=bool)])
    scores = heads.head_scores_from_weights(weights, [1, 2, 3, 4, 5], mask=masks)
    assert scores.focus[0, 0] == pytest.approx(1) and np.isnan(scores.focus[1, 0])
    assert heads.rank_heads(scores, "focus")[0].layer == 0


@pytest.mark.parametrize("name", ["mistral", "gemma-2", "gemma-3"])
def test_a_row_cannot_reach_beyond_the_window_of_its_layer(given: Any, name: str) -> None:
    found, row = given(name), np.zeros(14)
    row[2] = 1
    with pytest.raises(ValueError, match=r"may look at the tokens .* in layer 0"):
        ablation.set_attention_row(found.model, found.ids, 0, 0, 12, row.tolist())
    at = {"given": found, "layer": 0, "head": 0}
    assert "Its window is short." in set_a_row.parse_row(set_a_row.Inputs(**at, row="0.0.12:0,0,1")).refused
    effect = set_a_row.compute(set_a_row.Inputs(**at, row="0.0.12:0,0,1")).effect
    assert (effect.kl == 0).all()  # it is not used
    row = np.roll(row, 9)
    assert ablation.set_attention_row(found.model, found.ids, 0, 0, 12, row.tolist()).kl[12:].any()


@every_special
def test_a_model_under_its_own_masks_is_itself(given: Any, name: str) -> None:
    found = given(name)
    ids = torch.tensor([found.ids])
    whole = torch.ones(14, 14, dtype=torch.bool).tril()
    under = run_with_mask(found.model, ids, whole, keeps_windows=True)["logits"][0]
    np.testing.assert_allclose(under.numpy(), found.attention.logits, **CLOSE)
    weights_follow_from_scores(cross_attention_heads(found.model, found.ids, found.ids[:6], 5, 0, 0))
    read = cross_attention_heads(
        found.model, found.ids, found.ids, 14, 0, 0
    )  # itself: the scores are then those of one pass
    np.testing.assert_allclose(read.all_scores, found.attention.scores, **CLOSE)


@every_model
@pytest.mark.parametrize("last", [False, True], ids=["first", "last"])
def test_the_stages_of_a_block(given: Any, name: str, last: bool) -> None:
    found, model = given(name), given(name).model
    layer = len(model.blocks) - 1 if last else 0
    record, block = residual_stream.record_block(model, found.ids, layer), model.blocks[layer]
    style = found.config.block
    vectors = {one.name: torch.tensor(one.vectors) for one in record.stages}
    assert record.is_sum and len(record.sums) == 2
    for before, written, after in record.sums:
        stages = [record.stages[i].vectors for i in (before, written, after)]
        np.testing.assert_allclose(stages[0] + stages[1], stages[2], **CLOSE)
    read = torch.tensor(record.read)
    made = {"attention": block.attn, "feed-forward": block.mlp}
    positions = torch.arange(14)
    came, second = vectors["stream in"], vectors["stream in" if style.parallel else "stream after attention"]
    fed = {"attention": block.norm_1(came), "feed-forward": block.norm_2(second)}
    torch.testing.assert_close(read, fed["feed-forward"], **CLOSE)
    mask = torch.tensor(found.attention.mask_of(layer))
    out = {
        "attention": made["attention"](fed["attention"][None], mask=mask, positions=positions)[0],
        "feed-forward": made["feed-forward"](read[None])[0],
    }
    for part, x in out.items():
        assert (f"normed for {part}" in vectors) == style.norm_first
        if style.norm_out:
            torch.testing.assert_close(vectors[f"{part} makes"], x, **CLOSE)
            x = (block.norm_1_out if part == "attention" else block.norm_2_out)(x)
        torch.testing.assert_close(vectors[f"{part} writes"], x, **CLOSE)
    assert ("after the final norm" in vectors) == last
    assert (record.pre is None) == (found.config.modern.experts is not None)
    formula = through_the_block.token_in_block(record, 3).formula
    assert formula.count(r"\mathrm{norm}") == (style.norm_first + style.norm_out) * 2
    assert (r"\mathrm{FF}(\mathrm{norm}(x))" in formula) == bool(style.parallel)


@every_model
def test_the_lens_ends_in_the_models_own_answer_and_a_logit_is_its_sum(given: Any, name: str) -> None:
    found, record = given(name), given(name).attention
    lens = logit_lens(found.model, found.ids)
    best = record.probabilities.argmax(-1)
    assert np.array_equal(lens.top[-1, :, 0], best)
    np.testing.assert_allclose(lens.probabilities[-1, :, 0], record.probabilities.max(-1), **CLOSE)
    row: LastRow = last_row(found.model, found.ids)
    sums = row.rows @ row.hidden + row.biases
    logits = sums if row.softcap is None else row.softcap * np.tanh(sums / row.softcap)
    np.testing.assert_allclose(logits, row.logits[row.shown], **CLOSE)
    np.testing.assert_allclose(row.logits, record.logits[-1], **CLOSE)


@every_model
def test_kept_keys_are_those_of_a_plain_pass_and_the_work_is_what_torch_counts(given: Any, name: str) -> None:
    found = given(name)
    kept = tables.cached_rows(found)
    ids = [found.vocabulary.index(token) for token in kept.tokens[:-1]]
    again = attention_record.attention(found.model, ids)
    np.testing.assert_allclose(kept.keys.repeat(kept.n_shared, 1), again.k, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(kept.values.repeat(kept.n_shared, 1), again.v, rtol=1e-3, atol=1e-4)
    head = found.config.n_head - 1
    line = replace(kept, layer=1, head=head).table()
    np.testing.assert_allclose([line["key 1"], line["value 0"]], [again.k[1, head, :, 1], again.v[1, head, :, 0]],
                               rtol=1e-3, atol=1e-4)  # fmt: skip
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        found.model(torch.tensor([ids]))
    assert counter.get_total_flops() == 2 * decoding_step_cost(found.config, len(ids), 0, len(ids)).total
    cached = CachedModel(found.model)
    cached.next_logits([ids[:-1]])
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        cached.next_logits([ids])
    assert counter.get_total_flops() == 2 * decoding_step_cost(found.config, 1, len(ids) - 1).total


@every_special
def test_the_formula_of_the_work_gives_the_number_beside_it(given: Any, name: str) -> None:
    found = same_words.compare_cache(given(name).model, given(name).ids, 4, n_repeat=1, most_seconds=math.inf)
    *lines, said = found.formula.removesuffix(r"\end{aligned}").split(r"\\")
    sizes = {letter: int(value) for letter, value in re.findall(r"([A-Z]) = (\d+)", said)}
    for term, shown in zip(lines[::2], lines[1::2], strict=True):
        text = term.split(": }")[1].replace(r"\,", "").replace("^2", "**2")
        product = re.sub(r"(?<=[A-Z)\d]) (?=[A-Z(])|(?<=L)(?=\()", "*", text.strip())
        assert eval(product, dict(sizes)) == int(shown.split("=")[1].replace("{,}", "")), term  # noqa: S307


@pytest.mark.slow
@special_in_turn
def test_the_gradient_of_each_kind_of_weight(given: Any, name: str) -> None:
    found = given(name)
    window = found.ids[:5]
    last = {re.sub(r"\.\d+\.", ".", key): key for key, _ in found.model.named_parameters()}  # one of each kind
    sent = {expert for expert in range(8) if f"blocks.0.mlp.experts.{expert}.act" in taps_of(found, window)}
    keys = [*last.values(), *(f"blocks.0.mlp.experts.{n}.w_in.weight" for n in range(8) if n not in sent)]
    for key in keys if found.config.modern.experts is not None else keys[:1]:
        if key not in dict(found.model.named_parameters()):
            continue
        place = (0, 1)[: found.model.get_parameter(key).ndim]
        checked = one_step.check_gradient(found.model, window, key, place)
        assert checked.errors.min() < 1e-5 * max(1, abs(checked.gradient)), key
        updates = one_step.follow_weight(
            found.model, window, key, place, n_step=1, learning_rate=1e-3, weight_decay=0.1
        )
        assert updates[0].gradient == pytest.approx(checked.gradient, rel=1e-9)
        assert updates[0].after == pytest.approx(updates[0].before - updates[0].move - updates[0].decay, abs=1e-12)


def taps_of(found: ModelAndText, window: tuple[int, ...]) -> set[str]:
    with torch.no_grad(), Trace(found.model) as traced:
        found.model(torch.tensor([window[:-1]]))
    return set(traced.keys())


@pytest.mark.parametrize("name", ["gemma-2", "gemma-3"])
def test_the_row_that_is_looked_up_is_what_the_first_block_reads_divided_by_the_scale(given: Any, name: str) -> None:
    found = given(name)
    looked = rows.compute(rows.Inputs(given=found)).vectors.rows
    reads = residual_stream.record_block(found.model, found.ids, 0).stage("stream in")
    np.testing.assert_allclose(looked * found.config.modern.embed_scale, reads, **CLOSE)


@pytest.mark.parametrize("name", ["gemma-2", "phi"])
def test_losses_are_of_the_logits_that_are_shown(given: Any, name: str) -> None:
    found = given(name)
    module = importlib.import_module(all_exhibits()["next-token.each-token"].module)
    losses = module.compute(module.Inputs(given=found)).losses.loss
    logits = torch.tensor(found.attention.logits[:-1])
    expected = F.cross_entropy(logits, torch.tensor(found.ids[1:]), reduction="none")
    np.testing.assert_allclose(losses[1:], expected.numpy(), **CLOSE)
