"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

from core.ui import layout

layout.page_header(
    "The block",
    "Around attention stand norms, a feed-forward part and the residual path. Follow one token through all of them.",
)

from core.exhibits.block import activations, collapse, depth, feed_forward, layer_norm, parameters, slips, way  # noqa: E402
from core.exhibits.block.variants import NAME  # noqa: E402
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402
from core.ui.looking import look  # noqa: E402

contents(
    way.through_the_block, feed_forward.units, layer_norm.shape_stays, activations.nonlinearity,
    depth.gradients_with_depth, collapse.tokens_become_identical, slips.slips, parameters.where,
)  # fmt: skip

looked = look(most=way.MOST_TOKENS, kinds=way.READS)
if looked is not None:
    layout.prose(
        "Each token travels as a vector, the **residual stream**. Attention reads from other tokens, the feed-forward "
        "part works on each alone, and both add what they found. In 2017 the norm stood after the sum, "
        "$\\mathrm{norm}(x + f(x))$: post-norm. Most models since GPT-2 have it before, $x + f(\\mathrm{norm}(x))$: "
        "pre-norm. Then the stream is never normed on its way, so one more norm follows the last block."
    )
    way.room(looked)
layout.section(
    "The norm",
    "A norm works on each token's vector by itself. LayerNorm subtracts the mean and divides by the standard "
    "deviation; RMSNorm only divides by the root mean square. A learned gain follows, in LayerNorm a learned bias too.",
)
show(layer_norm.shape_stays)
layout.section(
    "The nonlinearity",
    "Two linear layers in a row are one linear layer. What stands between them makes the difference: a function that "
    "is applied to every number by itself. The 2017 transformer had ReLU, BERT and GPT-2 have GELU.",
)
show(activations.nonlinearity)
layout.section(
    "The depth",
    "A deep stack learns only if the loss's gradient finds its way down to the first layer, and if the tokens on their "
    "way up stay different from each other. The residual path, $x + f(x)$, helps with both.",
)
show(depth.gradients_with_depth, every=live.pace(NAME))
show(collapse.tokens_become_identical, every=live.pace(NAME))
show(slips.slips)
if looked is not None:
    layout.section(
        "The size",
        "Parameters sit in the linear layers, and also in the embeddings and in the norms' gains and biases. Every "
        "tensor of the model is counted here.",
    )
    show(parameters.where, looked)
