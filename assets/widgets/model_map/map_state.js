// The model, the text in it, what was changed inside, and what comes of it. Pure but for the model's own passes.
import { clamp } from "../drawing/elements.js";
import { inverseCdf, uniform } from "../engine/draws.js";
import { wholePass } from "../shared/whole_pass.js";
import { Edits, kept, tensorEdits } from "./map_edits.js";
import { N_BAR } from "./map_layout.js";
import { bars, early, largest, size } from "./map_numbers.js";
import { placeIn } from "./map_places.js";

const MOST_WRITTEN = 10; // tokens that Play draws; it ends before, at the end of a sentence
const CHANGED = 0.02; // of the size of a vector, from which it counts as another one

export class MapState {
  model = null;
  server = null; // that computes the passes, where the browser cannot
  read = null; // the text, as the model reads it
  edits = new Edits();
  written = []; // tokens that Play draws: [{id, p, token}]
  nJoined = 0; // of them, those that are in the text
  pass = null; // what is shown
  before = null; // the same without what was changed inside; the same where nothing was
  stay = []; // positions of the text that are shown
  focus = 0; // the token that is followed, among them
  frame = null; // of the training, while that is looked at

  vocabulary = (id) => this.model.tokenizer.tokens([id])[0];
  /** Whether a part is switched off; a recorded moment of the training knows no edits. */
  isOff = (part) => !this.frame && Boolean(this.edits.find(part));

  get isEdited() {
    return this.pass !== this.before;
  }

  /** Another text, or another model; whether there is something to read. */
  open(model, text, most) {
    const read = model.tokenizer.read(text, most);
    if (!read.ids.length) return false;
    if (model !== this.model) this.edits = new Edits();
    this.edits.retext();
    Object.assign(this, { model, read, written: [], nJoined: 0, frame: null });
    this.compute();
    this.focus = this.pass.nToken - 1;
    return true;
  }

  /** What a server has computed: of another text, another model, or with something changed inside. */
  receive(server) {
    const asked = this.server === server ? this.stay[this.focus] : undefined;
    Object.assign(this, { server, model: server.model, written: [], nJoined: 0, frame: null });
    this.read = { ids: server.text, notes: server.notes };
    this.compute();
    const at = asked === undefined ? this.pass.nToken - 1 : this.stay.findLastIndex((t) => t <= asked);
    this.focus = clamp(at, 0, this.pass.nToken - 1);
  }

  /** The text, and the drawn tokens that have joined it, through the model; twice where something is changed inside. */
  compute() {
    if (this.server) {
      this.stay = [...this.server.stay, ...this.written.slice(0, this.nJoined).map((_, i) => this.read.ids.length + i)];
      const n = this.stay.length;
      this.pass = this.server.pass(n);
      this.before = this.server.isChanged ? this.server.pass(n, true) : this.pass;
      return;
    }
    const joined = this.written.slice(0, this.nJoined);
    const ids = [...this.read.ids, ...joined.map(({ id }) => id)];
    const tokens = [...this.read.tokens, ...joined.map(({ token }) => token)];
    this.stay = kept(ids.length, this.edits.now);
    this.before = this.pass = wholePass(this.model, { ids, tokens });
    if (!this.edits.count) return;
    const some = { ids: this.stay.map((t) => ids[t]), tokens: this.stay.map((t) => tokens[t]) };
    this.pass = wholePass(this.model, some, tensorEdits(this.edits.now));
  }

  /** Change something inside; the token that is followed is the same, or one before. */
  change(what) {
    const asked = this.stay[this.focus];
    what(this.edits);
    if (this.server) return; // which is to be asked
    this.nJoined = 0;
    this.compute();
    const at = this.stay.findLastIndex((t) => t <= asked);
    this.focus = clamp(at, 0, this.pass.nToken - 1);
  }

  /** Draw the tokens that Play will show. */
  draw(seed, most) {
    const draws = uniform(seed);
    const n = this.read.ids.length;
    if (this.server) {
      this.written = this.server.written;
      this.join(0);
      return;
    }
    this.written = [];
    for (let i = 0; i < Math.max(1, Math.min(MOST_WRITTEN, most - n)); i++) {
      this.nJoined = i;
      this.compute();
      const p = this.pass.probabilities(this.pass.nToken - 1);
      const { token: id } = inverseCdf(p, draws());
      this.written.push({ id, p: p[id], token: this.vocabulary(id) });
      if (/[.!?\n]/.test(this.model.tokenizer.decode([id]))) break;
    }
    this.join(0);
  }

  /** So many of the drawn tokens are in the text; the last one is followed. */
  join(n) {
    this.nJoined = n;
    this.compute();
    this.focus = this.pass.nToken - 1;
  }

  /** A moment of the training in place of the model. */
  show(frame) {
    this.frame = this.pass = this.before = frame;
    this.stay = frame.tokens.map((_, t) => t);
    this.focus = frame.nToken - 1;
  }

  /** Whether a token's last vector is another one than without the changes. */
  differs = (t) => {
    if (!this.isEdited) return false;
    if (this.server) return this.pass.differs(t);
    const [a, b] = [this.pass, this.before].map((one) => one.taps.get("final"));
    const d = a.shape[1];
    let square = 0;
    for (let i = 0; i < d; i++) square += (a.data[t * d + i] - b.data[this.stay[t] * d + i]) ** 2;
    return Math.sqrt(square / d) > CHANGED * size(b, this.stay[t]);
  };

  /**
   * The edit that holds a number of this place, if there is one.
   *
   * @param {string} name
   * @param {import("./map_places.js").Place} place
   */
  holds = (name, { layer, head, cell }) => {
    const weight = { part: "weight", layer, head, query: cell[0], key: cell[1] };
    return this.edits.find(weight) ?? this.edits.find({ part: "cell", name, at: placeIn({ head, name, cell }) });
  };

  /**
   * What the bars show: [{id, p, before}, ...].
   *
   * @param {string | null} at the tensor that is read early; null: the end of the way
   * @param {number | null} drawn a token that must be among them
   */
  bars(at, drawn) {
    if (this.frame) return [];
    const { pass, focus, stay } = this;
    const last = pass.probabilities(focus);
    const ghost = this.isEdited ? this.before.probabilities(stay[focus]) : null;
    const must = [drawn, ghost && largest(ghost)];
    const p = at && at !== "final" ? early(pass, at, focus) : last;
    const among = pass.likeliest?.(focus);
    const rows = bars(last, Math.min(N_BAR, pass.vocabSize), { must, before: ghost, among });
    return rows.map((one) => ({ ...one, p: p[one.id] }));
  }
}
