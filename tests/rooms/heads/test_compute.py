"""Inspection against models whose heads were built by hand, and against the same numbers computed another way."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from core.inspect import attention_record, head_scores as heads, loss
from core.models.gpt import GPT, GPTConfig
from core.models.registry import build
from core.nn.attention import attend
from core.nn.block import BlockStyle
from core.nn.masks import causal
from core.nn.tap import Trace
from core.rooms.heads.compute import ablation
from tests.configs import gpt

IDS = [3, 1, 4, 1, 5, 9, 2, 6]


def random_model(**changes: object) -> GPT:
    """A GPT whose weights are all random and large, so that attention is uneven and every bias counts."""
    config = gpt(vocab_size=11, context_length=16, n_layer=2, n_head=4, d_model=16, **changes)
    model = build(config).double()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    assert isinstance(model, GPT)
    return model.eval()


def looking_model(target: Callable[[int], int], n_head: int = 2, causal: bool = True) -> GPT:
    """One layer whose head 0 puts all weight of query t on key target(t) and whose other heads score 0 everywhere.

    Positions are one-hot numbers of the stream, and head 0's query of t equals the key of target(t). No norm before the
    attention would keep them one-hot, so post-norm is used, where attention reads the embeddings themselves.
    """
    n = 16
    config = GPTConfig(
        vocab_size=n, context_length=n, n_layer=1, n_head=n_head, d_model=n * n_head, causal=causal,
        block=BlockStyle(norm_first=False),
    )  # fmt: skip
    model = build(config)
    assert isinstance(model, GPT) and isinstance(model.pos_emb, nn.Embedding)
    attn = model.blocks[0].attn
    with torch.no_grad():
        model.tok_emb.weight.zero_()
        model.pos_emb.weight.zero_()
        model.pos_emb.weight[:, :n] = torch.eye(n)
        attn.w_q.weight.zero_()
        attn.w_k.weight.zero_()
        attn.w_k.weight[:n, :n] = torch.eye(n)
        for t in range(n):
            attn.w_q.weight[target(t), t] = 1000.0
    return model.eval()


def test_heads_built_by_hand_are_found_and_named() -> None:
    scores = heads.score_heads(looking_model(lambda t: max(t - 1, 0)), IDS)
    assert scores.previous_token[0, 0] == pytest.approx(1)
    assert scores.current_token[0, 0] == pytest.approx(0)
    assert scores.first_token[0, 0] == pytest.approx(1 / 7)  # query 1 alone: its previous token is the first
    assert scores.focus[0, 0] == pytest.approx(1)
    first, second = heads.rank_heads(scores, "previous_token")
    assert (first.head, first.reaches, second.reaches) == (0, True, False)
    assert heads.score_heads(looking_model(lambda t: 0), IDS).first_token[0, 0] == pytest.approx(1)
    assert heads.score_heads(looking_model(lambda t: t), IDS).current_token[0, 0] == pytest.approx(1)
    repeated = heads.score_heads(looking_model(lambda t: max(t - 7, 0)), list(range(16)))  # 8 tokens twice
    assert repeated.induction[0, 0] == pytest.approx(1)  # what followed stood 7 before
    assert heads.rank_heads(repeated, "induction")[0].head == 0


@pytest.mark.parametrize("causal", [True, False])
def test_a_head_that_looks_everywhere_scores_what_uniform_says(causal: bool) -> None:
    scores = heads.score_heads(looking_model(lambda t: 0, causal=causal), IDS)
    for name in heads.SCORE_FIELDS:
        alike = float(scores.uniform[name][0])
        assert float(getattr(scores, name)[0, 1]) == pytest.approx(alike, rel=1e-6, abs=1e-6), name
    assert scores.focus[0, 1] == pytest.approx(0, abs=1e-6)
    if causal:
        assert float(scores.uniform["previous_token"][0]) == pytest.approx(sum(1 / n for n in range(2, 9)) / 7)
    else:
        assert scores.uniform["previous_token"][0] == scores.uniform["first_token"][0] == pytest.approx(1 / 8)
        assert scores.uniform["induction"][0] == pytest.approx(1 / 16)  # eight random tokens, twice, all in sight
        assert scores.first_token[0, 0] == pytest.approx(1) and scores.focus[0, 0] == pytest.approx(1)


def test_a_head_that_reads_the_next_token_has_focus_and_no_other_name() -> None:
    scores = heads.score_heads(looking_model(lambda t: min(t + 1, 15), causal=False), IDS)
    assert scores.focus[0, 0] > 0.8
    assert not any(heads.rank_heads(scores, name)[0].reaches for name in heads.SCORE_FIELDS if name != "focus")


def test_focus_is_one_half_where_the_root_of_all_keys_is_read_alike() -> None:
    weights = np.zeros((1, 1, 16, 16))
    weights[..., :4] = 1 / 4
    assert heads.head_scores_from_weights(weights, list(range(16)), mask=np.ones((16, 16), bool)).focus[
        0, 0
    ] == pytest.approx(0.5)


def test_induction_pairs_follow_the_last_occurrence() -> None:
    assert heads._induction_pairs([1, 2, 3, 1, 2]) == [(3, 1), (4, 2)]
    assert heads._induction_pairs([1, 2, 1, 3, 1]) == [(2, 1), (4, 3)]
    assert heads._induction_pairs([7, 7, 7]) == []  # what followed is the token itself


def test_repeated_tokens_are_distinct_seeded_and_fit() -> None:
    model = random_model()
    ids = heads._repeated_tokens(model, seed=3)
    assert ids is not None and len(ids) == 16 and ids[:8] == ids[8:] and len(set(ids)) == 8
    assert heads._repeated_tokens(model, seed=3) == ids != heads._repeated_tokens(model, seed=4)
    assert heads._repeated_tokens(build(GPTConfig(vocab_size=1, n_head=1, d_model=2))) is None


def test_texts_without_a_case_give_nan_and_no_warning() -> None:
    scores = heads.score_heads(random_model(), [1])
    assert np.isnan(scores.previous_token).all() and np.isnan(scores.focus).all()
    ranked = heads.rank_heads(heads.score_heads(random_model(), [1, 2, 3]), "induction_text")
    assert len(ranked) == 8 and all(np.isnan(one.value) for one in ranked)


def test_rank_orders_all_heads_and_knows_its_scores() -> None:
    ranked = heads.rank_heads(heads.score_heads(random_model(), IDS), "previous_token")
    assert [one.value for one in ranked] == sorted((one.value for one in ranked), reverse=True) and len(ranked) == 8
    with pytest.raises(ValueError, match="no score 'magic'"):
        heads.rank_heads(heads.score_heads(random_model(), IDS), "magic")


@pytest.mark.parametrize("positions", ["learned", "rotary", "alibi", "relative"])
def test_the_record_holds_what_the_formula_needs(positions: str) -> None:
    model = random_model(positions=positions)
    record = attention_record.attention(model, IDS)
    assert (
        record.weights.shape == (2, 4, 8, 8)
        and record.q.shape == (2, 4, 8, 4)
        and record.probabilities.shape == (8, 11)
    )
    bias = 0 if record.bias is None else record.bias
    np.testing.assert_allclose(record.q @ record.k.swapaxes(-1, -2) * record.scale + bias, record.scores, atol=1e-12)
    _, weights = attend(*(torch.from_numpy(x) for x in (record.q, record.k, record.v)), torch.from_numpy(record.mask),
                        None if record.bias is None else torch.from_numpy(record.bias))  # fmt: skip
    np.testing.assert_allclose(record.weights, weights.numpy(), atol=1e-12)
    np.testing.assert_allclose(record.weights.sum(-1), 1)
    assert np.array_equal(record.logits, model(torch.tensor([IDS]))[0].detach().numpy())
    np.testing.assert_allclose(record.probabilities.sum(-1), 1, rtol=1e-6)


def test_token_loss_equals_cross_entropy() -> None:
    model = random_model()
    got = loss.token_loss(model, IDS)
    logits = model(torch.tensor([IDS]))[0].detach()
    expected = nn.functional.cross_entropy(logits[:-1], torch.tensor(IDS[1:]), reduction="none")
    np.testing.assert_allclose(got.loss[1:], expected)
    assert np.isnan(got.loss[0]) and got.rank[0] == 0
    np.testing.assert_allclose(got.probability[1:], np.exp(-got.loss[1:]))
    order = logits[:-1].argsort(-1, descending=True).tolist()
    assert got.rank[1:].tolist() == [row.index(token) + 1 for row, token in zip(order, IDS[1:], strict=True)]
    np.testing.assert_allclose(got.entropy[1:], torch.distributions.Categorical(logits=logits[:-1]).entropy())
    assert got.mean == pytest.approx(float(expected.mean()))
    assert math.isnan(loss.token_loss(model, [2]).mean)


@pytest.mark.parametrize("chosen", [[(0, 1)], [(0, 0), (0, 3), (1, 2)]])
def test_knocking_out_equals_zeroed_columns_of_the_output_projection(chosen: list[tuple[int, int]]) -> None:
    model, maimed = random_model(), random_model()
    with torch.no_grad():
        for layer, head in chosen:
            maimed.blocks[layer].attn.w_o.weight[:, 4 * head : 4 * head + 4] = 0
    got = ablation.knock_out(model, IDS, chosen)
    assert all(torch.equal(one, random_model().state_dict()[name]) for name, one in model.state_dict().items())
    expected = attention_record.attention(maimed, IDS)
    np.testing.assert_allclose(got.probabilities_after, expected.probabilities, atol=1e-7)
    np.testing.assert_allclose(got.weights_after, expected.weights, atol=1e-12)
    np.testing.assert_allclose(got.loss_after.loss, loss.token_loss(maimed, IDS).loss)
    np.testing.assert_allclose(
        got.probabilities_before, attention_record.attention(model, IDS).probabilities, atol=1e-7
    )
    assert (got.kl > 0).all() and got.loss_change != 0
    before, after = got.probabilities_before.astype(float), got.probabilities_after.astype(float)
    np.testing.assert_allclose(got.kl, (before * np.log(before / after)).sum(-1), atol=1e-5)


def test_mean_knock_out_writes_the_mean_of_the_heads_output() -> None:
    model = random_model()
    with torch.no_grad(), Trace(model) as seen:
        model(torch.tensor([IDS]))
    mean = seen["blocks.1.attn.heads"][:, 2].mean(1)

    def put_mean(x: Tensor) -> Tensor:
        return torch.cat([x[:, :2], mean.expand(1, 8, 4)[:, None], x[:, 3:]], 1)

    with torch.no_grad(), Trace(model, {"blocks.1.attn.heads": put_mean}) as edited:
        model(torch.tensor([IDS]))
    got = ablation.knock_out(model, IDS, [(1, 2)], mode="mean")
    np.testing.assert_allclose(got.probabilities_after, edited["logits"][0].softmax(-1), atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_identity_edit_changes_nothing_bit_for_bit(dtype: torch.dtype) -> None:
    model = random_model().to(dtype)
    record = attention_record.attention(model, IDS)
    got = ablation.set_attention_row(model, IDS, 0, 2, 5, record.weights[0, 2, 5].tolist())
    assert np.array_equal(got.probabilities_before, got.probabilities_after)
    assert np.array_equal(got.weights_before, got.weights_after)
    assert np.array_equal(got.loss_before.loss, got.loss_after.loss, equal_nan=True)
    assert not got.kl.any()
    assert not ablation.knock_out(model, IDS, []).kl.any()


def test_a_record_at_hand_stands_for_the_untouched_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model()
    record = attention_record.attention(model, IDS)
    one, other = (ablation.knock_out(model, IDS, [(0, 1)], "mean", given) for given in (None, record))
    for name, values in vars(one).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_array_equal(values, getattr(other, name))
    assert one.loss_change == other.loss_change
    monkeypatch.setattr(model, "forward", lambda *_: pytest.fail("the text is run again"))
    assert not ablation.intervene(model, IDS, {}, record).kl.any()


def test_an_edited_row_equals_a_computation_by_hand() -> None:
    model = random_model()
    row = [0.5, 0, 0, 0.25, 0.25, 0, 0, 0]
    got = ablation.set_attention_row(model, IDS, 0, 1, 4, row)
    with torch.no_grad():
        x = model.embed(torch.tensor([IDS]))
        block = model.blocks[0]
        normed = block.norm_1(x)
        q, k, v = (
            linear(normed).unflatten(-1, (4, 4)).transpose(1, 2)
            for linear in (block.attn.w_q, block.attn.w_k, block.attn.w_v)
        )
        weights = (q @ k.mT / 2).masked_fill(~causal(8), -math.inf).softmax(-1)
        weights[0, 1, 4] = torch.tensor(row, dtype=torch.float64)
        x = x + block.attn.w_o((weights @ v).transpose(1, 2).flatten(2))
        x = x + block.mlp(block.norm_2(x))
        logits = model.unembed(model.norm(model.blocks[1](x, mask=causal(8))))[0]
    np.testing.assert_allclose(got.probabilities_after, logits.softmax(-1), atol=1e-7)
    assert np.array_equal(got.weights_after[0, 1, 4], row)
    assert not np.array_equal(got.weights_after[1], got.weights_before[1])  # downstream was recomputed
    assert (got.kl[:4] == 0).all() and (got.kl[4:] > 0).all()  # and only from the edited query on


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([1, 0], "2 weights, the text has 8"),
        ([0.5] * 8, "sum to 4"),
        ([2, -1, 0, 0, 0, 0, 0, 0], "non-negative"),
        ([math.nan] * 8, "nan"),
        ([0, 0, 0, 0, 0, 0, 0, 1], "may look at the tokens 0 to"),
    ],
)
def test_impossible_rows_are_refused(row: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ablation.set_attention_row(random_model(), IDS, 0, 0, 2, row)


def test_other_mistakes_are_refused_in_words() -> None:
    model = random_model()
    for ids, words in (
        ([], "no tokens"),
        ([1] * 17, "17 tokens, the model has positions for 16"),
        ([11], r"knows the tokens 0..10, the text has 11..11"),
        ([-1, 2], "-1..2"),
    ):
        with pytest.raises(ValueError, match=words):
            attention_record.attention(model, ids)
    with pytest.raises(ValueError, match="no head 4 in layer 0: the model has 2 layers of 4 heads"):
        ablation.knock_out(model, IDS, [(0, 4)])
    with pytest.raises(ValueError, match="'loud' is none of"):
        ablation.knock_out(model, IDS, [(0, 0)], mode="loud")
    with pytest.raises(ValueError, match=r"query=8 is not within 0\.\.7"):
        ablation.set_attention_row(model, IDS, 0, 0, 8, [1.0] + [0.0] * 7)
