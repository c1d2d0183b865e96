"""The ViT that reads digits, as far as it is trained: what one room looks at, and the judge in another."""

from dataclasses import dataclass

from core.data import images
from core.exhibit import memoize
from core.models.vit import ViT
from core.train import experiment
from core.train.experiments.live import Live


@dataclass(frozen=True)
class Reader:
    """The trained ViT, as the key of what is computed from it."""

    run: Live  # the training of digits

    @property
    def patch_size(self) -> int:
        """Height and width of a patch, in pixels."""
        return int(self.run.options["patch_size"])

    @property
    def n_layer(self) -> int:
        """Of this ViT."""
        return int(self.run.options["n_layer"])

    @property
    def n_side(self) -> int:
        """Patches beside each other."""
        return int(self.model().config.image_size) // self.patch_size

    @property
    def n_patch(self) -> int:
        """Patches of a picture."""
        return self.n_side**2

    def model(self, variant: str = "vit") -> ViT:
        """The ViT, or its twin without positions, the "bag"; not to be changed."""
        return _rebuilt(self.run, variant)

    def patch_name(self, patch: int) -> str:
        """Such as "row 1, column 3"."""
        return images.patch_name(patch, self.n_side)

    def token_name(self, token: int) -> str:
        """Token 0 is the class token, then come the patches."""
        return self.patch_name(token - 1) if token else "class token"

    def short_names(self) -> list[str]:
        """The tokens as the labels of a matrix: "r1 c3" is the patch in row 1, column 3."""
        return ["class", *(f"r{patch // self.n_side} c{patch % self.n_side}" for patch in range(self.n_patch))]


@memoize(64)
def _rebuilt(run: Live, variant: str) -> ViT:
    config = experiment.module("digits").config(run.options["patch_size"], run.options["n_layer"])
    model: ViT = experiment.rebuild(run.record, variant, config).float()
    return model
