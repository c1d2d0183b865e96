"""The ViT that reads digits, in its current state of training: the subject of one room, the evaluator in another."""

from dataclasses import dataclass

from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.models.images.vit import ViT
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class DigitReader:
    """The trained ViT, as the key of everything that is computed from it."""

    run: ExperimentRun  # the run of the digits experiment

    @property
    def patch_size(self) -> int:
        """The height and width of a patch, in pixels."""
        return int(self.run.options["patch_size"])

    @property
    def n_layer(self) -> int:
        """The number of layers of this ViT."""
        return int(self.run.options["n_layer"])

    @property
    def n_side(self) -> int:
        """The number of patches in a row."""
        return int(self.model().config.image_size) // self.patch_size

    @property
    def n_patch(self) -> int:
        """The number of patches of a picture."""
        return self.n_side**2

    def model(self, variant: str = "vit") -> ViT:
        """Return the ViT, or its ablated copy without positions, the "bag"; don't change it."""
        return _rebuilt(self.run, variant)

    def patch_name(self, patch: int) -> str:
        """Return a name such as "row 1, column 3"."""
        return images.patch_name(patch, self.n_side)

    def token_name(self, token: int) -> str:
        """Return the name of a token: token 0 is the class token, then come the patches."""
        return self.patch_name(token - 1) if token else LABELS["class_token"]

    def short_names(self) -> list[str]:
        """The tokens' labels in a matrix: "r1 c3" is the patch in row 1, column 3."""
        return [
            LABELS["class"],
            *(LABELS("patch", row=patch // self.n_side, column=patch % self.n_side) for patch in range(self.n_patch)),
        ]


@memoize(64)
def _rebuilt(run: ExperimentRun, variant: str) -> ViT:
    config = experiment.experiment_module("digits").config(run.options["patch_size"], run.options["n_layer"])
    model: ViT = experiment.rebuild_model(run.record, variant, config).float()
    return model
