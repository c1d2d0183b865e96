"""Watching of a run's tensors as it trains. The training doesn't change: it makes the same steps, in the same order.

Activations, and gradients with respect to them, are measured on the probe sentence of
`core.train.watch.behavior_snapshots`.
A parameter's gradient and update are those of the last training step, and are recorded as it is made.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.tokenizers.gap_tokenizers import MaskedTextTokenizer
from core.models import registry
from core.models.configs.config_and_input_checks import ModelConfig
from core.nn.tap import Trace
from core.train.curve_point import CurvePoint
from core.train.device import single_torch_thread
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.train.tasks.answer_objective import NO_TARGET, AnswerObjective, answer_format_of_model_kind
from core.train.tasks.defaults import span_input_and_target_lengths
from core.train.tasks.spans import FillSpansObjective
from core.train.watch.behavior_snapshots import GAP_EVERY, N_PROBE, snapshot_probe_ids, validation_text_probe_ids
from core.train.watch.tensor_summary import MOST_CELLS, WatchFrame, split_cell_budget, summarize_tensor
from core.train.watch.watched_tensor_patterns import WatchableTensors, WatchedTensor, match_available_tensors

_ModelInputs = tuple[Tensor, ...]


class Watcher:
    """A watcher that follows a run, and stores the tensors requested with `ask`."""

    def __init__(self, run: TrainRun):
        self.run, self.query = run, ""
        self.watched: tuple[WatchedTensor, ...] = ()
        self._parameters = _named_parameters(run.model)
        self._seen: dict[
            WatchedTensor, tuple[Tensor, float | None]
        ] = {}  # of the step `_seen_at`; an update with a norm
        self._seen_at = -1

    @cached_property
    def tensors(self) -> WatchableTensors:
        """Return the tensors that can be watched."""
        return WatchableTensors(_computed_shapes(self.run.model, self._read[0]), _shapes(self.run.model))

    @cached_property
    def _read(self) -> tuple[_ModelInputs, _ModelInputs]:
        return _reading(self.run)

    def ask(self, query: str) -> None:
        """Watch these tensors from now on; missing ones and those beyond the limit are left out."""
        if query != self.query:
            self.query = query
            self.watched = match_available_tensors(query, self.tensors)

    @property
    def needs_step(self) -> bool:
        """True if a tensor has to be recorded during a training step."""
        return any(self._is_of_step(one) for one in self.watched)

    def _is_of_step(self, one: WatchedTensor) -> bool:
        return bool(one.of) and one.name in self._parameters

    def advance(self, until: int, seconds: float) -> list[CurvePoint]:
        """Advance the run up to step `until`, which gets a frame, and record that step as it is made."""
        if not self.needs_step or self.run.step < until - 1:
            return self.run.advance(until - self.run.step - self.needs_step, seconds)
        before = {
            one: self._parameters[one.name].detach().clone()
            for one in self.watched
            if one.of == "update" and self._is_of_step(one)
        }
        seen: dict[WatchedTensor, tuple[Tensor, float | None]] = {}

        def look() -> None:
            for one in self.watched:
                w = self._parameters[one.name] if self._is_of_step(one) else None
                if one.of == "grad" and w is not None and w.grad is not None:
                    seen[one] = (w.grad.detach().clone(), None)

        points = self.run.advance(1, see=look)
        for one, old in before.items():
            seen[one] = (self._parameters[one.name].detach() - old, float(torch.linalg.vector_norm(old)))
        self._seen, self._seen_at = seen, self.run.step
        return points

    def take(self) -> WatchFrame:
        """Return the watched tensors in their current state; those of a step are missing before the first one."""
        with single_torch_thread():
            found = self._computed([one for one in self.watched if not self._is_of_step(one)])
        if self._seen_at == self.run.step:
            found |= {one: seen for one, seen in self._seen.items() if one in self.watched}
        room = split_cell_budget([math.prod(one.shape) for one in self.watched], MOST_CELLS)
        parts = [
            summarize_tensor(str(one), values.float().cpu().numpy(), n_cell, before)
            for one, n_cell in zip(self.watched, room, strict=True)
            if one in found
            for values, before in [found[one]]
        ]
        return WatchFrame(self.run.step, self.query, tuple(parts))

    def _computed(self, asked: Sequence[WatchedTensor]) -> dict[WatchedTensor, tuple[Tensor, float | None]]:
        """Return the current parameters, and the activations on the probe sentence."""
        found: dict[WatchedTensor, Tensor] = {
            one: self._parameters[one.name].detach() for one in asked if one.name in self._parameters
        }
        names = tuple({one.name for one in asked} - self._parameters.keys())
        plain = [one for one in asked if one.name in names and not one.of]
        slopes = [one for one in asked if one.name in names and one.of]
        if plain:
            with torch.no_grad(), Trace(self.run.model, keep=names) as trace:
                self.run.model(*self._read[0])
            found |= {one: _join_steps(trace.steps(one.name)) for one in plain}
        if slopes:
            found |= self._gradients(slopes, names)
        return {one: (values, None) for one, values in found.items()}

    def _gradients(self, asked: Sequence[WatchedTensor], names: tuple[str, ...]) -> dict[WatchedTensor, Tensor]:
        """Return the gradient of the probe sentence's loss; 0 if that doesn't depend on a tensor."""
        with torch.enable_grad(), Trace(self.run.model, keep=names) as trace:
            loss = self.probe_loss()
        steps = {one: trace.steps(one.name) for one in asked}
        flat = [step for one in asked for step in steps[one]]
        # The parameters' own gradients are not changed.
        slopes = iter(torch.autograd.grad(loss, [x for x in flat if x.requires_grad], allow_unused=True))
        by_step = (next(slopes) if x.requires_grad else None for x in flat)
        filled = iter([torch.zeros_like(x) if slope is None else slope for x, slope in zip(flat, by_step, strict=True)])
        return {one: _join_steps([next(filled) for _ in steps[one]]) for one in asked}

    def probe_loss(self) -> Float[Tensor, ""]:
        """Return the loss on the probe sentence, in nats per token.

        Depending on the objective, the targets are each next token, every fourth token, which is hidden, the missing
        spans, or a task's answer.
        """
        inputs, (targets,) = self._read[0], self._read[1]
        if isinstance(self.run.tokenizer, MaskedTextTokenizer) and not isinstance(self.run.objective, AnswerObjective):
            hidden = inputs[0].where(targets == NO_TARGET, self.run.tokenizer.mask_id)
            inputs = (hidden,)
        logits: Tensor = self.run.model(*inputs)
        return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), ignore_index=NO_TARGET)


def _reading(run: TrainRun) -> tuple[_ModelInputs, _ModelInputs]:
    """Return the model's inputs for the probe sentence, and the targets at each position."""
    if isinstance(run.objective, AnswerObjective):
        asked = run.objective.ask(run.objective.held[:1], run.placement.device)
        return asked.inputs, (asked.targets,)
    if isinstance(run.objective, FillSpansObjective):
        asked = run.objective.probe(validation_text_probe_ids(run))
        return asked.inputs, (asked.targets,)
    ids = snapshot_probe_ids(run)[None]
    targets = torch.full_like(ids, NO_TARGET)
    if isinstance(run.tokenizer, MaskedTextTokenizer):
        targets[:, GAP_EVERY::GAP_EVERY] = ids[:, GAP_EVERY::GAP_EVERY]
    else:
        targets[:, :-1] = ids[:, 1:]
    return (ids,), (targets,)


