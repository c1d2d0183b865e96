"""A sparse autoencoder: each activation as a sum of a few directions out of a large dictionary."""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from core.data import corpora
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.models import pretrained
from core.nn.tap import Trace

MODEL = SHIPPED_MODELS / "stories"
TAP_KEY = "blocks.1.mlp.act"  # the hidden layer of the last feed-forward; no other layer is between it and the logits
N_FIRE = 4  # features that may fire on one token
CHUNK = 40  # texts in one batch


class SparseAutoencoder(nn.Module):
    """A sparse autoencoder whose k strongest features may be active (top-k).

    x = middle + the sum of the active features, each times its direction.

    Args:
        d_act, n_feature: the size of an activation, and the number of directions.
        n_fire: k.
        middle: (F,) the mean activation, the initial value of the decoder's bias `middle`.
        generator: samples the directions, of length 1; each feature's encoder starts as its own direction.

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
        """The direction that each feature adds when it is active, of length 1."""
        return F.normalize(self.says)

    def dense_activations(self, x: Float[Tensor, "*B F"]) -> Float[Tensor, "*B M"]:
        """Return the pre-activation of each feature after ReLU, before the top-k."""
        return torch.relu((x - self.middle) @ self.listens.T + self.bias)

    def encode(self, x: Float[Tensor, "*B F"]) -> Float[Tensor, "*B M"]:
        """Return the activations of the k strongest features; all others are 0."""
        return keep_strongest(self.dense_activations(x), self.n_fire)

    def decode(self, fired: Float[Tensor, "*B M"]) -> Float[Tensor, "*B F"]:
        """Return the sum of the active features' directions, plus `middle`."""
        return fired @ self.directions + self.middle

    def forward(self, x: Float[Tensor, "*B F"]) -> Float[Tensor, "*B F"]:
        """Return the reconstruction of an activation from its few active features."""
        return self.decode(self.encode(x))


def keep_strongest(heard: Float[Tensor, "*B M"], k: int) -> Float[Tensor, "*B M"]:
    """Keep the k largest values of each row and set the others to 0."""
    value, place = heard.topk(k, -1)
    return torch.zeros_like(heard).scatter(-1, place, value)


def reconstruction_loss(
    model: SparseAutoencoder, x: Float[Tensor, "B F"], sleeps: Tensor
) -> tuple[Float[Tensor, ""], Float[Tensor, "B M"]]:
    """Return the squared reconstruction error, and the features' activations.

    Args:
        sleeps: (M,) features that have been inactive for long. They are trained to model what the others leave over, so
            that they become active again (auxiliary loss).
    """
    heard = model.dense_activations(x)
    fired = keep_strongest(heard, model.n_fire)
    left = x - model.decode(fired)
    loss = left.square().sum(-1).mean()
    if n := int(sleeps.sum()):
        waking = keep_strongest(heard * sleeps, min(n, 2 * model.n_fire))
        loss = loss + (left.detach() - waking @ model.directions).square().sum(-1).mean() / 32
    return loss, fired.detach()


def explained_variance(model: SparseAutoencoder, x: Float[Tensor, "B F"]) -> float:
    """Return the share of the variance that the reconstruction explains."""
    with torch.no_grad():
        left = (x - model(x)).square().sum()
        return 1 - float(left / (x - x.mean(0)).square().sum())


def story_windows(tokenizer: Tokenizer, n: int, length: int) -> tuple[Int[Tensor, "N T"], Int[Tensor, "N T"]]:
    """Return the last n windows of the stories, and the next token at each of their positions."""
    n_character = 8 * (n * length + 1)  # more than enough
    ids = torch.tensor(tokenizer.encode(corpora.load("stories").text[-n_character:])[-(n * length + 1) :])
    return ids[:-1].view(n, length), ids[1:].view(n, length)


def read_activations(model: nn.Module, ids: Int[Tensor, "N T"]) -> Float[Tensor, "N T F"]:
    """Return the activations at `TAP_KEY` while the model reads."""
    found = []
    with torch.no_grad():
        for some in ids.split(CHUNK):
            with Trace(model, keep=(TAP_KEY,)) as trace:
                model(some)
            found.append(trace[TAP_KEY])
    return torch.cat(found)


def logits_with(model: nn.Module, ids: Tensor, edit: Callable[[Tensor], Tensor]) -> Float[Tensor, "N T V"]:
    """Return the model's logits when the activations at `TAP_KEY` are edited."""
    with torch.no_grad(), Trace(model, {TAP_KEY: edit}, keep=(TAP_KEY,)):
        return model(ids)


def mean_token_loss(logits: Float[Tensor, "N T V"], targets: Int[Tensor, "N T"]) -> float:
    """Return the mean loss in nats."""
    return float(F.cross_entropy(logits.flatten(0, 1), targets.flatten()))


def activation_scale(x: Float[Tensor, "B F"]) -> float:
    """Return the root of the total variance; activations are divided by it, so one learning rate fits all models."""
    return math.sqrt(float((x - x.mean(0)).square().sum(-1).mean()))


def untrained_stories_model(seed: int) -> nn.Module:
    """Return an untrained model of the same shape."""
    from core.models import registry  # imported here, because it imports every kind of model

    model = registry.build(pretrained.load(MODEL).config)
    model.init_weights(torch.Generator().manual_seed(seed))
    return model.eval().requires_grad_(False)
