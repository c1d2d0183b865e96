// What a learner changes inside the model, and back. Pure; tested with node.
//
// An edit is {part: "head", layer, head} or {part: "attn" | "mlp", layer}: off; {part: "cell", name, at, value}:
// one number of a tensor set; {part: "weight", layer, head, query, key, value}: one weight of attention, the others of
// its row shrink or grow with it; {part: "token", position}: a token left out.
import { fixed } from "../page/numbers.js";
import { silence } from "../engine/knockouts.js";
import { copy } from "../engine/tensor.js";
import { labels } from "./labels.js";

const key = ({ value: _, ...where }) => JSON.stringify(where);

/** The edits of a map, one list after the other: what was done last can be undone. */
export class Edits {
  /** @type {any[][]} */
  past = [];
  /** @type {any[]} */
  now = [];

  get count() {
    return this.now.length;
  }

  /** Whether this part is switched off, or this cell set. */
  find(edit) {
    return this.now.find((one) => key(one) === key(edit)) ?? null;
  }

  /** Put one in place of another of the same part; while it is dragged, that is one step to undo. */
  set(edit, isDrag = false) {
    const isSame = isDrag && this.now.length && key(this.now.at(-1)) === key(edit);
    if (!isSame) this.past.push(this.now);
    this.now = [...this.now.filter((one) => key(one) !== key(edit)), edit];
  }

  /** On, if it is off; off, if it is on. */
  toggle(edit) {
    this.past.push(this.now);
    this.now = this.find(edit) ? this.now.filter((one) => key(one) !== key(edit)) : [...this.now, edit];
  }

  /** Leave a token out: what was set in single cells of another text is no longer there. */
  leaveOut(position) {
    this.past.push(this.now);
    this.now = [...this.now.filter(({ part }) => part !== "cell" && part !== "weight"), { part: "token", position }];
  }

  undo() {
    if (this.past.length) this.now = this.past.pop();
  }

  reset() {
    if (this.count) this.past.push(this.now);
    this.now = [];
  }

  /** Another text: parts that are off stay off. */
  retext() {
    this.past = [];
    this.now = this.now.filter(({ part }) => ["head", "attn", "mlp"].includes(part));
  }
}

/** Which tokens of a text stay: their positions. */
export const kept = (nToken, edits) =>
  Array.from({ length: nToken }, (_, t) => t).filter(
    (t) => !edits.some(({ part, position }) => part === "token" && position === t),
  );

/** Name of a tensor -> what takes its place, for `forward`. */
export function tensorEdits(edits) {
  const found = {};
  const then = (name, change) => {
    const before = found[name];
    found[name] = (x) => change(before ? before(x) : copy(x));
  };
  for (const edit of edits) {
    const path = `blocks.${edit.layer}`;
    if (edit.part === "head") then(`${path}.attn.heads`, (x) => silence(x, edit.head));
    if (edit.part === "attn") then(`${path}.attn.out`, zeros);
    if (edit.part === "mlp") then(`${path}.mlp.out`, zeros);
    if (edit.part === "cell") then(edit.name, (x) => changed(x, edit.at, edit.value));
    if (edit.part === "weight") then(`${path}.attn.weights`, (x) => reweighed(x, edit));
  }
  return found;
}

function zeros(x) {
  x.data.fill(0);
  return x;
}

function changed(x, at, value) {
  x.data[at.reduce((sum, i, axis) => sum * x.shape[axis] + i, 0)] = value;
  return x;
}

/** One weight of a row set; the others keep their proportions, and the row its sum of 1. */
function reweighed(x, { head, query, key: chosen, value }) {
  const [, n, nKey] = x.shape;
  const row = x.data.subarray((head * n + query) * nKey, (head * n + query + 1) * nKey);
  const rest = row.reduce((sum, w) => sum + w, 0) - row[chosen];
  for (let s = 0; s < nKey; s++) row[s] = s === chosen ? value : rest ? (row[s] * (1 - value)) / rest : row[s];
  return x;
}

/** An edit in a few words. */
export function told(edit, tokens) {
  const { part, layer, head } = edit;
  if (part === "head") return labels("edit.head", { head, layer });
  if (part === "attn") return labels("edit.attn", { layer });
  if (part === "mlp") return labels("edit.mlp", { layer });
  if (part === "token") return labels("edit.token", { token: tokens[edit.position].trim() });
  const value = fixed(edit.value, 2);
  return part === "weight"
    ? labels("edit.weight", { head, layer, value })
    : labels("edit.cell", { name: edit.name, value });
}
