"""A model with a chat template: the text as the user's turn, and a text that ends where the model ends it.

What this catches: a prompt that is another one than the model's template makes, a template that stops a room, and a
model that writes on behind its own end token, which one of two end tokens must end, too.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data.tokenizers.incremental_decoding import decode_continuation
from core.generate import command
from core.generate.decode import generate
from core.inspect.model_inputs.chat import ChatRefused, _load_model_and_chat
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.pretrained import Pretrained
from core.ui.exhibit import program
from tests import todays_decoders
from tests.library.data import tokenizers_today
from tests.pages.choices import shown
from tests.pages.rooms import clean, linked, text_of

ROOT = Path(__file__).resolve().parents[2]
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
TEMPLATES = {
    "chats": CHATML,
    "plain": None,
    "hostile": "{{ messages.__class__.__mro__[1].__subclasses__() }}",
    "slow": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
}
TEXT = "The cat sat on the mat."
ROOMS = ("next_token", "strategies")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    data = tmp_path_factory.mktemp("data")
    told = tokenizers_today.smollm()
    size = 1 + max([*told["model"]["vocab"].values(), *(one["id"] for one in told["added_tokens"])])
    for name, template in TEMPLATES.items():
        place = todays_decoders.write(data / "models" / name, "yarn", vocab_size=size)
        (place / "tokenizer.json").write_text(json.dumps(told))
        (place / "tokenizer_config.json").write_text(json.dumps({"chat_template": template} if template else {}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(data))
        yield data / "models"


def opened(room: str, name: str, **address: str) -> AppTest:
    return clean(linked(str(ROOT / "pages" / "generate" / f"{room}.py"), model=name, **address).run())


def labels(test: AppTest) -> list[str]:
    return [one.label for one in test.toggle]


def row(test: AppTest, key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return next(
        shown(one.proto.bytes, test)
        for one in test.get("bidi_component")
        if one.proto.component_name == "glassformer_token_row" and key in one.proto.id
    )


@pytest.mark.parametrize("room", ROOMS)
def test_the_prompt_is_what_the_template_makes(room: str, folder: Path) -> None:
    assert "As a chat" not in labels(opened(room, "plain"))
    test = opened(room, "chats")
    assert not test.toggle(key="chat").value
    test.text_area[0].set_value(TEXT)
    test.toggle(key="chat").set_value(True)
    clean(test.run())
    given = _load_model_and_chat(folder / "chats", TEXT)
    tokenizer: Any = given.tokenizer
    assert tokenizer.decode(given.ids) == f"<|im_start|>user\n{TEXT}<|im_end|>\n<|im_start|>assistant\n"
    header, arrays = row(test, "gf-chat-prompt")
    assert header["tokens"] == [*given.tokens]
    marks = [token for token, value in zip(given.tokens, arrays["values"], strict=True) if np.isfinite(value)]
    assert marks == ["<|im_start|>", "<|im_end|>", "<|im_start|>"]
    assert "A **chat template** lays the marks" in text_of(test)
    if room == "next_token":
        assert row(test, "write.text")[0]["tokens"][: given.n_token] == [*given.tokens]


def test_what_cannot_be_used_is_told_and_the_room_goes_on() -> None:
    for name, why in (("hostile", "may not use"), ("slow", "2 seconds")):
        said = text_of(opened("next_token", name, chat="true"))
        assert why in said and "So the model reads the bare text." in said
        assert "Written with temperature 1" in said


def test_the_script_reads_the_same_prompt(folder: Path) -> None:
    given = _load_model_and_chat(folder / "chats", TEXT, 40)
    written, imports, _ = program._as_code(given)
    assert written == f'load_model_and_chat("path/to/the/model", "{TEXT}", most=40)'
    assert imports == {"from core.inspect.model_inputs.chat import load_model_and_chat"}


def test_no_template_no_chat(folder: Path) -> None:
    with pytest.raises(ChatRefused, match="no chat template"):
        _load_model_and_chat(folder / "plain", TEXT)


def test_a_text_ends_where_the_model_ends_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of the tokens that the random model writes are called its ends."""
    found = load_text_model(ModelKey.at(folder / "chats"))
    tokenizer: Any = found.tokenizer
    ids = tokenizer.encode(TEXT)
    free = [int(step.token) for step in generate(found.model, ids, 20, greedy=True)]
    at = next(i for i, token in enumerate(free) if i > 1 and token not in free[:i] and token < tokenizer.vocab_size)
    ends = (free[at], next(i for i in range(found.config.vocab_size) if i not in free))
    monkeypatch.setattr(Pretrained, "end_ids", property(lambda _: ends))
    greedy = {"text": TEXT, "temperature": "0.0", "only": "write", "depth": "numbers"}
    written = row(opened("next_token", "chats", **greedy), "write.text")[0]["tokens"]
    assert written[len(ids) :] == tokenizer.tokens(free[: at + 1])
    assert "the model’s own sign for the end" in text_of(opened("next_token", "chats", **greedy))
    test = opened("strategies", "chats", text=TEXT, columns="greedy~beam1", only="strategies-side-by-side")
    header = next(
        shown(one.proto.bytes, test)[0]
        for one in test.get("bidi_component")
        if one.proto.component_name == "glassformer_columns"
    )
    assert [(one["n"], one["stop"]) for one in header["columns"]] == [(at + 1, "end")] * 2
    assert command.main([str(folder / "chats"), TEXT, "--greedy", "--tokens", "20"]) == 0
    assert capsys.readouterr().out == f"{TEXT}{decode_continuation(tokenizer, ids, free[:at])}\n"
