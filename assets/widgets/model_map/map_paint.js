// Draws the map: panels, the stream of each token, tiles of its numbers, maps and threads of the heads. What moves is
// drawn over it, see map_moving.js.
import { mix, raster, scale } from "../drawing/color.js";
import { clamp, measure } from "../drawing/elements.js";
import { fitted, word } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { thread } from "./map_layout.js";
import { size, streams, threads, wholeSize } from "./map_numbers.js";

const HUES = [0, 2, 3, 4, 5, 6]; // of the categories; the second is too near to the accent
const MOST_HUES = 6;
const SPREAD = 2.5; // root mean squares of a tensor, from which its colors are the strongest

/** A color for each head of a layer; where there are too many, for those that read most for the token looked at. */
export function headColors(pass, layer, focus, theme) {
  const hue = (i) => theme.categorical[HUES[i]];
  const { nHead, nToken } = pass;
  if (nHead <= MOST_HUES) return Array.from({ length: nHead }, (_, h) => hue(h));
  const data = pass.weights(layer);
  const most = Array.from({ length: nHead }, (_, h) => {
    const at = (h * nToken + focus) * nToken;
    return { h, w: Math.max(0, ...data.subarray(at, at + focus)) };
  }).sort((a, b) => b.w - a.w);
  const colors = Array(nHead).fill(mix(theme.page, theme.text, 0.45));
  most.slice(0, 4).forEach(({ h }, i) => (colors[h] = hue(i)));
  return colors;
}

/** The pictures of a pass: one pixel for each number. */
export function rasters(pass, mode) {
  const { taps, nToken, nLayer, nHead } = pass;
  const signed = scale("signed", -1, 1, mode);
  const weight = scale("probability", 0, 1, mode);
  const tiles = (tensor) => {
    if (!tensor?.tile && !tensor?.data) return null;
    const d = tensor.tile?.n ?? tensor.shape[1];
    const columns = Math.ceil(Math.sqrt(2.6 * d));
    const each = Math.ceil(d / columns); // rows of pixels for a token
    const limit = tensor.tile ? 1 : SPREAD * wholeSize(tensor);
    const value = tensor.tile?.value ?? ((at) => tensor.data[at]);
    const image = raster(columns, each * nToken, signed.rgb, (i) => {
      const at = i % (columns * each);
      return at < d ? signed.level(value(Math.floor(i / (columns * each)) * d + at) / limit) : null;
    });
    return { image, rowsOf: (t) => [t * each, each] };
  };
  const tap = (name) => taps?.get(name);
  return {
    pass,
    mode,
    streams: taps ? streams(pass).map(({ name }) => tiles(tap(name))) : [],
    mlps: Array.from({ length: nLayer }, (_, l) => tiles(tap(`blocks.${l}.mlp.act`))),
    heads: Array.from({ length: nLayer }, (_, l) => {
      const data = pass.weights(l);
      const isCausal = pass.model?.config.causal !== false;
      return Array.from({ length: nHead }, (_, h) =>
        raster(nToken, nToken, weight.rgb, (i) =>
          isCausal && i % nToken > Math.floor(i / nToken) ? null : weight.level(data[h * nToken * nToken + i]),
        ),
      );
    }),
  };
}

/**
 * Everything that stands still; the regions of the picture that one can point at: [{x, y, w, h, place, t, ...}].
 *
 * @param {any} p painter
 * @param {{g: any, pass: any, images: any, focus: number, theme: any, isOff: (edit: any) => boolean, only: any,
 *   differs: (t: number) => boolean}} look
 *   `only`: {layer, head} whose threads alone are drawn
 */
export function paintMap(p, look) {
  const regions = [];
  const put = (box, told) => regions.push({ x: box[0], y: box[1], w: box[2], h: box[3], ...told });
  paintPanels(p, look, put);
  paintThreads(p, look);
  if (look.pass.taps) paintLines(p, look);
  if (look.pass.taps) paintTiles(p, look, put);
  paintTokens(p, look, put);
  for (let l = 0; l < look.pass.nLayer; l++) paintHeads(p, look, l, put);
  paintNames(p, look);
  return regions;
}

const TWO_LABELS = 250; // pixels in which a layer's name, "attention off" and "MLP off" fit

const small = ({ g, theme }) => ({ size: 12 * g.unit, font: theme.font, fill: theme.soft });

function paintPanels(p, look, put) {
  const { g, theme } = look;
  g.blocks.forEach((b, layer) => {
    const box = g.isNarrow ? [2, b.p0, g.width - 4, b.p1 - b.p0] : [b.p0, 2, b.p1 - b.p0, g.height - 4];
    p.rect(...box, { fill: theme.panel, stroke: theme.line, radius: 12 });
    if (!g.isNarrow && b.p1 - b.p0 < 40) put(box, { place: { layer } }); // its name is too small to be hit
  });
  g.blocks.forEach((b, layer) => {
    const { room, x, y } = nameAt(g, b);
    put([x - 6, y - 14, Math.max(40, Math.min(room - 8, 90)), 28], { place: { layer } });
  });
}

