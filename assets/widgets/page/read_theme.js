// What Streamlit's page looks like now, for what is drawn in it.
import { luminance, mix, readableOn } from "../drawing/color.js";
import { COLORS } from "../drawing/theme.js";

let probe;
/** Any css color as #rrggbb; transparency is dropped. */
function hex(css, fallback) {
  probe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  probe.fillStyle = fallback;
  probe.fillStyle = css.trim() || fallback;
  const found = probe.fillStyle;
  return found.startsWith("#")
    ? found
    : `#${found
        .match(/\d+/g)
        .slice(0, 3)
        .map((v) => (+v).toString(16).padStart(2, "0"))
        .join("")}`;
}

/** The colors and fonts in force at `node`, light or dark told by the page's own brightness. */
export function readTheme(node) {
  const css = getComputedStyle(node);
  const get = (name) => css.getPropertyValue(name);
  const page = hex(get("--st-background-color"), "#ffffff");
  const text = hex(get("--st-text-color"), "#111322");
  const dark = luminance([1, 3, 5].map((i) => parseInt(page.slice(i, i + 2), 16))) < 0.2;
  const mode = dark ? "dark" : "light";
  const presenting = document.documentElement.classList.contains("gf-present"); // from the last row only strong colors carry
  const accent = presenting && !dark ? "#782203" : COLORS[mode].accent;
  const soft = presenting ? 0.88 : dark ? 0.68 : 0.7;
  return {
    mode,
    presenting,
    page,
    text,
    accent,
    soft: mix(page, text, soft),
    line: mix(page, text, presenting ? 0.4 : 0.16),
    panel: mix(page, text, 0.045),
    wash: mix(page, text, 0.09),
    onAccent: readableOn(accent),
    primary: hex(get("--st-primary-color"), accent), // what the picture is about; accent is only what is pointed at
    truth: COLORS[mode].categorical[3],
    categorical: COLORS[mode].categorical,
    font: get("--st-font") || "sans-serif",
    code: get("--st-code-font") || "monospace",
    // A projector page has larger letters.
    unit: parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1,
  };
}
