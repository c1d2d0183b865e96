"""A small transformer of 2017 learns to translate English into Tamari, an invented language with a known grammar."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import pad_rows
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.generate.seq2seq import EncoderDecoder, greedy_decode
from core.models.original_transformer import Transformer, TransformerConfig
from core.models.recurrent_seq2seq import shift_right
from core.nn.tap import Trace
from core.rooms.encoder_decoder.compute import languages
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.seq2seq import IGNORED_TARGET, Seq2SeqExperiment

LABELS = module_labels(__name__)

BATCH = 64
N_HELD = 200
N_EVAL = 14  # evaluations, evenly spaced
LEARNING_RATE = 4e-3
PROBE = "the small red dog does not see some cats now"  # its cross-attention is recorded
MAX_OUTPUT = 14  # the most tokens that are written; the longest sentence of the grammar has 11 words and an end token

SentencePairs = Sequence[tuple[str, str]]


class Options(Inputs, prefix="trans_"):
    """The size of the model."""

    n_layer: int = segmented_control([1, 2], 2, name="trans_layers")
    n_head: int = segmented_control([1, 2, 4], 2, name="trans_heads")
    n_step: int = hidden_training_steps(450, most=1_200)  # about half a minute on one core


def config(n_layer: int, n_head: int) -> TransformerConfig:
    """Return the config of the transformer of 2017 with d_model = 64."""
    return TransformerConfig(vocab_size=languages.VOCAB_SIZE, n_layer=n_layer, n_head=n_head, d_model=64, d_ff=128)


class Translation(Seq2SeqExperiment):
    """One model that learns from sentences that it hardly ever sees twice.

    Its record: curve.exact, .words (n,), fractions that are right; curve.loss at each step; frames.weights
    (n, L, H, T, S) in units of 1/255.
    """

    title = LABELS["title"]
    learned = (
        "curve.exact > 0.95",
        "curve.words > 0.98",
        "first curve.exact <= 0",
        "first curve.loss > 3",
    )
    n_eval, loss_curve = N_EVAL, "curve.loss"
    start_id, learning_rate = languages.START, LEARNING_RATE

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, TransformerConfig]:
        return {"translation": config(options.n_layer, options.n_head)}

    def begin(self) -> None:
        self._held = languages.draw_translations(N_HELD, np.random.default_rng([self.seed, 1]))
        self._asked = frozenset(english for english, _ in self._held) | {PROBE}  # never trained on

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        return translation_batch(languages.draw_translations(BATCH, self.rng, without=self._asked))

    def measure(self) -> Mapping[str, ArrayLike]:
        """Translate the held-out sentences without teacher forcing, and record the cross-attention of the probe."""
        written = translate(self.trainers["translation"].model, [english for english, _ in self._held])
        right = translation_accuracy(written, [tamari for _, tamari in self._held])
        return {f"curve.{name}": share for name, share in right.items()} | {"frames.weights": self._cross_attention()}

    def _cross_attention(self) -> NDArray[np.uint8]:
        """Return the cross-attention (L, H, T, S) while the decoder reads the true translation of the probe."""
        source, target, _ = translation_batch([(PROBE, languages.to_tamari(PROBE) or "")])
        model = self.trainers["translation"].model
        with Trace(model) as trace:
            model(source, shift_right(target, languages.START))
        weights = torch.cat([trace[key] for key in trace if key.endswith("cross_attn.weights")])  # (L, H, T, S)
        return (weights * 255).round().to(torch.uint8).numpy()


def model_of(run: ExperimentRun) -> Transformer:
    """Rebuild the trained model of a run."""
    options = Options(**run.options)
    model: Transformer = rebuild_model(run.record, "translation", config(options.n_layer, options.n_head)).float()
    return model


def translation_batch(pairs: SentencePairs) -> tuple[Int[Tensor, "B S"], Int[Tensor, "B T"], Bool[Tensor, "B S"]]:
    """Return source, target (with its end token; padded with NOT_THERE) and the source's padding mask."""
    source, mask = pad_rows([languages.encode(english) for english, _ in pairs])
    target, _ = pad_rows([languages.encode_target(tamari) for _, tamari in pairs], IGNORED_TARGET)
    return source, target, mask


@torch.no_grad()
def translate(model: EncoderDecoder, sentences: Sequence[str]) -> list[str]:
    """Translate each English sentence greedily."""
    source, mask = pad_rows([languages.encode(english) for english in sentences])
    ids = greedy_decode(model, source, mask, start_id=languages.START, end_id=languages.END, max_new_tokens=MAX_OUTPUT)
    return [languages.decode(row) for row in ids.tolist()]


def translation_accuracy(written: Sequence[str], truth: Sequence[str]) -> dict[str, float]:
    """Return the fraction of translations that are right (exact) and of true words at their position (words)."""
    pairs = [(a.split(), b.split()) for a, b in zip(written, truth, strict=True)]
    words = [a[i : i + 1] == [word] for a, b in pairs for i, word in enumerate(b)]
    return {"exact": float(np.mean([a == b for a, b in pairs])), "words": float(np.mean(words))}
