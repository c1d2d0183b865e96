"""A small pretraining: a BERT learns the stories from gaps, next to a causal twin that predicts the next word.

Both have blocks of the same sizes and read rows of the same stories. The twin predicts the next word at every position,
so it learns from every word of a row; the BERT learns only from the chosen words, so it gets more steps with larger
batches.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.data.synthetic import masked_stories
from core.data.synthetic.masked_stories import StoryVocabulary
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle
from core.nn.positions import sinusoidal
from core.train.experiment import Record, pack_tokenizer, rebuild_model, tokenizer_of
from core.train.experiments.base import Experiment
from core.train.experiments.masking import BERT_RULE, ONLY_MASKS, CorruptedBatch, corrupt_tokens
from core.train.optimizers import AdamW, Muon
from core.train.trainer import Trainer
from core.train.weight_init_and_optimizer import MuonAdamW

LABELS = module_labels(__name__)

LENGTH = 32  # tokens of a row
BATCH, TWIN_BATCH = 36, 8  # rows of a step
N_HELD = 96  # rows of stories that are never trained on
TWIN_EVERY = 2  # steps; the twin needs half as many
N_EVAL = 12  # number of evaluations
WARM_UP = 20  # steps
DECAY_SHARE = 0.35  # the last share of the steps, over which the rate falls to 0
RULES = {"80/10/10": BERT_RULE, "100/0/0": ONLY_MASKS}
PROBE = (
    "A small dog lived near the river. One day the dog was hungry. It wanted an apple. "
    "Anna came and saw that the dog was sad."
)
PROBE_GAPS = (3, 14, 18)  # positions in the row: "dog", "hungry", "an"
# Pre-norm blocks learn faster than the published post-norm.
STYLE = BlockStyle(norm_first=True, activation="gelu")
SIZES: dict[str, Any] = {"context_length": LENGTH, "n_layer": 2, "n_head": 2, "d_model": 64, "d_ff": 128}
_SPLIT = (".attn.w_", ".mlp.", "head.dense")  # the matrices between activations


class Options(Inputs, prefix="pre_"):
    """The selection and replacement of words for the gaps."""

    share: int = segmented_control((15, 25, 40), 15)
    rule: str = segmented_control(tuple(RULES), "80/10/10")
    n_step: int = hidden_training_steps(700, most=2_000)  # about a minute on one core


def bert_config(vocab_size: int) -> BERTConfig:
    """Return the config of the encoder: two layers of two heads; one text at a time, so no segments."""
    return BERTConfig(vocab_size=vocab_size, n_segment=0, block=STYLE, **SIZES)


def twin_config(vocab_size: int) -> GPTConfig:
    """Return the config of the decoder, with blocks of the same sizes."""
    return GPTConfig(vocab_size=vocab_size, modern=Modern(output_bias=True), block=STYLE, **SIZES)


def gap_loss_and_accuracy(
    model: BERT, batch: CorruptedBatch, readable: Tensor
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Return the masked language model's loss, in nats, and the accuracy; the head reads only the chosen positions.

    Args:
        readable: (B, T) False where there is padding.
    """
    rows = model.body(batch.inputs, readable)[batch.chosen]  # (N, D)
    logits = model.head(rows[None])[0]  # (N, V)
    targets = batch.targets[batch.chosen]
    right = logits.argmax(-1) == targets
    return F.cross_entropy(logits, targets), right.float().mean()


def held_out_batch(words: StoryVocabulary, share: float = 0.15) -> CorruptedBatch:
    """Return the held-out rows, masked by BERT's rule, the same in every run."""
    generator = torch.Generator().manual_seed(1)
    held = masked_stories.tokenized_story_split()[1].draw(N_HELD, LENGTH, words, generator)
    return corrupt_tokens(held, words.eligible(held), words.mask_id, words.n_plain, generator, share)


@dataclass(frozen=True)
class EncoderAndTwin:
    """The encoder, its causal twin, and their vocabulary."""

    bert: BERT
    twin: GPT
    words: StoryVocabulary


