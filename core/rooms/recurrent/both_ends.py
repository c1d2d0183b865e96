"""A sentence read in both directions: which state knows which word, and what the last state contains."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Control, NothingToShow, Result, Table, content_key, slider, text_input
from core.inspect.attention_record import as_batch, to_numpy
from core.nn.recurrent import unroll
from core.rooms.recurrent.inputs import RecurrentInputs, token_label

LABELS = module_labels(__name__)

Array = NDArray[np.floating]


class StateDependence(Result):
    """The change of each state when one word is replaced."""

    # (T, T) row t: the forward state after token t; column s: token s is replaced. The largest change of any of the
    # state's numbers; 0 means that no bit changed.
    ahead: Array
    back: Array  # (T, T) the same for the backward state at token t
    states_ahead: Array  # states_ahead, states_back: (T, D) the states of the original sentence
    states_back: Array
    unchanged: NDArray[np.bool_]  # (T,) True if the token already equals the replacement, so that nothing changes
    tokens: tuple[str, ...]  # (T,)
    new_word: str  # the replacement as text
    n_replaced: int  # words that were actually replaced

    def table(self) -> Table:
        """Return one row per state and replaced word."""
        n, tokens = len(self.tokens), self.tokens
        return {
            LABELS["table.state"]: [t for t in range(n) for _ in range(n)],
            LABELS["table.state_after"]: [token for token in tokens for _ in range(n)],
            LABELS["table.replaced"]: list(range(n)) * n,
            LABELS["table.replaced_word"]: list(tokens) * n,
            LABELS["table.change_forward"]: self.ahead.ravel().tolist(),
            LABELS["table.change_backward"]: self.back.ravel().tolist(),
        }


@torch.no_grad()
def read_both_ways(model: nn.Module, ids: Int[Tensor, "B T"]) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B T D"]]:
    """Read texts with the lowest layer's cell, forwards and backwards.

    A bidirectional net has a second cell with its own weights for the backward direction. Here the same cell reads both
    ways, because which state can know which word does not depend on the weights.

    Returns:
        a, the state after each token forwards, and b, the state backwards; both in the text's order.
    """
    parts: Any = model
    x = parts.tok_emb(ids)
    return unroll(parts.blocks[0], x)[0], unroll(parts.blocks[0], x, reverse=True)[0]


def measure_dependence(
    model: nn.Module, ids: Sequence[int], replacement: int, new: str = "", tokens: Sequence[str] = ()
) -> StateDependence:
    """Replace each word in turn and measure which states change.

    Args:
        replacement: id of the replacement token; new: its name.

    Raises:
        ValueError: if there are no tokens, or ids outside the vocabulary.
    """
    text = as_batch(model, ids)  # (1, T)
    put_in = as_batch(model, [replacement])
    n_token = text.shape[1]
    swapped = torch.where(torch.eye(n_token, dtype=torch.bool, device=text.device), put_in, text)  # (T, T)
    # One at a time, not in a batch: rounding depends on the place in a batch, and 0 should mean that no bit changed.
    own = torch.cat(read_both_ways(model, text))  # (2, T, D)
    changed = [torch.cat(read_both_ways(model, one[None])) for one in swapped]
    changes = torch.stack([(states - own).abs().amax(-1) for states in changed], -1)  # (2, T states, T replaced)
    ahead, back, states_ahead, states_back = (to_numpy(x) for x in (*changes, *own))
    unchanged = (text == put_in)[0].cpu().numpy()
    return StateDependence(
        ahead=ahead,
        back=back,
        states_ahead=states_ahead,
        states_back=states_back,
        unchanged=unchanged,
        tokens=tuple(tokens),
        new_word=new.strip() or "space",
        n_replaced=int((~unchanged).sum()),
    )


CODE = (unroll, read_both_ways, measure_dependence)


def _picture_key(i: "Inputs") -> str:
    """Return a short key for the content of the pictures."""
    return content_key(str(i.given.key), i.given.encoded.ids_key)[:12]


def follow_clicks(control: Control, i: "Inputs") -> None:
    """Select the word that was clicked in a picture."""
    for name in ("ahead", "back"):
        if pick := ui.picks.new_pick(f"both.{name}", _picture_key(i)):
            ui.set_control(control, pick["column"])


def _first_token_of_word(i: "Inputs") -> tuple[int, str] | None:
    """Return the first token of the new word inside a sentence, with a leading space if tokens have one."""
    read = i.given.other(f" {i.new.strip()}")
    tokens = zip(read.ids, read.tokens, strict=True) if i.new.strip() else ()
    return next(((id, token) for id, token in tokens if token.strip()), None)


def _show_word_notes(name: str, typed: str, i: "Inputs") -> None:
    """Show unknown words and what is left out."""
    ui.show_text_notes(i.given.other(f" {typed.strip()}").encoded, i.given.key, name, typed)


class Inputs(RecurrentInputs, prefix="both_"):
    word: int = slider(0, lambda i: i.given.n_token - 1, 2, before_render=f"{__name__}:follow_clicks")
    new: str = text_input("Anna", max_chars=40, notes=_show_word_notes)


def compute(inputs: Inputs) -> StateDependence:
    """Measure which states change when each word in turn is replaced."""
    new = _first_token_of_word(inputs)
    if new is None:
        raise NothingToShow(LABELS["no_word"])
    return measure_dependence(inputs.given.model, inputs.given.ids, *new, inputs.given.tokens)


def draw(result: StateDependence, inputs: Inputs) -> None:
    """Draw the two triangles."""
    tokens, word = result.tokens, inputs.word
    ui.add_template_values(old=token_label(tokens, word), forward=result.ahead[:, word], backward=result.back[:, word])
    most = max(float(result.ahead.max()), float(result.back.max())) or 1.0
    ahead = ("ahead", LABELS["forward"], result.ahead, len(tokens) - 1)
    back = ("back", LABELS["backward"], result.back, 0)
    for place, (name, label, values, row) in zip(ui.two_columns("both"), (ahead, back), strict=True):
        with place:
            ui.matrix(
                values,
                rows=tokens,
                columns=tokens,
                key=ui.picks.picture_widget_key(f"both.{name}", _picture_key(inputs)),
                kind="value",
                limits=(0.0, most),
                row_title=LABELS["row_axis"],
                column_title=LABELS["column_axis"],
                value_title=LABELS["change"],
                selected=(row, word),
                height=420,
                label=label,
                takeaway=LABELS("takeaway", label=label),
            )
