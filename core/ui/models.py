"""Which models can be looked at, and the ways to them that every room shares.

Shipped ones lie in `assets/models/<name>/`; whoever runs the server can add more for everybody in
`<data folder>/models/<name>/`. Beside them stand the learner's own runs, also while they train: then the newest
checkpoint is shown. A link to somebody else's run works for looking.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import streamlit as st

from core.jobs.runs import RunInfo, RunNotFound
from core.ui import controls
from core.ui.cache import MAX_MODELS, MAX_TRACES, frozen, kept
from core.ui.owner import owner_id
from core.ui.runs import data_folder, store
from core.ui.text import escape_markdown, quote_briefly

if TYPE_CHECKING:
    from core.inspect.trace import AttentionRecord
    from core.models.pretrained import Pretrained

SHIPPED = Path(__file__).resolve().parents[2] / "assets" / "models"
WEIGHTS = "model.safetensors"
DEFAULT = "stories"
MAX_TOKENS = 512  # of a text for a model that reads any length
MAX_LISTED = 50  # runs in the list of models: more cannot be told apart there

# A text that each corpus would understand, because a model can only be judged on what it was trained on.
SENTENCES = {
    "stories": (
        "Tom and Mia played near the park. Mia hid under the bench. Tom looked in the box. No Mia! "
        "Tom looked near the wall. No"
    ),
    "bottle-and-cup": "I poured water from the bottle into the cup until it was full. It is the",
    "python-topics": "The statement raises an exception if the name is not",
    "python-library": "def __init__(self, name, value=None):\n    self.name = na",
    "tiny-shakespeare": "ROMEO:\nBut soft, what light through yonder",
}
_RUN_ID = re.compile(r"[0-9a-f]{16}")
# What a room can show: transformers have attention, recurrent nets a state; both write text.
KINDS = ("gpt", "rnn")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class ModelKey(str):
    """A model as it stands now: "kind name version". Plain text, because that is what a cache's key is made of fastest.

    kind is "shipped" or "run"; name is the folder's name or the id of the run; version changes whenever the weights do,
    so that no cache shows an older checkpoint.
    """

    __slots__ = ()

    @classmethod
    def of(cls, kind: Literal["shipped", "run"], name: str, version: str) -> Self:
        return cls(f"{kind} {name} {version}")

    @property
    def is_run(self) -> bool:
        return self.startswith("run ")

    @property
    def name(self) -> str:
        return self.split(" ")[1]


@dataclass(frozen=True)
class About:
    """What a page says about a model.

    Attributes:
        title: of the recipe, or the run's name.
        corpus: key of the text that it was trained on, "" if unknown.
        sentence: one sentence on size and training, Markdown.
        sample: a text that it should understand.
        active: whether it is still being trained.
    """

    title: str
    corpus: str
    sentence: str
    sample: str
    active: bool


@dataclass(frozen=True)
class Encoded:
    """A text as one model reads it.

    Attributes:
        text: what was given.
        ids: (T,) at most what the model was made for.
        tokens: (T,) printable.
        notes: what a person should know: what was cut, what is unknown. Plain words, not escaped.
    """

    text: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def packed(self) -> str:
        """The ids as a text, for the keys of caches."""
        return ",".join(map(str, self.ids))


class ModelUnreadable(Exception):
    """The model cannot be shown; the message says why in plain words."""


def picker(name: str = "model", kinds: Sequence[str] = ("gpt",)) -> ModelKey | None:
    """The list of models, bound to the address; None, and plain words, when there is none or it cannot be found.

    Args:
        name: of the control.
        kinds: of `KINDS`, those that the room can show.
    """
    shipped = {one: title for one, title in _shipped_titles(data_folder()).items() if _shipped_kind(one) in kinds}
    runs = {run.id: run for run in _runs_to_look_at(owner_id(), data_folder()) if _run_kind(run) in kinds}
    asked = st.query_params.get(name) or str(st.session_state.get(name, ""))
    linked = _run_in(asked)
    run = _run(linked) if linked and linked not in runs else None
    if run is not None and linked is not None and _run_kind(run) in kinds:
        runs[linked] = run
    elif run is not None or (asked not in shipped and _shipped_kind(asked) not in (None, *kinds)):
        st.info(f"{_ONLY_FOR[kinds[0]]} Another model is shown.", icon=":material/info:")
        st.query_params.pop(name, None)  # or the control would say once more that it cannot show it
    elif linked and linked not in runs:
        st.warning(
            f"There is no run {linked} with a checkpoint here: it may have been deleted, belong to another server, or "
            "not have written its first checkpoint yet. Another model is shown.",
            icon=":material/link_off:",
        )
    options = [*shipped, *runs]
    if not options:
        st.info("There is no model here yet. Train one in the training studio; it then appears in this list.")
        return None
    labels = shipped | {run.id: f"{run.name} · {run.id}" for run in runs.values()}
    first = DEFAULT if DEFAULT in options else options[0]
    plain = linked if linked in runs else asked
    if plain in options and name not in st.session_state:
        controls.put(name, plain)
        st.query_params[name] = labels[plain]  # a link may give the bare name or id; the control's own links, the label
        st.rerun()
    chosen = controls.select(
        name, "Model", options, first, labels=labels, help="Models that ship with Glassformer, and your own runs."
    )
    return shipped_key(chosen) if chosen in shipped else run_key(chosen)


_ONLY_FOR = {
    "gpt": "This room is for transformers, and the model of this link is a recurrent net, which has none of "
    "their attention.",
    "rnn": "This room shows the state of recurrent nets, and the model of this link is a transformer.",
}


def _run_kind(run: RunInfo) -> str:
    return str(run.recipe.get("model", {}).get("kind", "gpt"))


@st.cache_data(max_entries=64, ttl=5, show_spinner=False)
def _shipped_kind(name: str) -> str | None:
    """The kind of a shipped model as its config tells; None if there is no such model."""
    try:
        values = json.loads((shipped_folder(name) / "config.json").read_bytes()[:100_000])
    except (ModelUnreadable, OSError, ValueError, RecursionError):
        return None
    # A folder in Hugging Face's layout has no kind; GPT-2's are those that are read.
    return str(values.get("kind", "gpt")) if isinstance(values, dict) else "gpt"


@st.cache_data(max_entries=4, ttl=5, show_spinner=False)
def _shipped_titles(where: str) -> dict[str, str]:
    """Models that everybody can look at, name -> title, the default first."""
    names = {
        path.parent.name
        for root in _roots()
        for path in root.glob(f"*/{WEIGHTS}")
        if _NAME.fullmatch(path.parent.name) and not _RUN_ID.fullmatch(path.parent.name)
    }
    titles = {one: _title(_facts(shipped_folder(one)), one) for one in sorted(names, key=lambda n: (n != DEFAULT, n))}
    alike = Counter(titles.values())
    return {one: title if alike[title] == 1 else f"{title} ({one})" for one, title in titles.items()}


def shipped_folder(name: str) -> Path:
    """Where a shipped model lies. Raises ModelUnreadable if there is no such model."""
    for root in _roots():
        if _NAME.fullmatch(name) and (root / name / WEIGHTS).is_file():
            return root / name
    raise ModelUnreadable(f"There is no model {quote_briefly(name)} here.")


def shipped_key(name: str = DEFAULT) -> ModelKey:
    """The key of a shipped model. Raises ModelUnreadable if there is no such model."""
    return ModelKey.of("shipped", name, _version(shipped_folder(name)))


def run_key(run_id: str) -> ModelKey:
    """The key of a run's newest checkpoint, whoever's run it is. Raises ModelUnreadable."""
    try:
        return ModelKey.of("run", run_id, _version(store().folder(run_id)))
    except RunNotFound:
        raise ModelUnreadable("This run does not exist.") from None


def folder(key: ModelKey) -> Path:
    """Where the model lies. Raises ModelUnreadable."""
    return store().folder(key.name) if key.is_run else shipped_folder(key.name)


@kept(MAX_MODELS)
def load(key: ModelKey) -> "Pretrained":
    """The model and its tokenizer, shared by all who look: in evaluation mode, without gradients.

    Raises:
        ModelUnreadable: in plain words, if the files are damaged, missing or of no model that we read.
    """
    from core.models import pretrained

    try:
        found = pretrained.load(folder(key))
    except (pretrained.ImportRefused, OSError) as error:
        raise ModelUnreadable(f"This model cannot be read: {error}.") from error
    if found.tokenizer is None:
        raise ModelUnreadable("This model has no tokenizer, so no text can be given to it.")
    frozen(found.model)
    return found


@kept(MAX_TRACES)
def encode(key: ModelKey, text: str, most: int | None = None) -> Encoded:
    """Cut a text into the model's tokens, and tell what was cut or unknown.

    Args:
        most: show at most so many tokens, fewer than the model could read.
    """
    from core.generate.cache import reading_limit

    found = load(key)
    tokenizer: Any = found.tokenizer
    ids = tokenizer.encode(text)
    reads = reading_limit(found.model)
    limit = min(one for one in (reads or MAX_TOKENS, most) if one is not None)
    notes = []
    if len(ids) > limit:
        why = f"this model reads at most {reads}" if limit == reads else f"a larger picture cannot be read; {limit} fit"
        notes.append(f"The text has {len(ids):,} tokens, and {why}. Its first {limit} are used.")
        ids = ids[:limit]
    tokens = tokenizer.tokens(ids)
    unknown = getattr(tokenizer, "unknown_id", None)
    n_unknown = ids.count(unknown) if unknown is not None else 0
    if n_unknown:
        what = "character" if tokenizer.kind == "char" else "word or sign"
        pieces = dict.fromkeys(piece.strip() or "space" for piece in _pieces(tokenizer, text, len(ids), unknown))
        shown = ", ".join(quote_briefly(piece, 16) for piece in list(pieces)[:5])
        more = f" and {len(pieces) - 5} more" if len(pieces) > 5 else ""
        notes.append(
            f"{n_unknown} of {len(ids)} tokens stand for a {what} that this model never saw: {shown}{more}. "
            "Each is shown as �, the token for everything unknown."
        )
    return Encoded(text, tuple(ids), tuple(tokens), tuple(notes))


def unpack(packed: str) -> list[int]:
    """The ids that `Encoded.packed` wrote."""
    return [int(one) for one in packed.split(",")]


@kept(MAX_TRACES)
def attention(key: ModelKey, packed: str) -> "AttentionRecord":
    """All attention of a text through a model, see `core.inspect.trace`."""
    from core.inspect import trace

    return trace.attention(load(key).model, unpack(packed))


@kept(MAX_MODELS)
def vocabulary(key: ModelKey) -> tuple[str, ...]:
    """The model's tokens as printable strings, in the order of their ids."""
    found = load(key)
    tokenizer: Any = found.tokenizer
    known = tokenizer.tokens(range(tokenizer.vocab_size))
    # A model may have more outputs than its tokenizer has tokens.
    return (*known, *(f"⟨{i}⟩" for i in range(len(known), int(found.config.vocab_size))))


