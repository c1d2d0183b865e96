// Undo and redo. Pure; tested with node.

/** The states of something drawn cell by cell, each a Uint8Array. */
export class History {
  constructor(state) {
    this.reset(state);
  }
  reset(state) {
    this.states = [state.slice()];
    this.at = 0;
  }
  get canUndo() {
    return this.at > 0;
  }
  get canRedo() {
    return this.at < this.states.length - 1;
  }
  /** Keep a new state, unless nothing has changed; what was undone is forgotten. At most 200 are kept. */
  push(state) {
    if (state.every((v, i) => v === this.states[this.at][i])) return false;
    this.states = [...this.states.slice(0, this.at + 1), state.slice()].slice(-200);
    this.at = this.states.length - 1;
    return true;
  }
  undo() {
    if (this.canUndo) this.at--;
    return this.states[this.at].slice();
  }
  redo() {
    if (this.canRedo) this.at++;
    return this.states[this.at].slice();
  }
}
