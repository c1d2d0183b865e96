// Tells the server what is chosen on the page, where something stands that only it can compute: an open panel, a
// lesson that waits for a choice. It draws nothing.
import { readHeader } from "../drawing/frame.js";
import { fetchWeights } from "../engine/fetch_weights.js";
import * as choices from "./choices.js";

const REST = 120; // ms without a move: a slider that is being dragged tells nothing
const GAP = 60; // ms between two that tell: Streamlit takes what comes at once for one fragment's
const following = new WeakMap();
let turn = Promise.resolve();

function inTurn(act) {
  turn = turn.then(() => {
    act();
    return new Promise((done) => setTimeout(done, GAP));
  });
}

export default ({ data, parentElement, setStateValue }) => {
  for (const held of parentElement.querySelectorAll(".gf-wait")) held.remove();
  const [{ values, begins, unless }] = readHeader(data);
  let one = following.get(parentElement);
  if (!one) {
    one = { said: null, timer: null };
    following.set(parentElement, one);
    one.hear = () => {
      one.isDeaf = false;
      one.look();
    };
    // Of another address of this page, by Back say, the server hears by itself: to tell it as well would be a race.
    one.skip = () => {
      clearTimeout(one.timer);
      one.said = JSON.stringify(one.now());
    };
    document.addEventListener("gf-tell", one.hear);
    document.addEventListener("gf-view", one.skip);
    one.unfollow = choices.follow(() => {
      clearTimeout(one.timer);
      one.timer = setTimeout(() => one.look(), REST);
    });
  }
  const names = Object.keys(values);
  one.now = () => Object.fromEntries(names.filter(choices.isDeclared).map((name) => [name, choices.valueOf(name)]));
  one.look = () => {
    // What the server has just set may not have arrived here yet: the old value would count as a move.
    const isBehind = !names.every((name) => choices.hasBegun(name, begins[name]));
    if (one.isDeaf || !parentElement.isConnected || isBehind) return;
    const now = one.now();
    if (JSON.stringify(now) === one.said) return;
    one.said = JSON.stringify(now);
    choices.write();
    const told = JSON.stringify({ values: now, at: Date.now() }); // the same again is news again
    inTurn(() => setStateValue("chosen", told));
  };
  one.isDeaf = Boolean(unless);
  if (unless) fetchWeights(unless).catch(one.hear);
  one.said = JSON.stringify(values);
  one.timer = setTimeout(() => one.look(), REST);
  return () =>
    setTimeout(() => {
      if (parentElement.isConnected) return;
      one.unfollow();
      document.removeEventListener("gf-tell", one.hear);
      document.removeEventListener("gf-view", one.skip);
    }, 500);
};
