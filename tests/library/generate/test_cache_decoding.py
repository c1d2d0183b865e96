"""Cached decoding computes what the model computes, whatever the model and however the rows come and go."""

from collections.abc import Sequence
from functools import cache

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import Tensor, nn

from core.generate.cache import CachedModel, reading_limit
from core.generate.keys_values import KeyValues
from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.models.ngram import NGram
from core.models.rnn import RNNConfig
from core.nn.block import BlockStyle
from core.nn.positions import POSITION_SCHEMES, RotarySettings
from core.nn.tap import Trace
from tests.counts import in_turn

V, CONTEXT = 13, 12
SIZES = {"vocab_size": V, "context_length": CONTEXT, "n_layer": 3, "n_head": 2, "d_model": 8}
STYLES = [
    BlockStyle(norm=norm, norm_first=norm_first, residual=residual, activation=activation, bias=bias, qk_norm=qk_norm,
               feed_forward=feed_forward)
    for norm, norm_first, residual, activation, bias, qk_norm, feed_forward in [
        ("layer", True, True, "gelu_tanh", True, False, True),
        ("layer", False, True, "relu", True, True, True),
        ("layer", True, False, "gelu", False, False, True),
        ("rms", True, True, "swiglu", True, True, True),
        ("rms_plain", False, False, "relu2", False, False, True),
        ("rms", False, True, "swiglu", False, True, True),
        ("layer", True, True, "gelu", True, False, False),
    ]
]  # fmt: skip
CONFIGS: dict[str, GPTConfig | RNNConfig] = (
    {f"{scheme}, style {n}": GPTConfig(**SIZES, positions=scheme, block=style, tied=n % 2 == 0,
                                       modern=Modern(embed_norm=n % 3 == 0))
     for scheme in POSITION_SCHEMES for n, style in enumerate(STYLES)}
    | {"narrow embeddings": GPTConfig(**SIZES, tied=False, positions="sinusoidal",
                                       modern=Modern(d_embed=5, output_bias=True)),
       "tied, output bias": GPTConfig(**SIZES, modern=Modern(output_bias=True)),
       "shared keys, wide heads, gains, slow positions": GPTConfig(
           **{**SIZES, "n_head": 4}, positions="rotary",
           modern=Modern(n_kv_head=2, d_head=6, rotary=RotarySettings(factor=2.0)),
           block=BlockStyle(norm="rms", bias="qkv", qk_norm="gain")),
       "shared keys, learned sinks, one gate for each head": GPTConfig(
           **{**SIZES, "n_head": 4}, positions="rotary", modern=Modern(n_kv_head=2),
           block=BlockStyle(sink=True, gate="head")),
       "sinks of 0, gates on each number": GPTConfig(**SIZES, modern=Modern(window=4, windowed=(1,)),
                                                     block=BlockStyle(sink="zero", gate=True, bias=False)),
       "learned sinks, gates, a bias by distance": GPTConfig(**{**SIZES, "n_head": 4}, positions="alibi",
                                                     modern=Modern(n_kv_head=1, d_head=6),
                                                     block=BlockStyle(sink=True, gate=True)),
       "one head of keys, ALiBi": GPTConfig(**SIZES, modern=Modern(n_kv_head=1), positions="alibi"),
       "own slopes": GPTConfig(**SIZES, positions="alibi", modern=Modern(slopes=(0.5, 0.0))),
       "token shift": GPTConfig(**SIZES, positions="rotary", modern=Modern(token_shift=True)),
       "token shift, post-norm": GPTConfig(**SIZES, modern=Modern(token_shift=True),
                                             block=BlockStyle(norm_first=False)),
       "encoder": GPTConfig(**SIZES, positions="rotary", causal=False)}
    | {cell: RNNConfig(vocab_size=V, context_length=5, cell=cell, n_layer=2, d_model=8)
       for cell in ("rnn", "lstm", "gru")}
)  # fmt: skip
every_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
CLOSE = {"atol": 1e-5, "rtol": 0.0}


def lively(config: GPTConfig | RNNConfig, dtype: torch.dtype = torch.float32) -> nn.Module:
    """Return a model with large random weights, because initially nearly all heads are similar and all biases are 0."""
    model = registry.build(config).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model.to(dtype).eval()


@cache
def lively_double(name: str) -> nn.Module:
    return lively(CONFIGS[name], torch.float64)


def text(n: int, seed: int = 0) -> list[int]:
    return torch.randint(V, (n,), generator=torch.Generator().manual_seed(seed)).tolist()


def expected(model: nn.Module, sequences: Sequence[Sequence[int]]) -> Tensor:
    """Each by itself, without padding, straight from the model."""
    limit = reading_limit(model)
    with torch.no_grad():
        return torch.stack(
            [model(torch.tensor([one[-limit:] if limit else one]))[0, -1] for one in map(list, sequences)]
        )


@pytest.mark.parametrize("config", in_turn(CONFIGS.values(), 4), ids=CONFIGS)
def test_unequal_prompts_in_one_batch_past_the_end_of_the_context(config: GPTConfig | RNNConfig) -> None:
    model = lively(config)
    cached, anew = CachedModel(model), CachedModel(model, cached=False)
    rows = [text(1), text(5, 1), text(CONTEXT - 1, 2), text(CONTEXT + 4, 3)]
    for step in range(CONTEXT + 2):
        want = expected(model, rows)
        torch.testing.assert_close(anew.next_logits(rows), want, **CLOSE)
        torch.testing.assert_close(cached.next_logits(rows), want, **CLOSE)
        rows = [[*row, (step + n) % V] for n, row in enumerate(rows)]
    assert want.std() > 0.05  # the bar means something


