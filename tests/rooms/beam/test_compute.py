"""Every text of a tiny model: exact probabilities, ranks, changes; and the short list of B x B candidates."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.generate.beam import beam_search
from core.rooms.beam import shortlist, truth
from core.rooms.beam.compute import enumeration
from core.rooms.beam.compute.enumeration import NextTokenTables
from core.rooms.beam.experiments import beam_truth as task
from core.rooms.beam.truth import _ranges, search_ranks


def random_tables(n_token: int = 4, n_new: int = 4, eos: int = 1, seed: int = 0) -> NextTokenTables:
    def model(ids: torch.Tensor) -> torch.Tensor:
        rows = [np.random.default_rng([seed, *one]).normal(0, 1.5, n_token) for one in ids.tolist()]
        return torch.tensor(np.array(rows)).log_softmax(-1)

    return enumeration.next_token_tables(model, [eos], n_token, n_new, eos)


@pytest.mark.parametrize(("n_token", "n_new", "eos"), [(2, 3, 0), (4, 4, 1), (5, 3, 4), (3, 1, 2)])
def test_all_texts_are_there_once_and_their_probabilities_sum_to_one(n_token: int, n_new: int, eos: int) -> None:
    known = random_tables(n_token, n_new, eos)
    texts = enumeration.enumerate_texts(known)
    others = [i for i in range(n_token) if i != eos]
    expected = {
        (*start, last)
        for k in range(n_new)
        for start in itertools.product(others, repeat=k)
        for last in (range(n_token) if k == n_new - 1 else [eos])
    }
    listed = [texts.new_ids(place) for place in range(len(texts.ids))]
    assert len(listed) == len(set(listed)) and set(listed) == expected
    assert np.exp(texts.log_probs).sum() == pytest.approx(1)
    for place in range(0, len(listed), 3):  # the chain rule, factor by factor
        new = listed[place]
        factors = [known.after(new[:k])[token] for k, token in enumerate(new)]
        assert math.exp(texts.log_probs[place]) == pytest.approx(math.prod(factors))
        assert enumeration.find_text(texts, new) == place


def test_the_tables_are_the_model() -> None:
    known = random_tables(seed=3)
    ids = torch.tensor([[1, 0, 3], [1, 2, 2], [1, 3, 0]])
    for row, one in zip(known.next_log_probs(ids), ids.tolist(), strict=True):
        expected = torch.tensor(np.random.default_rng([3, *one]).normal(0, 1.5, 4)).log_softmax(-1)
        torch.testing.assert_close(row, expected)


def test_one_entry_is_changed_and_nothing_else() -> None:
    known = random_tables()
    new = enumeration.set_probability(known, (0, 2), 3, 0.7)
    before, after = known.after((0, 2)), new.after((0, 2))
    assert after[3] == pytest.approx(0.7) and after.sum() == pytest.approx(1)
    others = [0, 1, 2]
    np.testing.assert_allclose(after[others] / after[others].sum(), before[others] / before[others].sum())
    same = [np.array_equal(a, b) for a, b in zip(known.levels, new.levels, strict=True)]
    assert same == [True, True, False, True]
    assert (known.levels[2] != new.levels[2]).any(1).sum() == 1
    assert np.exp(enumeration.enumerate_texts(new).log_probs).sum() == pytest.approx(1)
    all_of_it = enumeration.set_probability(known, (), 0, 1.0)
    assert all_of_it.after(()).tolist() == [1, 0, 0, 0]
    np.testing.assert_allclose(enumeration.set_probability(all_of_it, (), 0, 0.4).after(()), [0.4, 0.2, 0.2, 0.2])


def test_ranks_greedy_and_draws() -> None:
    known = random_tables(seed=1)
    texts = enumeration.enumerate_texts(known)
    for penalty in (0.0, 1.0):
        scores, ranks = enumeration.rank_texts(texts, penalty)
        np.testing.assert_allclose(scores, texts.log_probs / texts.lengths**penalty)
        order = np.argsort(ranks)
        assert (np.diff(scores[order]) <= 0).all()
    new = enumeration.greedy_text(known)
    for k, token in enumerate(new):
        assert token == known.after(new[:k]).argmax()
    assert new[-1] == known.eos_id or len(new) == known.max_new_tokens
    places = enumeration.sample_text_indices(texts, 20_000, 0)
    assert np.array_equal(places, enumeration.sample_text_indices(texts, 20_000, 0))
    share = np.bincount(places, minlength=len(texts.ids)) / 20_000
    np.testing.assert_allclose(share, np.exp(texts.log_probs), atol=0.02)
    with pytest.raises(ValueError, match="is not one of the"):
        enumeration.find_text(texts, [1, 1])


def test_where_searches_land() -> None:
    known = random_tables(5, 4, 0, seed=2)
    for penalty in (0.0, 1.0):
        found = search_ranks(known, "abcde", penalty, 8)
        scores = found.scores
        assert found.rank(found.best) == 1 and scores[found.best] == scores.max()
        assert found.texts.new_ids(found.greedy) == enumeration.greedy_text(known)
        for n_beam, place in enumerate(found.beams, start=1):
            best = beam_search(known.next_log_probs, (0,), n_beam, 4, eos_id=0, length_penalty=penalty).hypotheses[0]
            assert best.ids == (0, *found.texts.new_ids(place))
            assert best.score == pytest.approx(scores[place])
        ranks = [found.rank(place) for place in found.beams]
        assert found.first == (ranks.index(1) + 1 if 1 in ranks else None)
        assert found.worse == next((b for b in range(2, 9) if ranks[b - 1] > ranks[b - 2]), None)


def test_the_language_is_what_its_grammar_says() -> None:
    known = task.grammar_sentences()
    assert sum(known.values()) == pytest.approx(1)
    assert max(map(len, known)) == task.LENGTH and all(one[-1] == task.END for one in known)
    assert known[(task.END,)] == pytest.approx(0.06)
    best = max(known, key=lambda one: known[one])
    assert [task.TOKENS[i] for i in best] == ["a", "cat", "sleeps", "."]
    assert known[best] == pytest.approx(0.24 * 0.9 * 0.95)
    assert task.language_entropy() == pytest.approx(-sum(p * math.log(p) for p in known.values()))
    assert task.sentence_prefixes()[0] == () and all(task.END not in one for one in task.sentence_prefixes())


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), n_beam=st.integers(1, 5), ends=st.booleans())
def test_the_short_list_fails_exactly_where_all_come_from_one_text_with_the_end_on_its_list(
    seed: int, n_beam: int, ends: bool
) -> None:
    cases = shortlist.random_cases(300, n_beam, 8, seed)
    np.testing.assert_allclose(np.exp(cases.log_probs).sum(-1), 1)
    listed, right = shortlist.shortlist_candidates(cases), shortlist.select_continued(cases, None, ends)
    assert (listed.sum(-1) == n_beam).all() and (right.sum((1, 2)) == n_beam).all()
    alone = (right.sum(-1) == n_beam) & listed[:, :, shortlist.END]  # (n, B)
    expected = alone.any(1) if ends else np.zeros(300, dtype=bool)
    np.testing.assert_array_equal(shortlist.find_differences(cases, ends), expected)


def test_the_choice_over_all_is_the_first_of_a_sorted_list() -> None:
    cases = shortlist.random_cases(5, 3, 6, 1)
    for sums, chosen in zip(cases.sums, shortlist.select_continued(cases, None, True), strict=True):
        best = sorted((-sums[b, v], b, v) for b in range(3) for v in range(1, 6))[:3]
        assert {(b, v) for _, b, v in best} == {(b, v) for b, v in np.argwhere(chosen).tolist()}


def test_the_ranked_chart_shows_where_they_land_in_few_points() -> None:
    found = search_ranks(random_tables(8, 5, 0), "abcdefgh", 0.0, 3, n_sample=50)
    line, dots, stars, _ = (layer.columns for layer in truth._layers(found))
    assert len(line["rank"]) <= 300 and (line["rank"][0], line["score"][0]) == (1, found.scores.max())
    assert dots["times"].sum() == 50
    assert dict(zip(stars["rank"], stars["score"], strict=True)) == {
        found.rank(place): found.scores[place] for place in (found.greedy, *found.beams)
    }


def test_all_texts_as_a_table() -> None:
    table = search_ranks(random_tables(4, 3, 1, seed=2), ("a", ".", "c", "d"), 0.0, 2).table()
    assert table["rank"].tolist() == list(range(1, len(table["text"]) + 1))
    assert table["probability"].sum() == pytest.approx(1) and (np.diff(table["probability"]) <= 0).all()
    np.testing.assert_allclose(table["score"], np.log(table["probability"]))
    assert [len(text.split()) for text in table["text"]] == table["tokens"].tolist()


def test_searches_are_named_with_the_numbers_of_beams_that_end_there() -> None:
    assert [_ranges(numbers) for numbers in ([2], [3, 4, 5], [1, 3, 4])] == ["2", "3 to 5", "1, 3 to 4"]
