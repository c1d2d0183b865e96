// What the map shows of a pass: streams, the strongest threads, how large things are. Pure; tested with node.
import { likeliest } from "../shared/whole_pass.js";
import { norm } from "../engine/norms.js";
import { linear } from "../engine/linear.js";
import { softmax } from "../engine/filters.js";
import { Run } from "../engine/tap.js";
import { tensor } from "../engine/tensor.js";

const QUIET = 0.45; // of the threads of other tokens, only those above
const LEAST = 0.06; // of the threads of the token that is looked at, and of a head alone

/** The stream along its way: [{name, at}], `at` is "embed", a block's number, or "final". */
export const streams = ({ nLayer }) => [
  { name: "embed", at: "embed" },
  ...Array.from({ length: nLayer - 1 }, (_, l) => ({ name: `blocks.${l}.resid_out`, at: l })),
  { name: "final", at: "final" },
];

/** The place of the largest number. */
export const largest = (numbers) => {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i] > numbers[best]) best = i;
  return best;
};

/** Root mean square of a row. */
export function size({ shape, data, sizes }, t) {
  if (sizes) return sizes[t];
  const d = shape[1];
  let square = 0;
  for (let i = t * d; i < (t + 1) * d; i++) square += data[i] * data[i];
  return Math.sqrt(square / d);
}

/** Of all rows. */
export const wholeSize = ({ data = null, sizes = null }) => {
  const some = sizes ?? data;
  return Math.sqrt(some.reduce((sum, v) => sum + v * v, 0) / some.length) || 1;
};

/** What a head reads for a token, the strongest first: [{from, weight}, ...]. */
export function reads(pass, layer, head, t) {
  const n = pass.nToken;
  const row = pass.weights(layer).subarray((head * n + t) * n, (head * n + t + 1) * n);
  return Array.from(row, (weight, from) => ({ from, weight })).sort((a, b) => b.weight - a.weight);
}

/** What a layer reads most for a token, itself aside: {head, from, weight}; null for a first token. */
export function strongest(pass, layer, t) {
  if (pass.strongest) return pass.strongest(layer, t);
  let best = null;
  for (let head = 0; head < pass.nHead; head++) {
    const first = reads(pass, layer, head, t).find(({ from }) => from !== t);
    if (first && first.weight > (best?.weight ?? 0)) best = { head, ...first };
  }
  return best;
}

/**
 * The threads of a layer, the weakest first: [{head, from, to, weight, isBold}]. Of the token looked at all that
 * count, of each other only what a head reads most; of one head alone, all.
 */
export function threads(pass, layer, focus, only = null) {
  const n = pass.nToken;
  const data = pass.weights(layer);
  const found = [];
  for (let head = 0; head < pass.nHead; head++) {
    if (only !== null && head !== only) continue;
    for (let to = 0; to < n; to++) {
      const at = (head * n + to) * n;
      const isBold = to === focus || only !== null;
      let most = null;
      for (let from = 0; from < n; from++) {
        if (from === to) continue;
        const weight = data[at + from];
        if (isBold && weight >= LEAST) found.push({ head, from, to, weight, isBold });
        else if (!isBold && weight >= QUIET && weight > (most?.weight ?? 0)) most = { head, from, to, weight, isBold };
      }
      if (most) found.push(most);
    }
  }
  return found.sort((a, b) => Number(a.isBold) - Number(b.isBold) || a.weight - b.weight);
}

/** How many of a token's hidden units are above 0, of how many; null where a gate decides. */
export function active(pass, layer, t) {
  const act = pass.taps.get(`blocks.${layer}.mlp.act`);
  if (!act || /glu$/.test(pass.model.config.block.activation)) return null;
  const d = act.shape[1];
  if (act.active) return [act.active[t], d];
  let n = 0;
  for (let i = t * d; i < (t + 1) * d; i++) if (act.data[i] > 0) n++;
  return [n, d];
}

/** By how much a part changes a token's vector: the size of what it adds as a share of what was there. */
export function change(pass, layer, t) {
  const [before, added] = ["resid_mid", "mlp.out"].map((one) => pass.taps.get(`blocks.${layer}.${one}`));
  return added ? size(added, t) / (size(before, t) || 1) : 0;
}

/** What would be expected if the way ended at this tensor: (V,) probabilities, read as the last layer's are. */
export function early(pass, name, t) {
  if (pass.early) return pass.early(name);
  const { model, taps } = pass;
  const { config, weights } = model;
  const run = new Run(weights);
  const x = taps.get(name);
  const row = tensor([1, x.shape[1]], x.data.slice(t * x.shape[1], (t + 1) * x.shape[1]));
  const isNormed = name === "final" || !config.block.norm_first;
  const read = isNormed ? row : norm(run, "norm", row, config.block);
  const table = run.get("unembed.weight") ?? run.need("tok_emb.weight");
  return softmax(linear(read, table, run.get("unembed.bias")).data);
}

/** The bars: the tokens that are expected most, one that must be there in any case, and how they were before. */
export function bars(probabilities, n, { must = [], before = null, among = null } = {}) {
  const told = among?.slice(0, n).map((id) => ({ id, p: probabilities[id] }));
  const rows = told ?? likeliest(probabilities, n);
  let last = rows.length;
  for (const id of must) {
    if (id !== null && !rows.some((one) => one.id === id)) rows[--last] = { id, p: probabilities[id] };
  }
  return rows.map((one) => ({ ...one, before: before?.[one.id] ?? null }));
}
