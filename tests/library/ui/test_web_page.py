"""A page of one file: all its scripts are in it, nothing in it can run but these, no request leaves it."""

import base64
import hashlib
import html
import json
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from streamlit.logger import get_logger, set_log_level

from core.browser.markdown_html import markdown_code_block, markdown_message, markdown_to_page_html, sentence_to_html
from core.browser.message_capture import MessageToWidget
from core.browser.message_packing import unpack_message
from core.browser.page import PageContent, web_page
from core.browser.script_bundler import (
    WIDGETS_FOLDER,
    _find_widget_file,
    _variable,
    bundle_script,
    widget_files_with_imports,
)
from core.exhibit import NOT_YET
from core.export.__main__ import main
from core.export.exhibit_page import exhibit_page
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.rooms import all_exhibits

Refused = Callable[..., str]
WIDGETS = sorted(
    path.stem for path in WIDGETS_FOLDER.rglob("*.js") if "export default" in path.read_text(encoding="utf-8")
)
PAYLOADS = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "${title} $content {{ 7 * 7 }}",
    "\u2028\u202e\x00<!--",
    r"$\text{<img src=x onerror=alert(1)>}$",
    r"$\text{<img onerror='alert(1)' src='x'/>}$",
    r"$\href{javascript:alert(1)}{x}$",
)


# An exhibit with an open guess has no page. Nor do these: a table, Plotly's map or a vote would be missing.
WITHOUT = {
    "assistant.own-choices",
    "decoder.optimizer-step",
    "embeddings.token-map",
    "families.family-table",
    "sizes.slips",
}
# With a model in them; the third holds the numbers of one opened.
LARGE = {"home.sentence-through": 2_000_000, "model-map.whole-model": 3_000_000, "pretrained.every-number": 600_000}
LARGE |= dict.fromkeys(  # they bring their model
    ("heads.switch-off", "heads.set-a-row", "masks.draw-your-own", "next-token.write"), 2_000_000
)


