// A pass that the server computed, of a model that the browser can't run: the same to look at as one of the browser's
// own, but that of most tensors it knows pictures alone. `core/rooms/model_map/compute` is the other half. Pure; tested
// with node.

import { inside } from "./map_places.js";

const HALF = 127.5; // of the steps of a tile

/** What the server has told of a text: of the whole pass once, and of a place each time that one goes somewhere. */
export class Server {
  name = ""; // of the pass
  #whole;
  #arrays = {};
  #names = new Map(); // id -> token
  #columns = {};
  #place = [];

  /** Take in an answer; whether the pass is another one. Null where it tells of a pass that is not here. */
  take({ server, arrays }) {
    if (!server.whole && server.pass !== this.name) return null;
    const isNew = server.pass !== this.name;
    const kept = isNew ? [] : Object.entries(this.#arrays).filter(([name]) => !/^(open|number) /.test(name));
    if (isNew) this.#names = new Map();
    this.name = server.pass;
    this.#whole = server.whole ?? this.#whole;
    this.#arrays = { ...Object.fromEntries(kept), ...arrays };
    this.#columns = server.columns;
    this.#place = [server.layer, server.head, server.focus];
    for (const [id, token] of Object.entries(server.names)) this.#names.set(Number(id), token);
    this.config = server.config;
    this.notes = server.notes.join(" ");
    return isNew;
  }

  get model() {
    return { config: this.config, tokenizer: { tokens: (ids) => ids.map(this.token) } };
  }

  token = (id) => this.#names.get(id) ?? `⟨${id}⟩`;

  /** The seed whose tokens are drawn in this pass; null: none are. */
  get seed() {
    return this.#whole.seed;
  }

  /** Ids of the whole text. */
  get text() {
    return this.#whole.text;
  }

  get isChanged() {
    return this.#whole.is_changed;
  }

  /** Positions of the text that are there, without the drawn tokens. */
  get stay() {
    return this.#whole.stay.slice(0, this.nRead);
  }

  get nRead() {
    return this.#whole.ids.length - this.#whole.n_drawn;
  }

  /** [{id, p, token}, ...] */
  get written() {
    const { ids, drawn } = this.#whole;
    return drawn.map((p, i) => ({ id: ids[this.nRead + i], p, token: this.token(ids[this.nRead + i]) }));
  }

  /**
   * Whether the numbers of a place are here, and of a vocabulary those of a token's likeliest.
   *
   * @param {import("./map_places.js").Place} place
   * @param {number} focus
   */
  knows(place, focus) {
    const { layer = null, head = null, part, name } = place;
    const isOfVocabulary = name === "logits" || name === "probabilities";
    if (this.#place[0] !== layer || this.#place[1] !== head || (isOfVocabulary && this.#place[2] !== focus)) {
      return false;
    }
    const { n_layer: nLayer, n_head: nHead } = this.config;
    const parts = head !== null || part ? inside(place, { nLayer, nHead, hasMlp: true }) : [];
    const names = name ? [name] : parts.map((one) => one.place.name);
    return names.every((one) => !this.#has(one) || `number ${one}` in this.#arrays);
  }

  #has = (name) => name in this.#whole.taps || name === "probabilities";

  /** The pass over the first so many tokens; `isBefore`: without what was changed. */
  pass(nToken, isBefore = false) {
    const arrays = this.#arrays;
    const { ids, taps, stay } = this.#whole;
    const { n_layer: nLayer, n_head: nHead, vocab_size: vocabSize } = this.config;
    const all = this.text.concat(ids.slice(this.nRead));
    const shown = isBefore ? all.slice(0, this.text.length + nToken - this.nRead) : ids.slice(0, nToken);
    const known = new Map();
    const kept = (key, make) => known.get(key) ?? known.set(key, make()).get(key);
    const width = arrays.top.shape[1];
    const spread = (name, t) =>
      kept(`${name} ${t}`, () => {
        const row = new Float64Array(vocabSize);
        for (let i = 0; i < width; i++) row[arrays.top.data[t * width + i]] = arrays[name].data[t * width + i];
        return row;
      });
    return {
      isServers: true,
      model: this.model,
      ids: shown,
      tokens: shown.map(this.token),
      taps: new Taps(taps, arrays, this.#columns, nToken),
      nToken,
      nLayer,
      nHead,
      vocabSize,
      weights: (layer) => kept(`weights ${layer}`, () => first(arrays.weights, layer, nHead, nToken)),
      /** (V,) after token t: what is told of; 0 elsewhere. Before a change, t counts what was left out. */
      probabilities: (t) => spread(isBefore ? "top before" : "top p", isBefore ? stay.indexOf(t) : t),
      logit: (t, id) => spread("top logit", t)[id],
      /** Ids of the tokens that are told of, the likeliest first. */
      likeliest: (t) => Array.from(arrays.top.data.subarray(t * width, (t + 1) * width)),
      early: (name) => kept(`early ${name}`, () => this.#early(name)),
      differs: (t) => Boolean(arrays.differs.data[t]),
      strongest: (layer, t) => {
        const at = layer * (arrays.differs.data.length || 1) + t;
        const [head, from, weight] = ["head", "from", "weight"].map((part) => arrays[`most ${part}`].data[at]);
        return weight > 0 ? { head, from, weight } : null;
      },
    };
  }

  /** What would be expected after the last token of the text if the way ended at this tensor. */
  #early(name) {
    const { early, top } = this.#arrays;
    const width = top.shape[1];
    const stages = ["embed"];
    for (let l = 0; l < this.config.n_layer; l++) stages.push(`blocks.${l}.resid_mid`, `blocks.${l}.resid_out`);
    const [at, t] = [stages.indexOf(name), this.nRead - 1];
    const row = new Float64Array(this.config.vocab_size);
    for (let i = 0; i < width; i++) row[top.data[t * width + i]] = early.data[at * width + i];
    return row;
  }
}

/** The weights of a layer among the first n tokens, (H, n, n). */
function first({ data, shape }, layer, nHead, n) {
  const all = shape[2];
  const found = new Float32Array(nHead * n * n);
  for (let h = 0; h < nHead; h++) {
    for (let t = 0; t < n; t++) {
      const row = ((layer * nHead + h) * all + t) * all;
      for (let s = 0; s < n; s++) found[(h * n + t) * n + s] = data[row + s] / 255;
    }
  }
  return found;
}

/**
 * Tensors by their names, each with what is known of it: `data` and `columns` where one has gone there, `sizes` of its
 * rows, `tile`.
 */
class Taps {
  #shapes;
  #arrays;
  #columns;
  #nToken;

  constructor(shapes, arrays, columns, nToken) {
    this.#shapes = shapes;
    this.#arrays = arrays;
    this.#columns = columns;
    this.#nToken = nToken;
  }

  has = (name) => name in this.#shapes;

  keys = () => Object.keys(this.#shapes);

  get(name) {
    if (!this.has(name) && name !== "probabilities") return undefined;
    const [arrays, n] = [this.#arrays, this.#nToken];
    const told = arrays[`number ${name}`];
    const image = arrays[`open ${name}`] ?? arrays[`tile ${name}`];
    return {
      shape: (this.#shapes[name] ?? this.#shapes.logits).with(-2, n),
      sizes: arrays[`size ${name}`]?.data.subarray(0, n),
      active: arrays[`active ${name}`]?.data,
      tile: image && { n: image.shape[1], value: (i) => image.data[i] / HALF - 1 },
      data: told?.data,
      nColumn: told?.shape[1],
      columns: this.#columns[name] ?? null,
    };
  }
}
