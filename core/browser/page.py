"""Standalone HTML files: the widgets' modules, their messages, models and training films, a theme, and the origin.

Their Content-Security-Policy blocks all requests, because they need none.
"""

import base64
import hashlib
import html
import json
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from core.browser import weights
from core.browser.chart_images import replace_charts_by_pictures
from core.browser.message_capture import Chart, MessageToWidget
from core.browser.message_packing import unpack_message
from core.browser.script_bundler import bundle_script
from core.data.localization.labels import module_labels
from core.data.localization.locales import LOCALE
from core.data.printable import replace_surrogates

LABELS = module_labels(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_BRAND_FOLDER = _ROOT / "assets" / "brand"
MADE_WITH = "Made with Glassformer"  # in a page's head, by which it is recognized in any language
_RUNTIME = "web_page"  # the script that puts the widgets on the page


@dataclass(frozen=True)
class PageContent:
    """The content of a page."""

    title: str  # its heading; plain text
    look_for: str  # a sentence on what to look for; trusted HTML
    sent: Sequence[MessageToWidget | Chart]  # the messages to its widgets, and its charts, in the order of the page
    source: str = ""  # the program that computes its numbers; "": none


def web_page(content: PageContent, way: str = "") -> str:
    """Return the HTML of a standalone page.

    Args:
        way: navigation to neighboring pages; trusted HTML.
    """
    sent = replace_charts_by_pictures(content.sent)
    widgets = [{"widget": one.widget, "own": one.own_style, "data": _packed(one.message)} for one in sent]
    files = {address: _packed(_file(address)) for address in _addresses(sent)}
    scripts = bundle_script(_RUNTIME, (one.widget for one in sent))
    return _TEMPLATE.substitute(
        locale=LOCALE,
        made_with=MADE_WITH,
        title=html.escape(replace_surrogates(content.title)),
        look_for=content.look_for,
        policy=html.escape(_policy(scripts)),
        style="".join(
            (_BRAND_FOLDER / f"{one}.css").read_text(encoding="utf-8") for one in ("tokens", "web_page", "choices")
        ),
        content=_json({"widgets": widgets, "files": files}),
        script=scripts,
        foot=way + _foot(replace_surrogates(content.source)),
    )


def _packed(content: bytes) -> str:
    return _text(zlib.compress(content, 9))


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _json(value: object) -> str:
    """Serialize to JSON that cannot end a script element, whatever it contains."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _file(address: str) -> bytes:
    path = weights.find_weights(Path(address).name)
    if path is None:
        raise FileNotFoundError(LABELS["weights_gone"])
    return path.read_bytes()


def _addresses(sent: Sequence[MessageToWidget]) -> list[str]:
    """Return the addresses of files that the widgets would fetch: model weights and films of training."""
    found: list[str] = []

    def look(value: object) -> None:
        if isinstance(value, Mapping):
            for one in value.values():
                look(one)
        elif isinstance(value, str) and value.startswith("weights/"):
            found.append(value)

    for one in sent:
        look(unpack_message(one.message)[0])
    return list(dict.fromkeys(found))


def _policy(script: str) -> str:
    """Return a content security policy that allows only this script, by its hash, and no requests."""
    digest = _text(hashlib.sha256(script.encode()).digest())
    return (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _foot(source: str) -> str:
    version = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    made = f"<p>{LABELS('made_with', version=version)}</p>"
    program = f"<details><summary>{LABELS['program']}</summary><pre>{html.escape(source)}</pre></details>"
    return f"{program if source else ''}{made}"


_TEMPLATE = Template(
    """<!doctype html>
<html lang="$locale">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="$made_with">
<title>$title</title>
<style>$style</style>
<h1>$title</h1>
<p class="look-for">$look_for</p>
<main></main>
<footer>$foot</footer>
<script type="application/json" id="content">$content</script>
<script type="module">$script</script>
</html>
"""
)
