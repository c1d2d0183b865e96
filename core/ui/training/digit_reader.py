"""The ViT that reads digits, as it is trained by now: what one room looks at, and the judge in another."""

from dataclasses import dataclass

from core.cache import memoize
from core.data import images
from core.models.vit import ViT
from core.train import experiment
from core.train.live import Live
from core.ui.frame import scripts
from core.ui.frame.scripts import Code
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained

NAME, VARIANT = "digits", "vit"


@dataclass(frozen=True)
class Reader:
    """A trained ViT, as the key of what is computed from it.

    Attributes:
        models: those of the training's record.
        patch_size, n_layer: of this ViT.
    """

    models: Trained
    patch_size: int
    n_layer: int

    @property
    def n_side(self) -> int:
        """Patches beside each other."""
        return self.vit.config.image_size // self.patch_size

    @property
    def n_patch(self) -> int:
        """Patches of a picture."""
        return self.n_side**2

    @property
    def vit(self) -> ViT:
        """The model, not to be changed."""
        return _rebuilt(self)

    def record_in_script(self) -> Code:
        """How a script gets the training's record, which imports `record_of`."""
        shown = live.current(NAME)
        assert shown is not None  # its model is open
        return scripts.record(NAME, shown)

    def in_script(self) -> Code:
        """How a script makes the model, which imports `rebuild`, `record_of` and the module `digits`."""
        sizes = f"digits.config({self.patch_size}, {self.n_layer})"
        return Code(f'rebuild({self.record_in_script()}, "{VARIANT}", {sizes}).float()')

    def patch_name(self, patch: int) -> str:
        """Such as "row 1, column 3"."""
        return images.patch_name(patch, self.n_side)

    def token_name(self, token: int) -> str:
        """Token 0 is the class token, then come the patches."""
        return self.patch_name(token - 1) if token else "class token"

    def short_names(self) -> list[str]:
        """The tokens as the labels of a matrix: "r1 c3" is the patch in row 1, column 3."""
        return ["class", *(f"r{patch // self.n_side} c{patch % self.n_side}" for patch in range(self.n_patch))]


@memoize(MAX_RESULTS)
def _rebuilt(reader: Reader) -> ViT:
    config = experiment.module(NAME).config(reader.patch_size, reader.n_layer)
    model: ViT = experiment.rebuild(reader.models.record, VARIANT, config).float()
    return model


def reader_of(shown: Live) -> Reader:
    """The ViT of a training of digits."""
    options = experiment.options_of(NAME, shown.options)
    return Reader(trained(shown), options.patch_size, options.n_layer)


def current() -> Reader | None:
    """The ViT that the training above shows now; None, after plain words, if there is none."""
    shown = latest(NAME)
    return None if shown is None else reader_of(shown)
