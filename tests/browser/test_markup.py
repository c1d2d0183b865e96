"""Markup of people's words, in a real browser: only known elements come of it, by the server's hand and by the page's.

Python's parsers read a comment or a CDATA section in another way than a browser does, so the browser is asked.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from core.browser.markdown_html import markdown_message, markdown_to_page_html, sentence_to_html, trusted_html_message
from core.browser.message_capture import MessageToWidget
from core.browser.message_packing import pack_message
from core.browser.page import PageContent, web_page
from core.browser.script_bundler import WIDGETS_FOLDER, bundle_script
from core.export.lesson_page import _asked, _card
from core.lessons.format.lesson import ChoiceForm, Lesson
from tests.browser.firefox import Firefox
from tests.chromium import FAULTS
from tests.counts import count
from tests.safety.hostile import PAYLOADS

pytestmark = pytest.mark.slow
MARKS = ("<!--", "-->", "--!>", "<!-->", "<![CDATA[", "]]>", "<?", "<!x", "</", "/>", ">", "<", '"', "'", "`", "&lt;")
TAGS = (
    "script>",
    "img src=x onerror=window.caught=1>",
    "svg/onload=window.caught=1>",
    "mtext>",
    "math>",
    "p>",
    "style>",
)
TEX = (r"\text{", r"\mathrm{", r"\href{", r"\style{", r"\unicode{x3c}", "}", "$", "$$", "{", r"\&#x3C;", "_", "^", " ")
WORDS = st.lists(st.sampled_from([*MARKS, *TAGS, *TEX, "a", "\n"]), max_size=14).map("".join)
HOSTILE = st.sampled_from(PAYLOADS) | WORDS | WORDS.map(lambda words: f"$\\text{{{words}}}$")
# What Markdown and formulas are made of. The first function parses markup as the browser does, the second as we do.
LOOK = """
([html, isOurs]) => {
  const body = isOurs ? document.createElement("body") : new DOMParser().parseFromString(html, "text/html").body;
  if (isOurs) body.append(...nodes(html));
  const math = "math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup " +
    "mtable mtd mtext mtr munder munderover";
  const page = "a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre small span strong table tbody td th " +
    "thead tr ul del sub sup";
  const known = new Set(`${math} ${page}`.split(" "));
  const wrong = [];
  for (const one of body.querySelectorAll("*")) {
    if (!known.has(one.localName)) wrong.push(one.localName);
    for (const { name, value } of one.attributes) {
      if (/^on|^(src|srcdoc|srcset|action|formaction|data|xlink:href|ping|background)$/.test(name)) wrong.push(name);
      if (name === "href" && !/^(https?:|[-\\w]+\\.html$)/i.test(value)) wrong.push(value);
      if (name === "style" && !/^text-align: ?(left|right|center)$/.test(value)) wrong.push(value);
    }
  }
  if (isOurs) document.body.append(body);
  return [wrong, window.caught ?? 0];
}
"""


@pytest.fixture(scope="module")
def parsing(browser: Any) -> Any:
    """A page without a policy that has our `nodes`."""
    page = browser.new_page()
    text = (
        (WIDGETS_FOLDER / "drawing" / "markup.js")
        .read_text(encoding="utf-8")
        .replace("export const nodes", "window.nodes")
    )
    page.add_script_tag(content=text, type="module")
    yield page
    page.close()


@settings(max_examples=count(150, 5_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HOSTILE)
def test_only_known_elements_come_of_what_people_write(parsing: Any, words: str) -> None:
    """Fault: a formula, a title or a caption is checked by a parser that reads it otherwise than a browser."""
    card = _card(Lesson(slug="one", title=words, about=words, minutes=1, needs=(), trains="", sources=(), steps=()))
    for html in (markdown_to_page_html(words), sentence_to_html(words), card):
        assert parsing.evaluate(LOOK, [html, False]) == [[], 0]


@settings(max_examples=count(150, 5_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HOSTILE)
def test_only_known_elements_are_copied_into_a_page(parsing: Any, words: str) -> None:
    """Fault: a page puts in whatever markup it is sent, raw words of a stranger included."""
    assert parsing.evaluate(LOOK, [words, True]) == [[], 0]


def test_the_copy_keeps_what_markdown_makes(parsing: Any) -> None:
    """Fault: the list of elements is too short, and a table, a link or a formula loses its form."""
    text = (
        "## A\n\n1. **b** *c* `d`\n\n> e\n\n---\n\n|f|\n|:-:|\n|g|\n\n[h](https://i.example) $\\frac{x_1}{2}$\n\n3. j"
    )
    whole = "html => [html, nodes(html).map((one) => one.outerHTML ?? one.nodeValue).join('')]"
    html, copied = parsing.evaluate(
        whole, markdown_to_page_html(text).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    )
    assert copied == html.replace("<br />", "<br>").replace("<hr />", "<hr>")


def hostile_page(payload: str) -> str:
    """A page with these words wherever a lesson puts some."""
    form = ChoiceForm(options={"a": payload, "b": "no"})
    question = {
        **_asked(payload, form, "a", payload),
        "why": {"a": markdown_to_page_html(payload)},
        "kind": "Check",
        "holds": 0,
    }
    sent = [
        MessageToWidget("sentence", markdown_message(payload, "text"), False),
        MessageToWidget(
            "sentence", trusted_html_message(payload, "caption"), False
        ),  # raw: what a page would be sent by a fault of ours
        MessageToWidget("question", pack_message(question, {}), False),
    ]
    return web_page(PageContent(payload, sentence_to_html(payload), sent, payload))


PLACES = (
    "document.querySelectorAll('.gf-question').length === 1 && document.querySelectorAll('.gf-sentence').length === 2"
)
RAN = """
(() => {
  const bad = "main script, main iframe, main img, main svg, main object, main embed, main style, main template";
  return [window.caught ?? 0, document.querySelectorAll(bad).length];
})()
"""


def test_nothing_in_an_exported_page_runs(browser: Any, firefox: Firefox, tmp_path: Path) -> None:
    """Fault: the policy of an exported page lets scripts in by the kind of their address."""
    page = browser.new_page()
    for n, payload in enumerate(PAYLOADS):
        file = tmp_path / f"{n}.html"
        file.write_text(hostile_page(payload.replace("\0", "")), encoding="utf-8")
        page.goto(file.as_uri())
        page.wait_for_function(PLACES)
        assert page.evaluate(RAN) == [0, 0], payload
        if payload.startswith("$"):
            firefox.open(file.as_uri())
            firefox.until(PLACES)
            assert firefox.evaluate(RAN) == [0, 0], payload
    page.close()


INJECTED = (
    "<script>document.title='RAN'</script>",
    "<script src=\"data:text/javascript,document.title='RAN'\"></script>",
    "<script type=module src=\"data:text/javascript,document.title='RAN'\"></script>",
    "<iframe srcdoc=\"<script src='data:text/javascript,parent.document.title=1'></script>\"></iframe>",
)


@pytest.mark.parametrize("injected", INJECTED)
def test_the_policy_alone_stops_a_script(browser: Any, firefox: Firefox, tmp_path: Path, injected: str) -> None:
    """Fault: the last line, were an element to come through after all, allows `data:` or what an iframe inherits."""
    made = web_page(PageContent("A page", "", [MessageToWidget("sentence", markdown_message("Words.", "text"), False)]))
    file = tmp_path / "page.html"
    file.write_text(made.replace("<footer>", f"{injected}<footer>"), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.get_by_text("Words.").wait_for()
    assert page.title() == "A page"
    page.close()
    firefox.open(file.as_uri())
    firefox.until("!!document.querySelector('.gf-sentence p')")
    assert firefox.evaluate("document.title") == "A page"
    assert all("Content-Security-Policy" in fault for fault in FAULTS)
    FAULTS.clear()  # Firefox says there that it has stopped the script


def test_every_widget_stands_in_one_script(browser: Any) -> None:
    """Fault: a module loses an import or an export where it is written as a function."""
    built = re.compile(r"^export default (define|picture)\(", re.MULTILINE)
    widgets = sorted(path.stem for path in WIDGETS_FOLDER.rglob("*.js") if built.search(path.read_text("utf-8")))
    made = bundle_script("web_page", widgets).replace("$page_web_page.start(", "window.mounts = (")
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"{error}"))
    page.set_content(f"<main></main><script type='module'>{made}</script>")
    page.wait_for_function("window.mounts")
    kinds = page.evaluate("Object.entries(mounts).map(([name, one]) => [name, typeof one])")
    assert kinds == [[name, "function"] for name in widgets] and not problems
    page.close()
