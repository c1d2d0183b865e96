"""Several strategies as one batch: each column writes what it writes alone."""

import json
import math
import subprocess
from pathlib import Path

import pytest
import torch
from torch import nn

from core.generate import beam, decode
from core.generate.cache import CachedModel
from core.models import registry
from core.models.gpt import GPTConfig
from core.rooms.strategies import order, side_by_side, spelling
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import KNOBS, Strategy
from core.rooms.strategies.inputs import PromptPlace

ROOT = Path(__file__).parents[3]
PROMPT = [3, 1, 4, 1, 5]
EVERY = (
    Strategy(kind="greedy"),
    Strategy(seed=7),
    Strategy(knobs=(("top_k", 5),), seed=7),
    Strategy(knobs=(("top_p", 0.7), ("temperature", 1.7)), seed=8),
    Strategy(knobs=(("min_p", 0.1), ("repetition_penalty", 1.3)), seed=9),
    Strategy(knobs=(("typical_p", 0.6), ("no_repeat_ngram", 2)), seed=10),
    Strategy(knobs=(("epsilon", 0.01), ("eta", 0.02)), seed=11),
    Strategy(kind="greedy", knobs=(("repetition_penalty", 2.0),)),
)


@pytest.fixture(scope="module")
def model() -> nn.Module:
    config = GPTConfig(vocab_size=40, n_layer=2, n_head=2, d_model=16, context_length=12)
    built = registry.build(config, seed=0)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.mul_(4)  # far from uniform
    return built.eval().requires_grad_(False)


class Table(nn.Module):
    """Logits that depend on the last token alone."""

    def __init__(self, rows: list[list[float]]):
        super().__init__()
        self.rows = torch.tensor(rows)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.rows[ids]


def test_each_column_is_what_it_writes_alone(model: nn.Module) -> None:
    together = list(columns.generate_columns(model, PROMPT, EVERY, 20))  # beyond the context of 12
    for c, one in enumerate(EVERY):
        alone = list(
            decode.generate(model, PROMPT, 20, filters=one.filters(), greedy=one.kind == "greedy", seed=one.seed)
        )
        own = [step[c] for step in together]
        assert [int(step.token) for step in own if step] == [int(step.token) for step in alone]
        for step, lone in zip(own, alone, strict=True):
            assert step is not None
            torch.testing.assert_close(step.probabilities, lone.probabilities, atol=1e-5, rtol=0)
            assert torch.equal(step.kept, lone.kept)
            assert (step.draw is None) == (lone.draw is None)
            assert step.draw is None or step.draw == lone.draw
            torch.testing.assert_close(step.log_prob, lone.log_prob, atol=1e-5, rtol=1e-5)


def test_other_columns_change_nothing(model: nn.Module) -> None:
    def tokens(strategies: list[Strategy], c: int) -> list[int]:
        return [int(one.token) for step in columns.generate_columns(model, PROMPT, strategies, 15) if (one := step[c])]

    locked = EVERY[3]
    assert tokens([locked], 0) == tokens([EVERY[0], EVERY[5], locked], 2) == tokens([Strategy(seed=99), locked], 1)
    assert tokens([Strategy(seed=1)], 0) != tokens([Strategy(seed=2)], 0)


def test_the_prompt_is_read_once_and_each_step_is_one_pass(model: nn.Module) -> None:
    cached = CachedModel(model)
    assert len(list(columns.generate_columns(cached, PROMPT, EVERY[:6], 6))) == 6
    assert (cached.n_pass, cached.n_token) == (6, len(PROMPT) + 5 * 6)


def test_a_stopped_column_stays_stopped_and_the_others_go_on() -> None:
    ends = Table([[0.0, 5.0, 1.0], [9.0, 0.0, 0.0], [9.0, 0.0, 0.0]])  # 0 -> 1 -> 0 -> 1 ...
    strategies = [Strategy(kind="greedy"), Strategy(kind="greedy", knobs=(("no_repeat_ngram", 1),))]
    steps = list(columns.generate_columns(ends, [0], strategies, 6))
    assert [int(one.token) for step in steps if (one := step[0])] == [1, 0, 1, 0, 1, 0]
    assert [None if one is None else int(one.token) for _, one in steps] == [1, 2, None, None, None, None]
    stopped = list(columns.generate_columns(ends, [0], strategies, 6, eos_id=1))
    assert len(stopped) == 1 and all(one is not None and bool(one.ended) for one in stopped[0])
    late = list(columns.generate_columns(ends, [0], [strategies[0], Strategy(knobs=(("top_k", 1),))], 6, eos_id=0))
    assert [[int(one.token) for one in step if one] for step in late] == [[1, 1], [0, 0]]


