"""The losses of the stages after instruction tuning, in a few lines each.

Each one takes the log-probability of whole answers, which is the sum over the assistant's tokens.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F


def _token_log_probs(logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T_minus_1"]:
    """Return the log-probability of each token after the first, in nats."""
    return -F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")


def answer_log_prob(
    logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"]
) -> Float[Tensor, " B"]:
    """Return the summed log-probability of the tokens under the mask, in nats."""
    return (_token_log_probs(logits, ids) * mask[:, 1:]).sum(1)


def bradley_terry(chosen: Float[Tensor, " B"], rejected: Float[Tensor, " B"]) -> Float[Tensor, ""]:
    """Return a reward model's loss, where the chosen answer wins with probability sigmoid(its reward - the other's).

    Source: Bradley and Terry 1952; Ouyang et al. 2022 (2203.02155), equation 1.
    """
    return -F.logsigmoid(chosen - rejected).mean()


def implied_rewards(policy: Float[Tensor, " B"], reference: Float[Tensor, " B"], beta: float) -> Float[Tensor, " B"]:
    """Return the reward that a policy implies: beta times the log-probability ratio of policy and reference."""
    return beta * (policy - reference)


def dpo(
    chosen: Float[Tensor, " B"],
    rejected: Float[Tensor, " B"],
    chosen_reference: Float[Tensor, " B"],
    rejected_reference: Float[Tensor, " B"],
    beta: float,
) -> Float[Tensor, ""]:
    """Return the loss of direct preference optimization: Bradley and Terry's, of the rewards that the policy implies.

    Args:
        chosen, rejected: log-probabilities under the model being trained.
        chosen_reference, rejected_reference: log-probabilities under the model it started from.
        beta: the strength of the penalty for leaving the reference; above 0.

    Source: Rafailov et al. 2023 (2305.18290), equation 7.
    """
    return bradley_terry(
        implied_rewards(chosen, chosen_reference, beta), implied_rewards(rejected, rejected_reference, beta)
    )


def policy_gradient(
    policy: Float[Tensor, "G N"],
    reference: Float[Tensor, "G N"],
    rewards: Float[Tensor, "G N"],
    kl: float,
) -> Float[Tensor, ""]:
    """Return a loss whose gradient estimates the gradient of -(mean reward - kl KL(policy || reference)).

    The estimate is made from sampled answers. The KL term is subtracted from each answer's reward, as kl log(policy /
    reference). The mean of the other answers to the same prompt is then subtracted as a baseline, which reduces the
    variance and leaves the expected gradient unchanged.

    Args:
        policy: log-probabilities of N answers to each of G prompts, sampled from the policy itself.
        reference: log-probabilities of the same answers under the model that the policy started from.
        rewards: the reward of each answer.
        kl: the weight of the KL term.

    Source: Williams 1992; the baseline: Kool et al. 2019; groups of answers to one prompt as in Shao et al. 2024
    (2402.03300), who also divide by their standard deviation; the KL term in the reward: Stiennon et al. 2020
    (2009.01325).
    """
    n = policy.shape[1]
    total = rewards - kl * (policy - reference).detach()
    advantages = (total - total.mean(1, keepdim=True)) * (n / (n - 1))
    return -(advantages * policy).mean()
