"""The icons in use: names, and their font (assets/fonts/icons.woff2, 20 kB instead of Streamlit's 375).

    python -m core.ui.frame.icons        # rebuilds it; needs fonttools and brotli, which the app itself doesn't

The font is Google's Material Symbols Rounded (Apache License 2.0, assets/fonts/icons-LICENSE.txt) as it ships with
Streamlit. An icon is a ligature: its name, spelled in letters, is drawn as one glyph.
"""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FONT = ROOT / "assets" / "fonts" / "icons.woff2"
NAMES = FONT.with_name("icons.txt")
_ICON = re.compile(r":material/([a-z0-9_]+):")
_OURS = ("app.py", "core/**/*.py", "pages/**/*.py", "assets/**/*.md", "assets/**/*.js")


def _icons_in_use() -> tuple[set[str], set[str]]:
    """Return the names of all icons that the app or Streamlit's own browser code may use."""
    import streamlit

    scripts = (Path(streamlit.__file__).parent / "static").rglob("*.js")
    ours = (path for pattern in _OURS for path in ROOT.glob(pattern))
    return _named(ours) - {"name"}, _named(scripts)


def _named(files: Iterable[Path]) -> set[str]:
    return {name for path in files for name in _ICON.findall(path.read_text(encoding="utf-8"))}


def _icons_in_font() -> set[str]:
    """Return the names of the icons in the shipped font, as written by `main`."""
    return set(NAMES.read_text(encoding="utf-8").split())


def main() -> None:
    """Rebuild the font.

    Raises:
        SystemExit: if Streamlit's font lacks an icon that the app uses.
    """
    import streamlit
    from fontTools import subset  # type: ignore[import-not-found]
    from fontTools.ttLib import TTFont  # type: ignore[import-not-found]

    [whole] = (Path(streamlit.__file__).parent / "static").rglob("MaterialSymbols-Rounded*.woff2")
    font = TTFont(whole)
    letters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    glyphs = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            for first, ligatures in getattr(getattr(table, "ExtSubTable", table), "ligatures", {}).items():
                for one in ligatures:
                    spelled = "".join(letters.get(glyph, "?") for glyph in (first, *one.Component))
                    glyphs[spelled] = one.LigGlyph
    ours, streamlits = _icons_in_use()
    if missing := sorted(ours - {*glyphs}):
        raise SystemExit(f"Streamlit's font has no icon {', '.join(missing)}")
    names = sorted((ours | streamlits) & {*glyphs})
    options = subset.Options(flavor="woff2", layout_closure=False, layout_features=["*"], hinting=False)
    cutter = subset.Subsetter(options)
    cutter.populate(glyphs=[glyphs[name] for name in names], text="".join(names))
    cutter.subset(font)
    subset.save_font(font, str(FONT), options)
    NAMES.write_text("\n".join(names) + "\n", encoding="utf-8")
    print(f"{len(names)} icons, {FONT.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
