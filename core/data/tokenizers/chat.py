"""Chat templates: they turn a list of messages into one text, with the markers that the model was trained on.

A published model brings its template with it, in tokenizer_config.json or chat_template.jinja: a small program in the
language Jinja. It is rendered as by Hugging Face's `apply_chat_template`, but in a separate process with limited time
and memory, so that an untrusted template can't do any harm: see `chat_process`.
"""

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates
from core.data.tokenizers.chat_process import MAX_TEXT, NO_MEMORY, OUT_OF_TIME
from core.data.tokenizers.tokenizer_json.tokenizer_files import (
    MAX_SETTINGS,
    read_json_object,
    read_limited_text,
    read_special_tokens,
)

LABELS = module_labels(__name__)

__all__ = ["ChatRefused", "read_chat_template", "render_chat", "special_tokens_of"]

MAX_TEMPLATE = 100_000  # characters; the longest published ones, which describe tools, have 20,000
MAX_MESSAGES = 1_000
MAX_CHARS = 1_000_000  # of all messages
SECONDS = 2.0  # for a template; a real one takes a few milliseconds
BY_KERNEL = sys.platform == "linux"  # whether the system can limit the memory of a process
PROGRAM = Path(__file__).with_name("chat_process.py")
_PATIENCE = 30.0  # seconds in all, because a busy machine may take some to start a process
_AT_ONCE = threading.BoundedSemaphore(2)  # however many people chat, their templates use two cores at most


class ChatRefused(ValueError):
    """A chat template can't be run, or not with these messages; the message says why."""


def read_chat_template(folder: Path | str) -> str | None:
    """Return the chat template in a published model's folder; None if the model wasn't trained to chat and has none.

    If there are several, the one named "default" is used; others are for tools.

    Raises ChatRefused if a file is damaged.
    """
    folder = Path(folder)
    try:
        if (folder / "chat_template.jinja").is_file():
            return _checked(read_limited_text(folder / "chat_template.jinja", MAX_SETTINGS))
        path = folder / "tokenizer_config.json"
        given = read_json_object(path, MAX_SETTINGS).get("chat_template") if path.is_file() else None
    except ValueError as error:
        raise ChatRefused(str(error)) from error
    if isinstance(given, list):
        named = {one.get("name"): one.get("template") for one in given if isinstance(one, dict)}
        given = named.get("default") if len(named) != 1 else next(iter(named.values()))
        if given is None:
            raise ChatRefused(LABELS["several"])
    return None if given is None else _checked(given)


def special_tokens_of(folder: Path | str) -> dict[str, str]:
    """Return the special tokens in the folder's settings, {"bos_token": "<s>"}, as `render_chat` needs them.

    Raises ChatRefused if a file is damaged.
    """
    try:
        return read_special_tokens(Path(folder))
    except ValueError as error:
        raise ChatRefused(str(error)) from error


def render_chat(
    template: str,
    messages: Sequence[Mapping[str, str]],
    *,
    special: Mapping[str, str],
    add_generation_prompt: bool = True,
    today: str = "2025-01-01",
) -> str:
    """Render the messages as one text, as the model expects them.

    Args:
        messages: each {"role": "user", "content": "Hello"}; roles are "system", "user" and "assistant".
        special: the special tokens by their names, "bos_token" and so on: see `special_tokens_of`.
        add_generation_prompt: whether the text ends with the markers after which the model answers.
        today: the date that some templates mention, such as Llama 3.1's.

    Raises:
        ChatRefused: if the template does something forbidden, takes more than two seconds or 256 MB, is damaged, or
            refuses the messages itself, as many do if two messages in a row have the same role.
    """
    given = {
        **{name: str(token) for name, token in special.items()},
        "messages": _messages(messages),
        "tools": None,
        "documents": None,
        "add_generation_prompt": bool(add_generation_prompt),
    }
    try:
        date.fromisoformat(today)
    except (TypeError, ValueError) as error:
        raise ChatRefused(LABELS("no_date", today=repr(str(today)[:40]))) from error
    bounds = {"seconds": SECONDS, "kernel": BY_KERNEL}
    return _answer({"template": _checked(template), "given": given, "today": today, **bounds})


def _checked(template: object) -> str:
    if not isinstance(template, str):
        raise ChatRefused(LABELS["no_text"])
    if len(template) > MAX_TEMPLATE:
        raise ChatRefused(LABELS("too_long", n=len(template), most=MAX_TEMPLATE))
    return template


def _messages(messages: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    if len(messages) > MAX_MESSAGES:
        raise ChatRefused(LABELS("too_many", n=len(messages), most=MAX_MESSAGES))
    plain = [{"role": one.get("role"), "content": one.get("content")} for one in messages]
    if not all(isinstance(value, str) for one in plain for value in one.values()):
        raise ChatRefused(LABELS["no_role"])
    if (n := sum(len(str(value)) for one in plain for value in one.values())) > MAX_CHARS:
        raise ChatRefused(LABELS("messages_too_long", n=n, most=MAX_CHARS))
    return [{name: str(value) for name, value in one.items()} for one in plain]


def _answer(asked: dict[str, object]) -> str:
    """Return the program's answer. Its own limits aside, waiting and reading are limited here, too."""
    with _AT_ONCE:
        said, code = _asked(json.dumps(asked).encode())
    if not said.startswith(b"+"):
        raise ChatRefused(LABELS["no_process"])
    try:
        answer = dict(json.loads(said[1:]))
    except (ValueError, TypeError, RecursionError):
        messages = {NO_MEMORY: "stopped.large", **dict.fromkeys(OUT_OF_TIME, "stopped.late")}
        raise ChatRefused(LABELS(messages.get(code, "stopped.crashed"), seconds=SECONDS)) from None
    if "text" in answer:
        return replace_surrogates(str(answer["text"]))
    because = " ".join(replace_surrogates(str(answer.get("because", ""))).split())[:200]
    reasons = LABELS.options("unusable")
    why = reasons.get(str(answer.get("refused")), reasons["failed"])
    raise ChatRefused(LABELS("because", why=why, because=because) if because else why)


def _asked(asked: bytes) -> tuple[bytes, int]:
    """Run the process; returns its output, cut to the longest possible answer, and its exit code."""
    found = [importlib.util.find_spec(name) for name in ("jinja2", "markupsafe")]
    places = [str(Path(one.origin).parents[1]) for one in found if one is not None and one.origin is not None]
    # Isolated (-I) and without site-packages (-S), so that no setting of this machine changes the result.
    command = [sys.executable, "-I", "-S", str(PROGRAM), *dict.fromkeys(places)]
    needed = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # for Python itself to start
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in needed if name in os.environ},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError):
        return b"", 1
    clock = threading.Timer(_PATIENCE, process.kill)
    clock.start()
    try:
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError), process.stdin:
            process.stdin.write(asked)
        with process.stdout:
            said = process.stdout.read(12 * MAX_TEXT)  # a letter in JSON takes up to twelve
    finally:
        clock.cancel()
    with suppress(subprocess.TimeoutExpired):
        return said, process.wait(1.0)
    process.kill()
    return said, process.wait()
