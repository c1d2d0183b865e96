"""The family table: what each of the three reads, how it is trained, what it is good for, and where its rooms are."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from core import ui
from core.exhibit import Inputs as Base, Result
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.models.gpt import GPT, GPTConfig
from core.models.t5 import T5, T5Config

N_READ, N_WRITTEN, N_WORD, N_LABEL = 7, 4, 30, 2
ENCODER_PAGE, ENCODER_DECODER_PAGE = "pages/families/encoder.py", "pages/families/encoder_decoder.py"
SHARED_PAGES = {"Sizes": "pages/families/sizes.py", "Pretrained": "pages/families/pretrained.py"}
CODE = (GPT.forward, BERT.forward, T5.forward)


class FamilyRow(NamedTuple):
    """One family, with a text for each cell of the table."""

    name: str  # display name
    reads: str  # reads, mask, trained: its input, its attention mask, its training objective
    mask: str
    trained: str
    letters: str  # the lecture notes' name for its task, and a comment on it
    examples: str  # models of this kind
    uses: Mapping[str, str]  # what it is good for -> the page where such a model does it
    rooms: Mapping[str, str]  # pages about it


FAMILY_ROWS = {
    "decoder": FamilyRow(
        name="Decoder",
        reads="one text, from left to right: prompt and answer together",
        mask="causal: each token reads itself and what comes before it",
        trained="**next-token prediction**: at every position of any text, what comes next?",
        letters="`vec2seq`. That fits a picture that gets a caption, but not a GPT: it reads a sequence and predicts, "
        "at each position, a distribution over the next token.",
        examples="GPT, GPT-2, GPT-3, CTRL, Transformer-XL; **ImageGPT** for pictures",
        uses={
            "chat and stories: write on": "pages/generate/next_token.py",
            "strategies of writing": "pages/generate/strategies.py",
        },
        rooms={
            "Decoder": "pages/families/decoder.py",
            "Masks": "pages/attention/masks.py",
            "Training studio": "pages/train/studio.py",
            "The cache": "pages/generate/cache.py",
        },
    ),
    "encoder": FamilyRow(
        name="Encoder",
        reads="a whole text at once, in both directions",
        mask="none: each token reads the whole text",
        trained="filling gaps: 15% of the tokens are chosen and asked for; then **fine-tuning**, more training for one "
        "task",
        letters="`seq2vec`: one vector for the text, from `<class>`. It also has one vector for each token, which is "
        "what entities need. It isn't made to write.",
        examples="BERT, RoBERTa, DistilBERT, ALBERT, ELECTRA; **ViT** for pictures",
        uses={"sentiment of a text": ENCODER_PAGE, "named entities": ENCODER_PAGE},
        rooms={
            "Encoder": ENCODER_PAGE,
            "Embeddings": "pages/attention/embeddings.py",
            "Heads at work": "pages/attention/work.py",
        },
    ),
    "encoder_decoder": FamilyRow(
        name="Encoder-decoder",
        reads="a source in both directions, and its own answer from left to right",
        mask="none over the source, causal over the answer, none between them",
        trained="writing a target for a source, given the true words so far (**teacher forcing**); T5 also by filling "
        "in spans that were taken out",
        letters="`seq2seq`, rightly so. The two sequences may have different lengths.",
        examples="the transformer of 2017, T5, BART, mBART, Marian",
        uses=dict.fromkeys(("translation", "summaries", "questions and answers"), ENCODER_DECODER_PAGE),
        rooms={
            "Encoder-decoder": ENCODER_DECODER_PAGE,
            "Sequence to sequence": "pages/before/seq2seq.py",
            "Beam search": "pages/generate/beam.py",
        },
    ),
}


class Inputs(Base):
    """No inputs."""


class FamilyShapes(Result):
    """The inputs and outputs of a tiny model of each family, as text with the numbers of a real forward pass."""

    goes_in: Mapping[str, str]  # goes_in, comes_out: family -> such as "7 tokens", "7 rows of 30 scores"
    comes_out: Mapping[str, str]

    def table(self) -> dict[str, list[str]]:
        families = FAMILY_ROWS.values()
        return {
            "family": [one.name for one in families],
            "It reads": [one.reads for one in families],
            "Mask": [one.mask for one in families],
            "Trained by": [one.trained.replace("**", "") for one in families],
            "goes in": [self.goes_in[key] for key in FAMILY_ROWS],
            "comes out": [self.comes_out[key] for key in FAMILY_ROWS],
            "good for": ["; ".join(one.uses) for one in families],
            "examples": [one.examples.replace("**", "") for one in families],
        }


@torch.no_grad()
def compute(inputs: Inputs) -> FamilyShapes:
    """Run a tiny, untrained model of each family once, on 7 tokens of a vocabulary of 30."""
    ids, answer = torch.zeros((1, N_READ), dtype=torch.long), torch.zeros((1, N_WRITTEN), dtype=torch.long)
    sizes: dict[str, Any] = {"vocab_size": N_WORD, "n_layer": 1, "n_head": 2, "d_model": 16}
    gpt = registry.build(GPTConfig(**sizes))(ids)[0]
    heads = ("sequence", "tokens")
    whole, each = (registry.build(BERTConfig(**sizes, head=head, n_label=N_LABEL))(ids)[0] for head in heads)
    t5 = registry.build(T5Config(**sizes))(ids, answer)[0]
    read = f"{N_READ} tokens"
    return FamilyShapes(
        goes_in={"decoder": read, "encoder": read, "encoder_decoder": f"{read} to read and {N_WRITTEN} written so far"},
        comes_out={
            "decoder": f"{_rows(gpt)}, one for each next token",
            "encoder": f"{len(whole)} scores for the text (class head), or {_rows(each)}, one for each token "
            "(token head)",
            "encoder_decoder": f"{_rows(t5)}, one for each next token",
        },
    )


def _rows(scores: torch.Tensor) -> str:
    return f"{scores.shape[0]} rows of {scores.shape[1]} scores"


def draw(result: FamilyShapes, inputs: Inputs) -> None:
    """Draw a card for each family."""
    st = ui.st
    for place, (key, family) in zip(st.columns(len(FAMILY_ROWS), gap="small"), FAMILY_ROWS.items(), strict=True):
        with place, st.container(border=True, height="stretch", key=f"room-family-{key}"):
            st.markdown(ui.section_text("card", family=family, key=key))
            _links(family.uses)
            if ui.depth_at_least("numbers"):
                st.markdown(":small[**Rooms**]")
                _links(family.rooms)
    if ui.depth_at_least("numbers"):
        with st.container(horizontal=True, gap="medium"):
            st.caption("All three:", width="content")
            _links(SHARED_PAGES)


def _links(pages: Mapping[str, str]) -> None:
    """Draw links to pages, or only their names outside the app's navigation, as in a notebook."""
    from streamlit.errors import StreamlitPageNotFoundError

    for label, page in pages.items():
        try:
            ui.st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")
        except StreamlitPageNotFoundError:
            ui.st.markdown(label)
