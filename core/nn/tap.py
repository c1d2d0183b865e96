"""Access to the tensors inside a model: `tap` names a tensor where it is computed, `Trace` records or replaces it.

A model calls `weights = tap(self, "weights", softmax(scores))` in the line that computes the tensor. Nothing else in
the model is involved in tracing: no flags, no hooks, nothing stored on the module. Without an active trace, a tap
returns its argument unchanged.

    with Trace(model) as trace:
        model(ids)
    trace["blocks.0.attn.weights"]          # (B, H, T, S); short: trace["weights", 0]

    with Trace(model, edits={"blocks.0.attn.heads": lambda x: x * keep}) as trace:
        model(ids)                          # everything after the edit is computed from the edited tensor
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar, Token
from difflib import get_close_matches
from types import TracebackType
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.checks import check_text, describe_value
from core.data.tokenizers.tokenizer_base import Tokenizer

Edit = Callable[[Tensor], Tensor]
_PARTS = ("", "attn.", "mlp.")  # of a block; a short key leaves them out

# A context variable, not a global, because models are shared by many sessions and each thread has its own context.
_active: ContextVar["Trace | None"] = ContextVar("active_trace", default=None)


def tap(module: nn.Module, name: str, x: Tensor) -> Tensor:
    """Name a tensor so that an active `Trace` can record or replace it.

    Args:
        module: the module that computes the tensor; its path in the model becomes the key's first part.
        name: the last part of the key, unique within the module's class.

    Returns:
        x itself, of any shape, or the tensor that an active trace puts in its place.

    Elsewhere: a `HookPoint` in TransformerLens.
    """
    trace = _active.get()
    return x if trace is None else trace.visit(module, name, x)


def is_recording_taps() -> bool:
    """True while a `Trace` is active. A shortcut around a model's own `forward` would bypass its taps then."""
    return _active.get() is not None


class Trace(Mapping[str, Tensor]):
    """Record every tapped tensor of one model while the `with` block runs, and apply edits on the way.

    Keys are the module's path and the tap's name: `"blocks.0.attn.weights"`, or `"logits"` on the model itself.
    A tensor of a block also has a short key, its name and the number of its layer: `trace["weights", 0]`, and where two
    parts of a block have one of that name, `trace["attn.out", 0]` or `trace["mlp.out", 0]`.
    A key tapped several times (a recurrent cell, a decoding loop) holds the last tensor; `steps` gives them all.

    Args:
        model: the model to trace; other models that run within the block are not affected.
        edits: key -> function of the tensor. The result takes the tensor's place and must have the same shape.
        keep: endings of the keys that are recorded, such as ("attn.weights",); by default all are. A recorded tensor's
            memory cannot be reused during the forward pass, so recording fewer tensors is cheaper.

    Raises:
        TypeError: if the model is not a torch module, or the edits are not a mapping of keys to functions.
        ValueError: if an edit changes the shape.
        KeyError: when the block ends, if an edit's key was never computed, so a misspelled key doesn't go unnoticed.

    Source: the idea of one named point for reading and editing is TransformerLens' hook point (Nanda and Bloom, 2022).

    Elsewhere: TransformerLens records with `model.run_with_cache` and edits with `model.run_with_hooks`.
    """

    def __init__(self, model: nn.Module, edits: Mapping[str, Edit] | None = None, *, keep: tuple[str, ...] = ("",)):
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be a torch module, not {describe_value(model)}")
        if not (edits is None or (isinstance(edits, Mapping) and all(callable(edit) for edit in edits.values()))):
            raise TypeError(f"edits must map a key to a function of the tensor, not be {describe_value(edits)}")
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._edits = dict(edits or {})
        self._edited: set[str] = set()
        self._keep = keep
        self._steps: dict[str, list[Tensor]] = {}
        self._outer: Trace | None = None
        self._token: Token[Trace | None] | None = None

    @classmethod
    def read(cls, model: nn.Module, text: str, tokenizer: Tokenizer, edits: Mapping[str, Edit] | None = None) -> Self:
        """Run the model on a text and return the trace: `Trace.read(model, "Tom and Mia", tokenizer)["logits"]`.

        Args:
            tokenizer: an object with the method `encode`.
        """
        device = next((one.device for one in model.parameters()), None)
        with torch.no_grad(), cls(model, edits) as trace:
            model(torch.tensor([list(tokenizer.encode(text))], device=device))
        return trace

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return a copy of every tensor as an array, by key, for NumPy or `np.savez`."""
        return {key: self[key].detach().float().cpu().numpy().copy() for key in self}

    def __repr__(self) -> str:
        """Return one line for each tensor, with its key and shape."""
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
        """Record x, after applying the edit for its key if there is one. Called only by `tap`."""
        path = self._paths.get(id(module))
        if path is not None:
            key = f"{path}.{name}" if path else name
            if key in self._edits:
                edited = self._edits[key](x)
                if not isinstance(edited, Tensor):
                    raise TypeError(f"the edit of {key!r} must give a torch tensor, not {describe_value(edited)}")
                if edited.shape != x.shape:
                    raise ValueError(f"the edit of {key!r} gives {tuple(edited.shape)}, the tensor is {tuple(x.shape)}")
                x = edited
                self._edited.add(key)
            if key.endswith(self._keep):
                self._steps.setdefault(key, []).append(x)
        return x if self._outer is None else self._outer.visit(module, name, x)

    def steps(self, key: str) -> list[Tensor]:
        """Return all tensors recorded under the key, in the order of computation. Raises KeyError if there are none."""
        if check_text("key", key) not in self._steps:
            raise KeyError(self._explain(key))
        return self._steps[key]

    def __getitem__(self, key: str | tuple[str, int]) -> Tensor:
        """Return the last tensor of a key; `trace["weights", 3]` is short for `trace["blocks.3.attn.weights"]`.

        Raises:
            KeyError: if there is no such tensor. For a layer that doesn't have it, the message lists those that do.
        """
        return self.steps(self._full_key(*key) if isinstance(key, tuple) else key)[-1]

    def _full_key(self, name: str, layer: int) -> str:
        """Return the key of a block's tensor from its name alone, or with the part of the block: "attn.out"."""
        found = [key for part in _PARTS if (key := f"blocks.{layer}.{part}{name}") in self._steps]
        if len(found) > 1:
            raise KeyError(f"layer {layer} has several tensors {name!r}: use one of the keys {', '.join(found)}")
        if found:
            return found[0]
        numbered = (
            re.fullmatch(rf"blocks\.(\d+)\.(?:{'|'.join(_PARTS)}){re.escape(name)}", key) for key in self._steps
        )
        layers = sorted({int(one[1]) for one in numbered if one is not None})
        if layers:
            raise KeyError(
                f"layer {layer!r} has no tensor {name!r}; layers that have it: {', '.join(map(str, layers))}"
            )
        raise KeyError(f"no layer has a tensor {name!r}; " + self._explain(f"blocks.{layer}.{name}"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._steps)

    def __len__(self) -> int:
        return len(self._steps)

    def _explain(self, key: str) -> str:
        near = get_close_matches(key, self._steps, n=3)
        return f"the model computed no tensor {key!r}" + (f"; near it: {', '.join(near)}" if near else "")
