// What was watched in a training, as numbers and places. Pure; tested with node.

export const EMPTY = 255;
const LEVELS = 254;

/** The number behind a level; `limit` is what the highest level of its frame stands for. */
export function valueOf(level, limit, isSigned) {
  if (level === EMPTY) return NaN;
  const middle = isSigned ? LEVELS / 2 : 0;
  return ((level - middle) / (LEVELS - middle)) * limit;
}

/** The levels of a tensor's maps in one frame. */
export function mapsOf(levels, tensor, frame) {
  const [m, r, c] = tensor.maps;
  const n = m * r * c;
  return levels.subarray(tensor.at + frame * n, tensor.at + (frame + 1) * n);
}

/** Block of a name: "update:blocks.2.attn.w_q" is layer 2; -1 outside of all layers. */
export const layerOf = (name) => Number(name.match(/\.(\d+)\./)?.[1] ?? -1);
/** The name without its layer: the same part of another layer has the same. */
export const partOf = (name) => name.replace(/\.\d+\./, ".*.");

/** Tiles laid in rows: their places and the height of all. */
export function flow(sizes, width, gap) {
  let [x, y, tall] = [0, 0, 0];
  const places = sizes.map(([w, h]) => {
    if (x && x + w > width) [x, y, tall] = [0, y + tall + gap, 0];
    const place = [x, y];
    x += w + gap;
    tall = Math.max(tall, h);
    return place;
  });
  return { places, height: y + tall };
}

/** Powers of ten around the numbers above 0, at least one decade; null without any. */
export function decades(values) {
  const known = values.filter((v) => v > 0 && Number.isFinite(v));
  if (!known.length) return null;
  const low = Math.floor(Math.log10(Math.min(...known)));
  return [low, Math.max(low + 1, Math.ceil(Math.log10(Math.max(...known))))];
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** A power of ten as an axis prints it. */
export const power = (n) =>
  n >= -3 && n <= 3
    ? String(Number(`1e${n}`))
    : `10${n < 0 ? "⁻" : ""}${[...String(Math.abs(n))].map((d) => RAISED[d]).join("")}`;

/** Three digits that count. */
export function brief(v) {
  if (!Number.isFinite(v)) return "–";
  const text = v !== 0 && Math.abs(v) < 1e-3 ? v.toExponential(1) : String(Number(v.toPrecision(3)));
  return text.replace(/-/g, "−");
}
