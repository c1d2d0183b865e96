"""The page before any script has run: words in it, nothing fetched for nothing, a language for browsers without one.

Faults that these would catch: a white screen until the app has come; an icon shown as its name, because the font that
ships lacks it; an address in the page that leads nowhere; a RangeError of Intl.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from core.rooms import loading_screen_content, rooms
from core.ui.frame import first_page_html
from core.ui.frame.icons import ROOT, _icons_in_font, _icons_in_use
from core.ui.server import assets
from core.ui.server.security_middleware import _content_security_policy, host_and_frame_rules

STATIC = Path(streamlit.__file__).parent / "static"


def page_of(address: str = "") -> str:
    return first_page_html._first_page(*loading_screen_content(address)).decode()


@pytest.fixture(scope="module")
def client() -> TestClient:
    def own(_: object) -> HTMLResponse:
        return HTMLResponse("<p>another page</p>", headers={"etag": '"1"'})

    routes = [Route("/own", own), Mount("/", StaticFiles(directory=STATIC, html=True))]
    return TestClient(
        Starlette(
            routes=routes, middleware=[Middleware(first_page_html.FirstPageMiddleware, words=loading_screen_content)]
        )
    )


def test_every_room_has_its_own_first_words_in_plain_text() -> None:
    for room in rooms():
        page = page_of(room.address)
        words = re.search(r'<div id="gf-first" role="status">(.*?)</div>', page)
        assert words is not None
        title, sentence, _ = re.findall(r"<p[^>]*>(.*?)</p>", words[1])
        assert title and sentence and not re.search(r"[*`<]|\]\(", title + sentence)
        assert page.index("gf-first") < page.index("stylesheet"), "the style sheet would hold the words up"
    assert "Attention heads" in page_of("heads") and "see through" in page_of("nowhere")


def test_words_are_text_and_never_markup() -> None:
    page = first_page_html._first_page("<b>&", "**a** [b](c) `<script>`").decode()
    assert "&lt;b&gt;&amp;" in page and "<p>a b &lt;script&gt;</p>" in page


def test_nothing_is_fetched_for_nothing_and_every_address_leads_somewhere() -> None:
    page = page_of()
    assert "SourceSans" not in page + first_page_html._style_sheet().decode()
    assert (
        "MaterialSymbols" not in first_page_html._style_sheet().decode()
        and "fonts/icons.woff2" in first_page_html._style_sheet().decode()
    )
    links = re.findall(r'rel="modulepreload" fetchpriority="low" crossorigin href="\./([^"?]+)', page)
    assert "widgets/home/sheets.js" in links and len(links) == len(set(links))
    assert any("BidiComponent" in one for one in links), "Streamlit has renamed its parts: see _PARTS"
    for link in links:
        kind, _, name = link.partition("/")
        assert (assets.find_asset("widgets", name) if kind == "widgets" else STATIC / link).is_file(), link


def test_the_policy_allows_the_script_in_the_page() -> None:
    assert first_page_html.inline_script_hash() in _content_security_policy(host_and_frame_rules(), "localhost")
    assert f"<script>{first_page_html._page_script()}</script>" in page_of()


def test_streamlits_page_goes_out_as_ours_and_no_other_is_touched(client: TestClient) -> None:
    ours = client.get("/", headers={"accept-encoding": "gzip"})
    assert ours.text == page_of() and ours.headers["content-encoding"] == "gzip"
    assert client.get("/", headers={"accept-encoding": "identity"}).text == page_of()
    assert client.get("/", headers={"if-none-match": ours.headers["etag"]}).status_code == 304
    assert client.get("/", headers={"if-none-match": '"older"', "range": "bytes=0-9"}).text == page_of()
    assert client.head("/").text == "" and client.head("/").headers["content-length"]
    assert client.get("/own").text == "<p>another page</p>"
    [sheet] = (STATIC / "static" / "css").glob("index.*.css")
    assert client.get(f"/static/css/{sheet.name}").content == first_page_html._style_sheet()


def test_the_font_has_every_icon_that_the_app_or_streamlit_shows() -> None:
    ours, streamlits = _icons_in_use()
    lacking = (ours | streamlits) - _icons_in_font() - {"star_filled"}  # which Streamlit's own font lacks, too
    assert not lacking, f"{sorted(lacking)}: run python -m core.ui.frame.icons"
    assert (ROOT / "assets" / "fonts" / "icons-LICENSE.txt").is_file()


def test_every_icon_is_named_in_full() -> None:
    """One put together from parts would not be found, and the font would lack it."""
    for path in [*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py")]:
        assert ":material/{" not in path.read_text(encoding="utf-8") or path.name == "icons.py", path


NO_LANGUAGE = """
globalThis.MutationObserver = class { observe() {} };
globalThis.document = { documentElement: null, addEventListener() {} };
globalThis.addEventListener = () => {};
const told = %s;
Object.defineProperty(globalThis, "navigator", { value: Object.freeze({ language: told, languages: [told] }) });
%s
const kinds = ["Collator", "DateTimeFormat", "ListFormat", "NumberFormat", "PluralRules", "Segmenter"];
for (const kind of kinds) new Intl[kind](told);
new Intl.Locale(told); Intl.NumberFormat(told); Intl.DateTimeFormat([told]);
(5).toLocaleString(told); new Date().toLocaleDateString(told); new Date().toLocaleTimeString([told]);
console.log(Intl.NumberFormat("de").format(1.5), new Intl.NumberFormat(told).format(1.5));
try { new Intl.NumberFormat("en", { style: "none" }); console.log("allowed"); } catch { console.log("refused"); }
"""


@pytest.mark.parametrize("told", ["", "C", "c", "en_US.UTF-8", "not a language"])
def test_a_browser_without_a_language_gets_english(node: str, told: str) -> None:
    script = NO_LANGUAGE % (json.dumps(told), first_page_html._page_script())
    ran = subprocess.run([node, "-e", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1,5", "1.5", "refused"]
