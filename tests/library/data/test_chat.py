"""Chat templates: the same text as Hugging Face's, and a stranger's template can only make a text."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
import pytest
import transformers
from jinja2 import TemplateError
from tokenizers import Tokenizer, models
from transformers.utils import chat_template_utils

from core.data.tokenizers import chat
from core.data.tokenizers.chat import ChatRefused, read_chat_template, render_chat, special_tokens_of
from tests.library.data.chat_templates import LLAMA_3, MISTRAL, TEMPLATES

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}


def said(*texts: str, system: str = "") -> list[dict[str, str]]:
    """Messages of user and assistant in turn."""
    first = [{"role": "system", "content": system}] if system else []
    return [*first, *({"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts))]


CHATS = {
    "a question": said("Who are you?"),
    "with a system": said("  Hi \n", "Hello!", "And then?\n\n", system=" Be brief.\n"),
    "odd letters": said("{{ 7 * 7 }} {% x %} <|eot_id|> \U0001f642 é \\n \"'", "<think>\nso\n</think>\n\nYes", "", " "),
    "two in a row": [*said("one"), *said("two")],
}


class Now(datetime):
    @classmethod
    def now(cls, tz: Any = None) -> "Now":
        return cls(2024, 2, 29)


def ours(template: str, messages: list[dict[str, str]], prompt: bool) -> str:
    """Return the result, or the reason why it is refused."""
    try:
        return render_chat(template, messages, special=SPECIAL, add_generation_prompt=prompt, today="2024-02-29")
    except ChatRefused as refused:
        return str(refused).partition("it refuses these messages ")[2]


def theirs(template: str, messages: list[dict[str, str]], prompt: bool) -> str:
    reference = transformers.PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()), **SPECIAL)
    how: Any = {"chat_template": template, "tokenize": False, "add_generation_prompt": prompt}
    try:
        return str(reference.apply_chat_template(messages, **how))
    except TemplateError as refused:
        return f"({refused})"


@pytest.mark.parametrize("name", TEMPLATES)
def test_texts_are_hugging_faces(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(chat_template_utils, "datetime", Now)
    for n, messages in enumerate(CHATS.values()):
        asked = (TEMPLATES[name], messages, n != 1)
        assert ours(*asked) == theirs(*asked)


def test_what_a_text_looks_like() -> None:
    assert (
        render_chat(MISTRAL, said("Hi", "Hello", "So?"), special=SPECIAL)
        == "<s>[INST] Hi [/INST]Hello</s>[INST] So? [/INST]"
    )
    assert render_chat(TEMPLATES["SmolLM2"], said("Hi", system="Be."), special={}) == (
        "<|im_start|>system\nBe.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    date = render_chat(TEMPLATES["Llama 3.2"], said("Hi"), special=SPECIAL)
    assert "Today Date: 01 Jan 2025" in date and date == render_chat(
        TEMPLATES["Llama 3.2"], said("Hi"), special=SPECIAL
    )
    with pytest.raises(ChatRefused, match=r"\(Conversation roles must alternate user/assistant"):
        render_chat(MISTRAL, CHATS["two in a row"], special=SPECIAL)
    assert render_chat("{{ messages[0].content }}\ud83d", said("\ud83d\ude42"), special={}) == "\U0001f642\ufffd"


def test_where_a_template_is_found(tmp_path: Path) -> None:
    settings = tmp_path / "tokenizer_config.json"

    def write(template: Any) -> None:
        settings.write_text(json.dumps({"chat_template": template, "bos_token": {"content": "<s>"}, "eos_token": None}))

    assert read_chat_template(tmp_path) is None and special_tokens_of(tmp_path) == {}
    write(None)
    assert read_chat_template(tmp_path) is None and special_tokens_of(tmp_path) == {"bos_token": "<s>"}
    write(LLAMA_3)
    assert read_chat_template(tmp_path) == LLAMA_3
    write([{"name": "tool_use", "template": "b"}, {"name": "default", "template": "a"}])
    assert read_chat_template(tmp_path) == "a"
    write([{"name": "rag", "template": "c"}])
    assert read_chat_template(tmp_path) == "c"
    for template, words in (
        ([{"name": "rag", "template": "c"}, {"name": "tools", "template": "d"}], "none of them is called"),
        ([], "none of them"),
        ([1, None], "none of them"),
        (7, "isn't a text"),
        ("a" * 100_001, "at most 100,000"),
    ):
        write(template)
        with pytest.raises(ChatRefused, match=words):
            read_chat_template(tmp_path)
    (tmp_path / "chat_template.jinja").write_text(MISTRAL)
    assert read_chat_template(tmp_path) == MISTRAL
    (tmp_path / "chat_template.jinja").write_bytes(b"\xff")
    with pytest.raises(ChatRefused, match=r"chat_template\.jinja isn't text"):
        read_chat_template(tmp_path)
    settings.write_text("{")
    with pytest.raises(ChatRefused, match="isn't valid JSON"):
        special_tokens_of(tmp_path)


def test_what_is_asked_wrongly() -> None:
    for messages, words in (
        ([{"role": "user"}], "no role or no content"),
        ([{"role": "user", "content": 7}], "no role or no content"),
        (said(*["a"] * 1_001), "1,001 messages"),
        (said("a" * 1_000_000), "at most 1,000,000"),
    ):
        with pytest.raises(ChatRefused, match=words):
            render_chat("", messages, special={})  # type: ignore[arg-type]
    with pytest.raises(ChatRefused, match="isn't a date"):
        render_chat("", said("a"), special={}, today="yesterday")
    assert render_chat("{{ messages | length }}", said("a"), special={"messages": "mine"}) == "1"


# --- hostile templates -----------------------------------------------------------------------------------------------

DOUBLED = "{{% set ns = namespace(x={0}) %}}{{% for i in range(99) %}}{{% set ns.x = {1} %}}{{% endfor %}}{2}"
HOSTILE = {
    "a class": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "access to attribute '__class__'"),
    "what a function holds": ("{{ raise_exception.__globals__.json }}", "may not use"),
    "what a class holds": ("{{ cycler.__init__.__globals__.os.system('id') }}", "may not use"),
    "an attribute by a filter": ("{{ (messages | attr('__class__')).mro() }}", "cannot be run|may not use"),
    "an attribute by a format": ("{{ '{0.__class__.__init__.__globals__}'.format(messages).x.y }}",
                                 "cannot be run|may not use"),
    "a name in a namespace": ("{% set ns = namespace(__init__=1) %}", "begins with an underscore"),
    "a change of the messages": ("{{ messages.append({}) }}", "may not use"),
    "a file": ("{% include '/etc/passwd' %}", "cannot be run"),
    "a module": ("{% import 'os' as os %}{{ os }}", "cannot be run"),
    "chance": ("{{ [1, 2] | random }}", "No filter named 'random'"),
    "chance in words": ("{{ lipsum() }}", "'lipsum' is undefined"),
    "no Jinja": ("{% for %}", "line 1: Expected an expression"),
    "nothing there": ("{{ nobody.name }}", "'nobody' is undefined"),
    "a refusal with marks": ("{{ raise_exception('\n<b>no</b>\n' * 500) }}", r"\(<b>no</b> <b>no"),
    "a text of a thousand million": ("{{ 'a' * 10**9 }}", "far too long"),
    "a list of a thousand million": ("{{ [1] * 10**9 }}", "far too long"),
    "a number without end": ("{{ 10**10**10 }}", "far too long"),
    "spaces": ("{{ 'a' | center(10**10) }}", "far too long"),
    "zeros": ("{{ '1'.zfill(10**10) }}", "far too long"),
    "digits": ("{{ '%010000000000d' % 1 }}", "far too long"),
    "digits of a format": ("{{ '{:10000000000}'.format(1) }}", "far too long"),
    "joined": ("{{ range(99999) | join('a' * 100000) }}", "far too long"),
    "replaced": ("{{ ('a' * 100000) | replace('a', 'b' * 100000) }}", "far too long"),
    "parts": ("{{ [1] | batch(10**10, 0) | list | length }}", "far too long"),
    "doubled": (DOUBLED.format("'ab'", "ns.x ~ ns.x", "{{ ns.x }}"), "far too long"),
    "doubled by plus": (DOUBLED.format("'ab'", "ns.x + ns.x", ""), "far too long"),
    "a doubled list": (DOUBLED.format("[1]", "ns.x + ns.x", ""), "far too long"),
    "written again and again": ("{% for i in range(99999) %}{{ 'a' * 99 }}{% endfor %}", "far too long"),
    "a long range": ("{% for i in range(10**9) %}{% endfor %}", "far too long"),
    "a macro of itself": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "calls itself"),
    "a block of itself": ("{% block a %}{{ self.a() }}{% endblock %}", "calls itself"),
    "brackets": ("{{ " + "(" * 40_000 + ")" * 40_000 + " }}", "calls itself|Jinja as it should be"),
    "loops in loops": ("{% for a in [1] %}" * 25 + "{% endfor %}" * 25, "cannot be run"),
    "conditions in conditions": ("{% if 1 %}" * 3_000 + "{% endif %}" * 3_000, "calls itself|cannot be run"),
    "endless": ("{% for a in range(99999) %}" * 9 + "{% endfor %}" * 9, "more than 0.3 seconds"),
    "lists of lists": (DOUBLED.format("[1]", "[ns.x, ns.x]", "{{ ns.x }}"), "more than 0.3 seconds|far too long"),
    "two calls of itself": ("{% macro f(n) %}{% if n %}{{ f(n - 1) ~ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
                            "more than 0.3 seconds"),
    "a slow count": ("{{ ('a' * 1999999).count('a' * 999999 ~ 'b') }}" * 2_000, "more than 0.3 seconds"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_templates_are_refused_in_plain_words(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    template, words = HOSTILE[name]
    monkeypatch.setattr(chat, "SECONDS", 0.3 if "0.3" in words else 9.0)
    with pytest.raises(ChatRefused, match=words) as refused:
        render_chat(template, said("Hi"), special=SPECIAL)
    assert len(str(refused.value)) < 350 and "\n" not in str(refused.value) and "/lib/" not in str(refused.value)


@pytest.mark.parametrize("name", ["doubled", "a doubled list", "written again and again", "endless"])
def test_where_no_kernel_bounds_memory_it_is_watched(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(chat, "SECONDS", 9.0)
    monkeypatch.setattr(chat, "BY_KERNEL", False)
    assert render_chat(MISTRAL, said("Hi"), special=SPECIAL) == "<s>[INST] Hi [/INST]"
    if name == "endless":
        monkeypatch.setattr(chat, "SECONDS", 0.3)
    with pytest.raises(ChatRefused, match=HOSTILE[name][1]):
        render_chat(HOSTILE[name][0], said("Hi"), special=SPECIAL)


def test_a_process_that_breaks_off_or_never_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    monkeypatch.setattr(chat, "PROGRAM", broken)
    for program, words in (
        ("import os; os.abort()", "cannot be run on this machine"),
        ("import sys, os; sys.stdout.write('+'); sys.stdout.flush(); os.abort()", "process crashed"),
        ("print('+[')", "process crashed"),
    ):
        broken.write_text(program)
        with pytest.raises(ChatRefused, match=words):
            render_chat("", said("Hi"), special={})
    monkeypatch.setattr(chat, "_PATIENCE", 0.5)
    broken.write_text("while True: pass")
    with pytest.raises(ChatRefused, match="cannot be run on this machine"):
        render_chat("", said("Hi"), special={})
    monkeypatch.setattr(chat.sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(ChatRefused, match="cannot be run on this machine"):
        render_chat("", said("Hi"), special={})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_template_can_open_nothing() -> None:
    """Were the sandbox broken out of, no file and no connection could be opened."""
    code = (
        "import sys; sys.path += sys.argv[2:]; sys.path.insert(0, sys.argv[1])\n"
        "import _socket, posix, chat_process\n"
        "chat_process._prepare_answer(); chat_process._drop_rights(sys.platform == 'linux')\n"
        "for call in (lambda: open('/etc/passwd'), lambda: _socket.socket(), posix.pipe):\n"
        "    try: call()\n"
        "    except OSError as error: print(error.errno, end=' ')\n"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(chat.PROGRAM.parent), str(Path(jinja2.__file__).parents[1])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.stdout.split() == ["24", "24", "24"], done.stderr
