"""Three ways to choose a word: what stands above and below each text is what the model and the strategy say."""

import numpy as np
import pytest
import torch

from core.generate import decode
from core.rooms.strategies import three_ways
from core.rooms.strategies.compute.columns import Strategy
from core.rooms.strategies.inputs import PromptInputs
from core.rooms.strategies.side_by_side import write_columns
from core.rooms.strategies.three_ways import ThreeWays

HERE = PromptInputs()


@pytest.fixture(scope="module")
def shown() -> ThreeWays:
    return three_ways.compute(three_ways.Inputs())


def test_the_text_begins_where_the_model_last_hesitates() -> None:
    ids, model = HERE.given.ids, HERE.given.model
    most = model(torch.tensor([ids]))[0].softmax(-1).max(-1).values
    assert three_ways.last_fork(HERE.given) == max(t + 1 for t in range(len(ids)) if most[t] < 0.5)


def test_each_way_writes_what_it_writes_alone(shown: ThreeWays) -> None:
    knobs = {
        "sampling": {},
        "careful": {"temperature": 0.7},
        "bold": {"temperature": 2.0},
        "top_k": {"temperature": 2.0, "top_k": 5},
        "top_p": {"temperature": 2.0, "top_p": 0.9},
    }
    for way, column, n in zip(shown.ways, shown.written.columns, shown.n_unlikely, strict=True):
        strategy = Strategy(knobs=tuple(knobs.get(way, {}).items()), seed=2)
        alone = list(
            decode.generate(
                HERE.given.model, HERE.given.ids[: shown.place], 40,
                filters=strategy.filters(), greedy=way == "greedy", seed=2,
            )
        )  # fmt: skip
        assert column.tokens.tolist() == [int(one.token) for one in alone]
        assert n == sum(float(one.logits.softmax(-1)[one.token]) < 0.1 for one in alone)


@pytest.mark.parametrize("knobs", [(), (("temperature", 2.0),), (("top_k", 2),), (("top_k", 20),)])
def test_the_chances_of_a_token_are_those_it_was_drawn_from(knobs: tuple[tuple[str, float], ...]) -> None:
    model, prompt, strategy = HERE.given.model, HERE.given.ids[:16], Strategy(knobs=knobs, seed=2)
    (column,) = write_columns(model, prompt, [strategy], 30, n_top=4).columns
    found = three_ways.token_chances(column)
    for i, step in enumerate(decode.generate(model, prompt, 30, filters=strategy.filters(), seed=2)):
        best, token = step.logits.argsort(descending=True)[:4].tolist(), int(step.token)
        rows = best if token in best else [*best[:3], token]
        assert found.ids[i].tolist() == rows and rows[found.chosen[i]] == token
        expected = [float(step.probabilities[k]) if step.kept[k] else np.nan for k in rows]
        others = [k for k in range(len(step.kept)) if k not in rows and step.kept[k]]
        expected.append(float(step.probabilities[others].sum()) if others else np.nan)
        np.testing.assert_allclose(found.p[i], expected, atol=1e-6)


def test_the_longest_run_of_unlikely_tokens_is_quoted() -> None:
    def quoted(*plain: float) -> str:
        return three_ways.unlikely_words("abcdefgh"[: len(plain)], plain)

    assert quoted(1, 1, 0.05, 1, 1, 0.05, 0.01, 1) == "defg"
    assert quoted(0.05, 0.05, 1, 0.05, 0.05) == "ab"
    assert quoted(1, 0.09, 1, 0.1, 0.1) == "" == quoted()


def test_the_bars_begin_where_the_texts_part() -> None:
    assert three_ways.first_difference([[1, 2, 3], [1, 2, 4], [1, 2, 3, 5]]) == 2
    assert three_ways.first_difference([[1, 2], [1, 2, 4]]) == 0 == three_ways.first_difference([[], [1]])


def test_what_the_first_picture_and_its_chips_say(shown: ThreeWays) -> None:
    assert dict(zip(shown.ways, shown.n_unlikely, strict=True)) == {
        **{"greedy": 0, "sampling": 1, "careful": 1, "bold": 6, "top_k": 3, "top_p": 4},
    }
    columns = dict(zip(shown.ways, shown.written.columns, strict=True))
    bold = columns["bold"]
    words = [HERE.vocabulary[i] for i in bold.tokens]
    assert three_ways.unlikely_words(words, bold.plain) == " Mia laughed sleep gave off"
    assert columns["top_k"].rank.max() <= 5
    np.testing.assert_array_equal(columns["sampling"].draws, columns["bold"].draws)
    again = three_ways.compute(three_ways.Inputs(seed=3)).written.columns
    same = [np.array_equal(one.tokens, other.tokens) for one, other in zip(again, columns.values(), strict=True)]
    assert same == [True, False, False, False, False, False]
