"""A sparse autoencoder: activations as sums of a few directions each, of many more than fire at once."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from core.data import corpora
from core.data.tokenizers.base import Tokenizer
from core.inspect.reading.model_key import SHIPPED
from core.models import pretrained
from core.nn.tap import Trace

MODEL = SHIPPED / "stories"
PLACE = "blocks.1.mlp.act"  # the hidden layer of the last feed-forward: between it and the logits is no other layer
N_FIRE = 4  # features that may fire on one token
AT_ONCE = 40  # texts that the model reads at once


class SparseAutoencoder(nn.Module):
    """x = middle + the sum of the features that fire, each times its direction; only the k strongest may fire.

    Args:
        d_act, n_feature: numbers of an activation, and directions to explain it with.
        n_fire: k.
        middle: (F,) the mean activation, where the middle starts.
        generator: the directions are drawn from it, of length 1; each feature begins by listening along its own.

    Source: Makhzani and Frey 2013 (1312.5663); Gao et al. 2024 (2406.04093), sections 2.3 and A.2.
    """

    def __init__(
        self, d_act: int, n_feature: int, n_fire: int, middle: Float[Tensor, " F"], generator: torch.Generator
    ):
        super().__init__()
        drawn = F.normalize(torch.randn(n_feature, d_act, generator=generator))
        self.n_fire = n_fire
        self.middle = nn.Parameter(middle.clone())
        self.listens = nn.Parameter(drawn.clone())
        self.bias = nn.Parameter(torch.zeros(n_feature))
        self.says = nn.Parameter(drawn.clone())

    @property
    def directions(self) -> Float[Tensor, "M F"]:
        """What each feature adds where it fires, of length 1."""
        return F.normalize(self.says)

    def heard(self, x: Float[Tensor, "*B F"]) -> Float[Tensor, "*B M"]:
        """How strongly each feature would fire, if all could."""
        return torch.relu((x - self.middle) @ self.listens.T + self.bias)

    def encode(self, x: Float[Tensor, "*B F"]) -> Float[Tensor, "*B M"]:
        """The k strongest; all others are 0."""
        return strongest(self.heard(x), self.n_fire)

    def decode(self, fired: Float[Tensor, "*B M"]) -> Float[Tensor, "*B F"]:
        """The sum of what fires."""
        return fired @ self.directions + self.middle

    def forward(self, x: Float[Tensor, "*B F"]) -> Float[Tensor, "*B F"]:
        """The activation, rebuilt from the few features that fire."""
        return self.decode(self.encode(x))


def strongest(heard: Float[Tensor, "*B M"], k: int) -> Float[Tensor, "*B M"]:
    """Its k largest, and 0 elsewhere."""
    value, place = heard.topk(k, -1)
    return torch.zeros_like(heard).scatter(-1, place, value)


def reconstruction_loss(
    model: SparseAutoencoder, x: Float[Tensor, "B F"], sleeps: Tensor
) -> tuple[Float[Tensor, ""], Float[Tensor, "B M"]]:
    """The squared distance to what is rebuilt; and what fired.

    Args:
        sleeps: (M,) features that have not fired for long: they learn from what the others leave over, so that they
            wake up.
    """
    heard = model.heard(x)
    fired = strongest(heard, model.n_fire)
    left = x - model.decode(fired)
    loss = left.square().sum(-1).mean()
    if n := int(sleeps.sum()):
        waking = strongest(heard * sleeps, min(n, 2 * model.n_fire))
        loss = loss + (left.detach() - waking @ model.directions).square().sum(-1).mean() / 32
    return loss, fired.detach()


def explained(model: SparseAutoencoder, x: Float[Tensor, "B F"]) -> float:
    """The share of the variance that what is rebuilt has of it."""
    with torch.no_grad():
        left = (x - model(x)).square().sum()
        return 1 - float(left / (x - x.mean(0)).square().sum())


def windows(tokenizer: Tokenizer, n: int, length: int) -> tuple[Int[Tensor, "N T"], Int[Tensor, "N T"]]:
    """The last n pieces of the stories, and what comes next at each of their places."""
    n_character = 8 * (n * length + 1)  # more than enough
    ids = torch.tensor(tokenizer.encode(corpora.load("stories").text[-n_character:])[-(n * length + 1) :])
    return ids[:-1].view(n, length), ids[1:].view(n, length)


def activations(model: nn.Module, ids: Int[Tensor, "N T"]) -> Float[Tensor, "N T F"]:
    """What stands at the place while the model reads."""
    found = []
    with torch.no_grad():
        for some in ids.split(AT_ONCE):
            with Trace(model, keep=(PLACE,)) as trace:
                model(some)
            found.append(trace[PLACE])
    return torch.cat(found)


def logits_with(model: nn.Module, ids: Tensor, edit: Callable[[Tensor], Tensor]) -> Float[Tensor, "N T V"]:
    """What the model expects when the activations of the place are edited."""
    with torch.no_grad(), Trace(model, {PLACE: edit}, keep=(PLACE,)):
        return model(ids)


def nats(logits: Float[Tensor, "N T V"], targets: Int[Tensor, "N T"]) -> float:
    """The mean loss."""
    return float(F.cross_entropy(logits.flatten(0, 1), targets.flatten()))


def spread(x: Float[Tensor, "B F"]) -> float:
    """The root of the variance in all: activations are divided by it, so that one learning rate fits all models."""
    return math.sqrt(float((x - x.mean(0)).square().sum(-1).mean()))


def fresh(seed: int) -> nn.Module:
    """A model of the same shape that has learned nothing."""
    from core.models import registry  # here, because it knows every kind of model

    model = registry.build(pretrained.load(MODEL).config)
    model.init_weights(torch.Generator().manual_seed(seed))
    return model.eval().requires_grad_(False)
