// A model under a mask drawn by hand, as core/rooms/masks/draw.py has it: what is read, and what comes through.
import { forward } from "../engine/forward.js";
import { fromAddress } from "../masks/reach.js";

/**
 * @param {import("../engine/forward.js").Model} model
 * @param {{ids: number[], tokens: string[], drawn: string, first: string, known: string, measure: boolean,
 *   layer: number, head: number}} asked the mask as an address has it; another in its place where that holds none; the
 *   one that the server knows
 */
export function underMask(model, { ids, tokens, drawn, first, known, measure, layer, head }) {
  const n = ids.length;
  const { mask } = fromAddress(drawn, n) ?? fromAddress(first, n);
  const name = `blocks.${layer}.attn.weights`;
  const weights = forward(model, { ids, mask }, { keep: (one) => one === name }).get(name);
  const own = weights.data.subarray(head * n * n, (head + 1) * n * n);
  return {
    is_edited: cellsOf(drawn) !== cellsOf(known),
    weights: { shape: [n, n], data: own },
    open: { shape: [n, n], data: mask },
    ...blank(mask, own, tokens),
    ...(measure ? measured(model, ids, mask) : { rule: "" }),
  };
}

const cellsOf = (text) => text.replace(/^\d+[.]/, ""); // without the layers, which only the editor shows

/** Of rows that may read nothing: how many there are, and the weights of the first. */
function blank(mask, weights, tokens) {
  const n = tokens.length;
  const rows = tokens.map((_, t) => t).filter((t) => !mask.subarray(t * n, (t + 1) * n).includes(1));
  if (!rows.length) return { blank: "", n_empty: 0, row: 0, word: "", total: 0 };
  const [row] = rows;
  const total = weights.subarray(row * n, (row + 1) * n).reduce((sum, w) => sum + w, 0);
  return { blank: "empty", n_empty: rows.length, row, word: tokens[row].trim(), total };
}

/** Replace one token after the other, and see which outputs of the last layer move; by not a bit, if none can. */
function measured(model, ids, mask) {
  const n = ids.length;
  const final = (text) => forward(model, { ids: text, mask }, { keep: (one) => one === "final" }).get("final");
  const before = final(ids);
  const { vocab_size: vocabSize, n_layer: nLayer, d_model: d } = model.config;
  const changes = new Float32Array(n * n);
  for (let s = 0; s < n; s++) {
    const another = (ids[s] + 1 + Math.floor((vocabSize - 1) / 2)) % vocabSize;
    const after = final(ids.map((id, t) => (t === s ? another : id)));
    for (let i = 0; i < n * d; i++) {
      const at = Math.floor(i / d) * n + s;
      changes[at] = Math.max(changes[at], Math.abs(after.data[i] - before.data[i]));
    }
  }
  const expected = reach(mask, n, nLayer, model.config.block.residual !== false);
  const moved = Uint8Array.from(changes, (v) => Number(v > 0));
  const n_agree = moved.reduce((sum, one, i) => sum + Number(one === expected[i]), 0);
  const isLost = n_agree < n * n && moved.every((one, i) => one <= expected[i]);
  return {
    rule: isLost ? "rounded" : "rule",
    n_moved: count(moved),
    n_expected: count(expected),
    n_agree,
    changes: { shape: [n, n], data: changes },
    moved: { shape: [n, n], data: moved },
    most: Math.max(...changes, 1e-9),
  };
}

const count = (cells) => cells.reduce((sum, one) => sum + one, 0);

/** (T, T) what can arrive after some layers: (M or I) to their power, in booleans. */
function reach(mask, n, nLayer, hasResidual) {
  let reached = Uint8Array.from(mask, (_, i) => Number(i % (n + 1) === 0));
  for (let l = 0; l < nLayer; l++) {
    const next = new Uint8Array(n * n);
    for (let t = 0; t < n; t++) {
      for (let via = 0; via < n; via++) {
        if (!(mask[t * n + via] || (hasResidual && via === t))) continue;
        for (let s = 0; s < n; s++) next[t * n + s] |= reached[via * n + s];
      }
    }
    reached = next;
  }
  return reached;
}
