"""Errata about attention, positions, the block and sizes, run on random numbers."""

import math

import numpy as np
import torch
from torch import Tensor

from core.data.localization.labels import module_labels
from core.inspect.lecture_errata import FloatArray, LectureErratum, LectureErratumResult, index_names
from core.nn.attention import MultiHeadAttention, attend, attention_scores, masked_softmax
from core.nn.block import Block, BlockStyle
from core.nn.masks import causal
from core.nn.positions import rotate, sinusoidal

LABELS = module_labels(__name__)

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
        as_written,
        as_right,
        index_names("z", T),
        index_names("", K),
        _off(as_written, as_right),
        LABELS["scores_without_softmax.unit"],
        LABELS("scores_without_softmax.said", least=_signed(sums.min()), most=_signed(sums.max())),
    )


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
        wrong,
        right,
        (LABELS["weights_by_own_key.before"], LABELS["weights_by_own_key.after"]),
        index_names("k", T),
        change,
        LABELS["weights_by_own_key.unit"],
        LABELS("weights_by_own_key.said", others=np.abs(wrong[1, 1:] - wrong[0, 1:]).max(), change=change),
    )


def _shared_projection(seed: int) -> LectureErratumResult:
    """Compare the scores of a shared matrix for queries and keys with those of separate matrices."""
    x, w_q, w_k = random_tensors(seed, (1, 1, T, K), (K, K), (K, K))
    w_q, w_k = w_q / math.sqrt(K), w_k / math.sqrt(K)
    wrong = attention_scores(x @ w_q, x @ w_q)[0, 0].numpy()
    right = attention_scores(x @ w_q, x @ w_k)[0, 0].numpy()
    lopsided = float(np.abs(right - right.T).max())
    return LectureErratumResult(
        wrong,
        right,
        index_names("q", T),
        index_names("k", T),
        lopsided,
        LABELS["shared_projection.unit"],
        LABELS("shared_projection.said", lopsided=lopsided),
    )


def _outputs_from_second_query(seed: int) -> LectureErratumResult:
    """Compare the outputs of queries 2 to M with those of queries 1 to M."""
    q, k, v = random_tensors(seed, *[(1, 1, T, K)] * 3)
    right = attend(q, k, v)[0][0, 0].numpy()
    wrong = right.copy()
    wrong[0] = np.nan
    n = T - int(np.isnan(wrong[:, 0]).sum())
    return LectureErratumResult(
        wrong,
        right,
        index_names("z", T),
        index_names("", K),
        T - n,
        LABELS["outputs_from_second_query.unit"],
        LABELS("outputs_from_second_query.said", t=T, n=n),
    )


def _score_with_own_key_index(seed: int) -> LectureErratumResult:
    """Compare the weights of the softmax over m of k_n . q_n with those of k_m . q_n."""
    q, k = random_tensors(seed, *[(1, 1, T, K)] * 2)
    scores = attention_scores(q, k)
    wrong = masked_softmax(scores.diagonal(dim1=-2, dim2=-1)[..., None].expand_as(scores))[0, 0].numpy()
    right = masked_softmax(scores)[0, 0].numpy()
    return LectureErratumResult(
        wrong,
        right,
        index_names("q", T),
        index_names("k", T),
        float(np.abs(wrong - right).max()),
        LABELS["score_with_own_key_index.unit"],
        LABELS("score_with_own_key_index.said", t=T, wrong=wrong[0, 0], max=right.max()),
    )


def _masked_unscaled_scores(seed: int) -> LectureErratumResult:
    """Compare masked attention without the root of d, as in the notes' line of code, with masked attention with it."""
    q, k, v = random_tensors(seed, *[(1, 1, 12, _WIDE_HEAD)] * 3)
    mask = causal(12)
    wrong = attend(q, k, v, mask, scale=1.0)[1][0, 0].numpy()
    right = attend(q, k, v, mask)[1][0, 0].numpy()
    tops = [float(weights[1:].max(-1).mean()) for weights in (wrong, right)]
    return LectureErratumResult(
        wrong,
        right,
        index_names("q", 12),
        index_names("k", 12),
        tops[0] - tops[1],
        LABELS["masked_unscaled_scores.unit"],
        LABELS("masked_unscaled_scores.said", width=_WIDE_HEAD, without=tops[0], with_root=tops[1]),
    )


