// Play: how far the words have come, step by step; each step goes on by itself for a moment.
import { clamp } from "../drawing/elements.js";
import { ending, further, story } from "./map_story.js";

const SWEEP = 1100; // ms in which the words go on to the next step
const AFTER = 60; // css pixels behind the last tile, where everything has been reached

export class Play {
  steps = [];
  nFurther = 0; // of them, those after the first token was drawn
  step = null; // null: nothing plays
  front = Infinity; // how far the words have come, in u
  sweep = null; // {from, to, end, at, ms}, while they go on

  constructor(state) {
    this.state = state;
  }

  get now() {
    return this.step === null ? null : this.steps[this.step];
  }

  /** Of the drawn tokens, the one that this step is about. */
  get drawn() {
    return this.now?.isDraw ? this.state.written[this.state.nJoined] : null;
  }

  /** Nothing plays; the steps of the story alone are known. */
  stop() {
    const { state } = this;
    Object.assign(this, { step: null, front: Infinity, sweep: null, nFurther: 0 });
    state.written = [];
    this.steps = story(state.pass, state.focus, state.vocabulary, { token: "", p: 0 });
  }

  /** Draw what will be written, and make all steps. */
  plan(seed, most) {
    const { state } = this;
    state.draw(seed, most);
    const { written } = state;
    this.steps = story(state.pass, state.focus, state.vocabulary, written[0]);
    for (const { token, p } of written.slice(1)) this.steps.push(further(token, p));
    this.steps.push(ending(written));
    this.nFurther = written.length;
  }

  /** Of the drawn tokens, those that have joined the text at a step. */
  joined = (at) => Math.max(0, at - (this.steps.length - 1 - this.nFurther));

  /** Go to a step: by itself from the one before, else at once. */
  go(at, g, speed) {
    const past = this.step ?? -1;
    const isNext = at === past + 1;
    const reach = (i) => (i < 0 ? 0 : this.steps[i].reach(g));
    this.step = at;
    const to = reach(at);
    this.front = to;
    this.sweep = null;
    if (!speed || !isNext) return;
    const end = g.final + g.tile + AFTER;
    const from = this.joined(at) ? g.emb : Math.min(reach(past), end);
    this.sweep = { from, to: Math.min(to, end), end: to, at: performance.now(), ms: SWEEP / speed };
  }

  /** Go on by itself; whether it is still on its way. */
  advance(now) {
    const { sweep } = this;
    if (!sweep) return false;
    const q = this.share(now);
    this.front = q === 1 ? sweep.end : sweep.from + (sweep.to - sweep.from) * q * (2 - q);
    if (q === 1) this.sweep = null;
    return q < 1;
  }

  /** How far it is on its way, from 0 to 1. */
  share(now) {
    return this.sweep ? clamp((now - this.sweep.at) / this.sweep.ms, 0, 1) : 1;
  }
}