class Masked(Experiment):
    """The encoder and its causal twin, trained in alternation. The seed determines weights, rows and gaps.

    Its record: curve.loss, curve.accuracy of the encoder, curve.twin: the twin's loss, on held-out rows; frames.probe
    (n, gaps, V): the encoder's probabilities in the gaps of the probe; tokenizer.
    """

    title = LABELS["title"]
    learned = (
        "curve.loss < 0.75",
        "curve.accuracy > 0.72",
    )
    n_eval, eval_bend = N_EVAL, 1.5
    precision = np.float32

    def begin(self) -> None:
        self._words, self._rows = masked_stories.masked_story_vocabulary(), masked_stories.tokenized_story_split()[0]
        vocab_size = self._words.vocab_size
        # The rate rises over the first steps and falls to 0 over the last third.
        schedule = lambda _: min(1.0, (self.step + 1) / WARM_UP, (1 - self.step / self.n_step) / DECAY_SHARE)  # noqa: E731
        for name, config in (("bert", bert_config(vocab_size)), ("twin", twin_config(vocab_size))):
            model = registry.build(config, self.seed)
            _begin(model)
            self.trainers[name] = Trainer(model, _optimizer(model), schedule, n_step=self.n_step, clip=1.0)
        self._held = held_out_batch(self._words)

    def learn(self) -> None:
        words, bert, twin = self._words, self.trainers["bert"], self.trainers["twin"]
        ids = self._rows.draw(BATCH, LENGTH, words, self.generator)
        rule, share = RULES[self.options.rule], self.options.share / 100
        batch = corrupt_tokens(ids, words.eligible(ids), words.mask_id, words.n_plain, self.generator, share, rule)
        if bool(batch.chosen.any()):
            bert.learn(gap_loss_and_accuracy(bert.model, batch, ids != words.pad_id)[0])
        if self.step % TWIN_EVERY == 0:
            twin.learn(self._next_loss(ids[:TWIN_BATCH]))

    def measure(self) -> Mapping[str, ArrayLike]:
        words, bert = self._words, self.trainers["bert"].model
        loss, accuracy = gap_loss_and_accuracy(bert, self._held, self._held.targets != words.pad_id)
        ids = torch.tensor([[words.class_id, *words.encode(PROBE)]])
        ids[0, list(PROBE_GAPS)] = words.mask_id
        said = bert(ids)[0, list(PROBE_GAPS)].softmax(-1)
        twin = self._next_loss(self._held.targets)
        curves = {"curve.loss": loss.item(), "curve.accuracy": accuracy.item(), "curve.twin": twin.item()}
        return curves | {"frames.probe": said.numpy().astype(np.float16)}

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"tokenizer": pack_tokenizer(self._words.tokenizer)}

    def _next_loss(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        """Return the twin's loss for the next word at every position, in nats."""
        logits = self.trainers["twin"].model(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=self._words.pad_id)


def recorded_models(record: Record) -> EncoderAndTwin:
    """Return both models with the weights of a record, frozen."""
    words = StoryVocabulary(tokenizer_of(record))  # type: ignore[arg-type]  # the experiment carries a tokenizer of words
    bert = rebuild_model(record, "bert", bert_config(words.vocab_size)).float()
    twin = rebuild_model(record, "twin", twin_config(words.vocab_size)).float()
    return EncoderAndTwin(bert, twin, words)


@torch.no_grad()
def _begin(model: BERT | GPT) -> None:
    """Make embeddings distinguishable from the start, and initialize positions with sinusoids.

    BERT's initialization, 0.02 and unordered positions, is meant for runs of days. Sinusoids give every distance
    between two positions its own similarity from the first step on. Like all other weights, they are trained.
    """
    model.tok_emb.weight.mul_(5)
    assert isinstance(model.pos_emb, nn.Embedding)
    model.pos_emb.weight.copy_(0.3 * sinusoidal(*model.pos_emb.weight.shape))


def _optimizer(model: nn.Module) -> MuonAdamW:
    """Return Muon for the matrices between activations, and AdamW for all other parameters."""
    matrices = {n: w for n, w in model.named_parameters() if w.ndim == 2 and any(part in n for part in _SPLIT)}
    others = {n: w for n, w in model.named_parameters() if n not in matrices}
    return MuonAdamW(
        Muon(matrices, learning_rate=0.03, momentum=0.9), AdamW(others, learning_rate=6e-3, betas=(0.9, 0.95))
    )