def _join_steps(steps: Sequence[Tensor]) -> Tensor:
    """Join a tap's tensors of one text, without the batch; a recurrent network has one row per token."""
    return torch.stack([one.detach()[0] for one in steps]) if len(steps) > 1 else steps[0].detach()[0]


def _named_parameters(model: nn.Module) -> dict[str, Tensor]:
    """Return parameters by their names in queries: a layer's weights have the name of the layer."""
    return {name.removesuffix(".weight"): w for name, w in model.named_parameters()}


def watchable_tensors(recipe: Recipe, vocab_size: int) -> WatchableTensors:
    """Return the tensors that a recipe's model will have, before it exists; only the shapes matter."""
    config = recipe.config(vocab_size)
    model = registry.build_empty(config)
    parameters = _shapes(model)
    model.to_empty(device="cpu")
    for one in model.buffers():  # such as a table of positions
        one.zero_()
    return WatchableTensors(_computed_shapes(model, _blank(recipe, config)), parameters)


def _blank(recipe: Recipe, config: ModelConfig) -> _ModelInputs:
    """Return blank inputs of the greatest length of a probe sentence."""
    if recipe.fills_spans:
        sizes = span_input_and_target_lengths(min(N_PROBE, recipe.n_window))
        return tuple(torch.zeros(1, n, dtype=torch.long) for n in sizes)
    if recipe.posed is None:
        return (torch.zeros(1, min(N_PROBE, config.context_length), dtype=torch.long),)
    answers = AnswerObjective(recipe.posed, answer_format_of_model_kind(recipe.kind), recipe.train_tokenizer(""), 0)
    return answers.ask(answers.held[:1]).inputs


def _shapes(model: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(w.shape) for name, w in _named_parameters(model).items()}


def _computed_shapes(model: nn.Module, read: _ModelInputs) -> dict[str, tuple[int, ...]]:
    with torch.no_grad(), single_torch_thread(), Trace(model) as trace:
        model(*read)
    return {name: tuple(_join_steps(trace.steps(name)).shape) for name in trace}
