// The places of the map that one can go into: a layer, a head, a matrix, a number. Pure; tested with node.
import { word } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/**
 * @typedef {{layer?: number, head?: number, part?: "mlp", name?: string, cell?: [number, number]}} Place {} is the
 *   whole model; `name` is a tap, or "probabilities"; a cell is (row, column) of its matrix
 */

const BEST = 40; // tokens that are shown of a vocabulary
const OF_HEAD = ["attn.q", "attn.k", "attn.scores", "attn.weights", "attn.v", "attn.heads"];
const OF_MLP = ["mlp.pre", "mlp.act", "mlp.out"];

const partOf = (name) => name.match(/^blocks\.\d+\.(.+)$/)?.[1] ?? null;

/** What a matrix is called, and what its numbers are. */
export const matrixWords = (name) => [labels(`matrix.${partOf(name) ?? name}`), labels(`told.${partOf(name) ?? name}`)];

/** The room that explains a place, by its address. */
export function room(/** @type {Place} */ { layer, head, part, name }) {
  if (name === "embed") return "embeddings";
  if (["logits", "probabilities", "final"].includes(name)) return "next_token";
  if (name?.includes("attn.") && head !== undefined) return "steps";
  if (head !== undefined) return "heads";
  return layer === undefined && !part ? "sizes" : "block";
}

/** The name of a place in the code. */
export function code(/** @type {Place} */ { layer, head, part, name, cell }) {
  if (name) return cell ? `${name}[${placeIn({ head, name, cell }).join(", ")}]` : name;
  if (head !== undefined) return `blocks.${layer}.attn`;
  if (part) return `blocks.${layer}.mlp`;
  return layer === undefined ? "GPT" : `blocks.${layer}`;
}

/** The place of a cell in its tensor: a head's has one axis more. */
export const placeIn = (/** @type {Place} */ { head, name, cell }) => (hasHead(name) ? [head, ...cell] : [...cell]);
const hasHead = (name) => OF_HEAD.includes(partOf(name));

/** The way to a place from the whole model: [{label, place}, ...]. */
export function crumbs(/** @type {Place} */ place) {
  const { layer, head, part, name, cell } = place;
  const way = [{ label: labels("model"), place: {} }];
  if (layer !== undefined) way.push({ label: labels("layer", { layer }), place: { layer } });
  if (head !== undefined) way.push({ label: labels("head", { head }), place: { layer, head } });
  if (part) way.push({ label: labels("mlp"), place: { layer, part } });
  if (name) way.push({ label: matrixWords(name)[0], place: { layer, head, part, name } });
  if (cell) way.push({ label: labels("number"), place });
  return way;
}

/** One step out; null for the whole model. */
export const outer = (place) => crumbs(place).at(-2)?.place ?? null;

/** What there is to go into: [{label, told, place}, ...]. */
export function inside(/** @type {Place} */ place, { nLayer, nHead, hasMlp }) {
  const { layer, head, part, name } = place;
  const matrices = (names) =>
    names.map((one) => {
      const [label, what] = matrixWords(one);
      return { label, told: what, place: { layer, head, part, name: `blocks.${layer}.${one}` } };
    });
  const end = (one) => ({ label: matrixWords(one)[0], told: matrixWords(one)[1], place: { name: one } });
  if (name) return [];
  if (head !== undefined) return matrices(OF_HEAD);
  if (part) return matrices(OF_MLP);
  if (layer === undefined) {
    const layers = Array.from({ length: nLayer }, (_, l) => {
      const what = labels(hasMlp ? "n_head_mlp" : "n_head", { n: nHead });
      return { label: labels("layer", { layer: l }), told: what, place: { layer: l } };
    });
    return [end("embed"), ...layers, end("final"), end("logits"), end("probabilities")];
  }
  const heads = Array.from({ length: nHead }, (_, h) => {
    return { label: labels("head", { head: h }), told: labels("told.head"), place: { layer, head: h } };
  });
  const mlp = { label: labels("mlp"), told: labels("told.mlp"), place: { layer, part: "mlp" } };
  return [...heads, ...matrices(["attn.out"]), ...(hasMlp ? [mlp] : []), ...matrices(["resid_out"])];
}

/**
 * The matrix of a place: names of its rows and columns, and how to read it. Of a vocabulary the likeliest tokens stand
 * for all; `ids` are those of the columns then.
 */
export function matrix(pass, place, focus, vocabulary) {
  const { name, head } = place;
  const rows = pass.tokens;
  if (pass.isServers) return told(pass, place, vocabulary);
  if (name === "logits" || name === "probabilities") {
    const p = pass.probabilities(focus);
    const ids = Array.from(p.keys())
      .sort((a, b) => p[b] - p[a])
      .slice(0, BEST);
    const logits = pass.taps.get("logits").data;
    const isShare = name === "probabilities";
    return {
      rows,
      columns: ids.map(vocabulary),
      ids,
      kind: isShare ? "probability" : "signed",
      value: (r, c) => (isShare ? pass.probabilities(r)[ids[c]] : logits[r * pass.vocabSize + ids[c]]),
    };
  }
  const { data, shape } = pass.taps.get(name);
  const nColumn = shape.at(-1);
  const begin = hasHead(name) ? head * shape[1] * nColumn : 0;
  const isSquare = /attn\.(scores|weights)$/.test(name);
  const isCausal = isSquare && pass.model.config.causal !== false;
  return {
    rows,
    columns: isSquare ? rows : Array.from({ length: nColumn }, (_, i) => `${i}`),
    ids: null,
    kind: name.endsWith("weights") ? "probability" : "signed",
    isSquare,
    value: (r, c) => (isCausal && c > r ? null : data[begin + r * nColumn + c]),
  };
}

/** The same of a server's pass: with the columns that were told of. */
function told({ taps, tokens: rows, model }, { name }, vocabulary) {
  const { data, nColumn, columns, shape } = taps.get(name);
  const isOfVocabulary = name === "logits" || name === "probabilities";
  const isSquare = /attn\.(scores|weights)$/.test(name);
  const isCausal = isSquare && model.config.causal !== false;
  const numbers = columns ?? Array.from({ length: isSquare ? rows.length : nColumn }, (_, i) => i);
  return {
    rows,
    columns: isSquare ? rows : numbers.map(isOfVocabulary ? vocabulary : (i) => `${i}`),
    ids: isOfVocabulary ? columns : null,
    nWhole: isOfVocabulary ? null : shape.at(-1),
    kind: /weights$|^probabilities$/.test(name) ? "probability" : "signed",
    isSquare,
    value: (r, c) => (isCausal && c > r ? null : data[r * nColumn + c]),
  };
}

/** A place in words: of a cell, its row and its column. */
export function cellWords(shown, [r, c]) {
  const [row, column] = [word(shown.rows[r]), word(shown.columns[c])];
  if (shown.isSquare) return labels("cell.reads", { row, column });
  return shown.ids ? labels("cell.after", { row, column }) : labels("cell", { row, i: shown.columns[c] });
}