const nameAt = (g, b) =>
  g.isNarrow ? { room: g.width, x: 14, y: b.p0 + 16 } : { room: b.p1 - b.p0, x: b.z0, y: g.top.name };

/** The layers' names. On a phone the tokens' lines run down through them: each stands on a piece of its panel. */
export function paintNames(p, look) {
  const { g, pass, theme, isOff } = look;
  const name = { size: 14 * g.unit, font: theme.font, weight: 650, fill: theme.text };
  const narrow = { size: 12 * g.unit, weight: 550 };
  g.blocks.forEach((b, layer) => {
    const { room, x, y } = nameAt(g, b);
    const every = Math.ceil((20 * g.unit) / Math.max(room, 1)); // where layers are narrow, some have their number
    const long = measure(labels("layer", { layer }), name.size, name.font) + 12;
    if (g.isNarrow) p.rect(x - 4, y - 10, long, 20, { fill: theme.panel });
    if (room > 90) p.text(labels("layer", { layer }), x, y, name);
    else if (layer % every === 0) p.text(`${layer}`, x, y, every > 1 ? { ...name, ...narrow } : name);
    const [attnOff, mlpOff] = ["attn", "mlp"].map((part) => isOff({ part, layer }));
    const hasName = !g.isNarrow && room > 120 * g.unit && pass.taps?.has(`blocks.${layer}.mlp.act`);
    const isTight = attnOff && room < TWO_LABELS * g.unit; // both labels would lie on one another
    if (hasName && !isTight) {
      p.text(labels(mlpOff ? "off.mlp" : "mlp"), b.f1, g.top.name, { ...small(look), align: "right", weight: 600 });
    }
    if (attnOff) p.text(labels(mlpOff && isTight ? "off.both" : "off.attn"), x + 64 * g.unit, y, small(look));
  });
}

/** From each token to those that read it. */
function paintThreads(p, { g, pass, focus, theme, only, isOff }) {
  for (let layer = 0; layer < pass.nLayer; layer++) {
    if (only && only.layer !== layer) continue;
    const colors = headColors(pass, layer, focus, theme);
    const isCrowded = pass.nToken > 24;
    for (const { head, from, to, weight, isBold } of threads(pass, layer, focus, only?.head ?? null)) {
      if (isOff({ part: "head", layer, head }) || isOff({ part: "attn", layer })) continue;
      const [a, b, c, d] = thread(g, layer, head, pass.nHead, from, to).map((xy) =>
        xy.map((v) => v.toFixed(1)).join(" "),
      );
      p.path(`M${a}C${b} ${c} ${d}`, {
        stroke: colors[head],
        width: isBold ? 0.8 + 4.5 * weight * g.unit : 1.1,
        opacity: isBold ? 0.35 + 0.6 * weight : isCrowded ? 0.2 : 0.34,
      });
    }
  }
}

/** The stream: one line for each token, as thick as its numbers are large; and where the parts are added to it. */
function paintLines(p, { g, pass, focus, theme }) {
  const { taps, nLayer } = pass;
  const ends = [
    [g.label + 2, g.emb, "embed"],
    [g.emb + g.tile, g.blocks[0].add1, "embed"],
  ];
  g.blocks.forEach((b, l) => {
    const next = l + 1 < nLayer ? g.blocks[l + 1].add1 : g.final;
    ends.push([b.add1, b.add2, `blocks.${l}.resid_mid`], [b.add2, next, `blocks.${l}.resid_out`]);
  });
  const largest = Math.max(...ends.map(([, , name]) => wholeSize(taps.get(name))));
  const quiet = mix(theme.page, theme.text, 0.24);
  for (let t = 0; t < pass.nToken; t++) {
    const isOn = t === focus;
    for (const [from, to, name] of ends) {
      const share = size(taps.get(name), t) / largest;
      const width = clamp(share * 5 * g.unit, 0.8, 0.4 * g.rowHeight) * (isOn ? 1.2 : 0.8);
      p.line([g.at(from, g.row(t)), g.at(to, g.row(t))], { color: isOn ? theme.accent : quiet, width });
    }
    for (const { add1, add2, p0, p1 } of g.blocks) {
      for (const u of p1 - p0 > 60 ? [add1, add2] : []) plus(p, g.at(u, g.row(t)), isOn, { g, theme, quiet });
    }
  }
}

function plus(p, [x, y], isOn, { g, theme, quiet }) {
  const r = isOn ? Math.min(6.5, 0.45 * g.rowHeight) : Math.min(3, 0.2 * g.rowHeight);
  if (!isOn) {
    p.rect(x - r, y - r, 2 * r, 2 * r, { fill: quiet, radius: r });
    return;
  }
  p.rect(x - r, y - r, 2 * r, 2 * r, { fill: theme.page, stroke: theme.accent, width: 1.4, radius: r });
  p.segment(x - r + 2, y, x + r - 2, y, { color: theme.accent, width: 1.4 });
  p.segment(x, y - r + 2, x, y + r - 2, { color: theme.accent, width: 1.4 });
}

