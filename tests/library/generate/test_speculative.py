"""Speculative decoding writes the same text as `generate`, whatever the draft, in fewer forward passes."""

from collections.abc import Sequence
from functools import cache, partial

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import Tensor, nn

from core.generate import filters
from core.generate.cache import CachedModel
from core.generate.decode import Step, generate
from core.generate.speculative import ModelDraft, NGramLookUp, TokenDrafter, speculative_decode
from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.ngram import NGram
from core.models.rnn import RNNConfig
from core.nn.positions import POSITION_SCHEMES
from core.nn.tap import Trace

V, CONTEXT = 7, 24
SIZES = {"vocab_size": V, "context_length": CONTEXT, "n_layer": 2, "n_head": 2, "d_model": 8}
CONFIGS: dict[str, GPTConfig | RNNConfig] = {
    **{scheme: GPTConfig(**SIZES, positions=scheme) for scheme in POSITION_SCHEMES},
    "shared keys": GPTConfig(**SIZES, positions="rotary", modern=Modern(n_kv_head=1)),
    "encoder": GPTConfig(**SIZES, causal=False),
    "gru": RNNConfig(vocab_size=V, context_length=5, cell="gru", n_layer=2, d_model=8),
}
FILTERS = [
    [],
    [partial(filters.top_k, k=3)],
    [partial(filters.repetition_penalty, penalty=1.3), partial(filters.temperature, t=0.7)],
    [partial(filters.no_repeat_ngram, n=4), partial(filters.top_p, p=0.8)],
]


@cache
def lively(name: str, seed: int) -> nn.Module:
    """Random weights, in double precision: two ways of adding up the same numbers never tip a draw."""
    model = registry.build(CONFIGS[name]).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model.eval()


class Guesses:
    """Any guesses at all, of any number up to what is asked for."""

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)

    def guess(self, text: Sequence[int], n: int) -> list[int]:
        return torch.randint(V, (int(torch.randint(n + 1, (1,), generator=self.generator)),),
                             generator=self.generator).tolist()  # fmt: skip


def assert_same(ours: Step, theirs: Step) -> None:
    assert vars(ours).keys() == vars(theirs).keys()
    for name, value in vars(theirs).items():
        one = getattr(ours, name)
        assert (one is None) == (value is None)
        if isinstance(value, Tensor):
            assert one.dtype == value.dtype
            torch.testing.assert_close(one, value, atol=1e-9, rtol=0.0)


@settings(max_examples=60)
@given(st.data())
def test_every_step_is_the_one_that_generate_makes(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(CONFIGS)))
    model = lively(name, data.draw(st.integers(0, 3)))
    prompt = data.draw(st.lists(st.integers(0, V - 1), min_size=1, max_size=CONTEXT + 3))
    options = {
        "greedy": data.draw(st.booleans()),
        "seed": data.draw(st.integers(0, 5)),
        "eos_id": data.draw(st.sampled_from([None, 0])),
        "filters": data.draw(st.sampled_from(FILTERS)),
    }
    n_new = data.draw(st.integers(0, CONTEXT + 5))
    drafts: dict[str, TokenDrafter] = {
        "look-up": NGramLookUp(data.draw(st.integers(1, 4))),
        "itself": ModelDraft(model),
        "another": ModelDraft(lively(data.draw(st.sampled_from(sorted(CONFIGS))), 9)),
        "noise": Guesses(data.draw(st.integers(0, 99))),
    }
    draft = drafts[data.draw(st.sampled_from(sorted(drafts)))]
    written = list(speculative_decode(model, prompt, n_new, draft, n_draft=data.draw(st.integers(1, 6)), **options))
    expected = list(generate(model, prompt, n_new, **options))
    assert len(written) == len(expected)
    for ours, theirs in zip(written, expected, strict=True):
        assert_same(ours, theirs)


@pytest.mark.parametrize("draft", ["look-up", "model"])
def test_right_guesses_save_passes(draft: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[CachedModel] = []
    start = CachedModel.__init__

    def remembered(self: CachedModel, *args: object, **options: object) -> None:
        start(self, *args, **options)  # type: ignore[arg-type]
        kept.append(self)

    monkeypatch.setattr(CachedModel, "__init__", remembered)
    counting = NGram(3, V).fit(torch.arange(200) % V)
    model = lively("rotary", 0) if draft == "model" else counting
    guesser = ModelDraft(model) if draft == "model" else NGramLookUp()
    kept.clear()
    steps = list(speculative_decode(model, list(range(V)) * 2, 9, guesser, n_draft=8, greedy=True))
    assert len(steps) == 9 and kept[-1].n_pass == 1  # eight guesses, all right, and one token more


def test_the_look_up_takes_the_longest_and_latest_run() -> None:
    look_up = NGramLookUp(longest=3)
    assert look_up.guess([5], 4) == []
    assert look_up.guess([1, 2, 3, 9, 2, 3, 8, 1, 2, 3], 2) == [9, 2]  # three tokens beat the later two
    assert look_up.guess([1, 2, 3, 9, 2, 3, 8, 1, 2, 3, 8], 2) == [1, 2]  # two, for no three: the longer text
    assert look_up.guess([4, 3, 4, 3], 5) == [4, 3, 4, 3, 4]  # another text; what it has guessed goes on
    assert look_up.guess([4, 3, 4, 3, 1], 5) == []


def test_a_trace_sees_every_pass() -> None:
    model = lively("learned", 0)
    with Trace(model) as trace:
        written = [
            int(step.token) for step in speculative_decode(model, [1, 2, 1, 2, 1], 6, NGramLookUp(), greedy=True)
        ]
    assert written == [int(step.token) for step in generate(model, [1, 2, 1, 2, 1], 6, greedy=True)]
    assert len(trace.steps("logits")) <= 6 and trace["logits"].shape[0] == 1


def test_what_is_refused() -> None:
    model = lively("learned", 0)
    with pytest.raises(ValueError, match="one prompt, not 2"):
        speculative_decode(model, [[1], [2]], 3, NGramLookUp())
    with pytest.raises(ValueError, match="n_draft"):
        speculative_decode(model, [1], 3, NGramLookUp(), n_draft=0)
    with pytest.raises(ValueError, match="longest"):
        NGramLookUp(0)
    cached = CachedModel(model)
    with pytest.raises(ValueError, match="not within 1 to 2"):
        cached.last_logits([1, 2], 3)
    with pytest.raises(ValueError, match="only return the logits after the last token"):
        CachedModel(lively("gru", 0)).last_logits([1, 2], 2)
