"""Pre-training in small: a BERT learns the words of the stories from gaps, beside a causal twin that learns to go on.

Both have blocks of the same sizes and read rows of the same stories. The twin is asked for the next word at every
place, so it learns from every word of a row, the BERT only from the chosen ones: it gets more and larger steps.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.synthetic import gap_stories
from core.data.synthetic.gap_stories import Words
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle
from core.nn.positions import sinusoidal
from core.train.experiment import Record, carried, rebuild, tokenizer_of
from core.train.experiments.bounded import Bounded
from core.train.experiments.evaluation_steps import evaluation_steps
from core.train.experiments.masking import BERT_RULE, ONLY_MASKS, Corrupted, corrupt
from core.train.initialization import MuonAdamW
from core.train.optimizers import AdamW, Muon
from core.train.trainer import Trainer

LENGTH = 32  # tokens of a row
BATCH, TWIN_BATCH = 36, 8  # rows of a step
N_HELD = 96  # rows of stories that are never trained on
TWIN_EVERY = 2  # steps: the twin is done after half as many
N_LOOK = 12  # times that all is measured
WARM_UP = 20  # steps
FALL = 0.35  # of the steps: the last ones, over which the rate falls to 0
RULES = MappingProxyType({"80/10/10": BERT_RULE, "100/0/0": ONLY_MASKS})
PROBE = (
    "A small dog lived near the river. One day the dog was hungry. It wanted an apple. "
    "Anna came and saw that the dog was sad."
)
PROBE_GAPS = (3, 14, 18)  # places in the row: "dog", "hungry", "an"
# Pre-norm blocks learn sooner than the published post-norm.
STYLE = BlockStyle(norm_first=True, activation="gelu")
SIZES: dict[str, Any] = {"context_length": LENGTH, "n_layer": 2, "n_head": 2, "d_model": 64, "d_ff": 128}
_SPLIT = (".attn.w_", ".mlp.", "head.dense")  # the matrices between activations


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        share: of the words that are chosen, in percent.
        rule: what becomes of the chosen ones, one of `RULES`.
        n_step: training steps.
    """

    most_in_browser: ClassVar = {"n_step": 2_000}  # about a minute on one core
    share: int = 15
    rule: str = "80/10/10"
    n_step: int = 700

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 5 <= self.share <= 60:
            raise ValueError(f"{self.share}% chosen: from 5 to 60% are possible")
        if self.rule not in RULES:
            raise ValueError(f"the rule {self.rule!r:.40} is none of {', '.join(RULES)}")


def bert_config(vocab_size: int) -> BERTConfig:
    """The encoder: two layers of two heads; one text at a time, so no segments."""
    return BERTConfig(vocab_size=vocab_size, n_segment=0, block=STYLE, **SIZES)


def twin_config(vocab_size: int) -> GPTConfig:
    """The decoder with blocks of the same sizes."""
    return GPTConfig(vocab_size=vocab_size, output_bias=True, block=STYLE, **SIZES)


def loss_at(model: BERT, batch: Corrupted, readable: Tensor) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """The masked language model's loss, in nats, and the share of right words; the head reads the chosen places only.

    Args:
        readable: (B, T) False where there is padding.
    """
    rows = model.body(batch.inputs, readable)[batch.chosen]  # (N, D)
    logits = model.head(rows[None])[0]  # (N, V)
    targets = batch.targets[batch.chosen]
    right = logits.argmax(-1) == targets
    return F.cross_entropy(logits, targets), right.float().mean()


def held_batch(words: Words, share: float = 0.15) -> Corrupted:
    """The rows that are measured on, the same in every run, by the rule of BERT."""
    generator = torch.Generator().manual_seed(1)
    held = gap_stories.rows()[1].draw(N_HELD, LENGTH, words, generator)
    return corrupt(held, words.eligible(held), words.mask_id, words.n_plain, generator, share)


@dataclass(frozen=True)
class Pair:
    """The encoder, its causal twin, and their words."""

    bert: BERT
    twin: GPT
    words: Words


