"""Training runs: the same recipe and seed give the same numbers, bit for bit, also after a pause or a crash."""

import contextlib
import hashlib
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.data import checks, corpora, tokenizers
from core.data.checks import check_float, check_whole, describe_value
from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates
from core.models import registry
from core.train import checkpoint, objectives
from core.train.curve_point import CurvePoint
from core.train.device import LossCUDAGraph, Placement, choose_placement, make_forward_in_dtype, single_torch_thread
from core.train.optimizers import Optimizer
from core.train.recipe_parts.dropout import make_dropout_forward
from core.train.recipes import Recipe
from core.train.tasks.answer_objective import AnswerObjective, answer_format_of_model_kind
from core.train.tasks.spans import FillSpansObjective
from core.train.trainer import Trainer, TrainingDiverged
from core.train.weight_init_and_optimizer import initialize_weights, make_optimizer

LABELS = module_labels(__name__)


# A full validation covers the whole split, or this many windows of a very long one.
_FULL_WINDOWS = 4096
# Live validations together cost less than 5% of the training; a validation window costs a third of a training one.
_LIVE_SHARE = 0.09
# Numbers are fetched from a GPU once in this many steps, because each fetch makes it wait.
_GPU_STEPS = 16
_DROPPED = 2  # makes dropout independent of the other random numbers from seed and step
_TEXT = "text"  # in a checkpoint: the bytes of a user's own text


