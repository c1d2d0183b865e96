// Looking inside, as core/nn/tap.py does: each interesting tensor has a name; a run keeps it, or an edit replaces it.

/** One pass through a model: its weights, what is changed on the way, and every tensor by its name. */
export class Run {
  /**
   * @param {Map<string, import("./tensor.js").Tensor>} weights by their names in the file
   * @param {{edits?: Object<string, Function>, keep?: (name: string) => boolean}} options edits take a tensor's place
   *   and must keep its shape; what `keep` refuses is not kept
   */
  constructor(weights, { edits = {}, keep = () => true } = {}) {
    this.weights = weights;
    this.edits = edits;
    this.keep = keep;
    /** @type {Map<string, import("./tensor.js").Tensor>} */
    this.taps = new Map();
    this.edited = new Set();
  }

  /** A weight, or undefined. */
  get(name) {
    return this.weights.get(name);
  }

  /** A weight that must be there. */
  need(name) {
    const found = this.weights.get(name);
    if (!found) throw new Error(`there is no weight ${name}`);
    return found;
  }

  /** Name a tensor; what comes back is computed on with. */
  tap(name, x) {
    const edit = this.edits[name];
    if (edit) {
      const y = edit(x);
      if (String(y.shape) !== String(x.shape) || y.data.length !== x.data.length) {
        throw new Error(`the edit of ${name} gives ${y.shape.join(" x ")}, the tensor is ${x.shape.join(" x ")}`);
      }
      x = y;
      this.edited.add(name);
    }
    if (this.keep(name)) this.taps.set(name, x);
    return x;
  }

  /** After the pass: an edit of what was never computed is an error, for a misspelt name changes nothing silently. */
  check() {
    for (const name in this.edits) {
      if (!this.edited.has(name)) throw new Error(`the model computed no tensor ${name}`);
    }
  }
}
