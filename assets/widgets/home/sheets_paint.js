// Draws the sheets of glass from below: threads up from the one beneath, the glass, what lies on it.
import { mix, raster, scale } from "../drawing/color.js";
import { measure } from "../drawing/elements.js";
import { fitted, word } from "../drawing/tokens.js";
import { expected } from "../shared/whole_pass.js";
import { columns, geometry, overBar, threads } from "./sheets_math.js";

const N_BAR = 6;
const BELOW_BAR = 21; // css pixels for its name
const SMALL = 12; // css pixels of letters on a sheet

export const glass = (mode) => (mode === "dark" ? "79,209,207" : "11,110,116");
const path = (points, end = "Z") => `M${points.map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L")}${end}`;
const up = ([x, y], [x2, y2], pull) =>
  `M${x.toFixed(1)} ${y.toFixed(1)}C${x.toFixed(1)} ${(y - pull).toFixed(1)} ${x2.toFixed(1)} ${(y2 + pull).toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`;

/** The pictures that lie on the sheets: one pixel for each number. */
export function rasters({ taps, weights: weightsOf, nToken, nLayer, nHead }, mode) {
  const embed = taps.get("embed");
  const [, d] = embed.shape;
  const signed = scale("signed", -1, 1, mode);
  const rms = Math.sqrt(embed.data.reduce((sum, v) => sum + v * v, 0) / embed.data.length) || 1;
  const weights = scale("probability", 0, 1, mode);
  return {
    mode,
    embed: Array.from({ length: nToken }, (_, t) =>
      raster(1, d, signed.rgb, (i) => signed.level(embed.data[t * d + i] / (2.5 * rms))),
    ),
    layers: Array.from({ length: nLayer }, (_, l) => weightsOf(l)).map((data) =>
      Array.from({ length: nHead }, (_, h) =>
        raster(nToken, nToken, weights.rgb, (i) =>
          i % nToken > Math.floor(i / nToken) ? null : weights.level(data[h * nToken * nToken + i]),
        ),
      ),
    ),
  };
}

/** Everything, in one frame. `drawn` is how far the orange thread has come, from 0 to 1. */
export function paintSheets(p, { width, height, labels, theme, seen, images, asks, vocabulary, drawn, written }) {
  const nSheet = seen.nLayer + 3;
  const g = geometry(width, height, nSheet, labels);
  const words = seen.tokens.map(word);
  const letters = { size: SMALL, font: theme.code, weight: 600 };
  const column = columns(words.map((one) => measure(one, SMALL, theme.code) + 14));
  const fits = column.every(({ width: share }, i) => share * g.wide >= measure(words[i], SMALL, theme.code) + 6);
  const back = (i) => (fits ? 0.5 : i % 2 ? 0.72 : 0.28); // too many for one row: every second one lies further back
  const middle = (i, sheet) => g.place(column[i].u, sheet ? 0.5 : back(i), sheet);
  for (let sheet = 0; sheet < nSheet; sheet++) {
    if (sheet > 0 && sheet < nSheet - 1) strings(p, seen, g, middle, { sheet, asks, theme });
    pane(p, g, sheet, theme);
    if (sheet === 0) chips(p, g, { words, column, middle, fits, asks, written, theme, letters });
    if (sheet === 1) vectors(p, g, { column, images: images.embed });
    if (sheet > 1 && sheet < nSheet - 1) heads(p, g, { sheet, images: images.layers[sheet - 2], theme });
  }
  const bars = barsOf(seen, g, asks, nSheet - 1);
  answer(p, { seen, g, middle, bars, asks, theme, drawn, nSheet });
  paintBars(p, bars, { theme, vocabulary, letters, drawn });
  return { g, column };
}

const whole = (p, image) => p.image(image, 0, 0, image.width, image.height);

function pane(p, g, sheet, { mode, page }) {
  const place = (u, v) => g.place(u, v, sheet);
  const [a, b, c, d] = [place(-0.03, 0), place(1.03, 0), place(1.03, 1), place(-0.03, 1)];
  const tint = glass(mode);
  const down = ([x, y]) => [x, y + 5];
  p.path(path([a, b, c, d]), { fill: page, opacity: 0.66 });
  p.path(path([a, b, c, d]), { fill: `rgba(${tint},${mode === "dark" ? 0.11 : 0.085})`, stroke: `rgba(${tint},0.42)` });
  p.path(path([a, b, down(b), down(a)]), { fill: `rgba(${tint},0.6)` }); // its edge, where glass is teal
  p.path(path([b, c, down(c), down(b)]), { fill: `rgba(${tint},0.34)` });
}

