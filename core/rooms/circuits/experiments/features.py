"""Three sparse autoencoders: two learn the stories model's last feed-forward, the third that of an untrained model.

After training, their features are named, and by the same rule the neurons and equally many random directions.
"""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.models import pretrained
from core.rooms.circuits.compute import naming
from core.rooms.circuits.compute.dictionary import (
    MODEL,
    N_FIRE,
    TAP_KEY,
    SparseAutoencoder,
    activation_scale,
    explained_variance,
    logits_with,
    mean_token_loss,
    read_activations,
    reconstruction_loss,
    story_windows,
    untrained_stories_model,
)
from core.train.experiment import Record, step_table
from core.train.experiments.base import Arrays, Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

LABELS = module_labels(__name__)

VARIANTS = ("found", "again", "untrained")  # "again" is another seed, to see which directions recur
N_FEATURE = 256
LENGTH = 96
N_LEARN, N_MEASURE = 400, 200  # windows to learn from, and others for naming and evaluation
N_LOSS = 20  # windows for evaluating the loss
N_READ = 10  # windows read before each step, until all have been read
BATCH, RATE = 512, 5e-3
MAX_SILENT = 40  # steps without firing until a feature counts as dead


class Options(Inputs, prefix="features_"):
    """The number of training steps of each autoencoder."""

    n_step: int = hidden_training_steps(600, most=2_000)  # about 35 seconds on one core


