// A computation of the page, as the server tells it: opens the model, and draws nothing.
import { RECIPES } from "../computed/recipes.js";
import { readHeader } from "../drawing/frame.js";
import { look } from "../drawing/linked.js";
import { openModel } from "../engine/open_model.js";
import { declare, forget, store } from "./computations.js";

const held = new WeakMap(); // place on the page -> name

export default ({ data, parentElement }) => {
  for (const waiting of parentElement.querySelectorAll(".gf-wait")) waiting.remove();
  const [{ by, recipe, model, told, given, at }] = readHeader(data);
  if (held.get(parentElement) === by) return;
  forget(held.get(parentElement));
  held.set(parentElement, by);
  const one = { at: JSON.stringify(at), names: Object.keys(at), chosen: () => look(given, store) };
  declare(by, one);
  const begin = (opened) => declare(by, { ...one, run: (chosen) => RECIPES[recipe](opened, { ...told, ...chosen }) });
  openModel(model).then(begin, () => {}); // where it cannot be had the server hears of it, see tell.js
};
