"""The load-balancing loss: what keeps a router from sending every token to the same few experts."""

from jaxtyping import Float
from torch import Tensor


def load_balance(router: Float[Tensor, "*batch E"], gates: Float[Tensor, "*batch E"]) -> Float[Tensor, ""]:
    """E times the sum over the experts of f P: 1 where all are used alike, E where one gets everything.

    f is the share of the tokens that an expert was sent; it is counted, and has no gradient. P is the expert's mean
    share of the router's softmax, and pulls the router away from experts that are full. Where a token is sent to
    several experts, each of its choices counts alike, so that f sums to 1 as P does.

    Args:
        router: the scores of all experts, as the tap `router` has them.
        gates: what each expert's output is multiplied with, 0 where it is not asked: the tap `gates`.

    Source: Fedus et al. 2021 (2101.03961), equations 4 to 6; without their factor alpha.
    """
    n_expert = router.shape[-1]
    sent = (gates > 0).float().reshape(-1, n_expert)  # (M, E)
    share = sent.sum(0) / sent.sum()  # f, (E,)
    wanted = router.softmax(-1).reshape(-1, n_expert).mean(0)  # P, (E,)
    return n_expert * (share.detach() * wanted).sum()
