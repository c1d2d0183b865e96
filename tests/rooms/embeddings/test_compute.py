"""Token vectors, their neighbors and maps, against scikit-learn and closed forms; two vectors; a word in two texts."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.metrics.pairwise import cosine_similarity
from transformers import BertConfig, BertModel

from core.inspect import vocabulary_facts
from core.inspect.model_inputs.model_key import ModelKey
from core.models import pretrained, registry
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from core.rooms.embeddings import facts, sentence_vectors, two_vectors, which_token, words_alike
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.word_path import hidden_trajectory, last_token_of, shared_words, steps_shown

ROOT = Path(__file__).parents[3]


def cloud(n: int = 60, d: int = 12, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)


def gpt(**sizes: object) -> torch.nn.Module:
    options = {"vocab_size": 20, "n_layer": 2, "n_head": 2, "d_model": 16, "context_length": 12}
    return registry.build(GPTConfig(**(options | sizes)), seed=0).eval()  # type: ignore[arg-type]


@pytest.mark.parametrize("n_axis", [1, 2, 3])
def test_principal_components_are_those_of_scikit_learn(n_axis: int) -> None:
    table = cloud()
    found, reference = embeddings.principal_components(table, n_axis), PCA(n_axis, svd_solver="full").fit(table)
    np.testing.assert_allclose(found.shares, reference.explained_variance_ratio_, atol=1e-12)
    signs = np.sign((found.axes * reference.components_).sum(1))
    np.testing.assert_allclose(found.axes, reference.components_ * signs[:, None], atol=1e-10)
    np.testing.assert_allclose(found.points, reference.transform(table) * signs, atol=1e-9)


def test_principal_components_do_not_flip_and_cope_with_too_few_vectors() -> None:
    found = embeddings.principal_components(cloud(), 3)
    assert (found.axes[np.arange(3), np.abs(found.axes).argmax(1)] > 0).all()
    alone = embeddings.principal_components(np.ones((1, 5)), 2)
    assert alone.points.tolist() == [[0, 0]]
    assert alone.shares.tolist() == [0, 0]
    two = embeddings.principal_components(np.array([[0.0, 0], [3, 4]]), 2)
    assert two.shares[0] == pytest.approx(1)


def test_neighbors_agree_with_scikit_learn_and_leave_the_token_out() -> None:
    table = cloud()
    found = embeddings.nearest_tokens(table, 7, 10)
    np.testing.assert_allclose(found.cosines, cosine_similarity(table[7:8], table)[0], atol=1e-12)
    np.testing.assert_allclose(found.dots, found.cosines * found.lengths * found.lengths[7], atol=1e-9)
    for order, values in ((found.by_cosine, found.cosines), (found.by_dot, found.dots)):
        assert 7 not in order
        others = np.delete(values, 7)
        np.testing.assert_allclose(values[order], np.sort(others)[::-1][:10])
    # A long vector wins by dot product and loses by cosine; one without length has no cosine and comes last.
    found = embeddings.nearest_tokens(np.array([[1.0, 0], [1, 0], [3, 3]]), 0)
    assert (found.by_cosine.tolist(), found.by_dot.tolist()) == ([1, 2], [2, 1])
    found = embeddings.nearest_tokens(np.array([[1.0, 0], [0, 0], [-1, 0]]), 0)
    assert math.isnan(found.cosines[1])
    assert found.by_cosine.tolist() == [2, 1]
    with pytest.raises(ValueError, match=r"there is no token 3: the table has the rows 0\.\.2"):
        embeddings.nearest_tokens(np.ones((3, 2)), 3)


def test_token_vectors_are_the_rows_that_the_model_looks_up() -> None:
    model = gpt()
    ids = torch.tensor([[3, 3, 19]])
    expected = model.tok_emb(ids)[0].detach().double().numpy()
    np.testing.assert_array_equal(embeddings.token_vectors(model)[[3, 3, 19]], expected)
    np.testing.assert_array_equal(embeddings.token_vectors(model, [3, 3, 19]), expected)


def test_a_table_of_half_precision_is_widened_only_where_it_is_looked_at() -> None:
    model = gpt().to(torch.bfloat16)
    table = embeddings.token_table(model)
    assert table.dtype == torch.bfloat16 and table.data_ptr() == model.tok_emb.weight.data_ptr()
    wide = embeddings.token_vectors(model)
    assert wide.dtype == np.float32 and wide.shape == table.shape
    few = embeddings.token_vectors(model, [3, 19])
    np.testing.assert_array_equal(few, wide[[3, 19]])
    for field in ("by_cosine", "by_dot", "cosines", "dots", "lengths"):
        found = (getattr(embeddings.nearest_tokens(one, 3, 4), field) for one in (table, wide))
        np.testing.assert_array_equal(*found)


def test_kept_neighbors_are_all_for_the_space_itself_and_few_for_a_shuffled_one() -> None:
    table = cloud(80, 3)
    assert embeddings.neighbor_preservation(table, table) == 1
    assert embeddings.neighbor_preservation(table, table @ np.linalg.qr(cloud(3, 3))[0]) == 1, (
        "a turned map is the same map"
    )
    shuffled = table[np.random.default_rng(1).permutation(80)]
    assert embeddings.neighbor_preservation(table, shuffled) < 0.2
    assert math.isnan(embeddings.neighbor_preservation(table[:1], table[:1]))
    line, swapped = np.array([[0.0], [1], [3], [7]]), np.array([[0.0], [3], [1], [7]])
    # By hand: nearest are 0-1, 1-0, 2-1, 3-2 on the line; 0-2, 1-2, 2-0, 3-1 on the map.
    assert embeddings.neighbor_preservation(line, swapped, n=1) == 0
    assert embeddings.neighbor_preservation(line, line * 2, n=1) == 1


def test_tsne_is_one_map_for_one_seed_and_keeps_more_neighbors_than_two_axes() -> None:
    rng = np.random.default_rng(0)
    table = np.repeat(rng.normal(size=(8, 30)) * 3, 10, axis=0) + rng.normal(size=(80, 30))
    first, again, other = (embeddings.tsne(table, 2, 10, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    assert trustworthiness(table, first) > 0.85
    flat = embeddings.principal_components(table, 2).points
    assert embeddings.neighbor_preservation(table, first) > embeddings.neighbor_preservation(table, flat)
    with pytest.raises(ValueError, match="perplexity 30 needs more than 30 tokens; there are 10"):
        embeddings.tsne(np.ones((10, 3)), 2, 30, 0)


def test_classes_of_the_stories_words_and_spellings_of_any_tokens() -> None:
    tokens = [" Mia", "Mia", " kite", " red", " frog", " pear", " house", " she", " It", ".", "\n", " big", "�", " ran"]
    assert vocabulary_facts.story_classes(tokens) == (
        "names", "names", "toys", "colors", "animals", "foods", "places", "pronouns", "pronouns",
        "signs", "signs", "other", "other", "other",
    )  # fmt: skip
    assert set(vocabulary_facts.story_classes(tokens)) <= set(vocabulary_facts.STORY_CLASSES)
    tokens = [" the", "ing", "7", " 12", "!=", "  ", "\n", "⟨E2⟩", "�", "", " Ä", "語"]
    assert vocabulary_facts._spelling_classes(tokens) == (
        "starts a word", "goes on in a word", "digits", "digits", "signs", "spaces", "spaces", "bytes and marks",
        "bytes and marks", "spaces", "starts a word", "goes on in a word",
    )  # fmt: skip
    assert set(vocabulary_facts._spelling_classes(tokens)) <= set(vocabulary_facts.SPELLING_CLASSES)


@given(st.text(max_size=20))
def test_every_token_has_a_class(token: str) -> None:
    assert vocabulary_facts._spelling_classes([token])[0] in vocabulary_facts.SPELLING_CLASSES
    assert vocabulary_facts.story_classes([token])[0] in vocabulary_facts.STORY_CLASSES


def test_the_last_token_of_a_word() -> None:
    assert last_token_of(["The", " ball", " hit", " the", " ball", "."], "ball") == 4
    assert last_token_of(["foot", "ball", " ball"], "ball") == 2
    assert last_token_of(["foot", "ball"], "ball") is None, "a part of a word is not the word"
    assert last_token_of(["un", "believ", "able", " x"], "unbelievable") == 2
    assert last_token_of(list("a cat"), "cat") == 4
    assert last_token_of(["Ball"], "ball") is None
    assert last_token_of(["a"], "  ") is None
    assert last_token_of(["x", "(", "y"], "(") == 1
    assert last_token_of([], "x") is None


@given(st.lists(st.text(max_size=5), max_size=6), st.text(max_size=5))
def test_a_place_found_is_a_place_of_the_text(tokens: list[str], word: str) -> None:
    found = last_token_of(tokens, word)
    assert found is None or 0 <= found < len(tokens)
    if found is not None:
        assert word.strip() in "".join(tokens[: found + 1])
    assert shared_words(["Mia", " saw", " the", " dog"], ["the", " dog", " saw"]) == ["saw", "the", "dog"]


def test_a_path_is_the_residual_stream_of_the_model() -> None:
    model = gpt(positions="alibi")
    path = hidden_trajectory(model, [1, 2, 3], [4, 5, 6, 3], 2, 3)
    assert path.stages == ("embedding", "attention, layer 0", "MLP, layer 0", "attention, layer 1", "MLP, layer 1")
    ids = torch.tensor([[4, 5, 6, 3]])
    with torch.no_grad(), Trace(model) as trace:
        logits = model(ids)
    keys = ["embed", "blocks.0.resid_mid", "blocks.0.resid_out", "blocks.1.resid_mid", "blocks.1.resid_out"]
    for stage, key in enumerate(keys):
        np.testing.assert_array_equal(path.vectors[1, stage], trace[key][0, 3].numpy())
    np.testing.assert_allclose(path.probabilities[1], logits[0, 3].softmax(-1).numpy(), rtol=1e-6)
    assert path.cosines[0] == pytest.approx(1)
    assert path.distances[0] == 0
    assert path.distances[1] > 0, "attention read other words"
    np.testing.assert_allclose(path.distances, np.linalg.norm(path.vectors[0] - path.vectors[1], axis=-1), rtol=1e-5)


def test_equal_texts_stay_together_and_attention_only_blocks_have_no_second_half() -> None:
    path = hidden_trajectory(gpt(), [1, 2, 3], [1, 2, 3], 1, 1)
    np.testing.assert_array_equal(path.distances, 0)
    model = gpt(block=BlockStyle(feed_forward=False), n_layer=1)
    assert hidden_trajectory(model, [1, 2], [3, 2], 1, 1).stages == ("embedding", "attention, layer 0")
    apart = hidden_trajectory(gpt(positions="learned"), [1, 3], [1, 2, 3], 1, 2)
    assert apart.distances[0] > 0, "positions part the word before any layer"
    with pytest.raises(ValueError, match=r"position 3 is not within 0..2"):
        hidden_trajectory(gpt(), [1, 2, 3], [1, 2, 3], 3, 0)


def test_the_two_examples_of_the_lecture() -> None:
    same, longer = embeddings.compare_vectors((1, 0), (1, 0)), embeddings.compare_vectors((1, 0), (3, 3))
    assert (same.dot, same.cosine) == (1, 1)
    assert (longer.dot, round(longer.cosine, 3), round(longer.angle, 6)) == (3, 0.707, 45)
    assert embeddings.compare_vectors((2, 1), (-1, 2)).cosine == 0
    assert embeddings.compare_vectors((2, 1), (-2, -1)).angle == pytest.approx(180)
    assert math.isnan(embeddings.compare_vectors((0, 0), (1, 1)).cosine)
    with pytest.raises(ValueError, match="vectors of 2 and 3 numbers"):
        embeddings.compare_vectors((1, 2), (1, 2, 3))


number = st.floats(-5, 5, allow_nan=False).map(lambda v: round(v, 1))


@settings(max_examples=200)
@given(st.tuples(number, number), st.tuples(number, number))
def test_dot_is_cosine_times_both_lengths(q: tuple[float, float], k: tuple[float, float]) -> None:
    pair = embeddings.compare_vectors(q, k)
    if pair.lengths[0] * pair.lengths[1] > 0:
        assert pair.dot == pytest.approx(pair.cosine * pair.lengths[0] * pair.lengths[1], abs=1e-9)
        reference = torch.cosine_similarity(torch.tensor([q]), torch.tensor([k])).item()
        assert pair.cosine == pytest.approx(reference, abs=1e-4)
    squares = pair.lengths[0] ** 2 + pair.lengths[1] ** 2 - 2 * pair.dot
    assert pair.distance**2 == pytest.approx(squares, abs=1e-9)


def test_the_browser_computes_what_python_computes(node: str) -> None:
    drawn = np.random.default_rng(0).uniform(-5, 5, size=(200, 2, 2)).round(1).tolist()
    cases = [*drawn, [[0, 0], [1, 2]], [[1, 0], [3, 3]], [[2, 1], [-1, 2]], [[5, 5], [5, 5]]]
    script = (
        f"import {{ compare }} from {json.dumps((ROOT / 'assets/widgets/embeddings/vectors_math.js').as_uri())};"
        f"console.log(JSON.stringify({json.dumps(cases)}.map(([q, k]) => compare(q, k))));"
    )
    command = [node, "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    for (q, k), shown in zip(cases, json.loads(done.stdout), strict=True):
        pair = embeddings.compare_vectors(q, k)
        assert shown["dot"] == pytest.approx(pair.dot, abs=1e-12)
        assert shown["lengths"] == pytest.approx(pair.lengths, abs=1e-12)
        assert shown["distance"] == pytest.approx(pair.distance, abs=1e-12)
        if math.isnan(pair.cosine):
            assert shown["cosine"] is None and shown["angle"] is None  # JSON has no nan
        else:
            assert shown["cosine"] == pytest.approx(pair.cosine, abs=1e-12)
            assert shown["angle"] == pytest.approx(pair.angle, abs=1e-5)


def test_only_two_vectors_of_the_picture_come_back() -> None:
    assert two_vectors._dragged({"q": [1, 2], "k": [-5, 0.5]}, None) == "1,2;-5,0.5"
    picks: list[Any] = ["x", {}, {"q": [1, 2]}, {"q": "12", "k": [1, 1]}]
    picks += [{"q": [1, 2], "k": k} for k in ([1], [1, 99], [1, math.nan], [1, True], ["1", 1])]
    assert [two_vectors._dragged(pick, None) for pick in picks] == [None] * len(picks)
    for text in ("x", "nan,0;1e309,0", "9,9;9,9", "1," * 4000, "1,2;3,4;5,6"):
        with pytest.raises(ValueError, match="no two vectors"):
            two_vectors.parse_link(text)


def test_a_forged_click_on_the_map_is_the_first_token() -> None:
    points: list[Any] = [{}, {"customdata": None}, {"customdata": ["x"]}, {"customdata": [10**9]}, "x"]
    assert [which_token.clicked_token(point, 5) for point in [*points, {"customdata": [-1]}, {"customdata": [4]}]] == [
        *[0] * 6, 4
    ]  # fmt: skip


def test_neighbors_and_pairs_as_tables() -> None:
    table = embeddings.nearest_tokens(np.array([[1.0, 0.0], [3.0, 3.0]]), 0, 1).table(("a", "b"))
    assert table["cosine"] == [1.0, 0.70711] and table["dot product"] == [1.0, 3.0] and table["length"] == [1.0, 4.2426]
    table = embeddings.pair_table([("mine", (2.0, 1.0), (-1.0, 2.0)), ("none", (0.0, 0.0), (1.0, 0.0))])
    assert table["example"] == ["mine", "none"] and table["q"] == ["(2, 1)", "(0, 0)"]
    assert table["dot product"] == [0.0, 0.0] and table["angle"][0] == 90.0 and np.isnan(table["cosine"][1])


@pytest.mark.parametrize("directions", [True, False])
def test_two_paths_on_two_axes(directions: bool) -> None:
    path = hidden_trajectory(gpt(), [1, 2, 3], [4, 3], 2, 1)
    points, shares = path.on_two_axes(directions=directions)
    assert points.shape == (2, len(path.stages), 2) and 0 < shares.sum() <= 1
    vectors = path.vectors.astype(np.float64)
    if directions:
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    flat = vectors.reshape(-1, 16)
    total = ((flat - flat.mean(0)) ** 2).sum()
    assert (points**2).sum() / total == pytest.approx(shares.sum())
    table = path.table(points)
    assert table["after"] == list(path.stages) and table["y 2"].tolist() == points[1, :, 1].round(4).tolist()


def test_of_many_stages_some_are_shown_and_their_steps_add_up() -> None:
    model = gpt(n_layer=4)
    path = hidden_trajectory(model, [1, 2, 3], [4, 3], 2, 1)
    shown, steps, added = steps_shown(path)
    assert shown == (0, 2, 4, 6, 8)
    angles = [np.degrees(np.arccos(embeddings.cosine_similarity(*path.vectors[:, i]))) for i in shown]
    assert np.cumsum([round(angles[0]), *steps]).tolist() == [round(angle) for angle in angles]
    change = path.vectors[:, 4].astype(np.float64) - path.vectors[:, 2]
    assert added[1] == pytest.approx(np.degrees(np.arccos(embeddings.cosine_similarity(*change))), abs=1e-3)
    assert steps_shown(hidden_trajectory(model, [1, 2], [1, 2], 1, 1))[1] == (0, 0, 0, 0)


def test_words_are_compared_with_those_that_stand_in_a_sentence() -> None:
    found = words_alike.compute(words_alike.Inputs())
    key = ModelKey.at("stories")
    table, labels = facts.embedding_table(key).double().numpy(), facts.token_labels(key)
    rows = [i for i, label in enumerate(labels) if label.startswith("·") and label[1:].isalpha()]
    one = table[labels.index("·kite")]
    cosines = {
        labels[i][1:]: table[i] @ one / np.linalg.norm(table[i]) / np.linalg.norm(one)
        for i in rows
        if labels[i] != "·kite"
    }
    best = sorted(cosines, key=cosines.__getitem__, reverse=True)[:6]
    at = words_alike.WORDS.index("kite")
    assert [found.names[i] for i in found.nearest[1, at]] == best
    np.testing.assert_allclose(found.cosines[1, at], [cosines[word] for word in best], atol=1e-6)
    np.testing.assert_allclose(found.vectors[1, at], one, atol=1e-6)


def test_a_sentence_is_the_mean_of_its_last_hidden_states_as_in_sentence_transformers(tmp_path: Path) -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 30, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    theirs = BertModel(BertConfig(**sizes, intermediate_size=32, max_position_embeddings=12)).eval()
    theirs.save_pretrained(tmp_path)
    ours, ids = pretrained.load(tmp_path).model.eval(), [2, 7, 19, 4, 3]
    with torch.no_grad():
        reference = theirs(torch.tensor([ids])).last_hidden_state[0].mean(0).numpy()
    np.testing.assert_allclose(sentence_vectors.sentence_vector(ours, ids), reference, atol=2e-6)


@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 2**31))
def test_cosines_of_sentences_are_scikit_learns_and_the_nearest_is_another(n: int, d: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, d))
    plain = sentence_vectors.pairwise_cosines(vectors)
    np.testing.assert_allclose(plain, cosine_similarity(vectors), atol=1e-12)
    centered = sentence_vectors.pairwise_cosines(vectors, centered=True)
    np.testing.assert_allclose(centered, cosine_similarity(vectors - vectors.mean(0)), atol=1e-9)
    found = sentence_vectors.compare_sentences(tuple(map(str, range(n))), vectors.astype(np.float32), plain)
    assert all(other != i for i, other in enumerate(found.nearest))
    silent = np.full((n, n), np.nan)
    assert sentence_vectors.compare_sentences(found.sentences, found.vectors, silent).nearest == list(range(n))