@st.cache_data(max_entries=MAX_TRACES, show_spinner=False, ttl=60)
def _about_shipped(key: ModelKey) -> About:
    facts = _facts(folder(key))
    corpus = str((facts.get("recipe") or {}).get("corpus", ""))
    sample = SENTENCES.get(corpus, SENTENCES[DEFAULT])
    return About(_title(facts, key.name), corpus, _sentence(key, facts), sample, active=False)


def about(key: ModelKey) -> About:
    """What to say about a model. Raises ModelUnreadable."""
    if not key.is_run:
        return _about_shipped(key)
    run = _run(key.name)
    if run is None:
        raise ModelUnreadable("This run does not exist any more.")
    corpus = str(run.recipe.get("corpus", ""))
    sentence = _sentence(key, _facts(folder(key)))
    if run.active:
        sentence += f" It is being trained right now: step {run.step:,} of {run.n_step:,}."
    sample = SENTENCES.get(corpus) or " ".join(run.sample.split())[:200] or "Hello"
    return About(run.name, corpus, sentence, sample, run.active)


_CELLS = {"rnn": "plain recurrent", "lstm": "LSTM", "gru": "GRU"}


def _sentence(key: ModelKey, facts: dict[str, Any]) -> str:
    config = load(key).config
    tokenizer: Any = load(key).tokenizer
    n_parameter = sum(parameter.numel() for parameter in load(key).model.parameters())
    plural = {"char": "characters", "word": "words"}.get(tokenizer.kind, "tokens")
    layers = "1 layer" if config.n_layer == 1 else f"{config.n_layer} layers"
    if hasattr(config, "n_head"):
        layers += f" of {'1 head' if config.n_head == 1 else f'{config.n_head} heads'}"
        context = f"{config.context_length} tokens of context"
    else:
        layers += f" of {config.d_model} {_CELLS[config.cell]} units"
        context = f"trained on windows of {config.context_length} tokens"
    sentence = f"{layers}, {n_parameter:,} weights, {config.vocab_size:,} {plural}, {context}."
    if isinstance(facts.get("step"), int):
        sentence += f" Trained for {facts['step']:,} steps"
        loss, blind = facts.get("val_loss"), math.log(config.vocab_size)
        if isinstance(loss, float):
            sentence += f" to a validation loss of {loss:.2f} nats (guessing blindly: {blind:.2f})"
        sentence += "."
    return sentence


