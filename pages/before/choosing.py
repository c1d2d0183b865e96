"""Soft and hard attention: a mixture of everything, or one place; and a class of code to repair."""

from core.ui import layout

layout.page_header(
    "Soft and hard attention",
    "Look at everything a little, or choose one place? What can be learned depends on it. And a lecture note's "
    "attention class, to be repaired line by line.",
)

from core.exhibits.choosing import gradients, lecture, three_ways  # noqa: E402  (the title stands before torch)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(three_ways.three_ways, gradients.score_gradients, lecture.fix_the_code)

layout.prose(
    "Some cards lie on the table, each with a letter and a digit. Asked for **K**, say the digit beside the K. "
    "Attention gives each card a weight α. *Soft* attention reads the weighted mean of all cards. *Hard* attention "
    "draws one card, with the weights as probabilities, and reads it whole. *Arg-max* reads the card with the largest "
    "weight. The cards are a set of S vectors, in no order (annotation vectors: Xu et al. 2015)."
)
show(three_ways.three_ways, every=live.pace(three_ways.NAME))
layout.prose(
    "A draw cannot be differentiated. But how likely it was can be: the score function (REINFORCE, Williams 1992) "
    "weighs the slope of log α with how bad the outcome was. Between soft and hard lies Luong's local attention "
    "(2015): a window around one place that a smooth formula predicts, so that gradients still flow."
)
show(gradients.score_gradients)  # the page is drawn anew when a training begins and ends
layout.section(
    "A class full of mistakes",
    "Code for attention between an encoder and a decoder, as a lecture note gives it. The task is to write a string of "
    "letters backwards, and so to find each letter in the source.",
)
show(lecture.fix_the_code, every=live.pace(lecture.NAME))
