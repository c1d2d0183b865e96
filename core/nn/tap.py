"""Looking inside a model: `tap` names a tensor where it is made, `Trace` reads it or replaces it.

A model says `weights = tap(self, "weights", softmax(scores))` at the line that makes the tensor. Nothing else in the
model knows about tracing: no flags, no hooks, nothing stored on the module. Without an active trace a tap returns its
argument untouched.

    with Trace(model) as trace:
        model(ids)
    trace["blocks.0.attn.weights"]          # (B, H, T, S); short: trace["weights", 0]

    with Trace(model, edits={"blocks.0.attn.heads": lambda x: x * keep}) as trace:
        model(ids)                          # everything after the edit is computed from the edit
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar, Token
from difflib import get_close_matches
from types import TracebackType
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.checks import came, text
from core.data.tokenizers.base import Tokenizer

Edit = Callable[[Tensor], Tensor]

# A context variable and not a global: models are shared by many sessions, and each thread has its own context.
_active: ContextVar["Trace | None"] = ContextVar("active_trace", default=None)


def tap(module: nn.Module, name: str, x: Tensor) -> Tensor:
    """Name a tensor, so that an active `Trace` can record it or replace it.

    Args:
        module: the module that computes the tensor; its path in the model becomes the key's first part.
        name: the last part of the key, unique within the module's class.

    Returns:
        x itself, of any shape, or the tensor that an active trace puts in its place.
    """
    trace = _active.get()
    return x if trace is None else trace.visit(module, name, x)


def is_tracing() -> bool:
    """True while a `Trace` is active: a shortcut around a model's own `forward` would go unseen."""
    return _active.get() is not None


class Trace(Mapping[str, Tensor]):
    """Record every tapped tensor of one model while the `with` block runs, and apply edits on the way.

    Keys are the module's path and the tap's name: `"blocks.0.attn.weights"`, or `"logits"` on the model itself.
    A key tapped several times (a recurrent cell, a decoding loop) holds the last tensor; `steps` gives them all.

    Args:
        model: the model to look into; other models that run in the block are left alone.
        edits: key -> function of the tensor. The result takes the tensor's place and must keep its shape.
        keep: endings of the keys that are recorded, such as ("attn.weights",); by default all are. Memory that is kept
            cannot be used again within the pass, so recording little is cheaper.

    Raises:
        TypeError: if the model is no torch module, or the edits are not functions by key.
        ValueError: if an edit changes the shape.
        KeyError: when the block ends, if an edit's key was never computed (a misspelt key changes nothing silently).

    Source: the idea of one named point for reading and editing is TransformerLens' hook point (Nanda and Bloom, 2022).
    """

    def __init__(self, model: nn.Module, edits: Mapping[str, Edit] | None = None, *, keep: tuple[str, ...] = ("",)):
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be a torch module, not {came(model)}")
        if not (edits is None or (isinstance(edits, Mapping) and all(callable(edit) for edit in edits.values()))):
            raise TypeError(f"edits must map a key to a function of the tensor, not be {came(edits)}")
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._edits = dict(edits or {})
        self._edited: set[str] = set()
        self._keep = keep
        self._steps: dict[str, list[Tensor]] = {}
        self._outer: Trace | None = None
        self._token: Token[Trace | None] | None = None

    @classmethod
    def read(cls, model: nn.Module, text: str, tokenizer: Tokenizer, edits: Mapping[str, Edit] | None = None) -> Self:
        """The trace of a model that reads a text: `Trace.read(model, "Tom and Mia", tokenizer)["logits"]`.

        Args:
            tokenizer: with `encode`.
        """
        device = next((one.device for one in model.parameters()), None)
        with torch.no_grad(), cls(model, edits) as trace:
            model(torch.tensor([list(tokenizer.encode(text))], device=device))
        return trace

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Every tensor as an array of its own, by key: for NumPy, or for `np.savez`."""
        return {key: self[key].detach().float().cpu().numpy().copy() for key in self}

    def __repr__(self) -> str:
        """One line for each tensor: its key and its shape."""
        width = max(map(len, self), default=0)
        lines = [f"  {key:{width}}  {tuple(self[key].shape)}" for key in self]
        return "\n".join([f"Trace of {len(self)} tensors", *lines])

    def __enter__(self) -> Self:
        self._outer = _active.get()
        self._token = _active.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self._token is not None
        _active.reset(self._token)
        unused = sorted(set(self._edits) - self._edited)
        if unused and error is None:
            raise KeyError(self._explain(unused[0]))

    def visit(self, module: nn.Module, name: str, x: Tensor) -> Tensor:
        """Record x, edited if there is an edit for its key. Called by `tap` alone."""
        path = self._paths.get(id(module))
        if path is not None:
            key = f"{path}.{name}" if path else name
            if key in self._edits:
                edited = self._edits[key](x)
                if not isinstance(edited, Tensor):
                    raise TypeError(f"the edit of {key!r} must give a torch tensor, not {came(edited)}")
                if edited.shape != x.shape:
                    raise ValueError(f"the edit of {key!r} gives {tuple(edited.shape)}, the tensor is {tuple(x.shape)}")
                x = edited
                self._edited.add(key)
            if key.endswith(self._keep):
                self._steps.setdefault(key, []).append(x)
        return x if self._outer is None else self._outer.visit(module, name, x)

    def steps(self, key: str) -> list[Tensor]:
        """All tensors recorded under the key, in the order of the computation. Raises KeyError if there are none."""
        if text("key", key) not in self._steps:
            raise KeyError(self._explain(key))
        return self._steps[key]

    def __getitem__(self, key: str | tuple[str, int]) -> Tensor:
        """The last tensor of a key; `trace["weights", 3]` is short for `trace["blocks.3.attn.weights"]`."""
        if isinstance(key, tuple):
            name, layer = key
            near = [f"blocks.{layer}.{part}{name}" for part in ("", "attn.", "mlp.")]
            found = [one for one in near if one in self._steps]
            key = found[0] if len(found) == 1 else near[0]
        return self.steps(key)[-1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def _explain(self, key: str) -> str:
        near = get_close_matches(key, self._steps, n=3)
        return f"the model computed no tensor {key!r}" + (f"; near it: {', '.join(near)}" if near else "")