def _pieces(tokenizer: Any, text: str, n_token: int, unknown: int | None) -> list[str]:
    """The pieces of the text that became the unknown token."""
    split = getattr(tokenizer, "split", None)
    if split is None:
        return []
    return [piece for piece in list(split(text))[:n_token] if tokenizer.encode(piece) == [unknown]]


def _title(facts: dict[str, Any], name: str) -> str:
    title = (facts.get("recipe") or {}).get("title")
    return str(title)[:80] if title else name


def _facts(where: Path) -> dict[str, Any]:
    """How the model was made, as far as the folder tells."""
    try:
        facts = json.loads((where / "recipe.json").read_bytes()[:100_000])
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) and isinstance(facts.get("recipe", {}), dict) else {}


def _version(where: Path) -> str:
    try:
        stat = (where / WEIGHTS).stat()
    except OSError:
        raise ModelUnreadable("This run has not written its first checkpoint yet. Look again in a moment.") from None
    return f"{stat.st_mtime_ns:x}-{stat.st_size:x}"


@st.cache_data(max_entries=256, ttl=2, show_spinner=False)
def _runs_to_look_at(owner: str, where: str) -> list[RunInfo]:
    """The newest runs of an owner that have a checkpoint."""
    return [run for run in store().list(owner)[:MAX_LISTED] if (store().folder(run.id) / WEIGHTS).is_file()]


def _run(run_id: str) -> RunInfo | None:
    try:
        run = store().get(run_id)
    except RunNotFound:
        return None
    return run if (store().folder(run_id) / WEIGHTS).is_file() else None


def _run_in(asked: str) -> str | None:
    """The run that a link names, alone or at the end of its label."""
    found = re.search(r"(?:^|\W)([0-9a-f]{16})$", asked[-40:])
    return found[1] if found else None


def _roots() -> list[Path]:
    return [SHIPPED, Path(data_folder()) / "models"]


def show_notes(encoded: Encoded) -> None:
    """Say what was cut or unknown, under the text."""
    for note in encoded.notes:
        st.caption(f":material/info: {escape_markdown(note)}")
