"""A mixture of experts: many feed-forward layers, of which a router selects a few for each token."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.data.checks import check_whole
from core.nn.feed_forward import FeedForward
from core.nn.linear import Linear
from core.nn.tap import tap


@dataclass(frozen=True, kw_only=True)
class ExpertSettings:
    """The number of experts, and how many of them each token is sent to.

    Args:
        n_expert, n_active: number of experts in each block, and number of experts that process a token.
        renormalize: whether the selected experts' softmax probabilities are rescaled to sum to 1 (Mixtral).
        d_shared: width of a shared expert that processes every token and has its own gate (Qwen-MoE); None: no shared
            expert.

    Raises:
        ValueError: if a count is below 1, or n_active is more than n_expert.

    Elsewhere: `n_expert` is `num_local_experts` in Mixtral and `num_experts` in Qwen-MoE, `n_active` is
    `num_experts_per_tok` in both, `renormalize` is `norm_topk_prob` in Qwen-MoE.
    """

    n_expert: int
    n_active: int
    renormalize: bool = True
    d_shared: int | None = None

    def __post_init__(self) -> None:
        check_whole("n_expert", self.n_expert, 1)
        if not 1 <= check_whole("n_active", self.n_active) <= self.n_expert:
            raise ValueError(f"n_active={self.n_active} is not within 1..n_expert={self.n_expert}")
        if self.d_shared is not None:
            check_whole("d_shared", self.d_shared, 1)


class MixtureOfExperts(nn.Module):
    """A mixture of experts (MoE): several feed-forward layers, of which the router selects a few for each token.

    The output is the sum of the selected experts' outputs, each multiplied by its gate. Experts have no biases.

    Taps: `router` (B, T, E), the scores of all experts; `gates` (B, T, E), the factor of each expert's output, 0 for
    experts that were not selected. Taps inside an expert hold only the tokens that were sent to it.

    Args:
        d_model, d_ff: widths of the residual stream and of a single expert.

    Source: Shazeer et al. 2017 (1701.06538), section 2; Fedus et al. 2021 (2101.03961); Jiang et al. 2024 (2401.04088),
    section 2.1; a shared expert: Dai et al. 2024 (2401.06066), with a gate as in Qwen1.5-MoE.

    Elsewhere: `w_router` is called `gate` in Mixtral and Qwen-MoE, `shared` and `w_shared` are `shared_expert` and
    `shared_expert_gate` in Qwen-MoE.
    """

    def __init__(self, d_model: int, d_ff: int, experts: ExpertSettings, activation: str = "swiglu"):
        super().__init__()
        self.n_active, self.renormalize = experts.n_active, experts.renormalize
        self.w_router = Linear(d_model, experts.n_expert, bias=False)
        self.experts = nn.ModuleList(
            FeedForward(d_model, d_ff, activation, bias=False) for _ in range(experts.n_expert)
        )
        self.shared: FeedForward | None = None
        if experts.d_shared is not None:
            self.shared = FeedForward(d_model, experts.d_shared, activation, bias=False)
            self.w_shared = Linear(d_model, 1, bias=False)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch D"]:
        shares = tap(self, "router", self.w_router(x)).softmax(-1)  # (B, T, E)
        best, chosen = shares.topk(self.n_active, dim=-1)  # (B, T, n_active)
        if self.renormalize:
            best = best / best.sum(-1, keepdim=True)
        gates = tap(self, "gates", torch.zeros_like(shares).scatter(-1, chosen, best))  # (B, T, E)
        tokens, gate_of = x.reshape(-1, x.shape[-1]), gates.reshape(-1, gates.shape[-1])  # (M, D), (M, E)
        mixed = torch.zeros_like(tokens)
        for n, expert in enumerate(self.experts):
            sent = gate_of[:, n].nonzero()[:, 0]
            if len(sent):
                mixed = mixed.index_add(0, sent, expert(tokens[sent]) * gate_of[sent, n, None])
        mixed = mixed.view_as(x)
        if self.shared is not None:
            mixed = mixed + torch.sigmoid(self.w_shared(x)) * self.shared(x)
        return tap(self, "out", mixed)  # (B, T, D)