@settings(max_examples=50)
@given(st.data())
def test_any_history_of_rows_gives_what_the_model_gives(data: st.DataObject) -> None:
    model, token = lively_double(data.draw(st.sampled_from(sorted(CONFIGS)))), st.integers(0, V - 1)
    cached = CachedModel(model)
    rows = data.draw(st.lists(st.lists(token, min_size=1, max_size=CONTEXT + 2), min_size=1, max_size=4))
    parents = None
    for _ in range(data.draw(st.integers(1, 5))):
        torch.testing.assert_close(cached.next_logits(rows, parents), expected(model, rows), atol=1e-10, rtol=0.0)
        which = st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=4)
        parents = data.draw(st.one_of(st.none(), which))
        kind = data.draw(st.sampled_from(["longer", "longer", "same", "shorter", "other"]))
        rows = [list(rows[n]) for n in parents] if parents is not None else rows
        for n in range(len(rows)):
            if kind == "longer":
                rows[n] = rows[n] + data.draw(st.lists(token, min_size=1, max_size=3))
            elif kind == "shorter":
                rows[n] = rows[n][: max(1, len(rows[n]) - 2)]
            elif kind == "other":
                rows[n] = [data.draw(token), *rows[n][1:]]


def test_a_long_context_grows_the_table_and_separate_projections_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    config = GPTConfig(**SIZES | {"context_length": 300}, positions="rotary")
    model = lively(config)
    for most in (0, 2**19):
        monkeypatch.setattr("core.generate.block_functions.MAX_COPIED_WEIGHTS", most)
        cached, row = CachedModel(model), text(3)
        for step in range(200):
            logits = cached.next_logits([row])
            if step % 40 == 0 or step > 190:
                torch.testing.assert_close(logits, expected(model, [row]), atol=2e-5, rtol=0.0)
            row = [*row, int(logits.argmax())]


def test_counts_of_passes_and_tokens() -> None:
    model = lively(CONFIGS["learned, style 0"])
    cached, anew = CachedModel(model), CachedModel(model, cached=False)
    for caches in (cached, anew):
        row = text(4)
        for n in range(6):
            caches.next_logits([row, row[1:]])
            row = [*row, n]
    gpt, rnn = CachedModel(lively(CONFIGS["alibi, style 0"])), CachedModel(lively(CONFIGS["gru"]))
    for n in range(CONTEXT, CONTEXT + 3):  # past its context, a GPT reads its whole window anew
        gpt.next_logits([text(n)]), rnn.next_logits([text(CONTEXT) + text(n - CONTEXT, 1)])
    assert gpt.n_token == 3 * CONTEXT and reading_limit(gpt.model) == CONTEXT
    assert rnn.n_token == CONTEXT + 2 and reading_limit(rnn.model) is None
    assert (cached.n_pass, cached.n_token) == (6, 4 + 3 + 5 * 2)
    assert (anew.n_pass, anew.n_token) == (6, sum(n + n - 1 for n in range(4, 10)))


def test_a_trace_sees_and_edits_the_whole_pass() -> None:
    model = lively(CONFIGS["rotary, style 0"])
    cached, row = CachedModel(model), text(5)
    plain = cached.next_logits([row])
    row = [*row, 1]
    with Trace(model, {"blocks.0.attn.heads": torch.zeros_like}) as trace:
        edited = cached.next_logits([row])
    assert trace["blocks.2.attn.weights"].shape == (1, 2, 6, 6)
    assert float((edited - expected(model, [row])).abs().max()) > 1e-2
    row = [*row, 2]
    torch.testing.assert_close(cached.next_logits([row]), expected(model, [row]), **CLOSE)
    assert plain.shape == (1, V)


def test_models_without_a_cache_read_everything_again() -> None:
    counts = NGram(2, V).fit(text(200))
    module = nn.Module()
    module.forward = counts.logits  # type: ignore[method-assign]
    cached = CachedModel(module)
    for n in (3, 4):
        torch.testing.assert_close(cached.next_logits([text(n)]), counts.logits(torch.tensor([text(n)]))[:, -1])
    assert cached.n_token == 7

    class Other(GPT):
        def forward(self, ids: Tensor) -> Tensor:
            return super().forward(ids) + 1

    config = CONFIGS["none, style 0"]
    assert isinstance(config, GPTConfig)
    other = Other(config)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.normal_(generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(CachedModel(other).next_logits([[1, 2]]), expected(other, [[1, 2]]))


def test_mistakes_are_refused_in_words() -> None:
    cached = CachedModel(lively(CONFIGS["none, style 0"]))
    with pytest.raises(ValueError, match="a sequence is empty"):
        cached.next_logits([[1], []])
    cached.next_logits([[1], [2]])
    with pytest.raises(ValueError, match="1 parents do not match 2 sequences"):
        cached.next_logits([[1, 2], [2, 2]], [0])
    with pytest.raises(ValueError, match="outside the 2 rows"):
        cached.next_logits([[1, 2], [2, 2]], [0, 2])


def test_tables_keep_what_the_model_computes() -> None:
    """Keys and values in the table equal those of a traced pass, rotated and normalized."""
    model = lively(CONFIGS["rotary, style 3"])
    cached, row = CachedModel(model), text(4)
    for n in range(3):
        cached.next_logits([row])
        row = [*row, n]
    with Trace(model) as trace, torch.no_grad():
        model(torch.tensor([row[:-1]]))
    kept = cached.memory
    assert isinstance(kept, KeyValues)
    for n in range(3):
        torch.testing.assert_close(kept.keys[n, 0, :, :, :6].mT, trace[f"blocks.{n}.attn.k"][0], **CLOSE)
        torch.testing.assert_close(kept.values[n, 0, :, :6], trace[f"blocks.{n}.attn.v"][0], **CLOSE)