ATTENTION_ERRATA = (
    LectureErratum(
        where="3:47", name=LABELS["scores_without_softmax.name"], kind="signed", run=_scores_without_softmax,
        note=LABELS["scores_without_softmax.note"],
        right=LABELS["scores_without_softmax.right"],
    ),
    LectureErratum(
        where="2:127", name=LABELS["weights_by_own_key.name"], kind="value", run=_weights_by_own_key,
        note=LABELS["weights_by_own_key.note"],
        right=LABELS["weights_by_own_key.right"],
    ),
    LectureErratum(
        where="3:63", name=LABELS["shared_projection.name"], kind="signed", run=_shared_projection,
        note=LABELS["shared_projection.note"],
        right=LABELS["shared_projection.right"],
    ),
    LectureErratum(
        where="3:72", name=LABELS["outputs_from_second_query.name"], kind="signed", run=_outputs_from_second_query,
        note=r"$z_{1:M} = [\mathrm{Attn}(q_2), \ldots, \mathrm{Attn}(q_M)]$.",
        right=r"$z_{1:M} = [\mathrm{Attn}(q_1), \ldots, \mathrm{Attn}(q_M)]$.",
    ),
    LectureErratum(
        where="5:54", name=LABELS["score_with_own_key_index.name"], run=_score_with_own_key_index,
        note=r"$a[x_m, x_n] = \mathrm{softmax}_m[k_n^\top q_n]$.",
        right=LABELS["score_with_own_key_index.right"],
    ),
    LectureErratum(
        where="4:226", name=LABELS["masked_unscaled_scores.name"], run=_masked_unscaled_scores,
        note=LABELS["masked_unscaled_scores.note"],
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
        added[None].numpy(),
        turned[None].numpy(),
        (LABELS["absolute_and_relative_scores.score"],),
        tuple(f"{t}, {t + 3}" for t in range(10)),
        spread[0],
        LABELS["absolute_and_relative_scores.unit"],
        LABELS("absolute_and_relative_scores.said", absolute=spread[0], relative=spread[1]),
    )


def _position_buffer_sizes(seed: int) -> LectureErratumResult:
    """Compare position tables made for 1,000 and for 50,000 positions."""
    del seed  # nothing is drawn
    short, long = (sinusoidal(n, K).numpy() for n in (1_000, 50_000))
    off = float(np.abs(long[:1_000] - short).max())
    rows = [0, 1, 10, 100, 999]
    return LectureErratumResult(
        long[rows],
        short[rows],
        tuple(LABELS("position_buffer_sizes.position", i=i) for i in rows),
        index_names("", K, 0),
        off,
        LABELS["position_buffer_sizes.unit"],
        LABELS("position_buffer_sizes.said", off=off, nbytes=short.nbytes, nbytes_2=long.nbytes, k=K),
    )


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
        key, error_text = "odd_position_width.runs", ""
    except RuntimeError as error:
        key, error_text = "odd_position_width.stops", str(error).splitlines()[0]
    empty = int(np.isnan(wrong.numpy()).sum())
    return LectureErratumResult(
        wrong.numpy(),
        right,
        tuple(LABELS("odd_position_width.position", i=i) for i in range(T)),
        index_names("", width, 0),
        empty,
        LABELS["odd_position_width.unit"],
        LABELS(key, width=width, error=error_text),
    )


POSITION_ERRATA = (
    LectureErratum(
        where="4:190", name=LABELS["absolute_and_relative_scores.name"], kind="signed",
        run=_absolute_and_relative_scores,
        note=LABELS["absolute_and_relative_scores.note"],
        right=LABELS["absolute_and_relative_scores.right"],
    ),
    LectureErratum(
        where="4:209", name=LABELS["position_buffer_sizes.name"], kind="signed", run=_position_buffer_sizes,
        note=LABELS["position_buffer_sizes.note"],
        right=LABELS["position_buffer_sizes.right"],
    ),
    LectureErratum(
        where="4:285", name=LABELS["odd_position_width.name"], kind="signed", run=_odd_position_width,
        note=LABELS["odd_position_width.note"],
        right=LABELS["odd_position_width.right"],
    ),
)  # fmt: skip


def _little(share: float) -> str:
    return LABELS["tiny_share"] if share < 1e-9 else f"{share:.2g}"


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
        bare_curve,
        curve,
        (LABELS["diversity_by_layer.diversity"],),
        tuple(LABELS("diversity_by_layer.layer", layer=layer) for layer in range(9)),
        float(curve[0, -1] - bare_curve[0, -1]),
        LABELS["diversity_by_layer.unit"],
        LABELS("diversity_by_layer.said", share=_little(bare_curve[0, -1]), curve=curve[0, -1]),
    )


BLOCK_ERRATA = (
    LectureErratum(
        where="2:38", name=LABELS["diversity_by_layer.name"], run=_diversity_by_layer,
        note=LABELS["diversity_by_layer.note"],
        right=LABELS["diversity_by_layer.right"],
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
        np.array([[stored]]),
        np.array([[used]]),
        (LABELS["switch_parameters.feed_forward"],),
        (LABELS["switch_parameters.billions_parameters"],),
        stored / used,
        LABELS["switch_parameters.unit"],
        LABELS(
            "switch_parameters.said",
            switch_layers=SWITCH_LAYERS,
            experts=EXPERTS,
            switch_model=SWITCH_MODEL,
            switch_ff=SWITCH_FF,
            stored=stored,
            used=used,
        ),
    )


SIZE_ERRATA = (
    LectureErratum(
        where="2:34", name=LABELS["switch_parameters.name"], kind="value", run=_switch_parameters,
        titles=(LABELS["switch_parameters.title_written"], LABELS["switch_parameters.title_right"]),
        note=LABELS["switch_parameters.note"],
        right=LABELS["switch_parameters.right"],
    ),
)  # fmt: skip