function paintTiles(p, look, put) {
  const { g, pass, images, focus, theme, differs } = look;
  const deep = clamp(0.72 * g.rowHeight, 2, 24 * g.unit);
  const place = { embed: g.emb, final: g.final };
  const heading = { ...small(look), align: "center", weight: 600 };
  if (!g.isNarrow) {
    p.text(labels("embed"), g.emb + g.tile / 2, g.top.name, heading);
    p.text(labels("final"), g.final + g.tile / 2, g.top.name, heading);
  }
  streams(pass).forEach(({ name, at }, k) => {
    const u = place[at] ?? g.blocks[at].stream;
    const tiles = images.streams[k];
    if (u === null || !tiles) return;
    for (let t = 0; t < pass.nToken; t++) {
      const box = g.box(u, g.row(t) - deep / 2, g.tile, deep);
      p.rect(...box, { fill: theme.page });
      p.image(tiles.image, ...box, { smooth: deep < 6, rows: tiles.rowsOf(t) });
      frame(p, box, t === focus, theme);
      if (differs(t) && k) p.rect(box[0], box[1] + box[3] + 1, box[2], 2, { fill: theme.accent });
      put(box, { place: { layer: typeof at === "number" ? at : undefined, name }, t });
    }
  });
  g.blocks.forEach((b, layer) => {
    const tiles = images.mlps[layer];
    for (let t = 0; tiles && t < pass.nToken; t++) {
      const half = clamp(0.5 * g.rowHeight, 2, 16 * g.unit);
      const box = g.box(b.f0, g.row(t) - half - (g.rowHeight > 14 ? 3 : 0), b.f1 - b.f0, half);
      p.rect(...box, { fill: theme.page });
      p.image(tiles.image, ...box, { smooth: true, rows: tiles.rowsOf(t) });
      if (t === focus) frame(p, box, true, theme);
      put(box, { place: { layer, part: "mlp" }, t });
    }
  });
}

function frame(p, [x, y, w, h], isOn, theme) {
  if (isOn || h > 8) p.rect(x, y, w, h, { stroke: isOn ? theme.accent : theme.line, width: isOn ? 1.6 : 0.8 });
}

/** The tokens; where rows are low, those that the one looked at reads most, and some between. */
function paintTokens(p, { g, pass, focus, theme }, put) {
  const letter = Math.min(13 * g.unit, Math.max(11 * g.unit, 0.62 * g.rowHeight));
  const every = Math.ceil((letter + 1) / g.rowHeight);
  const room = (g.isNarrow ? g.label : g.label - 4) - 6;
  for (let t = 0; t < pass.nToken; t++) {
    const isOn = t === focus;
    const r = g.row(t);
    const box = g.box(0, r - g.rowHeight / 2, g.label, g.rowHeight);
    put(box, { t, isToken: true });
    if (!isOn && (t % every || Math.abs(t - focus) < every)) continue;
    const text = fitted(word(pass.tokens[t]), room, (one) => measure(one, letter, theme.code));
    const look = { size: letter, font: theme.code, weight: isOn ? 700 : 400, fill: isOn ? theme.accent : theme.text };
    if (g.isNarrow) p.text(text, r, g.label - 4, { ...look, rotate: -90, align: "left" });
    else p.text(text, g.label - 4, r, { ...look, align: "right" });
  }
}

/** The maps of a layer's heads. */
function paintHeads(p, { g, pass, images, focus, theme, isOff, only }, layer, put) {
  const colors = headColors(pass, layer, focus, theme);
  g.blocks[layer].thumbs.forEach(({ x, y, size: s }, head) => {
    const off = isOff({ part: "head", layer, head });
    const isOnly = only?.layer === layer && only.head === head;
    p.rect(x, y, s, s, { fill: theme.page });
    if (!off) p.image(images.heads[layer][head], x, y, s, s, { smooth: s < pass.nToken });
    p.rect(x, y, s, s, { stroke: isOnly ? theme.accent : theme.line, width: isOnly ? 2 : 1 });
    const c = s / pass.nToken;
    if (!off && c > 1.5) p.rect(x, y + focus * c, (focus + 1) * c, Math.max(1, c), { stroke: theme.accent });
    if (s >= 18) p.rect(x, y + s + 1, s, 3, { fill: off ? theme.line : colors[head] });
    if (off) {
      p.text(labels("off"), x + s / 2, y + s / 2, { size: 11, font: theme.font, fill: theme.soft, align: "center" });
    }
    put([x, y, s, s + 4], { place: { layer, head }, head });
  });
}
