"""The settings that a server really runs with: read as `streamlit run app.py` reads them, in a process of its own."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from core.charts import theme

ROOT = Path(__file__).resolve().parents[3]

READ = """
import json, sys
from streamlit import config
from streamlit.web import bootstrap
config._main_script_path = sys.argv[1]
bootstrap.load_config_options({})
print(json.dumps({name: config.get_option(name) for name in sys.argv[2:]}))
"""
EXPECTED = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "runner.postScriptGC": False,
    "runner.fastReruns": True,
    "runner.magicEnabled": False,
    "server.address": "127.0.0.1",
    "server.allowedHosts": ["localhost", "127.0.0.1", "::1"],
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.maxUploadSize": 10,
    "server.maxMessageSize": 20,
    "server.disconnectedSessionTTL": 600,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.headless": True,
}


def test_running_values(tmp_path: Path) -> None:
    output = subprocess.run(
        [sys.executable, "-c", READ, str(ROOT / "app.py"), *EXPECTED],
        cwd=tmp_path,  # the settings must not depend on where the command is typed
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout
    assert json.loads(output.splitlines()[-1]) == EXPECTED


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_chart_colors_are_those_of_the_theme_module(settings: dict[str, Any], mode: theme.ThemeMode) -> None:
    look = settings["theme"][mode]
    zero = len(theme._diverging_colors(mode)) // 2
    assert look["backgroundColor"] == theme.page_color(mode)
    assert look["chartCategoricalColors"] == theme.categorical_colors(mode)
    assert look["chartSequentialColors"] == theme.sequential_colors(mode)
    assert look["chartDivergingColors"] == [c for i, c in enumerate(theme._diverging_colors(mode)) if i != zero]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read_on_every_surface(settings: dict[str, Any], mode: str) -> None:
    """WCAG AA (4.5:1), also for captions, which Streamlit draws in the text color at 60 %."""
    look = settings["theme"][mode]
    surfaces = [look["backgroundColor"], look["secondaryBackgroundColor"], look["sidebar"]["backgroundColor"]]
    for ground in surfaces:
        assert _contrast(_mix(look["textColor"], ground, 0.6), ground) >= 4.5
        for name in ("primaryColor", "linkColor", "redTextColor", "greenTextColor", "blueTextColor", "yellowTextColor"):
            assert _contrast(look[name], ground) >= 4.5, name
    for name in ("blueColor", "greenColor", "orangeColor", "violetColor", "redColor", "grayColor", "codeTextColor"):
        assert _contrast(look[name], look["codeBackgroundColor"]) >= 4.5, name


def test_fonts_are_ours_and_exist(settings: dict[str, Any]) -> None:
    faces = settings["theme"]["fontFaces"]
    assert {face["family"] for face in faces} == {"Inter", "JetBrains Mono"}
    for face in faces:
        assert (ROOT / "assets" / face["url"].lstrip("/")).is_file()


def test_nothing_is_fetched_from_tmp_path() -> None:
    assert "http" not in (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    for sheet in (ROOT / "assets" / "brand").glob("*.css"):
        assert "http" not in sheet.read_text(encoding="utf-8"), sheet.name


def _mix(color: str, ground: str, share: float) -> str:
    pairs = zip(_channels(color), _channels(ground), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def _channels(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(color))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