/** From each token up to itself, and from those it reads. */
function strings(p, seen, g, middle, { sheet, asks, theme }) {
  const { accent, mode } = theme;
  for (let i = 0; i < seen.nToken; i++) {
    if (i !== asks) p.path(path([middle(i, sheet - 1), middle(i, sheet)], ""), { stroke: `rgba(${glass(mode)},0.35)` });
  }
  if (sheet < 2) return;
  const strength = scale("probability", 0, 1, mode);
  for (const { from, to, weight } of threads(seen, sheet - 2, asks)) {
    p.path(up(middle(from, sheet - 1), middle(to, sheet), 0.55 * g.pitch), {
      stroke: to === asks ? accent : strength.css(0.4 + 0.5 * weight),
      width: 1 + 5 * weight,
      opacity: to === asks ? 0.85 : 0.55,
    });
  }
}

/** The tokens, each as wide as its neighbors in the row let it be; those that the model has written are tinted. */
function chips(p, g, { words, column, middle, fits, asks, written, theme, letters }) {
  const share = (i) => column[i]?.width ?? 1;
  words.forEach((text, i) => {
    const [x, y] = middle(i, 0);
    const beside = fits ? 0 : (share(i - 1) + share(i + 1)) / 2; // theirs is the other row
    const room = Math.min(measure(text, SMALL, theme.code) + 12, (share(i) + beside) * g.wide - 3);
    const isOn = i === asks;
    p.rect(x - room / 2, y - 12, room, 24, {
      fill: isOn ? theme.accent : i < words.length - written ? theme.page : mix(theme.page, theme.primary, 0.2),
      stroke: isOn ? theme.accent : `rgba(${glass(theme.mode)},0.5)`,
      radius: 5,
    });
    const label = fitted(text, room - 4, (one) => measure(one, SMALL, theme.code));
    p.text(label, x, y + 1, { ...letters, fill: isOn ? theme.onAccent : theme.text, align: "center" });
  });
}

/** Each token's vector, all its numbers from the back to the front. */
function vectors(p, g, { column, images }) {
  images.forEach((image, t) => {
    const { u, width } = column[t];
    p.laid(g.laid(u - 0.41 * width, 0.06, 0.82 * width, 0.88, 1, image.height, 1), () => whole(p, image));
  });
}

function heads(p, g, { sheet, images, theme }) {
  const share = 1 / images.length;
  images.forEach((image, h) => {
    const [u, du] = [h * share + 0.06 * share, 0.88 * share];
    p.laid(g.laid(u, 0.06, du, 0.88, image.width, image.height, sheet), () => whole(p, image));
    const corner = [g.place(u, 0.06, sheet), g.place(u + du, 0.06, sheet), g.place(u, 0.94, sheet)];
    p.path(path(corner), { stroke: `rgba(${glass(theme.mode)},0.25)` });
  });
}

function barsOf(seen, g, asks, sheet) {
  return expected(seen, asks, N_BAR).map(({ id, p }, k) => {
    const [x, y] = g.place(0.05 + k * 0.16, Math.max(0.32, BELOW_BAR / g.deep), sheet);
    return { id, p, x, y, width: 0.1 * g.wide, height: p * (0.66 * g.deep + 30) };
  });
}

/** The orange thread: up through the layers above the token that asks, and over to what it expects most. */
function answer(p, { seen, g, middle, bars, asks, theme, drawn, nSheet }) {
  const look = { stroke: theme.accent, width: 2.4, opacity: 0.95 };
  const reach = drawn * (nSheet - 1);
  for (let sheet = 1; sheet <= Math.min(seen.nLayer + 1, reach); sheet++) {
    p.path(path([middle(asks, sheet - 1), middle(asks, sheet)], ""), look);
  }
  if (reach < nSheet - 1.01) return;
  const [first] = bars;
  p.path(up(middle(asks, nSheet - 2), [first.x + first.width / 2, first.y + 26], 0.7 * g.pitch), look);
}

function paintBars(p, bars, { theme, vocabulary, letters, drawn }) {
  const strength = scale("probability", 0, 1, theme.mode);
  bars.forEach(({ id, p: share, x, y, width, height }, k) => {
    const isFirst = k === 0 && drawn === 1;
    p.rect(x, y - height, width, height, { fill: isFirst ? theme.accent : strength.css(0.62) });
    const middle = x + width / 2;
    const ink = { ...letters, fill: isFirst ? theme.accent : theme.text, align: "center" };
    const label = fitted(word(vocabulary(id)), 1.5 * width, (one) => measure(one, SMALL, theme.code));
    p.text(label, middle, y + 13, ink);
    p.text(overBar(share), middle, y - height - 9, { ...ink, weight: 500 });
  });
}
