// Two bars for each token, a hollow one above a full one: one distribution held against another.
import { el, format } from "../drawing/elements.js";
import { short } from "../drawing/tokens.js";

const ROW = 34; // css pixels, in a file
const NAMES = 120;

/** Draws into `box`: `show(tokens, hollow, full, names)`. */
export function pairBars(box) {
  const key = el("div", { class: "gf-legend" });
  const rows = el("div", { class: "gf-pairs" });
  box.append(key, rows);
  const bar = (kind, share) => {
    const length = el("i", { class: kind });
    length.style.width = `${share * 100}%`;
    return el("div", {}, length, el("span", { text: format(share, 3) }));
  };
  return (tokens, hollow, full, names) => {
    key.replaceChildren(
      ...["hollow", "full"].map((kind, i) => el("span", {}, el("i", { class: kind }), ` ${names[i]}`)),
    );
    rows.replaceChildren(
      ...tokens.flatMap((token, i) => [
        el("bdi", { text: short(token, 14) }),
        el("div", {}, bar("hollow", hollow[i]), bar("full", full[i])),
      ]),
    );
  };
}

export const heightOf = (n) => 30 + n * ROW;

/** The same for a file, so many pixels wide. */
export function paintPairs(p, tokens, hollow, full, names, { theme, width }) {
  const text = { fill: theme.text, size: 12, font: theme.font };
  const long = width - NAMES - 60;
  const bar = (x, y, share, isFull) => {
    const [fill, stroke] = isFull ? [theme.categorical[0], undefined] : [undefined, theme.soft];
    p.rect(x, y, Math.max(0.5, share * long), 12, { fill, stroke, radius: 2 });
  };
  names.forEach((name, i) => {
    bar(NAMES + i * 160, 4, 12 / long, i === 1);
    p.text(name, NAMES + i * 160 + 18, 10, text);
  });
  tokens.forEach((token, i) => {
    const y = 30 + i * ROW;
    p.text(short(token, 14), NAMES - 8, y + 14, { ...text, font: theme.code, align: "right" });
    for (const [line, share] of [hollow[i], full[i]].entries()) {
      bar(NAMES, y + line * 14, share, line === 1);
      p.text(format(share, 3), NAMES + share * long + 6, y + line * 14 + 6, text);
    }
  });
}

export const PAIR_STYLE = `
.gf-pairs { display: grid; grid-template-columns: max-content 1fr; gap: 6px 10px; align-items: center; font-size: 0.8125rem; }
.gf-pairs bdi { font-family: var(--st-code-font); text-align: right; white-space: pre; }
.gf-pairs div > div { display: flex; align-items: center; gap: 5px; height: 14px; padding-right: 3.2em; }
.gf-pairs i { flex: none; height: 11px; min-width: 1px; }
.gf-pairs span { font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf .hollow, .gf .full { box-sizing: border-box; border-radius: 2px; border: 1.5px solid var(--gf-soft); }
.gf .full { background: var(--gf-fill); border-color: var(--gf-fill); }
.gf-legend i { display: inline-block; width: 12px; height: 11px; vertical-align: -1px; }
`;