class Masked:
    """The encoder and its causal twin, one step of each at a time; the seed is of weights, rows and gaps."""

    title: ClassVar[str] = "Gaps in little stories"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._share, self._rule = options.share / 100, RULES[options.rule]
        self._words = gap_stories.words()
        self._rows = gap_stories.rows()[0]
        self._generator = torch.Generator().manual_seed(seed)
        self._bert: BERT = registry.build(bert_config(self._words.vocab_size), seed)
        self._twin: GPT = registry.build(twin_config(self._words.vocab_size), seed)
        for model in (self._bert, self._twin):
            _begin(model)
        # The rate rises over the first steps and falls to 0 over the last third.
        schedule = lambda _: min(1.0, (self.step + 1) / WARM_UP, (1 - self.step / self.n_step) / FALL)  # noqa: E731
        self._trainers = [
            Trainer(model, _optimizer(model), schedule, n_step=self.n_step, clip=1.0)
            for model in (self._bert, self._twin)
        ]
        self._held = held_batch(self._words)
        self._looks = set(evaluation_steps(self.n_step, N_LOOK))
        self._steps: list[int] = []
        self._curves: dict[str, list[float]] = {"loss": [], "accuracy": [], "twin": []}
        self._frames: list[NDArray[np.float16]] = []
        self._look()

    def advance(self) -> None:
        words, generator = self._words, self._generator
        ids = self._rows.draw(BATCH, LENGTH, words, generator)
        eligible = words.eligible(ids)
        batch = corrupt(ids, eligible, words.mask_id, words.n_plain, generator, self._share, self._rule)
        if bool(batch.chosen.any()):
            self._trainers[0].learn(loss_at(self._bert, batch, ids != words.pad_id)[0])
        if self.step % TWIN_EVERY == 0:
            self._trainers[1].learn(self._next_loss(ids[:TWIN_BATCH]))
        self.step += 1
        if self.step in self._looks:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            "step": np.array(self._steps),
            "frames.probe": np.stack(self._frames),  # (looks, gaps, V)
            "tokenizer": carried(self._words.tokenizer),
        }
        found |= {f"curve.{name}": np.array(values, np.float32) for name, values in self._curves.items()}
        return found | self._trainers[0].weights("bert") | self._trainers[1].weights("twin")

    def _next_loss(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        """The twin's loss: the next word at every place, in nats."""
        pad = self._words.pad_id
        return F.cross_entropy(self._twin(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), ignore_index=pad)

    @torch.no_grad()
    def _look(self) -> None:
        """Measure both on the held-out rows, and keep what the encoder says in the gaps of the probe."""
        words = self._words
        self._steps.append(self.step)
        loss, accuracy = loss_at(self._bert, self._held, self._held.targets != words.pad_id)
        self._curves["loss"].append(loss.item())
        self._curves["accuracy"].append(accuracy.item())
        self._curves["twin"].append(self._next_loss(self._held.targets).item())
        ids = torch.tensor([[words.class_id, *words.encode(PROBE)]])
        ids[0, list(PROBE_GAPS)] = words.mask_id
        said = self._bert(ids)[0, list(PROBE_GAPS)].softmax(-1)
        self._frames.append(said.numpy().astype(np.float16))


def rebuilt(record: Record) -> Pair:
    """Both models with the weights of a record, frozen, to look at."""
    words = Words(tokenizer_of(record))  # type: ignore[arg-type]  # the experiment carries a tokenizer of words
    bert = rebuild(record, "bert", bert_config(words.vocab_size)).float()
    twin = rebuild(record, "twin", twin_config(words.vocab_size)).float()
    return Pair(bert, twin, words)


@torch.no_grad()
def _begin(model: BERT | GPT) -> None:
    """Embeddings that can be told apart at once, and positions that begin as waves.

    BERT's start, 0.02 and no order in the positions, is meant for runs of days. Waves give every distance between two
    places a likeness of its own from the first step on; they are learned like all other weights.
    """
    model.tok_emb.weight.mul_(5)
    assert isinstance(model.pos_emb, nn.Embedding)
    model.pos_emb.weight.copy_(0.3 * sinusoidal(*model.pos_emb.weight.shape))


def _optimizer(model: nn.Module) -> MuonAdamW:
    """Muon for the matrices between activations, AdamW for all else."""
    matrices = {n: w for n, w in model.named_parameters() if w.ndim == 2 and any(part in n for part in _SPLIT)}
    others = {n: w for n, w in model.named_parameters() if n not in matrices}
    return MuonAdamW(
        Muon(matrices, learning_rate=0.03, momentum=0.9), AdamW(others, learning_rate=6e-3, betas=(0.9, 0.95))
    )
