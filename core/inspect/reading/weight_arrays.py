"""A model's weights as arrays by their names, each made when it is asked for: a large model is never there twice."""

from collections.abc import Iterator, Mapping
from typing import Any

from jaxtyping import Float
from numpy.typing import NDArray
from torch import nn

from core.inspect.trace import to_numpy


class WeightArrays(Mapping[str, Float[NDArray[Any], "..."]]):
    """What `core.inspect.second_pass.numpy_forward.forward` reads; half precision as float32."""

    def __init__(self, model: nn.Module) -> None:
        self._parameters = dict(model.named_parameters())

    def __getitem__(self, name: str) -> NDArray[Any]:
        return to_numpy(self._parameters[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)
