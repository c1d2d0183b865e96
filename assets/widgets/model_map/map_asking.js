// Asking the server, where it runs the model: it answers with what the place shows that one goes to, what a change
// does, and the tokens that Play draws.
import { labels } from "./labels.js";
import { Edits } from "./map_edits.js";
import { Server } from "./map_server.js";

export class Asking {
  isOut = false; // a change was asked about, and isn't answered yet
  #then = null; // what plays when the drawn tokens are there
  #server = new Server();
  #of = ""; // model and text
  #model = "";

  constructor(shell, state) {
    this.shell = shell;
    this.state = state;
  }

  /**
   * Take in an answer: whether it is of another text or model, whether something in it was changed, and what was to be
   * played then. Null where it tells of a pass that isn't here: it was asked for again.
   */
  hear({ header, arrays }, place) {
    const { state } = this;
    const { server } = header;
    const isOther = server.of !== this.#of || state.server === null;
    const isOtherModel = server.model !== this.#model;
    const isNew = this.#server.take({ server, arrays });
    if (isNew === null) {
      this.#ask(place, { has: "" });
      return null;
    }
    this.#of = server.of;
    this.#model = server.model;
    const isFirst = isOther && isNew;
    if (isOtherModel) state.edits = new Edits();
    else if (isOther) state.edits.retext();
    if (isFirst) state.server = null;
    const { nJoined, written } = state;
    state.receive(this.#server);
    if (!isNew && written.length) Object.assign(state, { written }) && state.join(nJoined);
    if (isOther && state.edits.count) this.change(place);
    else if (isNew) this.isOut = false;
    const then = this.#then?.seed === this.#server.seed ? this.#then : null;
    if (then) this.#then = null;
    return { isOther, isOtherModel, isChanged: isNew && !isOther, then };
  }

  /** One goes to a place. */
  go(place) {
    if (!this.knows(place)) this.#ask(place);
  }

  knows = (place) => !this.state.server || this.#server.knows(place, this.state.focus);

  /** What is said while an answer is awaited; where no server will ever answer, that. */
  get waiting() {
    return labels(this.shell.component.isAlone ? "taken_home" : "reading");
  }

  /** Something was switched off or on, or left out. */
  change(place) {
    if (!this.state.server) return;
    this.isOut = !this.shell.component.isAlone || this.state.edits.count > 0; // undone, the old answer holds again
    this.#ask(place, { seed: null });
  }

  /** Whether tokens are to be drawn first, by this seed. */
  mustDraw(seed, then) {
    if (!this.state.server || this.#server.seed === seed) return false;
    this.#then = { ...then, seed };
    this.#ask({}, { seed });
    return true;
  }

  #ask(place, more = {}) {
    const { focus, edits } = this.state;
    const { name: has, seed } = this.#server;
    const { layer = null, head = null, part = null, name = null } = place;
    const asked = { of: this.#of, place: { layer, head, part, name }, edits: edits.now, focus, seed, has, ...more };
    setTimeout(() => this.shell.commit("asked", asked)); // not while an address is being brought back
  }
}
