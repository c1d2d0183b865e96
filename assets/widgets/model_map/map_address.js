// What one has set in the map as a list of whole numbers, as an address holds it, and back. Pure; tested with node.

/** All names of tensors that a place or an edit can have, in a fixed order. */
export const tensorNames = (nLayer) => [
  ...["embed", "final", "logits", "probabilities"],
  ...Array.from({ length: nLayer }, (_, layer) => PARTS.map((part) => `blocks.${layer}.${part}`)).flat(),
];
const PARTS = [
  ...["resid_in", "attn.q", "attn.k", "attn.v", "attn.scores", "attn.weights", "attn.heads", "attn.out", "resid_mid"],
  ...["mlp.pre", "mlp.act", "mlp.out", "resid_out"],
];
const KINDS = ["head", "attn", "mlp", "token", "weight", "cell"];
const FINE = 1000; // a value is kept so finely,
const SHIFT = 1e4; // and as no number below 0

const level = (value) => Math.round((value + SHIFT) * FINE);
const value = (/** @type {number} */ found) => found / FINE - SHIFT;
const orNull = (n) => (n ? n - 1 : null);

/** @param {any} set {step, frame, focus, speed, seed, edits, place}; null where it is as it begins */
export function toNumbers({ step, frame, focus, speed, seed, edits, place }, names) {
  const plus = (/** @type {number | null | undefined} */ n) => (n === null || n === undefined ? 0 : n + 1);
  const changed = edits.map((edit) => {
    const { layer = 0, head = 0, query = 0, key = 0, position = 0, name, at = [] } = edit;
    const kind = KINDS.indexOf(edit.part);
    if (edit.part === "token") return [kind, position, 0, 0, 0, 0];
    if (edit.part === "weight") return [kind, layer, head, query, key, level(edit.value)];
    if (edit.part === "cell") {
      return [kind, names.indexOf(name), ...[...at.map(plus), 0].slice(0, 3), level(edit.value)];
    }
    return [kind, layer, head, 0, 0, 0];
  });
  const { layer, head, part, name, cell = [] } = place;
  const where = [plus(layer), plus(head), Number(part === "mlp"), name ? names.indexOf(name) + 1 : 0];
  const found = [
    plus(step),
    plus(frame),
    plus(focus),
    speed,
    seed,
    ...where,
    plus(cell[0]),
    plus(cell[1]),
    ...changed.flat(),
  ];
  return found;
}

/** The other way; null where it was no list of ours. */
export function fromNumbers(found, names) {
  if (found.length < 11 || (found.length - 11) % 6) return null;
  const [step, frame, focus, speed, seed, layer, head, isMlp, name, row, column, ...rest] = found;
  const place = {
    ...(layer && { layer: layer - 1 }),
    ...(head && { head: head - 1 }),
    ...(isMlp && { part: "mlp" }),
    ...(name && { name: names[name - 1] }),
    ...(row && column && { cell: [row - 1, column - 1] }),
  };
  const edits = [];
  for (let i = 0; i < rest.length; i += 6) {
    const [kind, a, b, c, d, last] = rest.slice(i, i + 6);
    const part = KINDS[kind];
    if (part === "head") edits.push({ part, layer: a, head: b });
    else if (part === "token") edits.push({ part, position: a });
    else if (part === "weight") edits.push({ part, layer: a, head: b, query: c, key: d, value: value(last) });
    else if (part === "cell") {
      edits.push({ part, name: names[a], at: [b, c, d].filter(Boolean).map((n) => n - 1), value: value(last) });
    } else if (part) edits.push({ part, layer: a });
  }
  return { step: orNull(step), frame: orNull(frame), focus: orNull(focus), speed, seed, edits, place };
}

/** Whether all this is there in a model and a text: a link may come from another one. */
export function fits({ edits, place, focus }, { nLayer, nHead, nToken, taps }) {
  const isIn = (n, size) => n === undefined || n === null || (n >= 0 && n < size);
  const hasPlace = ({ name, at }) => {
    const { shape } = taps.get(name) ?? { shape: [] };
    return shape.length === at.length && at.every((i, axis) => i < shape[axis]);
  };
  const isThere = (edit) =>
    isIn(edit.layer, nLayer) &&
    isIn(edit.head, nHead) &&
    [edit.position, edit.query, edit.key].every((t) => isIn(t, nToken)) &&
    (edit.part !== "cell" || (edit.name && hasPlace(edit)));
  const { layer, head, name, cell } = place;
  const isKnown = !("name" in place) || name === "probabilities" || taps.has(name);
  const hasHead = /attn\.(q|k|v|scores|weights|heads)$/.test(name ?? "");
  const isWhole = (head === undefined || layer !== undefined) && (!hasHead || head !== undefined);
  const nLeft = nToken - new Set(edits.filter(({ part }) => part === "token").map(({ position }) => position)).size;
  const isPlace = isIn(layer, nLayer) && isIn(head, nHead) && isKnown && isWhole && isIn(cell?.[0], nLeft);
  return edits.every(isThere) && isPlace && nLeft > 0 && isIn(focus, nLeft);
}
