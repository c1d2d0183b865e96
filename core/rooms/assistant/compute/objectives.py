"""What the trainings after instruction tuning make small: three losses of a few lines each.

Each is of the log probability of whole answers: the sum over the assistant's tokens.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F


def log_probs(logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T_minus_1"]:
    """Of each token after the first, in nats."""
    return -F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")


def answer_log_prob(
    logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"]
) -> Float[Tensor, " B"]:
    """Of the tokens under the mask, together."""
    return (log_probs(logits, ids) * mask[:, 1:]).sum(1)


def bradley_terry(chosen: Float[Tensor, " B"], rejected: Float[Tensor, " B"]) -> Float[Tensor, ""]:
    """A reward model's loss: the chosen answer wins with the chance sigmoid(its reward - the other's).

    Source: Bradley and Terry 1952; Ouyang et al. 2022 (2203.02155), equation 1.
    """
    return -F.logsigmoid(chosen - rejected).mean()


def implied_rewards(policy: Float[Tensor, " B"], reference: Float[Tensor, " B"], beta: float) -> Float[Tensor, " B"]:
    """The reward that a policy implies: beta times how much likelier an answer has become than under the reference."""
    return beta * (policy - reference)


def dpo(
    chosen: Float[Tensor, " B"],
    rejected: Float[Tensor, " B"],
    chosen_reference: Float[Tensor, " B"],
    rejected_reference: Float[Tensor, " B"],
    beta: float,
) -> Float[Tensor, ""]:
    """Direct preference optimization: Bradley and Terry's loss, the rewards being those that the policy implies.

    Args:
        chosen, rejected: log probabilities under the model that learns.
        chosen_reference, rejected_reference: under the one that it started from.
        beta: how dear it is to leave the reference; above 0.

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
    """A loss whose gradient is that of -(mean reward - kl KL(policy || reference)), estimated from drawn answers.

    The KL term is taken off each answer's reward, as kl log(policy / reference). From that, the mean of the other
    answers to the same prompt is taken off as a baseline, which changes nothing on average.

    Args:
        policy: log probabilities of N answers to each of G prompts, drawn from the policy itself.
        reference: the same answers' under the model that it started from.
        rewards: of each answer.

    Source: Williams 1992; the baseline: Kool et al. 2019; groups of answers to one prompt as in Shao et al. 2024
    (2402.03300), who also divide by their deviation; the KL term in the reward: Stiennon et al. 2020 (2009.01325).
    """
    n = policy.shape[1]
    total = rewards - kl * (policy - reference).detach()
    advantages = (total - total.mean(1, keepdim=True)) * (n / (n - 1))
    return -(advantages * policy).mean()
