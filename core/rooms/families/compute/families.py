"""Three families of transformers in words: what each reads, how it is trained, and what it is good for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """One family, a cell of text for each of its lines.

    Attributes:
        key, name: in code, and as it is called.
        reads, mask, trained: what it reads, who may read whom, how it learns.
        letters: what the lecture notes call its task, and what is to be said about that.
        examples: models of this kind.
        good: uses.
    """

    key: str
    name: str
    reads: str
    mask: str
    trained: str
    letters: str
    examples: str
    good: tuple[str, ...]


FAMILIES = (
    Family(
        key="decoder",
        name="Decoder",
        reads="one text, from left to right: prompt and answer together",
        mask="causal: each token reads itself and what comes before it",
        trained="**next-token prediction**: at every position of any text, what comes next?",
        letters="`vec2seq`. That fits a picture that gets a caption, but not a GPT: it reads a sequence and predicts, "
        "at each position, a distribution over the next token.",
        examples="GPT, GPT-2, GPT-3, CTRL, Transformer-XL; **ImageGPT** for pictures",
        good=("chat and stories: write on", "strategies of writing"),
    ),
    Family(
        key="encoder",
        name="Encoder",
        reads="a whole text at once, in both directions",
        mask="none: each token reads the whole text",
        trained="filling gaps: 15% of the tokens are chosen and asked for; then **fine-tuning**, more training for one "
        "task",
        letters="`seq2vec`: one vector for the text, from `<class>`. It also has one vector for each token, which is "
        "what entities need. It isn't made to write.",
        examples="BERT, RoBERTa, DistilBERT, ALBERT, ELECTRA; **ViT** for pictures",
        good=("sentiment of a text", "named entities"),
    ),
    Family(
        key="encoder_decoder",
        name="Encoder-decoder",
        reads="a source in both directions, and its own answer from left to right",
        mask="none over the source, causal over the answer, none between them",
        trained="writing a target for a source, given the true words so far (**teacher forcing**); T5 also by filling "
        "in spans that were taken out",
        letters="`seq2seq`, rightly so. The two sequences may have different lengths.",
        examples="the transformer of 2017, T5, BART, mBART, Marian",
        good=("translation", "summaries", "questions and answers"),
    ),
)
