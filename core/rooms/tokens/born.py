"""BPE is born: merge after merge, with what was counted."""

from core import ui
from core.exhibit import content_key, segmented, slider
from core.rooms.tokens.compute import bpe_steps
from core.rooms.tokens.compute.bpe_steps import MergeFilm
from core.rooms.tokens.inputs import Looked
from core.rooms.tokens.merges_widget import merges

# The words of the paper that brought BPE to language, as often as they stand there.
CLASSIC = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
MOST_BYTES = 2_000  # each byte is a chip of its own before the first merge: more fill several screens
MOST_MERGES = 200
WRITTEN = "tokens.written"  # the visitor's text that merges were learned from last, for whoever goes on with it
FROM = {"classic": "Four classic words", "text": "The text above", "corpus": "The beginning of the corpus"}
CODE = (bpe_steps.learn, bpe_steps.merge, bpe_steps.film)


class Inputs(Looked, prefix="born_"):
    source: str = segmented("Learn from", FROM, "classic", name="born_from")
    merges: int = slider(
        "Merges at most",
        10,
        MOST_MERGES,
        60,
        step=10,
        help=f"At most {MOST_MERGES}: every one is counted, drawn and sent to your browser at once.",
    )

    @property
    def content(self) -> bytes:
        """The whole text to learn from."""
        if self.source == "classic":
            return CLASSIC.encode()
        return (self.given.text if self.source == "text" else self.given.learned).encode("utf-8", "replace")

    @property
    def text(self) -> str:
        """What is used of it: at most 2,000 bytes, cut between two characters."""
        return self.content[:MOST_BYTES].decode("utf-8", "ignore")


def compute(inputs: Inputs) -> MergeFilm:
    """Count all pairs, glue the most frequent one, count again."""
    return bpe_steps.film(inputs.text, inputs.merges)


def draw(result: MergeFilm, inputs: Inputs) -> None:
    """The scrubber over the merges."""
    if inputs.source == "text":
        ui.state.put(WRITTEN, inputs.given.text)
    ui.facts(n_byte=len(inputs.text.encode()), n_whole=len(inputs.content))
    merges(result, key=f"born-{content_key(inputs.text)[:12]}", label=ui.words("label"))