class TrainRun:
    """A run that trains a model by a recipe.

    Weights and batches have separate random generators, both seeded by `seed`, so two recipes that differ only in the
    model or the optimizer see the same batches. No global generator is used.

    Args:
        recipe: the model, its training data and its hyperparameters.
        seed: of all random numbers.
        device: "cpu", "cuda" or "mps"; None: the fastest of this machine.
        text: replaces the recipe's corpus; a checkpoint stores it.
        dtype: of the activations, "float32" or "bfloat16"; None: the faster one on the device.
        live_evaluation: whether the validation loss is also measured during training (a switch for measurements; it
            isn't stored).

    Raises:
        ValueError: if the seed or the device is not possible, or the text is too short for the context.
        TypeError: if recipe is not a Recipe, or another argument has the wrong type.
        core.data.corpora.CorpusRefused: if the corpus is missing.
    """

    def __init__(
        self,
        recipe: Recipe,
        seed: int = 0,
        device: str | None = None,
        *,
        text: str | None = None,
        dtype: str | None = None,
        live_evaluation: bool = True,
    ):
        if not isinstance(recipe, Recipe):
            raise TypeError(f"recipe must be a Recipe, such as RECIPES['stories'], not {describe_value(recipe)}")
        if not 0 <= check_whole("seed", seed) < 2**32:
            raise ValueError(f"seed={seed} is not within 0 to {2**32 - 1}")
        self.recipe, self.seed = recipe, seed
        chosen = choose_placement(device, recipe.model.get("d_model", 64))
        self.placement = chosen if dtype is None else Placement(chosen.device, dtype)

        self.own_text = None if text is None else replace_surrogates(checks.check_text("text", text))
        is_task = recipe.posed is not None
        train_ids, val_ids = (self._read_task if is_task else self._read_text)()
        self.train_ids, self.val_ids = train_ids.to(self.placement.device), val_ids.to(self.placement.device)

        self.model = registry.build(self.config, seed)
        initialize_weights(self.model, recipe, seed)
        self.model.to(self.placement.device)
        self.objective = self._objective()
        self.forward = make_forward_in_dtype(self.model, self.placement.dtype)
        self.optimizer: Optimizer = make_optimizer(self.model, recipe, self.placement)
        # The gaps, spans and dropped numbers are drawn again in each step, so they can't be recorded once.
        is_redrawn = recipe.fills_gaps or recipe.fills_spans or is_task or bool(recipe.dropout)
        self._is_recordable = self.placement.device == "cuda" and not is_redrawn
        self._graph: LossCUDAGraph | None = None
        rate = recipe.learning_rate_share
        self._trainer = Trainer(self.model, self.optimizer, rate, n_step=recipe.n_step, clip=recipe.clip)
        self.live_evaluation = live_evaluation
        n_live = max(1, min(_FULL_WINDOWS, int(_LIVE_SHARE * recipe.batch_size * recipe.eval_every)))
        if is_task:  # each step draws its own questions; the held-out ones have indices
            starts = torch.zeros((recipe.n_step, recipe.batch_size), dtype=torch.long)
            self._live, self._full = val_ids[:n_live], val_ids
        else:
            generator = torch.Generator().manual_seed(seed)
            sizes = (recipe.n_step, recipe.batch_size, len(self.train_ids), self.context_length)
            starts = objectives.draw_starts(*sizes, generator)
            self._live = objectives.spaced_starts(len(self.val_ids), self.context_length, n_live)
            self._full = objectives.spaced_starts(len(self.val_ids), self.context_length, _FULL_WINDOWS)
        self._starts = starts.to(self.placement.device)

        self.history: list[CurvePoint] = []
        self.sample, self.sample_step = "", 0  # used by `core.train.watch.behavior_snapshots`
        # These may not have arrived from the GPU yet.
        self._pending: list[tuple[int, Tensor, tuple[float | None, float | None], Tensor, float]] = []

    def _read_text(self) -> tuple[Tensor, Tensor]:
        """Return the training and the validation ids; also sets tokenizer, config and checksum."""
        recipe = self.recipe
        text = corpora.load(recipe.corpus).text if self.own_text is None else self.own_text
        parts = corpora.split_validation(text) if recipe.split == "text" else (text,)
        self.tokenizer = recipe.train_tokenizer(parts[0])
        cutter = self.tokenizer.base if isinstance(self.tokenizer, tokenizers.AddedTokensTokenizer) else self.tokenizer
        cut = [cutter.encode(part) for part in parts]
        ids = torch.cat([torch.tensor(part) for part in cut])
        self.text_checksum = hashlib.sha256(ids.numpy().tobytes()).hexdigest()[:16]
        self.config = recipe.config(self.tokenizer.vocab_size)
        self.context_length: int = recipe.n_window
        train_ids, val_ids = objectives.split_ids(ids, self.context_length, len(cut[0]) if len(cut) == 2 else None)
        if recipe.spelled and isinstance(cutter, tokenizers.WordByteTokenizer):
            train_text = cutter.decode(train_ids.tolist())
            train_ids = torch.tensor(cutter.encode_spelled(train_text, recipe.spelled, self.seed))
        return train_ids, val_ids

    def _read_task(self) -> tuple[Tensor, Tensor]:
        """Return the same for a task: no training ids, as questions are drawn, and the held-out questions' indices."""
        recipe = self.recipe
        self.tokenizer = recipe.train_tokenizer("")
        self.config = recipe.config(self.tokenizer.vocab_size)
        objective = self._objective()
        assert isinstance(objective, AnswerObjective)
        self.context_length = objective.n_read
        self.text_checksum = objective.checksum
        return torch.zeros(0, dtype=torch.long), torch.arange(len(objective.held))

    def _objective(self) -> objectives.Objective:
        smoothing = self.recipe.label_smoothing
        if self.recipe.posed is not None:
            return AnswerObjective(
                self.recipe.posed, answer_format_of_model_kind(self.recipe.kind), self.tokenizer, self.seed, smoothing
            )
        if isinstance(self.tokenizer, tokenizers.SentinelTokenizer):
            return FillSpansObjective(self.context_length, self.tokenizer, self.seed, smoothing)
        if isinstance(self.tokenizer, tokenizers.MaskedTextTokenizer):
            class_id, mask_id = self.tokenizer.class_id, self.tokenizer.mask_id
            return objectives.FillGapsObjective(self.context_length, class_id, mask_id, self.seed, smoothing)
        return objectives.NextTokenObjective(self.context_length, smoothing)

    @property
    def step(self) -> int:
        """The number of steps done."""
        return self._trainer.step

    @property
    def done(self) -> bool:
        return self._trainer.done

    @property
    def vocab_size(self) -> int:
        return self.tokenizer.vocab_size

    @property
    def blind_loss(self) -> float:
        """The loss of guessing uniformly: ln V nats per token."""
        return math.log(self.vocab_size)

    @property
    def final_val_loss(self) -> float | None:
        """The final validation loss, nats per token: the last one in the history. None before the end of the run."""
        return self.history[-1].val_loss if self.done and self.history else None

    @property
    def n_val_token(self) -> int:
        """The number of target tokens of the full validation."""
        return self.objective.n_asked(self._full)

    @property
    def n_live_token(self) -> int:
        """The number of target tokens of each validation during training."""
        return self.objective.n_asked(self._live)

    def advance(
        self, steps: int | None = None, seconds: float | None = None, *, see: Callable[[], None] | None = None
    ) -> list[CurvePoint]:
        """Continue training until the steps or the seconds are over (at least one step), or the recipe is.

        Args:
            see: called in each step, when the parameters hold its gradient and have not moved yet.

        Returns the new points of the history. Raises TrainingDiverged if a training or validation loss, or a gradient,
        is no longer a finite number.
        """
        end = (
            self.recipe.n_step if steps is None else min(self.recipe.n_step, self.step + check_whole("steps", steps, 0))
        )
        deadline = math.inf if seconds is None else time.monotonic() + check_float("seconds", seconds)
        n_known = len(self.history)
        with single_torch_thread():
            while self.step < end:
                self._update(see)
                if time.monotonic() >= deadline:
                    break
            self._fetch()
        return self.history[n_known:]

    def validate(self) -> float:
        """Return the loss over the whole validation split (or 4,096 windows of a very long one), in nats per token.

        Raises TrainingDiverged if it isn't a finite number, as after a last step that diverged.
        """
        with single_torch_thread():
            loss = self._measure(self._full)[0]
        if not math.isfinite(loss):
            raise self.diverged(self.step, LABELS["no_loss"])
        return loss

    def save(self, folder: Path | str) -> None:
        """Write `run.safetensors`, which `resume` needs, and the files of `export`."""
        folder = checks.check_path_type("folder", folder)
        tensors: dict[str, Tensor] = {f"model.{name}": w for name, w in self.model.named_parameters()}
        tensors |= {f"optimizer.{name}": tensor for name, tensor in self.optimizer.state.items()}
        tensors["history"] = _to_tensor(self.history)
        if self.own_text is not None:
            tensors[_TEXT] = torch.frombuffer(bytearray(self.own_text, "utf-8"), dtype=torch.uint8)
        facts = {
            "recipe": self.recipe.to_dict(),
            "seed": self.seed,
            "step": self.step,
            "dtype": self.placement.dtype,
            "device": self.placement.device,
            "text_checksum": self.text_checksum,
            "sample": [self.sample, self.sample_step],
        }
        checkpoint.write_checkpoint(folder, tensors, facts)
        self.export(folder)

    def export(self, folder: Path | str) -> None:
        """Write the model as `core.models.pretrained.load` reads it, and how it was trained."""
        folder, parameters = checks.check_path_type("folder", folder), dict(self.model.named_parameters())
        checkpoint.export_model(folder, parameters, registry.to_dict(self.config), self.tokenizer, self.about())

    def about(self) -> dict[str, object]:
        """Return how the model was trained, as JSON values: recipe, seed, step, losses."""
        measured: list[float | None] = [point.val_loss for point in self.history if point.val_loss is not None]
        return {
            "recipe": self.recipe.to_dict(),
            "seed": self.seed,
            "step": self.step,
            "dtype": self.placement.dtype,
            "train_loss": self.history[-1].loss if self.history else None,
            "val_loss": (measured or [None])[-1],
            "n_val_token": self.n_val_token if self.final_val_loss is not None else self.n_live_token,
            "blind_loss": self.blind_loss,
            "n_parameter": sum(parameter.numel() for parameter in self.model.parameters()),
        }

    @classmethod
    def resume(cls, folder: Path | str, device: str | None = None, *, text: str | None = None) -> "TrainRun":
        """Resume the run that was saved in the folder, as if it had never stopped.

        Args:
            folder: the folder of `save`.
            device: None: the same as before; on a different one the numbers differ in their last digits.
            text: None: the text in the checkpoint, if `TrainRun` had one.

        Raises:
            FileNotFoundError: if there is no checkpoint.
            core.train.checkpoint.CheckpointDamaged: if it can't be read, or doesn't belong to this text.
        """
        tensors, facts = checkpoint.read_checkpoint(checks.check_path_type("folder", folder))
        try:
            recipe = Recipe.from_dict(facts["recipe"])
            if text is None and _TEXT in tensors:
                text = tensors[_TEXT].numpy().tobytes().decode("utf-8")
            run = cls(
                recipe, facts["seed"], facts["device"] if device is None else device, text=text, dtype=facts["dtype"]
            )
            run._restore(tensors, facts)
        except KeyError as error:
            raise checkpoint.CheckpointDamaged(LABELS("incomplete", missing=error)) from error
        return run

    def _restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        if facts["text_checksum"] != self.text_checksum:
            raise checkpoint.CheckpointDamaged(LABELS("other_text", corpus=repr(self.recipe.corpus)))
        here = {f"model.{name}": parameter.data for name, parameter in self.model.named_parameters()}
        here |= {f"optimizer.{name}": tensor for name, tensor in self.optimizer.state.items()}
        for name, tensor in here.items():
            if tensors[name].shape != tensor.shape:
                found, wanted = tuple(tensors[name].shape), tuple(tensor.shape)
                raise checkpoint.CheckpointDamaged(
                    LABELS("other_shape", tensor=name, found=str(found), wanted=str(wanted))
                )
            tensor.copy_(tensors[name])
        self.history = _from_tensor(tensors["history"])
        self._trainer.step = facts["step"]
        self.sample, self.sample_step = facts["sample"]

    def _update(self, see: Callable[[], None] | None = None) -> None:
        """Make one step: a batch, its loss, the gradient, the update."""
        rate = self.recipe.learning_rate_share(self.step) * self.recipe.learning_rate
        loss, grad_norm = self._learn(self._starts[self.step], see)
        windows = self._full if self.done else self._live
        measured = self._measure(windows) if self._is_evaluated(self.step) else (None, None)
        self._pending.append((self.step, loss.detach(), measured, grad_norm, rate))
        if self.placement.device == "cpu" or len(self._pending) >= _GPU_STEPS:
            self._fetch()

    def _learn(self, starts: Tensor, see: Callable[[], None] | None) -> tuple[Tensor, Tensor]:
        """Update the weights on the batch whose windows begin at `starts`; returns its loss and its gradient's norm."""
        if self._is_recordable:
            self._is_recordable = False
            with contextlib.suppress(RuntimeError):  # a part that copies from the CPU can't be recorded
                self._graph = LossCUDAGraph(lambda starts: self._loss(starts, 0), self.model, starts)
        if self._graph is not None:
            return self._graph.run(starts), self._trainer.move(see)
        loss = self._loss(starts, self.step)
        return loss, self._trainer.learn(loss, see)

    def _loss(self, starts: Tensor, step: int) -> Tensor:
        forward, recipe = self.forward, self.recipe
        if recipe.dropout:
            forward = make_dropout_forward(
                self.model, forward, recipe.dropout_at, recipe.dropout, [self.seed, step, _DROPPED]
            )
        return self.objective.loss(forward, self.train_ids, starts, step)

    def _is_evaluated(self, step: int) -> bool:
        """Return whether the validation loss is measured after this step: 1, 2, 4, 8, ..., then at equal distances."""
        if not self.live_evaluation:
            return False
        every = self.recipe.eval_every
        early = step < every and step.bit_count() == 1
        return early or step % every == 0 or step == self.recipe.n_step

    def _fetch(self) -> None:
        """Move finished steps into the history, unless one of them has diverged."""
        pending, self._pending = self._pending, []
        for step, loss, (val_loss, right_share), grad_norm, rate in pending:
            point = CurvePoint(step, float(loss), val_loss, float(grad_norm), rate, right_share)
            measured = (point.loss, point.grad_norm, 0.0 if point.val_loss is None else point.val_loss)
            if not all(map(math.isfinite, measured)):
                raise self.diverged(step, LABELS["no_loss"])
            self.history.append(point)

    def diverged(self, step: int, how: str) -> TrainingDiverged:
        """Return the error that the training has diverged, with advice."""
        return TrainingDiverged(LABELS("diverged", step=step, how=how, learning_rate=self.recipe.learning_rate))

    def _measure(self, starts: Tensor) -> tuple[float, float | None]:
        """Return the validation loss at these starts, and for a task the share of right answers."""
        # Logits are the largest tensor of an evaluation, so keep them below 16 million numbers.
        batch_size = max(1, min(64, 2**24 // (self.context_length * self.vocab_size)))
        starts = starts.to(self.val_ids.device)
        if isinstance(self.objective, AnswerObjective):
            return self.objective.judge(self.forward, starts, batch_size)
        return self.objective.evaluate(self.forward, self.val_ids, starts, batch_size), None


def _to_tensor(history: list[CurvePoint]) -> Tensor:
    """Return the history as a tensor (n_point, n_field) in float64, exactly; missing values are nan."""
    rows = [[math.nan if value is None else value for value in point] for point in history]
    return torch.tensor(rows, dtype=torch.float64).reshape(-1, len(CurvePoint._fields))


def _from_tensor(rows: Tensor) -> list[CurvePoint]:
    """Return the points of a tensor from `_to_tensor`; older checkpoints lack the newest fields."""
    return [CurvePoint(int(step), *map(_or_none, measured)) for step, *measured in rows.tolist()]  # type: ignore[arg-type]


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
