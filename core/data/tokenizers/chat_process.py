"""The program that renders one chat template, in a separate process that `chat` starts.

A template is an untrusted program. It runs in Jinja's sandbox, which gives it access only to the messages. But the
sandbox can't prevent endless loops or texts that fill the memory, because each single step may be allowed. So a system
timer, which no loop can block, ends the process after two seconds. Memory is limited by the kernel (Linux), or watched
by a thread (elsewhere, where a single step of the template can exceed the limit for a moment). Where the system allows
it, the process also gives up files and connections before the template runs.

It needs only Python and Jinja, so it starts in less than a tenth of a second. The request comes from the standard
input, the response goes to the standard output: "+" as soon as it is ready, then a JSON object, {"text": ...} or
{"refused": why, "because": details}.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any, TypedDict

MAX_BYTES = 256 * 2**20  # of the whole process; a real template takes one
MAX_TEXT = 2_000_000  # characters that a template may write
OUT_OF_TIME, NO_MEMORY = (1, -14), 3  # how the process ends: -14 is the alarm, 1 the clock of systems without one


def main() -> None:
    sys.path += sys.argv[1:]  # where Jinja is
    asked = json.loads(sys.stdin.buffer.read())
    answer = _prepare_answer()
    sys.stdout.buffer.write(b"+")
    sys.stdout.flush()
    _set_timer(asked["seconds"])
    _drop_rights(asked["kernel"])
    said = answer(asked)
    _set_timer(0)
    sys.stdout.write(json.dumps(said))
    sys.stdout.flush()


def _set_timer(seconds: float) -> None:
    """Set the timer that ends this process, whatever a step of the template does; 0 stops the timer."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    elif seconds:
        faulthandler.dump_traceback_later(seconds, exit=True)  # a C thread, which needs no interpreter lock
    else:
        faulthandler.cancel_dump_traceback_later()


def _drop_rights(by_kernel: bool) -> None:
    """Limit the memory, and give up the rights that a template doesn't need."""
    try:
        import resource
    except ImportError:  # Windows
        return _watch_memory()
    limits = {"RLIMIT_NOFILE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0}
    if by_kernel:
        with open("/proc/self/statm") as now:
            held = int(now.read().split()[0]) * resource.getpagesize()
        limits["RLIMIT_AS"] = held + MAX_BYTES
    else:
        _watch_memory()
    for name, most in limits.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(getattr(resource, name), (most, most))


def _watch_memory() -> None:
    """End the process when Python's memory exceeds the limit, on systems that can't limit it themselves."""

    def watch() -> None:
        while tracemalloc.get_traced_memory()[0] < MAX_BYTES:
            time.sleep(0.01)
        os._exit(NO_MEMORY)

    tracemalloc.start()
    threading.Thread(target=watch, daemon=True).start()


class _Request(TypedDict):
    """A template to render, with today's date and the variables that it may read."""

    template: str
    today: str  # in ISO's form
    given: dict[str, object]


def _prepare_answer() -> Callable[[_Request], dict[str, str]]:
    """Return the function that answers a request, with everything imported, because no file can be opened later."""
    import jinja2.debug
    import jinja2.ext
    import jinja2.nodes
    import jinja2.sandbox
    from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError

    class Said(TemplateError):
        """The template itself refuses the messages."""

    class Large(Exception):
        """A single step makes a longer text than the whole may be."""

    class Generation(jinja2.ext.Extension):
        """An extension for `{% generation %}`, which marks the model's own text and doesn't change the result."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: "jinja2.parser.Parser") -> jinja2.nodes.Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

        def _same(self, caller: Callable[[], object]) -> object:
            return caller()

    class Namespace(jinja2.utils.Namespace):
        """A namespace that refuses names with a leading underscore."""

        def __init__(*args: object, **kwargs: object) -> None:
            self, given = args[0], dict(*args[1:], **kwargs)
            for name in given:
                Namespace.check(name)
            jinja2.utils.Namespace.__init__(self, given)

        def __setitem__(self, name: str, value: object) -> None:
            Namespace.check(name)
            super().__setitem__(name, value)

        @staticmethod
        def check(name: object) -> None:
            if isinstance(name, str) and name.startswith("_"):
                raise SecurityError(f"the name {name[:40]!r} begins with an underscore")

    class Dictionary:
        """A callable that makes dictionaries, and has no other attributes."""

        def __call__(self, *args: object, **kwargs: object) -> dict[Any, Any]:
            return dict(*args, **kwargs)

    class Sandbox(jinja2.sandbox.ImmutableSandboxedEnvironment):
        """A sandbox that checks the size of a repetition before computing it, for a clear message on every system."""

        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, context: "jinja2.runtime.Context", operator: str, left: Any, right: Any) -> object:
            sizes = [len(one) if hasattr(one, "__len__") else abs(one) for one in (left, right)]
            is_long = any(hasattr(one, "__len__") for one in (left, right)) and sizes[0] * sizes[1] > MAX_TEXT
            if is_long or (operator == "**" and (sizes[0] > 10**6 or sizes[1] > 100)):
                raise Large
            return super().call_binop(context, operator, left, right)

    def to_json(x: object, ensure_ascii: bool = False, indent: int | str | None = None,
                separators: tuple[str, str] | None = None, sort_keys: bool = False) -> str:  # fmt: skip
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def refuse(message: object = "") -> None:
        raise Said(str(message))

    sandbox = Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    sandbox.filters["tojson"] = to_json
    del sandbox.filters["random"], sandbox.globals["lipsum"]  # the same messages must give the same text
    sandbox.globals |= {"raise_exception": refuse, "namespace": Namespace, "dict": Dictionary()}
    for late in ("wordwrap(9)", "pprint", "striptags"):  # they import more when they are first used
        sandbox.from_string(r"{{ '\xe9&amp;' | %s }}" % late).render()  # noqa: UP031

    def text(asked: _Request) -> str:
        today = date.fromisoformat(asked["today"])
        template = sandbox.from_string(asked["template"], globals={"strftime_now": today.strftime})
        parts, n = [], 0
        for part in template.generate(**asked["given"]):
            parts.append(part)
            n += len(part)
            if n > MAX_TEXT:
                raise Large
        return "".join(parts)

    def answer(asked: _Request) -> dict[str, str]:
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