class Features(Experiment):
    """Sparse autoencoders on the stories model and on an untrained one.

    Its record, for each variant v: curve.v.explained (n,): the share of the variance; curve.found.loss (n,): see loss.
    loss (3,): nats of the unchanged model, of the model with its activations replaced by zeros, and by their
    reconstructions. model.found.<parameter>, scale: the current weights of the first autoencoder, for activations
    divided by `scale`. At the end, for each w of found, untrained, neurons, random: kind.w, precision.w, recall.w,
    level.w (U,), see `naming.Named`; similar (M,): for each direction, its cosine with the nearest direction of another
    seed; dead (3,).
    """

    title = LABELS["title"]
    n_eval = 24

    def begin(self) -> None:
        found = pretrained.load(MODEL)
        self._models = {"found": found.model, "untrained": untrained_stories_model(self.seed)}
        ids, self._targets = story_windows(found.text_tokenizer, N_LEARN + N_MEASURE, LENGTH)
        self._ids = {"learn": ids[:N_LEARN], "measure": ids[N_LEARN:]}
        self._targets = self._targets[N_LEARN:]
        self._vocabulary = found.vocabulary
        self._rows = {name: self._read(name, ids[:N_READ]) for name in self._models}
        self.scale = {name: activation_scale(rows) for name, rows in self._rows.items()}
        self._held = {name: self._read(name, self._ids["measure"][:N_LOSS]) for name in self._models}
        self._n_read, self._last = N_READ, {}
        for variant in VARIANTS:
            of = self._of(variant)
            generator = torch.Generator().manual_seed(self.seed + 1_000 * (variant == "again"))
            middle = self._rows[of].mean(0) / self.scale[of]
            model = SparseAutoencoder(len(middle), N_FEATURE, N_FIRE, middle, generator)
            optimizer = AdamW(dict(model.named_parameters()), learning_rate=RATE, betas=(0.9, 0.99), weight_decay=0.0)
            self.trainers[variant] = Trainer(model, optimizer, constant_then_linear(self.n_step), n_step=self.n_step)
            self._last[variant] = torch.zeros(N_FEATURE)
        ids, targets = self._ids["measure"][:N_LOSS], self._targets[:N_LOSS]
        with torch.no_grad():
            self._plain = mean_token_loss(found.model(ids), targets)
        self._zero = mean_token_loss(logits_with(found.model, ids, torch.zeros_like), targets)
        self._ended: Arrays = {}

    @staticmethod
    def _of(variant: str) -> str:
        return "untrained" if variant == "untrained" else "found"

    def _read(self, name: str, ids: Tensor) -> Float[Tensor, "B F"]:
        return read_activations(self._models[name], ids).flatten(0, 1)

    def batch(self) -> tuple[Tensor]:
        if self._n_read < N_LEARN:
            more = self._ids["learn"][self._n_read : self._n_read + N_READ]
            self._rows = {name: torch.cat([rows, self._read(name, more)]) for name, rows in self._rows.items()}
            self._n_read += N_READ
        return (torch.randint(len(self._rows["found"]), (BATCH,), generator=self.generator),)

    def learn(self) -> None:
        (places,) = self.batch()
        for name, trainer in self.trainers.items():
            of, last = self._of(name), self._last[name]
            with self.timed(name):
                x = self._rows[of][places] / self.scale[of]
                loss, fired = reconstruction_loss(trainer.model, x, last > MAX_SILENT)
                trainer.learn(loss)
                last += 1
                last[(fired > 0).any(0)] = 0

    def measure(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {
            f"curve.{name}.explained": explained_variance(one.model, self._held[of] / self.scale[of])
            for name, one in self.trainers.items()
            for of in (self._of(name),)
        }
        ids, targets = self._ids["measure"][:N_LOSS], self._targets[:N_LOSS]
        model, scale = self.trainers["found"].model, self.scale["found"]
        rebuilt = logits_with(self._models["found"], ids, lambda x: scale * model(x / scale))
        found["curve.found.loss"] = mean_token_loss(rebuilt, targets)
        self._losses = np.array([self._plain, self._zero, found["curve.found.loss"]], np.float32)
        if self.step == self.n_step:
            self._ended = self._end()
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        return {"loss": self._losses, "scale": np.float32(self.scale["found"]), **self._ended}

    def weights(self) -> Arrays:
        return self.trainers["found"].weights("found")

    def _end(self) -> Arrays:
        """Name all units by the same rule."""
        kinds = naming.find_kinds(self._vocabulary, self._ids["measure"], self._targets)
        rows = {name: self._read(name, self._ids["measure"]) / self.scale[name] for name in self._models}
        kept = {name: _round_to_half(self.trainers[name].model) for name in VARIANTS}
        fired = {name: kept[name].encode(rows[self._of(name)]) for name in VARIANTS}
        drawn = torch.randn(N_FEATURE, rows["found"].shape[1], generator=self.generator)
        values = {"found": fired["found"], "untrained": fired["untrained"], "neurons": rows["found"]}
        values["random"] = (rows["found"] - rows["found"].mean(0)) @ F.normalize(drawn).T
        found: Arrays = {
            "similar": (kept["found"].directions @ kept["again"].directions.T).amax(1).numpy(),
            "dead": np.array([int((fired[name].amax(0) <= 0).sum()) for name in VARIANTS]),
        }
        for name, some in values.items():
            one = naming.name_units(some, kinds, both_ways=name in ("neurons", "random"))
            found |= {f"{part}.{name}": getattr(one, part) for part in ("kind", "precision", "recall", "level")}
        return found


def _round_to_half(model: SparseAutoencoder) -> SparseAutoencoder:
    """Return the model with its weights rounded to half precision, as in a record."""
    weights = {name: weight.half().float() for name, weight in model.state_dict().items()}
    return _made(weights)


def recorded_autoencoder(record: Record) -> SparseAutoencoder:
    """Return the first autoencoder of a record."""
    weights = {
        name.removeprefix("model.found."): torch.from_numpy(one.astype(np.float32))
        for name, one in record.items()
        if name.startswith("model.found.")
    }
    return _made(weights)


def _made(weights: dict[str, Tensor]) -> SparseAutoencoder:
    n_feature, d_act = weights["listens"].shape
    made = SparseAutoencoder(d_act, n_feature, N_FIRE, weights["middle"], torch.Generator().manual_seed(0))
    made.load_state_dict(weights)
    return made.requires_grad_(False)


def recorded_names(record: Record, which: str) -> naming.UnitNames:
    """Return the names of "found", "untrained", "neurons" or "random"."""
    return naming.UnitNames(*(record[f"{part}.{which}"] for part in ("kind", "precision", "recall", "level")))


def table(record: Record) -> dict[str, list[float]]:
    """Return the share of the variance that each autoencoder explains, evaluation by evaluation."""
    return step_table(record, {name: f"curve.{name}.explained" for name in VARIANTS}, 4)


__all__ = ["MODEL", "TAP_KEY", "Features", "Options", "recorded_autoencoder", "recorded_names", "table"]
