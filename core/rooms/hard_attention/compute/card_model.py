"""The smallest model that has to look: some cards, each with a letter and a digit. Which digit is beside the "K"?

One attention and one layer that reads what it gives. What is done with the attention's weights stands in
`core.rooms.hard_attention.compute.hard_attention`, so the same model can be trained and read in every way.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.nn.recurrent import AdditiveAttention
from core.rooms.hard_attention.compute.hard_attention import mixture

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
