"""Soft and hard attention: a mixture of everything, or one place; and a class of code to repair."""

from core.ui.frame import layout

layout.page_header(
    "Soft and hard attention",
    "Look at everything a little, or choose one place? What can be learned depends on it. Plus a lecture note's "
    "attention class, for you to repair line by line.",
)

from core.rooms.hard_attention.room import ROOM  # noqa: E402  (the title first)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame import depth  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "Some cards lie on the table, each with a letter and a digit. Asked for **K**, say the digit beside the K. "
    "Attention gives the cards **scores** and turns these into weights that add up to 1. **Soft attention** reads the "
    "weighted mean of all cards. **Hard attention** draws one card, with the weights as probabilities, and reads only "
    "that. **Arg-max** reads the card with the largest weight."
)
depth.note("The cards are a set of S vectors, in no order (the annotation vectors of Xu et al. 2015).")
show(ROOM["three-ways"], every=live.pace("choosing"))
layout.prose(
    "Training follows the **gradient**: how the **loss**, the model's error, changes when a number is nudged. Which "
    "card gets drawn has no gradient, but the probability of that draw does: if it went badly, it's made less likely. "
    "That's **REINFORCE** (Williams 1992)."
)
depth.note(
    "REINFORCE, or the score function, weighs the slope of log α with how bad the outcome was. Between soft and hard "
    "lies Luong's local attention (2015): a window around one position that a smooth formula predicts, so that "
    "gradients still flow."
)
show(ROOM["score-gradients"])  # the page is drawn anew when a training begins and ends
layout.section(
    "A class full of mistakes",
    "Attention between an encoder and a decoder, in a lecture note's code. The task is to write a string of letters "
    "backwards, and so to find each letter in the source.",
)
show(ROOM["fix-the-code"], every=live.pace("lecture"))
