"""The bottleneck race: two encoder-decoders learn to write strings backwards, one with attention, one without.

Without attention the whole string has to pass through one vector, however long it is.
"""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import pad_rows
from core.data.synthetic import reversal
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.generate.seq2seq import EncoderDecoder
from core.inspect.teacher_forcing import forced_and_free_correctness
from core.models.recurrent_seq2seq import RecurrentSeq2Seq, RecurrentSeq2SeqConfig
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.seq2seq import IGNORED_TARGET, Seq2SeqExperiment

LABELS = module_labels(__name__)

VARIANTS = {"with": "additive", "without": "none"}  # name -> attention
NAMES = {"with": LABELS["net.with"], "without": LABELS["net.without"]}
MEASURES = {
    "forced": LABELS["measure.forced"],
    "free": LABELS["measure.free"],
    "exact": LABELS["measure.exact"],
}
LENGTHS = (4, 6, 8, 10, 12, 14, 16, 18, 20, 25, 30)  # tested lengths; the last two are longer than in training
N_HELD = 20  # strings of each length
BATCH = 64
N_EVAL = 14  # number of evaluations, evenly spaced
PROBE = "readmefromendtostart"  # its alignment is recorded


class Options(Inputs, prefix="race_"):
    """The width of the states; without attention, one state carries everything."""

    d_model: int = segmented_control([16, 32, 48, 64], 48, name="race_width")
    n_step: int = hidden_training_steps(350, most=1_000)  # about thirty seconds on one core


def config(variant: str, d_model: int) -> RecurrentSeq2SeqConfig:
    """Return the config of a bidirectional GRU encoder and a GRU decoder, with attention or only the first state."""
    sizes = reversal.SOURCE_VOCAB, reversal.TARGET_VOCAB
    return RecurrentSeq2SeqConfig(
        source_vocab=sizes[0], vocab_size=sizes[1], d_model=d_model, attention=VARIANTS[variant]
    )


def held_out_strings(seed: int) -> tuple[Int[Tensor, "B S"], Bool[Tensor, "B S"], Int[Tensor, "B T"]]:
    """Return the test strings, 20 of each length, shortest first: source, its mask, target."""
    rng = np.random.default_rng([seed, 1])  # not the training strings
    drawn = [reversal.draw_string_reversal_pairs(N_HELD, length, rng) for length in LENGTHS]
    source, mask = pad_rows([row.tolist() for rows, _ in drawn for row in rows])
    target, _ = pad_rows([row.tolist() for _, rows in drawn for row in rows], IGNORED_TARGET)
    return source, mask, target


class Bottleneck(Seq2SeqExperiment):
    """Both variants, trained on the same strings.

    Its record: lengths; curve.<variant>.<measure> (n, lengths); frames.with.weights (n, T, S) in 1/255.
    """

    title = LABELS["title"]
    n_eval, start_id = N_EVAL, reversal.START

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, RecurrentSeq2SeqConfig]:
        return {name: config(name, options.d_model) for name in VARIANTS}

    def begin(self) -> None:
        self._held = held_out_strings(self.seed)

    def batch(self) -> tuple[Tensor, Tensor, None]:
        # All strings of a batch have the same length, so no time goes into padding.
        length = int(self.rng.integers(reversal.SHORTEST, reversal.LONGEST + 1))
        source, target = (
            torch.from_numpy(x.copy()) for x in reversal.draw_string_reversal_pairs(BATCH, length, self.rng)
        )
        return source, target, None

    def measure(self) -> Mapping[str, ArrayLike]:
        ids = reversal.encode(PROBE)
        alignment = self.alignment("with", ids, [*ids[::-1], reversal.END])
        return {"frames.with.weights": alignment, **super().measure()}

    def measure_one(self, model: EncoderDecoder) -> Mapping[str, NDArray[np.float32]]:
        return measure_accuracies(model, *self._held)

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"lengths": LENGTHS}


@torch.no_grad()
def measure_accuracies(
    model: EncoderDecoder, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], target: Int[Tensor, "B T"]
) -> dict[str, NDArray[np.float32]]:
    """Return three accuracies at each length (the end token counts like a letter).

    Returns:
        forced: share of right tokens when the true tokens before them are read (teacher forcing).
        free: share of right tokens, position by position, when the model reads its own output.
        exact: share of strings that are entirely right when it reads its own output.
    """
    counted = target != IGNORED_TARGET
    forced, free = forced_and_free_correctness(
        model, source, target, mask, start_id=reversal.START, end_id=reversal.END
    )

    def by_length(of_each: Tensor) -> NDArray[np.float32]:
        return of_each.float().view(len(LENGTHS), -1).mean(-1).numpy()

    shares = [(right & counted).sum(-1) / counted.sum(-1) for right in (forced, free)]  # (B,)
    exact = (free | ~counted).all(-1)
    return {"forced": by_length(shares[0]), "free": by_length(shares[1]), "exact": by_length(exact)}


def trained_reversal_model(run: ExperimentRun, variant: str = "with") -> RecurrentSeq2Seq:
    """Return the trained model of a variant."""
    model: RecurrentSeq2Seq = rebuild_model(
        run.record, variant, config(variant, Options(**run.options).d_model)
    ).float()
    return model
