"""How a model's chat is written: its template makes one text of what was said, with the marks that the model learned.

A published model brings the template with it, in tokenizer_config.json or chat_template.jinja: a small program in the
language Jinja. It is run as Hugging Face's `apply_chat_template` runs it, but by a process of its own that is bounded
in time and memory, so whatever a stranger wrote harms nobody: see `chat_apart`.
"""

import faulthandler
import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from core.data.printable import clean
from core.data.tokenizers.published.files import MAX_SETTINGS, read_json, read_text, special_tokens

MAX_BYTES = 256 * 2**20  # of the whole process; a real template takes one
MAX_TEXT = 2_000_000  # characters that a template may write
OUT_OF_TIME, NO_MEMORY = (1, -14), 3  # how the process ends: -14 is the alarm, 1 the clock of systems without one


def main() -> None:
    sys.path += sys.argv[1:]  # where Jinja is
    asked = json.loads(sys.stdin.buffer.read())
    answer = prepared()
    sys.stdout.buffer.write(b"+")
    sys.stdout.flush()
    end_after(asked["seconds"])
    give_up(asked["kernel"])
    said = answer(asked)
    end_after(0)
    sys.stdout.write(json.dumps(said))
    sys.stdout.flush()


def end_after(seconds: float) -> None:
    """Sets the clock that ends this process, whatever a step of the template does; 0 stops it."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    elif seconds:
        faulthandler.dump_traceback_later(seconds, exit=True)  # a thread of C, which needs no turn of Python
    else:
        faulthandler.cancel_dump_traceback_later()


def give_up(by_kernel: bool) -> None:
    """Bounds the memory, and lets go of what a template has no use for."""
    try:
        import resource
    except ImportError:  # Windows
        return watch_memory()
    limits = {"RLIMIT_NOFILE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    if by_kernel:
        with open("/proc/self/statm") as now:
            held = int(now.read().split()[0]) * resource.getpagesize()
        limits["RLIMIT_AS"] = held + MAX_BYTES
    else:
        watch_memory()
    for name, most in limits.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(getattr(resource, name), (most, most))


def watch_memory() -> None:
    """For systems that bound no memory: ends the process when all that Python holds is too much."""

    def watch() -> None:
        while tracemalloc.get_traced_memory()[0] < MAX_BYTES:
            time.sleep(0.01)
        os._exit(NO_MEMORY)

    tracemalloc.start()
    threading.Thread(target=watch, daemon=True).start()


def prepared() -> Callable[[dict[str, Any]], dict[str, str]]:
    """What answers, with all that it may ever import: no file can be opened later."""
    import jinja2.debug
    import jinja2.ext
    import jinja2.nodes
    import jinja2.sandbox
    from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError

    class Said(TemplateError):
        """The template itself refuses the messages."""

    class Large(Exception):
        """One step makes more than all may be."""

    class Generation(jinja2.ext.Extension):
        """`{% generation %}` marks what the model writes; that changes nothing of the text."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

        def _same(self, caller: Any) -> Any:
            return caller()

    class Namespace(jinja2.utils.Namespace):
        """Holds no name with an underscore before it."""

        def __init__(*args: Any, **kwargs: Any) -> None:
            self, given = args[0], dict(*args[1:], **kwargs)
            for name in given:
                Namespace.check(name)
            jinja2.utils.Namespace.__init__(self, given)

        def __setitem__(self, name: str, value: Any) -> None:
            Namespace.check(name)
            super().__setitem__(name, value)

        @staticmethod
        def check(name: Any) -> None:
            if isinstance(name, str) and name.startswith("_"):
                raise SecurityError(f"the name {name[:40]!r} begins with an underscore")

    class Dictionary:
        """Makes dictionaries, and can do nothing else."""

        def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
            return dict(*args, **kwargs)

    class Sandbox(jinja2.sandbox.ImmutableSandboxedEnvironment):
        """Looks beforehand at what a repetition makes: that is told in plain words at once, on every system."""

        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            sizes = [len(one) if hasattr(one, "__len__") else abs(one) for one in (left, right)]
            is_long = any(hasattr(one, "__len__") for one in (left, right)) and sizes[0] * sizes[1] > MAX_TEXT
            if is_long or (operator == "**" and (sizes[0] > 10**6 or sizes[1] > 100)):
                raise Large
            return super().call_binop(context, operator, left, right)

    def to_json(x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None,
                sort_keys: bool = False) -> str:  # fmt: skip
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def refuse(message: object = "") -> None:
        raise Said(str(message))

    sandbox = Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    sandbox.filters["tojson"] = to_json
    del sandbox.filters["random"], sandbox.globals["lipsum"]  # the same messages make the same text
    sandbox.globals |= {"raise_exception": refuse, "namespace": Namespace, "dict": Dictionary()}
    for late in ("wordwrap(9)", "pprint", "striptags"):  # they import more when they are first used
        sandbox.from_string(r"{{ '\xe9&amp;' | %s }}" % late).render()  # noqa: UP031

    def text(asked: dict[str, Any]) -> str:
        today = date.fromisoformat(asked["today"])
        template = sandbox.from_string(asked["template"], globals={"strftime_now": today.strftime})
        parts, n = [], 0
        for part in template.generate(**asked["given"]):
            parts.append(part)
            n += len(part)
            if n > MAX_TEXT:
                raise Large
        return "".join(parts)

    def answer(asked: dict[str, Any]) -> dict[str, str]:
        try:
            return {"text": text(asked)}
        except Said as error:
            return {"refused": "said", "because": str(error)[:500]}
        except TemplateSyntaxError as error:
            return {"refused": "syntax", "because": f"line {error.lineno}: {error.message}"[:500]}
        except SecurityError as error:
            return {"refused": "forbidden", "because": str(error)[:500]}
        except (MemoryError, OverflowError, Large):  # the second: a range of more than 100,000 numbers
            return {"refused": "large"}
        except RecursionError:
            return {"refused": "deep"}
        except Exception as error:
            because = "" if isinstance(error, OSError) else str(error)[:500]  # no names of this machine's files
            return {"refused": "failed", "because": because}

    return answer


