"""One text under four kinds of vocabulary, side by side."""

from collections.abc import Mapping

from core import ui
from core.data import tokenizers
from core.data.localization.labels import module_labels
from core.data.tokenizers.bpe import BPETokenizer
from core.data.tokenizers.tiktokens import FILES
from core.data.tokenizers.vocabulary_tokenizers import UNKNOWN, CharTokenizer, WordTokenizer
from core.exhibit import Result, Table, content_key, custom_control, memoize
from core.rooms.tokens.compute.tokenization import Tokenization, tokenize_text
from core.rooms.tokens.inputs import KIND_NAMES, NO_VOCABULARY, PUBLIC_VOCABULARIES, TextInputs

LABELS = module_labels(__name__)
NAMES = KIND_NAMES | PUBLIC_VOCABULARIES

MAX_DRAWN = 2_000  # tokens shown in a row
WARM_UP = True
CODE = (tokenize_text, CharTokenizer.split, WordTokenizer.split, BPETokenizer.encode)


class Inputs(TextInputs):
    public: str = custom_control("core.rooms.tokens.pick_text:pick_public", NO_VOCABULARY)


class Tokenizations(Result):
    """The text under each vocabulary: "char", "word", "bpe", and the key of a public one."""

    cuts: Mapping[str, Tokenization]

    @property
    def formula(self) -> str:
        """The amount of text per token of our BPE."""
        cut = self.cuts["bpe"]
        numbers = rf"\frac{{{cut.n_character}}}{{{cut.n_token}}} = {cut.characters_per_token:.2f}"
        characters, tokens, ours = LABELS.options("formula", "characters", "tokens", "our_bpe").values()
        return rf"\frac{{\text{{{characters}}}}}{{\text{{{tokens}}}}} = {numbers} \quad \text{{{ours}}}"

    def table(self) -> Table:
        """Return one row per token of each tokenization."""
        rows = [
            (NAMES[key], place, *token)
            for key, cut in self.cuts.items()
            for place, token in enumerate(zip(cut.tokens, cut.pieces, cut.ids, strict=True))
        ]
        columns = (*LABELS.options("table", "vocabulary", "position", "token", "piece").values(), "id")
        return {column: [row[i] for row in rows] for i, column in enumerate(columns)}


@memoize(len(FILES))
def _public(name: str) -> tokenizers.TiktokenTokenizer:
    return tokenizers.TiktokenTokenizer(name)


def compute(inputs: Inputs) -> Tokenizations:
    """Tokenize the text with three vocabularies of our own, and a public one."""
    cuts = {kind: inputs.given.cut(kind) for kind in KIND_NAMES}
    if inputs.public != NO_VOCABULARY:
        cuts[inputs.public] = tokenize_text(_public(inputs.public), inputs.given.text)
    return Tokenizations(cuts=cuts)


def draw(result: Tokenizations, inputs: Inputs) -> None:
    """Draw each tokenization's tokens, one below the other, and how much text fits into a token."""
    cuts, given = result.cuts, inputs.given
    ui.show_text_section("compared")
    for key, cut in cuts.items():
        name = NAMES[key]
        tokens, pieces = cut.tokens[:MAX_DRAWN], cut.pieces[:MAX_DRAWN]
        seen = zip(tokens, pieces, strict=True)
        details = [
            LABELS("never_seen", piece=piece) if token == UNKNOWN else LABELS["in_list"] for token, piece in seen
        ]
        ui.token_row(
            tokens,
            key=f"tokens-{key}-{content_key(given.text, given.source, cut.vocab_size)[:12]}",
            ids=cut.ids[:MAX_DRAWN],
            title=ui.section_text("title", kind=name, cut=cut),
            details=details if cut.n_unknown else None,
            takeaway=ui.section_text("takeaway", kind=name, cut=cut),
        )
        ui.show_text_section("cut", kind=name, cut=cut, n_drawn=len(tokens))