def test_a_model_that_computes_no_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="aren't numbers"):
        list(columns.generate_columns(Table([[math.nan, 0.0]] * 2), [0], [Strategy()], 3))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"knobs": (("temperature", 0.0),)}, "temperature=0 is not a number"),
        ({"knobs": (("top_k", 2.5),)}, "top_k=2.5 is not a whole number"),
        ({"knobs": (("top_p", math.nan),)}, "top_p"),
        ({"kind": "beam", "knobs": (("top_k", 1),)}, "takes no filters"),
    ],
)
def test_a_strategy_that_makes_no_sense_is_refused(wrong: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Strategy(**wrong)


def test_knobs_stand_in_the_documented_order() -> None:
    given = Strategy(knobs=(("eta", 0.1), ("top_p", 0.5), ("temperature", 2.0), ("top_k", 0), ("no_repeat_ngram", 3)))
    assert [name for name, _ in given.knobs] == ["no_repeat_ngram", "temperature", "top_p", "eta"]
    assert list(KNOBS)[2:] == ["temperature", "top_k", "top_p", "min_p", "typical_p", "epsilon", "eta"]
    assert given == Strategy(knobs=given.knobs)


def test_neutral_values_change_nothing() -> None:
    logits = torch.randn(30, generator=torch.Generator().manual_seed(0))
    for name in ("repetition_penalty", "temperature", "top_p", "min_p"):
        knob = KNOBS[name]
        ids = {"ids": torch.tensor([1, 2])} if name == "repetition_penalty" else {}
        assert torch.equal(knob.apply(logits, **{knob.argument: knob.neutral}, **ids), logits)


def test_a_written_column_tells_what_it_was_chosen_from(model: nn.Module) -> None:
    strategies = [*EVERY[:4], Strategy(kind="beam", n_beam=3)]
    found = side_by_side.write_columns(model, PROMPT, strategies, 6, n_top=5)
    steps = list(columns.generate_columns(model, PROMPT, EVERY[:4], 6))
    for c in range(4):
        one = found.columns[c]
        for i, step in enumerate(steps):
            own = step[c]
            assert own is not None
            plain = own.logits.double().softmax(-1)
            assert one.tokens[i] == int(own.token) == one.top_ids[i, -1]
            assert one.plain[i] == pytest.approx(float(plain[own.token]))
            assert one.rank[i] == 1 + int((plain > plain[own.token]).sum())
            assert one.n_kept[i] == int(own.kept.sum())
            assert one.top_ids[i, :5].tolist() == plain.argsort(descending=True)[:5].tolist()
            assert one.top_after[i, 0] == pytest.approx(float(own.probabilities[one.top_ids[i, 0]]), abs=1e-6)
            if own.draw is not None:
                assert one.low[i] - 1e-9 <= one.draws[i] <= one.high[i] + 1e-9
        assert one.mean_log_prob == pytest.approx(sum(math.log(p) for p in one.plain) / 6)
        assert one.cost == side_by_side.ColumnCost(6, 6, len(PROMPT) + 5, 6 * 40)
    best = beam.cached_beam_search(model, PROMPT, 3, 6).hypotheses[0]
    written = found.columns[4]
    assert list(best.ids[len(PROMPT) :]) == written.tokens.tolist()
    assert best.log_prob == pytest.approx(6 * written.mean_log_prob, abs=1e-4)
    assert written.cost.numbers == 40 + 5 * 3 * 40 and written.cost.rows == 1 + 5 * 3
    assert (found.n_batched, found.passes) == (4, 6)


def test_a_column_that_runs_dry_or_ends_says_so() -> None:
    table = Table([[0.0, 1.0], [1.0, 0.0]])
    found = side_by_side.write_columns(table, [0, 1], [Strategy(knobs=(("no_repeat_ngram", 1),)), Strategy()], 3)
    assert [one.stop for one in found.columns] == ["empty", ""]
    assert [len(one.tokens) for one in found.columns] == [0, 3]
    ended = side_by_side.write_columns(table, [0], [Strategy(), Strategy(kind="beam", n_beam=2)], 9, eos_id=[0, 1])
    assert [(one.stop, len(one.tokens)) for one in ended.columns] == [("end", 1), ("end", 1)]
    assert math.isnan(found.columns[0].mean_log_prob) and math.isnan(found.columns[0].distinct_2)


def test_distinct_and_repeated() -> None:
    assert side_by_side.distinct_share([1, 2, 1, 2, 3]) == 3 / 4  # 12 21 12 23
    assert side_by_side.repeated_share([1, 2, 3, 4, 1, 2, 3, 4], 4) == pytest.approx(1 / 5)
    assert side_by_side.distinct_share([5] * 10, 1) == 1 / 10
    assert math.isnan(side_by_side.distinct_share([1]))


@pytest.mark.parametrize(
    "text",
    [
        "greedy",
        "softmax",
        "softmaxs3",
        "t2p0.9s12x",
        "r1.3n3t0.5k40p0.95m0.05y0.9e0.00001h0.002",
        "beam4",
        "beam2l0.5x",
    ],
)
def test_spelling_is_read_back(text: str) -> None:
    assert spelling.parse_column(text).text == text


@pytest.mark.parametrize(
    "text",
    ["", "~", "softmax9", "greedy!", "beam99", "beam0", "beam4k5", "p2", "t0", "k2.5", "k5k6", "q1", "t", "p.",
     "s" + "9" * 12, "t1e5", "<script>", "🙂", "s3", "x", "t" + "1" * 40, "l2", "k-1", "tnan"],
)  # fmt: skip
def test_spelling_refuses_everything_else(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        spelling.parse_column(text)


def test_lists_of_columns() -> None:
    found, problems = spelling.parse_columns("greedy~nonsense~p0.9")
    assert spelling.join_columns(found) == "greedy~p0.9" and len(problems) == 1
    assert len(spelling.parse_columns("~".join(["softmax"] * 9))[0]) == spelling.MAX_COLUMNS
    assert spelling.parse_columns("a" * 5000)[0] == []


def test_browser_and_python_agree_on_every_knob(node: str) -> None:
    generator = torch.Generator().manual_seed(0)
    spelled = ("softmax", "t0.3", "t2", "k7", "p0.8", "m0.07", "y0.6", "e0.02", "h0.05", "r1.4", "n2",
               "r1.4n2t1.7k20p0.9m0.02", "t3y0.5", "k3p0.2", "t0.5e0.01h0.01", "n1")  # fmt: skip
    cases, wanted = [], []
    for text in spelled:
        strategy = spelling.parse_column(text).strategy
        for turn in range(8):
            logits = torch.randn(60, generator=generator) * 3
            logits = logits if turn < 6 else logits.round() if turn < 7 else torch.zeros(60)  # ties
            ids = torch.randint(60, (25,), generator=generator).tolist()
            u = float(torch.rand((), dtype=torch.float64, generator=generator))
            settings = {spelling.LETTER_OF[name]: value for name, value in strategy.knobs}
            cases.append({"logits": logits.tolist(), "settings": settings, "ids": ids, "u": u})
            filtered = columns.filter_rows(logits[None], [strategy], [ids])
            p = filtered.softmax(-1)
            token = int(decode.inverse_cdf(p, torch.tensor([u], dtype=torch.float64)))
            wanted.append((p[0], int((filtered > -torch.inf).sum()), token))
    script = Path(__file__).with_name("filters_parity.mjs")
    done = subprocess.run([node, str(script)], input=json.dumps(cases), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for got, (p, n_kept, token) in zip(json.loads(done.stdout), wanted, strict=True):
        torch.testing.assert_close(torch.tensor(got["p"], dtype=torch.float32), p, atol=1e-5, rtol=0)
        assert (got["kept"] or [60])[-1] == n_kept
        assert got["hit"]["token"] == token


def test_browser_and_python_agree_on_both_orders_of_the_knobs(node: str) -> None:
    """The browser answers the sliders: what it says must be what the exhibit, and a lesson with it, computes."""
    settings = [(t, p) for t in (0.1, 0.5, 1.0, 2.0, 3.3, 5.0) for p in (0.1, 0.55, 0.9, 0.99, 1.0)]
    sent = {"logits": sorted(PromptPlace().logits.tolist(), reverse=True), "settings": settings}
    script = Path(__file__).with_name("orders_parity.mjs")
    done = subprocess.run([node, str(script)], input=json.dumps(sent), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for (t, p), got in zip(settings, json.loads(done.stdout), strict=True):
        wanted = order.compute(order.Inputs(t=t, p=p))
        assert got["left"][::-1] == list(wanted.n_left)
        assert got["apart"] == pytest.approx(wanted.apart, abs=1e-9)
        both = [one[:7].tolist() for one in (wanted.top_p_first, wanted.temperature_first)]
        assert got["shown"] == [pytest.approx(one, abs=1e-9) for one in both]
