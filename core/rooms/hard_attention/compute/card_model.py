"""The smallest model that has to look, and what to do with its attention weights: read a mixture, or choose one place.

Some cards lie there, each with a letter and a digit. Which digit is beside the "K"? The model is one attention and one
layer that reads what it gives, so it can be trained and read in every way:

- soft: the context is the weighted mean of all places. Everything is smooth, so the gradient reaches the scores.
- sampled (hard): one place is drawn from the weights, and read whole. The draw has no derivative; the score function
  gives an estimate of how the *expected* loss changes with the scores.
- arg-max: the place with the largest weight is read whole. A small change of the scores changes nothing: the gradient
  to them is exactly zero.

Source: Xu et al. 2015 (1502.03044), section 4: "hard" and "soft" attention over a set of annotation vectors.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.nn.recurrent import AdditiveAttention

N_LETTER = 16  # letters that there are
N_DIGIT = 8  # digits that there are: the answers
D_MODEL = 16  # width of each embedding; a card has two, side by side


class Fetch(nn.Module):
    """Cards and a question; scores of the cards, and logits of the digits from whatever was read.

    A card's annotation vector is its letter and its digit side by side: one of a set of S vectors, in no order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.question_emb = nn.Embedding(N_LETTER, D_MODEL)
        self.letter_emb = nn.Embedding(N_LETTER, D_MODEL)
        self.digit_emb = nn.Embedding(N_DIGIT, D_MODEL)
        self.attn = AdditiveAttention(D_MODEL, 2 * D_MODEL, D_MODEL)
        self.unembed = nn.Linear(2 * D_MODEL, N_DIGIT)

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Embeddings of unit scale; linear layers as torch starts them, without a bias."""
        for name, weights in self.named_parameters():
            if "_emb." in name:
                weights.normal_(0.0, 1.0, generator=generator)
            elif weights.ndim == 2:
                weights.uniform_(-(weights.shape[1] ** -0.5), weights.shape[1] ** -0.5, generator=generator)
            else:
                weights.zero_()

    def keys(self, letters: Int[Tensor, "B S"], digits: Int[Tensor, "B S"]) -> Float[Tensor, "B S D"]:
        """The annotation vectors of the cards."""
        return torch.cat([self.letter_emb(letters), self.digit_emb(digits)], -1)  # (B, S, 2 d_model)

    def scores(self, question: Int[Tensor, " B"], keys: Float[Tensor, "B S D"]) -> Float[Tensor, "B S"]:
        """How well each card answers the question, before the softmax."""
        return self.attn.scores(self.question_emb(question), keys)

    def answer(self, context: Float[Tensor, "... D"]) -> Float[Tensor, "... N"]:
        """Logits of the digits, from what was read."""
        logits: Tensor = self.unembed(context)
        return logits

    def forward(
        self, letters: Int[Tensor, "B S"], digits: Int[Tensor, "B S"], question: Int[Tensor, " B"]
    ) -> Float[Tensor, "B N"]:
        keys = self.keys(letters, digits)
        weights = self.scores(question, keys).softmax(-1)
        return self.answer(mixture(weights, keys))


def build(seed: int) -> Fetch:
    """A model with weights drawn from the seed; the global generator is not used."""
    model = empty()
    model.init_weights(torch.Generator().manual_seed(seed))
    return model


def empty() -> Fetch:
    """A model with memory whose numbers are still to be written."""
    with torch.device("meta"):
        model = Fetch()
    return model.to_empty(device="cpu")


def mixture(weights: Float[Tensor, "B S"], keys: Float[Tensor, "B S D"]) -> Float[Tensor, "B D"]:
    """Soft attention: the mean of all places, each with its weight.

    Source: Xu et al. 2015, section 4.2; Bahdanau et al. 2014 (1409.0473), section 3.1.
    """
    return (weights[:, None] @ keys).squeeze(1)


def drawn_places(weights: Float[Tensor, "B S"], generator: torch.Generator) -> Int[Tensor, " B"]:
    """Hard attention: one place for each row, drawn with the weights as probabilities.

    Source: Xu et al. 2015, section 4.1.
    """
    return torch.multinomial(weights.detach(), 1, generator=generator).squeeze(1)


def best_places(scores: Float[Tensor, "B S"]) -> Int[Tensor, " B"]:
    """Arg-max attention: the place with the largest score."""
    return scores.argmax(-1)


def read_at(keys: Float[Tensor, "B S D"], places: Int[Tensor, " B"]) -> Float[Tensor, "B D"]:
    """One place of each row, whole."""
    return keys[torch.arange(len(keys)), places]


def score_function_loss(
    losses: Float[Tensor, " B"], log_weights: Float[Tensor, " B"], baseline: float | Float[Tensor, " B"]
) -> Float[Tensor, ""]:
    """A loss whose gradient is an unbiased estimate of the gradient of the expected loss.

        d/dW E[l] = E[ dl/dW + (l - b) d log p(place)/dW ]

    The first term trains what reads the place, the second one the choice. Any baseline b that does not depend on the
    place drawn leaves the mean as it is, for the mean of d log p is 0; a good one makes the estimate less noisy.

    Args:
        baseline: b, such as the moving average of the losses. Without one: 0.

    Source: Williams 1992 (REINFORCE); Xu et al. 2015, section 4.1, which has log p in place of -l.
    """
    surprise = (losses - baseline).detach()
    return (losses + surprise * log_weights).mean()
