"""The smallest model that needs attention, and two uses of the weights: read a mixture, or choose one position.

Some cards are on the table, each with a letter and a digit. Which digit is on the "K"? The model is one attention and
one layer that reads its output, so it can be trained and read in every way:

- soft: the context is the weighted mean of all positions. Everything is smooth, so the gradient reaches the scores.
- sampled (hard): one position is drawn from the weights, and read alone. The draw has no derivative; the score function
  estimates how the *expected* loss changes with the scores.
- arg-max: the position with the largest weight is read alone. A small change of the scores changes nothing, so the
  gradient with respect to them is exactly zero.

Source: Xu et al. 2015 (1502.03044), section 4: "hard" and "soft" attention over a set of annotation vectors.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.nn.recurrent import AdditiveAttention

N_LETTER = 16  # number of different letters
N_DIGIT = 8  # number of different digits, which are the answers
D_MODEL = 16  # width of each embedding; a card has two, concatenated


class CardModel(nn.Module):
    """A model that scores cards for a question, and computes the logits of the digits from the context that was read.

    A card's annotation vector is its letter and its digit, concatenated; the S vectors are a set, without an order.
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
        """Draw embeddings with unit variance, and linear layers as torch does but with zero biases."""
        for name, weights in self.named_parameters():
            if "_emb." in name:
                weights.normal_(0.0, 1.0, generator=generator)
            elif weights.ndim == 2:
                weights.uniform_(-(weights.shape[1] ** -0.5), weights.shape[1] ** -0.5, generator=generator)
            else:
                weights.zero_()

    def keys(self, letters: Int[Tensor, "B S"], digits: Int[Tensor, "B S"]) -> Float[Tensor, "B S D"]:
        """Return the annotation vectors of the cards."""
        return torch.cat([self.letter_emb(letters), self.digit_emb(digits)], -1)  # (B, S, 2 d_model)

    def scores(self, question: Int[Tensor, " B"], keys: Float[Tensor, "B S D"]) -> Float[Tensor, "B S"]:
        """Return how well each card matches the question, before the softmax."""
        return self.attn.scores(self.question_emb(question), keys)

    def answer(self, context: Float[Tensor, "... D"]) -> Float[Tensor, "... N"]:
        """Return the logits of the digits, given the context that was read."""
        logits: Tensor = self.unembed(context)
        return logits

    def forward(
        self, letters: Int[Tensor, "B S"], digits: Int[Tensor, "B S"], question: Int[Tensor, " B"]
    ) -> Float[Tensor, "B N"]:
        keys = self.keys(letters, digits)
        weights = self.scores(question, keys).softmax(-1)
        return self.answer(mix_positions(weights, keys))


def build_card_model(seed: int) -> CardModel:
    """Return a model with weights drawn from the seed, without using the global generator."""
    model = empty_card_model()
    model.init_weights(torch.Generator().manual_seed(seed))
    return model


def empty_card_model() -> CardModel:
    """Return a model whose memory is allocated but not initialized."""
    with torch.device("meta"):
        model = CardModel()
    return model.to_empty(device="cpu")


def mix_positions(weights: Float[Tensor, "B S"], keys: Float[Tensor, "B S D"]) -> Float[Tensor, "B D"]:
    """Soft attention: return the mean of all positions, weighted by attention.

    Source: Xu et al. 2015, section 4.2; Bahdanau et al. 2014 (1409.0473), section 3.1.
    """
    return (weights[:, None] @ keys).squeeze(1)


def sample_positions(weights: Float[Tensor, "B S"], generator: torch.Generator) -> Int[Tensor, " B"]:
    """Hard attention: draw one position for each row, with the weights as probabilities.

    Source: Xu et al. 2015, section 4.1.
    """
    return torch.multinomial(weights.detach(), 1, generator=generator).squeeze(1)


def argmax_positions(scores: Float[Tensor, "B S"]) -> Int[Tensor, " B"]:
    """Arg-max attention: return the position with the largest score."""
    return scores.argmax(-1)


def select_positions(keys: Float[Tensor, "B S D"], places: Int[Tensor, " B"]) -> Float[Tensor, "B D"]:
    """Return the vector at one position of each row."""
    return keys[torch.arange(len(keys)), places]


def score_function_loss(
    losses: Float[Tensor, " B"], log_weights: Float[Tensor, " B"], baseline: float | Float[Tensor, " B"]
) -> Float[Tensor, ""]:
    """Return a surrogate loss whose gradient is an unbiased estimate of the gradient of the expected loss.

        d/dW E[l] = E[ dl/dW + (l - b) d log p(place)/dW ]

    The first term trains what reads the position, the second one the choice. Any baseline b that does not depend on the
    position drawn leaves the mean unchanged, because the mean of d log p is 0; a good one makes the estimate less
    noisy.

    Args:
        baseline: b, such as the moving average of the losses; 0 for none.

    Source: Williams 1992 (REINFORCE); Xu et al. 2015, section 4.1, which uses log p instead of -l.
    """
    surprise = (losses - baseline).detach()
    return (losses + surprise * log_weights).mean()