if __name__ == "__main__":
    main()


__all__ = ["ChatRefused", "render", "special_of", "template_of"]

MAX_TEMPLATE = 100_000  # characters; the longest published ones, which describe tools, have 20,000
MAX_MESSAGES = 1_000
MAX_CHARS = 1_000_000  # of all messages
SECONDS = 2.0  # of a template; a real one takes some thousandths
BY_KERNEL = sys.platform == "linux"  # whether the system bounds the memory of a process that asks for it
PROGRAM = Path(__file__).with_name("chat_apart.py")
_PATIENCE = 30.0  # seconds in all: a busy machine may take some to start a process
_AT_ONCE = threading.BoundedSemaphore(2)  # however many people chat, their templates take two cores at most
_LARGE = "it makes a text that is far too long"
_WORDS = {
    "said": "it refuses these messages",
    "syntax": "it isn't written in Jinja as it should be",
    "forbidden": "it asks for what a template may not have",
    "large": _LARGE,
    "deep": "it calls itself without end",
    "failed": "it cannot be run",
}


class ChatRefused(ValueError):
    """A chat template cannot be run, or not with these messages; the message says why in plain words."""


def template_of(folder: Path | str) -> str | None:
    """The chat template of a published model's folder; None where it has none, as it never learned to chat.

    Of several, the one called "default" is taken: others are for tools. Raises ChatRefused if a file is damaged.
    """
    folder = Path(folder)
    try:
        if (folder / "chat_template.jinja").is_file():
            return _checked(read_text(folder / "chat_template.jinja", MAX_SETTINGS))
        path = folder / "tokenizer_config.json"
        given = read_json(path, MAX_SETTINGS).get("chat_template") if path.is_file() else None
    except ValueError as error:
        raise ChatRefused(str(error)) from error
    if isinstance(given, list):
        named = {one.get("name"): one.get("template") for one in given if isinstance(one, dict)}
        given = named.get("default") if len(named) != 1 else next(iter(named.values()))
        if given is None:
            raise ChatRefused("the model has several chat templates, and none of them is called “default”")
    return None if given is None else _checked(given)


