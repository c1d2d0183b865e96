"""Text that is no text, such as half a character, is taken or refused in plain words wherever people's words come in.

`"\\ud800"` is a valid string in Python and in JSON, and in no encoding: it fails where it is written, saved or sent.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from core.browser.markdown_html import markdown_message, markdown_to_page_html, sentence_to_html
from core.browser.message_capture import MessageToWidget
from core.browser.message_packing import pack_message
from core.browser.page import PageContent, web_page
from core.data import corpora, tokenizers
from core.data.files import safe_name, write_atomic
from core.data.tokenizers.chat import render_chat
from core.data.tokenizers.published_tokenizer import load_any_tokenizer
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.inspect.model_inputs.model_key import ModelKey, read_model_provenance
from core.jobs.store import RunStore
from core.lessons.format.catalog import check_lesson_file
from core.models.imports.weights_file import parse_json
from core.ui.controls.browser_storage import MAX_CHARS
from core.ui.frame.browser_faults import _to_log_line
from core.ui.models.upload_drafts import UploadDrafts
from core.ui.models.upload_limits import upload_limits
from core.ui.models.user_models import OpenedModels
from core.ui.server import model_uploads, short_links
from core.ui.text_formatting import clean_text, escape_markdown
from tests import tiny_model
from tests.counts import count
from tests.safety.test_isolation import SHORT

pytestmark = pytest.mark.slow
HALVES = st.characters(categories=["Cs"])
BROKEN = st.lists(HALVES | st.sampled_from("aé😀\n$<`\0{\u202e\ufffe"), min_size=1, max_size=8).map("".join)
OWNER = "0123456789abcdef" * 2
LESSON = "---\ntitle: {0}\nabout: {0}\nminutes: 5\ntrains: {0}\n---\n\n## A step\n\n{1}\n\n```check\nask: {0}\n"
LESSON += "options: {{a: {0}, b: no}}\nright: a\n```\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        made = tmp_path_factory.mktemp("broken")
        patch.setenv("GLASSFORMER_DATA", str(made))
        yield made


def _run(folder: Path, text: str) -> Any:
    store = RunStore(folder / "runs")
    run = store.create(OWNER, SHORT.to_dict(), seed=1, name=text)
    try:
        return store.rename(run, OWNER, text).name
    finally:
        store.delete(run, OWNER)


def _tokenizer(folder: Path, text: str, kind: str) -> Any:
    made = tokenizers.train_tokenizer(kind, text * 40 + " some words", **({"vocab_size": 300} if kind == "bpe" else {}))
    made.save(folder)
    return tokenizers.load(folder).tokens(made.encode(text))


def _lesson(folder: Path, text: str) -> Any:
    path = folder / "lesson.md"
    path.write_bytes(LESSON.format(json.dumps(text), "Words.").encode())
    made = check_lesson_file(path, "lesson")
    return [made.title, made.steps[0].title]


def _lesson_bytes(folder: Path, text: str) -> Any:
    path = folder / "lesson.md"
    path.write_bytes(LESSON.format("plain", text).encode("utf-8", "surrogatepass"))
    return check_lesson_file(path, "lesson").title


def _tokenizer_file(folder: Path, text: str) -> Any:
    model = {"type": "BPE", "vocab": {text: 0, "a": 1}, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps({"model": model, "added_tokens": [], "version": "1.0"}))
    made = load_any_tokenizer(folder)
    return made.tokens(made.encode(text)) if made else ""


def _facts(folder: Path, text: str) -> Any:
    (folder / "recipe.json").write_text(json.dumps({"recipe": {"title": text, text: [text]}}))
    return read_model_provenance(folder)


def _model(folder: Path, text: str) -> Any:
    # As a folder of a name that isn't UTF-8 is called on Linux.
    place = folder / f"model {text.replace('/', '').encode('utf-8', 'replace')[:9].hex()}\udcff"
    key = ModelKey.at(place if place.is_dir() else tiny_model.write(place, "char", n_layer=1, d_model=8, n_head=1))
    assert key.folder == place and unquote(key.split(" ")[1], errors="surrogatepass") == key.name == place.name
    return ""


def _chat(_: Path, text: str) -> Any:
    return render_chat("{{ messages[0].content }}{{ bos }}", [{"role": text, "content": text}], special={"bos": text})


def _page(_: Path, text: str) -> Any:
    sent = [MessageToWidget("sentence", markdown_message(text, "text"), False)]
    return web_page(PageContent(text, sentence_to_html(text), sent, text))


ENTRIES: dict[str, Callable[[Path, str], Any]] = {
    "a run's name": _run,
    "the title of a text": lambda _, text: corpora.store_user_text(text, "These are words. " * 40),
    "a text": lambda _, text: corpora.load(corpora.store_user_text("words", text * 600)).text,
    "the name of a text": lambda _, text: corpora.load(text),
    "characters": lambda folder, text: _tokenizer(folder, text, "char"),
    "words": lambda folder, text: _tokenizer(folder, text, "word"),
    "byte pairs": lambda folder, text: _tokenizer(folder, text, "bpe"),
    "a prompt": lambda _, text: load_model_and_text("stories", f"Tom {text}").tokens,
    "a chat": _chat,
    "a chat's template": lambda _, text: render_chat(text, [], special={}),
    "a lesson's values": _lesson,
    "a lesson's bytes": _lesson_bytes,
    "a published tokenizer": _tokenizer_file,
    "how a model was made": _facts,
    "a model's folder": _model,
    "a model's config": lambda _, text: parse_json(json.dumps({"model_type": text, text: 1}).encode(), "config.json"),
    "an exported page": _page,
    "Markdown": lambda _, text: markdown_to_page_html(f"{text} $\\text{{{text}}}$"),
    "a message to a widget": lambda _, text: pack_message({"text": text}, {}).decode(),
    "a text box": lambda _, text: escape_markdown(clean_text(text, MAX_CHARS).text),
    "a short link": lambda _, text: short_links.create_short_link(f"heads?text={text}"),
    "a short link's letters": lambda _, text: short_links.find_short_link(text) or "",
    "names of uploads": lambda folder, text: [
        *model_uploads._answers(
            UploadDrafts(OpenedModels(folder), upload_limits(is_own_machine=False)),
            OWNER,
            [(text, 5), (f"{text}.safetensors", 5)],
        )
    ],
    "a fault of a browser": lambda _, text: _to_log_line(json.dumps({"id": text, "kind": text}).encode()) or "",
    "a file's name": lambda folder, text: write_atomic(folder / safe_name(text), b"x") or safe_name(text),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
@settings(max_examples=count(8, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=BROKEN)
def test_broken_text_is_taken_or_refused_in_plain_words(folder: Path, name: str, text: str) -> None:
    """Fault: half a character ends in `'utf-8' codec can't encode`, here or where it is shown, saved or sent."""
    try:
        made = ENTRIES[name](folder, text)
    except UnicodeError:
        raise
    except (ValueError, LookupError, corpora.CorpusRefused) as refused:  # all our refusals are one of these
        said = str(refused)
    else:
        said = json.dumps(made, ensure_ascii=False)
    assert "codec" not in said.encode().decode()
