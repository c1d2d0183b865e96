"""A small transformer of 2017 learns to translate English into Tamari, an invented language whose grammar is known."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data.batches import padded
from core.exhibit import Inputs, segmented, steps
from core.generate.seq2seq import EncoderDecoder, greedy
from core.models.seq2seq import shift_right
from core.models.transformer import Transformer, TransformerConfig
from core.nn.tap import Trace
from core.rooms.encoder_decoder.compute import languages
from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.train.experiments.seq2seq import NOT_THERE, Seq2SeqExperiment

BATCH = 64
N_HELD = 200
N_LOOK = 14  # times that all is measured, evenly
LEARNING_RATE = 4e-3
PROBE = "the small red dog does not see some cats now"  # its cross-attention is kept
LONGEST = 14  # tokens that are written at most; the longest sentence of the grammar has 11 words and an end

Pairs = Sequence[tuple[str, str]]


class Options(Inputs, prefix="trans_"):
    """The size of the model."""

    n_layer: int = segmented("Layers on each side", [1, 2], 2, name="trans_layers")
    n_head: int = segmented("Heads", [1, 2, 4], 2, name="trans_heads")
    n_step: int = steps(450, most=1_200)  # about half a minute on one core


def config(n_layer: int, n_head: int) -> TransformerConfig:
    """The transformer of 2017, 64 numbers wide."""
    return TransformerConfig(vocab_size=languages.VOCAB_SIZE, n_layer=n_layer, n_head=n_head, d_model=64, d_ff=128)


class Translation(Seq2SeqExperiment):
    """One model, which learns from sentences that it hardly ever sees twice.

    Its record: curve.exact, .words (n,): shares that are right; curve.loss at each step; frames.weights
    (n, L, H, T, S) in 1/255.
    """

    title = "Translation"
    learned = (
        "curve.exact > 0.95",
        "curve.words > 0.98",
        "first curve.exact <= 0",
        "first curve.loss > 3",
    )
    n_look, loss_curve = N_LOOK, "curve.loss"
    start_id, learning_rate = languages.START, LEARNING_RATE

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, TransformerConfig]:
        return {"translation": config(options.n_layer, options.n_head)}

    def begin(self) -> None:
        self._held = languages.draw(N_HELD, np.random.default_rng([self.seed, 1]))
        self._asked = frozenset(english for english, _ in self._held) | {PROBE}  # are never trained on

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        return batch(languages.draw(BATCH, self.rng, without=self._asked))

    def measure(self) -> Mapping[str, ArrayLike]:
        """The model translates the held-out sentences by itself; the cross-attention of one is kept."""
        written = translate(self.trainers["translation"].model, [english for english, _ in self._held])
        right = shares(written, [tamari for _, tamari in self._held])
        return {f"curve.{name}": share for name, share in right.items()} | {"frames.weights": self._cross_attention()}

    def _cross_attention(self) -> NDArray[np.uint8]:
        """(L, H, T, S) while the true translation of the probe is read."""
        source, target, _ = batch([(PROBE, languages.to_tamari(PROBE) or "")])
        model = self.trainers["translation"].model
        with Trace(model) as trace:
            model(source, shift_right(target, languages.START))
        weights = torch.cat([trace[key] for key in trace if key.endswith("cross_attn.weights")])  # (L, H, T, S)
        return (weights * 255).round().to(torch.uint8).numpy()


def model_of(run: Live) -> Transformer:
    """The trained model."""
    options = Options(**run.options)
    model: Transformer = rebuild(run.record, "translation", config(options.n_layer, options.n_head)).float()
    return model


def batch(pairs: Pairs) -> tuple[Int[Tensor, "B S"], Int[Tensor, "B T"], Bool[Tensor, "B S"]]:
    """Source, target (with its end token; NOT_THERE after it) and the source's mask."""
    source, mask = padded([languages.encode(english) for english, _ in pairs])
    target, _ = padded([languages.encode_target(tamari) for _, tamari in pairs], NOT_THERE)
    return source, target, mask


@torch.no_grad()
def translate(model: EncoderDecoder, sentences: Sequence[str]) -> list[str]:
    """What the model writes by itself for each English sentence."""
    source, mask = padded([languages.encode(english) for english in sentences])
    ids = greedy(model, source, mask, start_id=languages.START, end_id=languages.END, max_new_tokens=LONGEST)
    return [languages.decode(row) for row in ids.tolist()]


def shares(written: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    """exact: translations that are right as a whole; words: words of the truth that stand at their place."""
    pairs = [(a.split(), b.split()) for a, b in zip(written, truth, strict=True)]
    words = [a[i : i + 1] == [word] for a, b in pairs for i, word in enumerate(b)]
    return {"exact": float(np.mean([a == b for a, b in pairs])), "words": float(np.mean(words))}