def special_of(folder: Path | str) -> dict[str, str]:
    """How the folder's settings call its special tokens, {"bos_token": "<s>"}: what `render` needs of them.

    Raises ChatRefused if a file is damaged.
    """
    try:
        return special_tokens(Path(folder))
    except ValueError as error:
        raise ChatRefused(str(error)) from error


def render(
    template: str,
    messages: Sequence[Mapping[str, str]],
    *,
    special: Mapping[str, str],
    add_generation_prompt: bool = True,
    today: str = "2025-01-01",
) -> str:
    """The messages as one text, as the model expects them.

    Args:
        messages: each {"role": "user", "content": "Hello"}; roles are "system", "user" and "assistant".
        special: the special tokens by their names, "bos_token" and so on: see `special_of`.
        add_generation_prompt: whether the text ends with the marks after which the model answers.
        today: the date that some templates name, such as Llama 3.1's.

    Raises:
        ChatRefused: if the template does what is not allowed, takes more than two seconds or 256 MB, is damaged, or
            refuses the messages itself, as many do two of the same role in a row.
    """
    given: dict[str, Any] = {
        **{name: str(token) for name, token in special.items()},
        "messages": _messages(messages),
        "tools": None,
        "documents": None,
        "add_generation_prompt": bool(add_generation_prompt),
    }
    try:
        date.fromisoformat(today)
    except (TypeError, ValueError) as error:
        raise ChatRefused(f"{str(today)[:40]!r} is no date such as 2025-01-01") from error
    bounds = {"seconds": SECONDS, "kernel": BY_KERNEL}
    return _answer({"template": _checked(template), "given": given, "today": today, **bounds})


def _checked(template: object) -> str:
    if not isinstance(template, str):
        raise ChatRefused("the chat template is no text")
    if len(template) > MAX_TEMPLATE:
        raise ChatRefused(f"the chat template has {len(template):,} characters; at most {MAX_TEMPLATE:,} are read")
    return template


def _messages(messages: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    if len(messages) > MAX_MESSAGES:
        raise ChatRefused(f"there are {len(messages):,} messages; at most {MAX_MESSAGES:,} are written")
    plain = [{"role": one.get("role"), "content": one.get("content")} for one in messages]
    if not all(isinstance(value, str) for one in plain for value in one.values()):
        raise ChatRefused("a message has no role or no content that is a text")
    if (n := sum(len(str(value)) for one in plain for value in one.values())) > MAX_CHARS:
        raise ChatRefused(f"the messages have {n:,} characters; at most {MAX_CHARS:,} are written")
    return [{name: str(value) for name, value in one.items()} for one in plain]


def _answer(asked: dict[str, Any]) -> str:
    """What the program says. It is bounded itself; here nothing is waited for or read without end."""
    with _AT_ONCE:
        said, code = _asked(json.dumps(asked).encode())
    if not said.startswith(b"+"):
        raise ChatRefused("a chat template cannot be run on this machine: no process of its own could be started")
    try:
        answer = dict(json.loads(said[1:]))
    except (ValueError, TypeError, RecursionError):
        late = f"it takes more than {SECONDS:g} seconds"
        why = {NO_MEMORY: _LARGE, **dict.fromkeys(OUT_OF_TIME, late)}.get(code, "it made its process break off")
        raise ChatRefused(f"the model's chat template was stopped: {why}") from None
    if "text" in answer:
        return clean(str(answer["text"]))
    because = " ".join(clean(str(answer.get("because", ""))).split())[:200]
    why = _WORDS.get(str(answer.get("refused")), _WORDS["failed"])
    raise ChatRefused(f"the model's chat template cannot be used: {why}{f' ({because})' if because else ''}")


def _asked(asked: bytes) -> tuple[bytes, int]:
    """What the process wrote, at most as much as an answer can be, and how it ended."""
    found = [importlib.util.find_spec(name) for name in ("jinja2", "markupsafe")]
    places = [str(Path(one.origin).parents[1]) for one in found if one is not None and one.origin is not None]
    # Isolated (-I) and without installed extras (-S): no setting of this machine changes what it does.
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
