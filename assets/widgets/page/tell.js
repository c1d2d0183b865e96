// Tells the server what is chosen on the page, where something stands that only it can compute: an open panel, a
// lesson that waits for a choice. It draws nothing.
import { readHeader } from "../drawing/frame.js";
import * as choices from "./choices.js";

const REST = 120; // ms without a move: a slider that is being dragged tells nothing
const following = new WeakMap();

export default ({ data, parentElement, setStateValue }) => {
  for (const held of parentElement.querySelectorAll(".gf-wait")) held.remove();
  const [{ names, values }] = readHeader(data);
  let one = following.get(parentElement);
  if (!one) {
    one = { said: null, timer: null };
    following.set(parentElement, one);
    one.unfollow = choices.follow(() => {
      clearTimeout(one.timer);
      one.timer = setTimeout(() => one.look(), REST);
    });
  }
  one.look = () => {
    if (!parentElement.isConnected || !one.names.every(choices.isDeclared)) return;
    const now = JSON.stringify(one.names.map(choices.valueOf));
    if (now === one.said) return;
    one.said = now;
    choices.write();
    setStateValue("chosen", now);
  };
  one.names = names;
  one.said = JSON.stringify(values);
  one.timer = setTimeout(() => one.look(), REST);
  return () =>
    setTimeout(() => {
      if (!parentElement.isConnected) one.unfollow();
    }, 500);
};
