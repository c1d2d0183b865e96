// Where one is in the model: the way there, what can be done there, and what there is to go into.
import { chance, el, format } from "../drawing/elements.js";
import { visible, word } from "../drawing/tokens.js";
import { roomAddress, visit } from "../shared/room_link.js";
import { labels } from "./labels.js";
import { size } from "./map_numbers.js";
import { code, crumbs, inside, room } from "./map_places.js";

const button = (text, onclick, pressed = null, name = null) =>
  el("button", { class: "gf-solid", text, onclick, "aria-pressed": pressed, "data-name": name });

export class Way {
  node = el("nav", { class: "gf-map-way", "aria-label": labels("way") });
  /** For keys and screen readers; it is seen while it has the focus. */
  list = el("ul", { class: "gf-map-list", "aria-label": labels("inside") });

  /** @param {{go: Function, edit: Function, undo: Function, reset: Function, leaveOut: Function}} acts */
  constructor(acts) {
    this.acts = acts;
  }

  /** @param {import("./map_places.js").Place} place */
  draw(place, state, isPlaying) {
    const { go } = this.acts;
    const here = crumbs(place);
    const current = (i) => (i === here.length - 1 ? "location" : null);
    const links = here.map(({ label, place: to }, i) =>
      el("button", { text: label, "aria-current": current(i), onclick: () => go(to) }),
    );
    const between = links.flatMap((one, i) => (i ? [el("span", { class: "gf-soft", text: "›" }), one] : [one]));
    const onclick = (event) => visit(event, room(place));
    const explained = el("a", {
      href: roomAddress(room(place)),
      text: labels("explained"),
      onclick,
      hidden: !roomAddress("heads"),
    });
    const name = el("code", { class: "gf-deep gf-soft", text: code(place) });
    const buttons = state.frame ? [] : this.#buttons(place, state, isPlaying);
    this.node.replaceChildren(...between, el("span", { class: "gf-more" }, ...buttons, name, explained));
    const { nLayer, nHead } = state.pass;
    const entries = state.frame ? [] : inside(place, { nLayer, nHead, hasMlp: hasMlp(state, 0) });
    const entry = ({ label, told, place: to }) =>
      el(
        "li",
        {},
        button(`${label}: ${told}`, () => go(to)),
      );
    this.list.replaceChildren(...entries.map(entry));
  }

  /** What can be done at a place. */
  #buttons(/** @type {import("./map_places.js").Place} */ { layer, head, part, name }, state, isPlaying) {
    const { edit, undo, reset, leaveOut } = this.acts;
    const off = (what, one) => {
      const isOff = state.isOff(one);
      const key = `${isOff ? "switch_on" : "switch_off"}.${what}`;
      return button(labels(key), () => edit(one), String(isOff), key);
    };
    const found = [];
    if (!name && head !== undefined) found.push(off("head", { part: "head", layer, head }));
    else if (!name && part) found.push(off("mlp", { part, layer }));
    else if (!name && layer !== undefined) {
      found.push(off("attn", { part: "attn", layer }));
      if (hasMlp(state, layer)) found.push(off("mlp_of_layer", { part: "mlp", layer }));
    } else if (!name && !isPlaying && state.pass.nToken > 1) {
      found.push(button(labels("leave_out", { token: word(state.pass.tokens[state.focus]) }), leaveOut));
    }
    if (state.edits.past.length) found.push(button(labels("undo"), undo));
    if (state.edits.count) found.push(button(labels("reset"), reset));
    return found;
  }
}

const hasMlp = (state, layer) => Boolean(state.pass.taps.has(`blocks.${layer}.mlp.out`));

/** What lies under the pointer, with a value. */
export function pointed(region, { pass, focus, vocabulary }) {
  const { place: at, t, bar, isToken, head } = region;
  const name = (text) => el("b", { text });
  if (bar !== undefined) {
    const z = pass.logit(focus, bar);
    const p = pass.probabilities(focus)[bar];
    return labels.parts("at_bar", { token: name(visible(vocabulary(bar))), p: chance(p, 4), logit: format(z, 2) });
  }
  if (isToken) return labels.parts("at_token", { token: name(visible(pass.tokens[t])), t });
  const { layer } = at;
  if (head !== undefined) return labels.parts("at_head", { place: name(labels("head_of_layer", { head, layer })) });
  if (!at.name) {
    return labels.parts("at_place", { place: name(labels(at.part ? "mlp_of_layer" : "layer", { layer })) });
  }
  const tensor = pass.taps.get(at.name);
  const tap = el("code", { class: "gf-deep", text: at.name });
  const values = { n: tensor.shape[1], size: format(size(tensor, t), 2), tap };
  return labels.parts("at_tile", { token: name(visible(pass.tokens[t])), ...values });
}
