"""The logit lens: what a decoder would answer if it stopped after each of its layers."""

from collections.abc import Sequence

from torch import Tensor, nn

from core.inspect.trace import as_batch
from core.rooms.decoder.compute.readout import N_TOP, Lens, read_layers


def lens(model: nn.Module, ids: Sequence[int] | Tensor, n_top: int = N_TOP) -> Lens:
    """`core.rooms.decoder.compute.readout.read_layers` for a text that has to be checked first.

    Args:
        model: a decoder such as a GPT; it is not changed.
        ids: (T,) the text.
        n_top: how many tokens of each distribution are kept.

    Raises:
        ValueError: if there are no tokens, too many, or some that the model does not know.
    """
    return read_layers(model, as_batch(model, ids)[0], n_top)
