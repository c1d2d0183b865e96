"""Errata about attention, positions, the block and sizes, run on random numbers."""

import math

import numpy as np
import torch
from torch import Tensor

from core.inspect.lecture_errata import FloatArray, LectureErratum, LectureErratumResult, index_names
from core.nn.attention import MultiHeadAttention, attend, attention_scores, masked_softmax
from core.nn.block import Block, BlockStyle
from core.nn.masks import causal
from core.nn.positions import rotate, sinusoidal

T, K = 6, 16  # tokens, and numbers in a head
_WIDE_HEAD = 64  # width of a head, for errata in which it matters


def random_tensors(seed: int, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Return independent random numbers with mean 0 and variance 1, in float64."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def _off(wrong: FloatArray, right: FloatArray) -> float:
    return float(np.linalg.norm(wrong - right) / np.linalg.norm(right))


def _signed(value: Tensor) -> str:
    return f"{float(value):.2f}".replace("-", "−")


def _scores_without_softmax(seed: int) -> LectureErratumResult:
    """Compare z = sum of scores times values with the sum of weights times values."""
    q, k, v = random_tensors(seed, *[(1, 1, T, K)] * 3)
    right, _ = attend(q, k, v)
    wrong = attention_scores(q, k) @ v
    as_written, as_right = wrong[0, 0].numpy(), right[0, 0].numpy()
    sums = attention_scores(q, k)[0, 0].sum(-1)
    return LectureErratumResult(
        as_written, as_right, index_names("z", T), index_names("", K), _off(as_written, as_right),
        "of the output's length",
        f"The numbers that multiply the values sum to between {_signed(sums.min())} and {_signed(sums.max())} by "
        "row, where shares sum to 1: some values are even subtracted.",
    )  # fmt: skip


def _weights_by_own_key(seed: int) -> LectureErratumResult:
    """Compare a query's weights before and after its first key changes: f(q, k) alone, and softmax over all keys."""
    q, k, push = random_tensors(seed, (1, 1, 1, K), (1, 1, T, K), (1, 1, 1, K))
    moved = k.clone()
    moved[:, :, :1] += q * 0.25 + 0.1 * push
    before, after = attention_scores(q, k)[0, 0], attention_scores(q, moved)[0, 0]  # (1, T) each
    wrong = torch.cat([before.exp(), after.exp()]).numpy()
    right = masked_softmax(torch.cat([before, after])[None, None])[0, 0].numpy()
    change = float(np.abs(right[1, 1:] - right[0, 1:]).max())
    return LectureErratumResult(
        wrong, right, ("before", "after"), index_names("k", T), change, "largest change of another key's weight",
        f"Only key 1 moves. As written, the others' weights change by {np.abs(wrong[1, 1:] - wrong[0, 1:]).max():g}; "
        f"in the softmax all of them change, by up to {change:.3f}, because they share a sum of 1.",
    )  # fmt: skip


def _shared_projection(seed: int) -> LectureErratumResult:
    """Compare the scores of a shared matrix for queries and keys with those of separate matrices."""
    x, w_q, w_k = random_tensors(seed, (1, 1, T, K), (K, K), (K, K))
    w_q, w_k = w_q / math.sqrt(K), w_k / math.sqrt(K)
    wrong = attention_scores(x @ w_q, x @ w_q)[0, 0].numpy()
    right = attention_scores(x @ w_q, x @ w_k)[0, 0].numpy()
    lopsided = float(np.abs(right - right.T).max())
    return LectureErratumResult(
        wrong, right, index_names("q", T), index_names("k", T), lopsided, "largest distance from the mirror image",
        "With one matrix every score equals its mirror image: a word couldn't ask for one thing and offer another. "
        f"With two they differ by up to {lopsided:.2f}.",
    )  # fmt: skip


def _outputs_from_second_query(seed: int) -> LectureErratumResult:
    """Compare the outputs of queries 2 to M with those of queries 1 to M."""
    q, k, v = random_tensors(seed, *[(1, 1, T, K)] * 3)
    right = attend(q, k, v)[0][0, 0].numpy()
    wrong = right.copy()
    wrong[0] = np.nan
    n = T - int(np.isnan(wrong[:, 0]).sum())
    return LectureErratumResult(
        wrong, right, index_names("z", T), index_names("", K), T - n, "rows missing",
        f"As written, {T} queries make {n} rows. A residual path adds the output to its {T} inputs, so every row is "
        "needed, the first one too.",
    )  # fmt: skip


def _score_with_own_key_index(seed: int) -> LectureErratumResult:
    """Compare the weights of the softmax over m of k_n . q_n with those of k_m . q_n."""
    q, k = random_tensors(seed, *[(1, 1, T, K)] * 2)
    scores = attention_scores(q, k)
    wrong = masked_softmax(scores.diagonal(dim1=-2, dim2=-1)[..., None].expand_as(scores))[0, 0].numpy()
    right = masked_softmax(scores)[0, 0].numpy()
    return LectureErratumResult(
        wrong, right, index_names("q", T), index_names("k", T), float(np.abs(wrong - right).max()),
        "largest error of a weight",
        f"As written, the score doesn't depend on which key is read, so every key gets 1/{T} = {wrong[0, 0]:.3f}, "
        f"whatever is asked. Written right, the largest weight is {right.max():.2f}.",
    )  # fmt: skip


def _masked_unscaled_scores(seed: int) -> LectureErratumResult:
    """Compare masked attention without the root of d, as in the notes' line of code, with masked attention with it."""
    q, k, v = random_tensors(seed, *[(1, 1, 12, _WIDE_HEAD)] * 3)
    mask = causal(12)
    wrong = attend(q, k, v, mask, scale=1.0)[1][0, 0].numpy()
    right = attend(q, k, v, mask)[1][0, 0].numpy()
    tops = [float(weights[1:].max(-1).mean()) for weights in (wrong, right)]
    return LectureErratumResult(
        wrong, right, index_names("q", 12), index_names("k", 12), tops[0] - tops[1], "more on the largest key",
        f"At width {_WIDE_HEAD} the largest weight of a row, from the second on, is {tops[0]:.2f} on average without "
        f"the root and {tops[1]:.2f} with it. The mask is right in both.",
    )  # fmt: skip


ATTENTION_ERRATA = (
    LectureErratum(
        where="3:47", name="Scores in place of weights", kind="signed", run=_scores_without_softmax,
        note=r"$z = \sum_i \hat a_i v_i$, where $\hat a_i = q \cdot k_i$ is the score.",
        right=r"$z = \sum_i a_i v_i$ with $a = \mathrm{softmax}(\hat a)$: the shares multiply the values.",
    ),
    LectureErratum(
        where="2:127", name="A weight of its own key alone", kind="value", run=_weights_by_own_key,
        note=r"$\mathrm{att}(q) = \sum_i f(q, k_i)\, v_i$ with a similarity $f$: each weight depends on one key.",
        right=r"The softmax divides by $\sum_j e^{q \cdot k_j}$: each weight depends on **all** keys.",
    ),
    LectureErratum(
        where="3:63", name="One matrix for all three", kind="signed", run=_shared_projection,
        note=r"$q = W_x x$, as if the same matrix made everything of $x$.",
        right=r"$q = W_Q x$, $k = W_K x$, $v = W_V x$: three matrices.",
    ),
    LectureErratum(
        where="3:72", name="Outputs from the second on", kind="signed", run=_outputs_from_second_query,
        note=r"$z_{1:M} = [\mathrm{Attn}(q_2), \ldots, \mathrm{Attn}(q_M)]$.",
        right=r"$z_{1:M} = [\mathrm{Attn}(q_1), \ldots, \mathrm{Attn}(q_M)]$.",
    ),
    LectureErratum(
        where="5:54", name="The key's index", run=_score_with_own_key_index,
        note=r"$a[x_m, x_n] = \mathrm{softmax}_m[k_n^\top q_n]$.",
        right=r"$a[x_m, x_n] = \mathrm{softmax}_m[k_m^\top q_n]$: query n meets every key m.",
    ),
    LectureErratum(
        where="4:226", name="No root in the masked line", run=_masked_unscaled_scores,
        note=r"The text divides by $\sqrt d$; its line of code masks $Q K^\top$ as it is.",
        right=r"$\mathrm{softmax}(\mathrm{mask}(Q K^\top / \sqrt d))\,V$.",
    ),
)  # fmt: skip


def _absolute_and_relative_scores(seed: int) -> LectureErratumResult:
    """Compare the scores of two words at (t, t + 3) for t = 0 to 9: positions added, and q and k rotated."""
    x, w_q, w_k = random_tensors(seed, (2, K), (K, K), (K, K))
    starts = torch.arange(10)
    table = sinusoidal(13, K, dtype=torch.float64)
    q, k = (x[0] + table[starts]) @ w_q / math.sqrt(K), (x[1] + table[starts + 3]) @ w_k / math.sqrt(K)
    added = (q * k).sum(-1) / math.sqrt(K)
    q, k = (x[i] @ w / math.sqrt(K) * torch.ones(10, 1, dtype=torch.float64) for i, w in enumerate((w_q, w_k)))
    turned = (rotate(q, starts) * rotate(k, starts + 3)).sum(-1) / math.sqrt(K)
    spread = [float(np.ptp(scores.numpy())) for scores in (added, turned)]
    return LectureErratumResult(
        added[None].numpy(), turned[None].numpy(), ("score",), tuple(f"{t}, {t + 3}" for t in range(10)),
        spread[0], "spread of one score over ten positions",
        "The same two words, always three apart. With the sinusoidal vectors added, their score varies by "
        f"{spread[0]:.2f} depending on where they are: that encoding is absolute. With rotary positions (RoPE) it "
        f"varies only by rounding ({spread[1]:.16f}): those are relative.",
    )  # fmt: skip


def _position_buffer_sizes(seed: int) -> LectureErratumResult:
    """Compare position tables made for 1,000 and for 50,000 positions."""
    del seed  # nothing is drawn
    short, long = (sinusoidal(n, K).numpy() for n in (1_000, 50_000))
    off = float(np.abs(long[:1_000] - short).max())
    rows = [0, 1, 10, 100, 999]
    return LectureErratumResult(
        long[rows], short[rows], tuple(f"position {i}" for i in rows), index_names("", K, 0), off, "largest difference",
        "The text sets the longest sentence to 1,000, its code to 50,000. The first 1,000 rows are the same "
        f"(difference {off:g}): it's only the size of a buffer, {short.nbytes:,} bytes or {long.nbytes:,} at width "
        f"{K}, and no part of the model.",
    )  # fmt: skip


def _odd_position_width(seed: int) -> LectureErratumResult:
    """Compare position tables of width 7: the common code fails, ours leaves out the last cosine."""
    del seed  # nothing is drawn
    width = 7
    right = sinusoidal(T, width).numpy()
    wrong = torch.full((T, width), float("nan"))
    angle = torch.arange(T)[:, None] * 10000.0 ** (-torch.arange(0, width, 2) / width)
    wrong[:, 0::2] = angle.sin()
    try:
        wrong[:, 1::2] = angle.cos()  # the common code: one cosine too many for an odd width
        outcome = "runs"
    except RuntimeError as error:
        outcome = f"stops with “{str(error).splitlines()[0]}”"
    empty = int(np.isnan(wrong.numpy()).sum())
    return LectureErratumResult(
        wrong.numpy(), right, index_names("position ", T, 0), index_names("", width, 0), empty, "numbers never written",
        f"Width {width} has room for 4 sines and 3 cosines. The code as written {outcome}. Ours leaves out the last "
        "cosine.",
    )  # fmt: skip


POSITION_ERRATA = (
    LectureErratum(
        where="4:190", name="Absolute, called relative", kind="signed", run=_absolute_and_relative_scores,
        note="This encoding gives “the relative position in the sequence”.",
        right="Each vector says where its token is: it's absolute. Because a shift is a rotation of it, relative "
        "positions can be *learned*. RoPE, ALiBi and T5's biases are relative themselves.",
    ),
    LectureErratum(
        where="4:209", name="1,000 or 50,000", kind="signed", run=_position_buffer_sizes,
        note="The longest sentence is 1,000 in the text and `max_len=50000` in the code.",
        right="Either will do: the formula has no longest length. A learned table would.",
    ),
    LectureErratum(
        where="4:285", name="An odd width", kind="signed", run=_odd_position_width,
        note="`pe[:, 1::2] = torch.cos(position * div_term)` for any width r.",
        right="With an odd r there's one cosine fewer than sines: check r, or leave out the last one.",
    ),
)  # fmt: skip


def _little(share: float) -> str:
    return "less than a billionth" if share < 1e-9 else f"{share:.2g}"


def _diversity_by_layer(seed: int) -> LectureErratumResult:
    """Compare the diversity of 14 tokens after 0 to 8 layers of attention alone, and of whole blocks."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(1, 14, 32, generator=generator)
    with torch.random.fork_rng(devices=[]):  # torch initializes each layer from its global generator
        bare = [MultiHeadAttention(32, 4) for _ in range(8)]
        whole = [Block(32, 4, None, BlockStyle()) for _ in range(8)]
    for layer in (*bare, *whole):
        for name, parameter in layer.named_parameters():
            if parameter.ndim == 2:
                parameter.data = torch.randn(parameter.shape, generator=generator) / math.sqrt(parameter.shape[1])
            elif name.endswith("bias"):
                parameter.data.zero_()  # the gains of the norms are 1
    curves = []
    with torch.no_grad():
        for layers in (bare, whole):
            stream, left = x.double(), []
            for layer in (None, *layers):
                stream = stream if layer is None else layer.double()(stream)
                rest = stream - stream.mean(1, keepdim=True)
                left.append(float(rest.norm() / stream.norm()))
            curves.append(np.array([left]))
    bare_curve, curve = curves
    return LectureErratumResult(
        bare_curve, curve, ("diversity",), index_names("layer ", 9, 0), float(curve[0, -1] - bare_curve[0, -1]),
        "more diversity after eight layers",
        f"After eight layers of nothing but attention, the tokens differ by {_little(bare_curve[0, -1])} of their "
        "length: rank collapse (Dong et al. 2021). With residual paths, norms and feed-forward parts, they differ by "
        f"{curve[0, -1]:.2f} of it.",
    )  # fmt: skip


BLOCK_ERRATA = (
    LectureErratum(
        where="2:38", name="“Using only attention”", run=_diversity_by_layer,
        note="“The Transformer architecture considers the entire sequence using only attention mechanisms.”",
        right="Attention is the only way *between* tokens. Residual paths, norms and feed-forward parts keep it alive, "
        "and the feed-forward part has two thirds of a block's parameters.",
    ),
)  # fmt: skip

# Switch-C: Fedus, Zoph and Shazeer 2021 (2101.03961), table 9: an encoder and a decoder of 15 layers each.
EXPERTS, SWITCH_LAYERS, SWITCH_MODEL, SWITCH_FF = 2_048, 2 * 15, 2_080, 6_144


def _switch_parameters(seed: int) -> LectureErratumResult:
    """Compare all parameters of Switch-C's feed-forward layers with those that a single token uses."""
    del seed  # nothing is drawn
    each = 2 * SWITCH_MODEL * SWITCH_FF
    stored, used = (n * SWITCH_LAYERS * each / 1e9 for n in (EXPERTS, 1))
    return LectureErratumResult(
        np.array([[stored]]), np.array([[used]]), ("feed-forward",), ("billions of parameters",), stored / used,
        "times as many stored as used",
        f"Each of the {SWITCH_LAYERS} layers has {EXPERTS:,} feed-forward parts, the *experts*, of 2 × "
        f"{SWITCH_MODEL:,} × {SWITCH_FF:,} weights: {stored:,.0f} billion in all. A router sends each token to one "
        f"expert, so a token meets {used:.2f} billion. Attention, a small remainder, is left out.",
    )  # fmt: skip


SIZE_ERRATA = (
    LectureErratum(
        where="2:34", name="A trillion parameters", kind="value", run=_switch_parameters,
        titles=("Stored", "Met by one token"),
        note="Language models “are crossing the trillion parameter milestone”, with the Switch Transformer as source.",
        right="That's a sparse mixture of experts: a token uses one expert in 2,048. It doesn't compare with a dense "
        "model such as GPT-3, where every token meets all 175 billion.",
    ),
)  # fmt: skip