class Parts(HTMLParser):
    """All elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.mark.parametrize("widget", WIDGETS)
def test_everything_that_a_widget_imports_is_there(widget: str) -> None:
    """Fault: the one script of a page lacks a module, or has it behind one that takes something from it."""
    made = bundle_script("web_page", [widget])
    exported: dict[str, set[str]] = {}
    for name, text in re.findall(r"^const (\$\w+) = \(\(\) => \{\n(.*?)^\}\)\(\);", made, re.MULTILINE | re.DOTALL):
        for other, taken in re.findall(r"^const \w+ = (\$[a-z0-9]+_\w+)\.(\w+);$", text, re.MULTILINE):
            assert taken in exported[other]
        exported[name] = set(re.findall(r"(\w+)(?=[:,]| \})", text.rpartition("return {")[2]))
    assert made.endswith("default });") and "default" in exported[_variable(_find_widget_file(widget))]


def test_a_module_on_a_page_equals_the_apps() -> None:
    """Fault: a page runs other lines than the app."""
    made = bundle_script("web_page", ["matrix", "model_map"])
    for path in widget_files_with_imports(["matrix", "model_map"]):
        lines = re.sub(
            r"^(import\b|\} from)[^;]*;$|^export (default )?", "", path.read_text("utf-8"), flags=re.MULTILINE
        )
        assert max(lines.split("\n\n"), key=len) in made


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_sentence_can_bring_an_element(payload: str) -> None:
    for text in (payload, f"Words and {payload}", f"- **{payload}**"):
        tags = Parts(markdown_to_page_html(text)).tags
        assert not {tag for tag, _ in tags} & {"img", "svg", "script", "iframe", "a"}
        assert not [name for _, attributes in tags for name in attributes if name.startswith("on") or name == "href"]


def test_formulas_are_drawn_without_a_script() -> None:
    shown = markdown_to_page_html(
        r"In $x_1 \le 3$, for \$5: $$\frac{q k^\top}{\sqrt d}$$ [Masks](masks) :blue-background[**Tom**]"
    )
    assert shown.count("<math") == 2 and "<mfrac>" in shown and "$5" in shown and "\\" not in shown
    assert "Masks" in shown and "<a " not in shown and ":blue" not in shown


CODES = (
    "first = rows[:n[0]]",
    "a key :material/home: b",
    "one\n~~~\n# two\n~~~~\nthree",
    "  plain\n\tx",
    "`a` ``:red[b]``",
    "$x$ <b>&amp;</b>",
)


@pytest.mark.parametrize("code", CODES)
def test_lines_of_code_stay_as_they_were_written(code: str) -> None:
    """Fault: Streamlit's directives are taken out of code, or a line of tildes in it ends the block."""
    assert shown_code(code) == code


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n~`:[]$"), max_size=60))
def test_code_stays_as_it_was_written(code: str) -> None:
    assert shown_code(code) == code


def shown_code(code: str) -> str:
    """Return the lines of code as a page shows them."""
    shown = re.fullmatch(r"<pre><code>(.*)</code></pre>\n", markdown_to_page_html(markdown_code_block(code)), re.DOTALL)
    return html.unescape(shown[1]).removesuffix("\n") if shown else ""


def test_a_directive_in_a_code_span_is_code() -> None:
    assert markdown_to_page_html("`rows[:n[0]]` and :red[this]") == "<p><code>rows[:n[0]]</code> and this</p>\n"


def test_a_subtitle_is_markdown() -> None:
    """Fault: a downloaded page shows the asterisks of its subtitle."""
    page = web_page(PageContent("A page", sentence_to_html("The **loss** falls: a < b."), []))
    assert "The <strong>loss</strong> falls: a &lt; b." in page


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_text_can_become_a_script(payload: str) -> None:
    message = markdown_message(payload, "caption")
    page = web_page(
        PageContent(payload, sentence_to_html(payload), [MessageToWidget("sentence", message, False)], payload)
    )
    parts = Parts(page)
    kinds = [attributes.get("type") for tag, attributes in parts.tags if tag == "script"]
    assert kinds == ["application/json", "module"]
    assert not [tag for tag, _ in parts.tags if tag in ("img", "svg", "iframe", "link", "object", "base")]
    assert not [name for _, attributes in parts.tags for name in attributes if name.startswith("on")]
    content = json.loads(re.findall(r'id="content">(.*?)</script>', page, re.DOTALL)[0])
    assert zlib.decompress(base64.b64decode(content["widgets"][0]["data"])) == message


def test_only_its_own_scripts_may_run_and_nothing_is_fetched() -> None:
    page = web_page(PageContent("A page", "", [MessageToWidget("sentence", markdown_message("Words.", "text"), False)]))
    policy = next(a["content"] for tag, a in Parts(page).tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert "connect-src" not in rules
    (inline,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{digest}' 'wasm-unsafe-eval'"  # no kind of address, no other script
    assert not re.search(r'(src|href)="(https?:)?//', page)


def test_a_model_from_the_command_line(tmp_path: Path, refused: Refused) -> None:
    out = tmp_path / "page.html"
    done = _run("stories", "--out", str(out), "--set", "text=Mia had a <b>boat</b>.")
    assert done.returncode == 0, done.stderr
    page = out.read_text(encoding="utf-8")
    assert len(page.encode()) <= 3_000_000
    content = json.loads(re.findall(r'id="content">(.*?)</script>', page, re.DOTALL)[0])
    weights = [zlib.decompress(base64.b64decode(one)) for one in content["files"].values()]
    assert len(weights) == 2  # the model, and its training
    assert str(SHIPPED_MODELS) not in page and str(tmp_path) not in page and "<b>boat" not in page
    for asked in ("nobody", "stories-gru"):
        refused(asked, "--out", str(out))


def test_an_exhibit_with_its_inputs_from_the_command_line(tmp_path: Path, refused: Refused) -> None:
    out = tmp_path / "page.html"
    text = "Mia found a ball."
    done = _run("heads.one-head", "--out", str(out), "--set", f"text={text}", "--set", "layer=0", "--set", "head=2")
    assert done.returncode == 0, done.stderr
    page = out.read_text(encoding="utf-8")
    assert len(page.encode()) <= 400_000
    sent = _content(page)[1]
    chosen = {one["choice"]["name"]: one["choice"]["value"] for one in sent if "choice" in one}
    assert (chosen["layer"], chosen["head"]) == (0, 2)
    assert [one["rows"] for one in sent if one.get("widget") == "matrix"] == [
        list(load_model_and_text("stories", text).tokens)
    ]
    for name, is_computed in (("masks.where-the-mask-belongs", False), ("heads.set-a-row", True)):
        files, sent = _content(exhibit_page(name, {"text": text}))
        assert is_computed == bool(files)  # it brings the model that answers
        assert all(bool(one["choice"]["fixed"]) != is_computed for one in sent if "choice" in one)
    sent = _content(exhibit_page("next-token.write", {}))[1]
    drawn = {one["choice"]["name"]: not one["choice"]["hidden"] for one in sent if "choice" in one}
    assert drawn["temperature"]  # the picture that moves it in the app is not on this page
    wrong = ("--set", "layer=many"), ("--set", "layer"), ("--set", "layre=1")
    for name, inputs in (*(("heads.one-head", one) for one in wrong), ("sizes.law", ())):  # that one asks for a guess
        refused(name, "--out", str(out), *inputs)
    offered = refused("heads.one-head", "--out", str(out), "--set", "model=gpt2").partition("is not one of: ")[2]
    assert offered.startswith("stories, ")  # what can be typed, and not the models' titles


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(all_exhibits()))
def test_every_exhibit_has_a_page_or_says_why_not(name: str) -> None:
    controls = all_exhibits()[name].exhibit().module.Inputs.controls()
    if name in WITHOUT or any(one.default == NOT_YET for _, one in controls):
        with pytest.raises(ValueError, match="no page of its own"):
            exhibit_page(name, {})
    else:
        assert len(exhibit_page(name, {}).encode()) <= LARGE.get(name, 450_000)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Refused]:
    """The command, in this process, for a new one imports the house: it has to end with words, and not with a fault."""

    def run(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["core.export", *options])
        with pytest.raises(SystemExit) as left:
            main()
        said = left.value.code if isinstance(left.value.code, str) else capsys.readouterr().err
        assert left.value.code and said.strip()
        return said

    level = get_logger("root").level
    yield run
    set_log_level(level)


def _run(*options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "core.export", *options], capture_output=True, text=True, timeout=600)


def _content(page: str) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The files that a page brings, and the headers of what its widgets are sent."""
    content = json.loads(re.findall(r'id="content">(.*?)</script>', page, re.DOTALL)[0])
    sent = [unpack_message(zlib.decompress(base64.b64decode(one["data"])))[0] for one in content["widgets"]]
    return content["files"], sent
