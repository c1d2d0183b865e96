// Controls of a scene, declared anew at each drawing: what stays the same control keeps its element, so that a slider
// may redraw the picture while it is held, and the focus stays where it is.
import { el } from "../drawing/elements.js";

/**
 * A slider has `min` and `max`, a list or a row of buttons has `options`, a button has `text`. name: for a screen
 * reader, else the label. key: its name in the page's address, the same in all languages; whatever can be set has one.
 * look: "gf-primary" or "gf-solid". shown: the value of a slider in words. release: when it is let go.
 * @typedef {{
 *   label?: string, name?: string, key?: string, value?: any, min?: number, max?: number, step?: number,
 *   options?: [any, string][], asButtons?: boolean, text?: string, title?: string, look?: string, pressed?: boolean,
 *   disabled?: boolean, hidden?: boolean, shown?: string, change?: (value: any) => void,
 *   release?: (value: any) => void, act?: () => void,
 * }} Control
 */
export class Controls {
  node = el("div", { class: "gf-controls" });
  kinds = "";
  parts = [];

  /** @param {Control[]} controls @param {boolean} chooses whether they move choices of the page */
  show(controls, chooses) {
    this.node.toggleAttribute("data-chooses", chooses);
    const kinds = JSON.stringify(controls.map((one) => [one.label, kindOf(one), one.options]));
    this.node.hidden = !controls.length;
    if (kinds !== this.kinds) {
      this.kinds = kinds;
      this.parts = controls.map((one) => MAKE[kindOf(one)](one));
      this.node.replaceChildren(...this.parts.map(({ node }) => node));
    }
    this.parts.forEach((part, i) => {
      part.now = controls[i];
      part.node.hidden = Boolean(controls[i].hidden);
      part.show(controls[i]);
    });
  }
}

/** @param {Control} control */
const kindOf = ({ options, asButtons, max }) =>
  options ? (asButtons ? "choice" : "list") : max === undefined ? "button" : "slider";
const labeled = (label, ...inside) => el("label", {}, el("span", { text: label }), ...inside);

/** @type {{[kind: string]: (control: any) => any}} */
const MAKE = {
  slider({ label, name = label, key }) {
    const input = el("input", { type: "range", "aria-label": name, "data-name": key });
    const output = el("output");
    const part = {
      now: null,
      node: labeled(label, input, output),
      show({ min, max, step = 1, value, shown = String(value) }) {
        Object.assign(input, { min, max, step, value });
        output.textContent = shown;
        input.setAttribute("aria-valuetext", shown);
      },
    };
    input.addEventListener("input", () => part.now.change(Number(input.value)));
    input.addEventListener("change", () => part.now.release?.(Number(input.value)));
    return part;
  },
  list({ label, name = label, key, options }) {
    const list = el(
      "select",
      { "aria-label": name, "data-name": key },
      ...options.map(([, text], i) => el("option", { value: i, text })),
    );
    const part = {
      now: null,
      node: labeled(label, list),
      show: ({ value }) => (list.value = options.findIndex(([one]) => one === value)),
    };
    list.addEventListener("change", () => part.now.change(options[Number(list.value)][0]));
    return part;
  },
  choice({ label, key, options }) {
    const buttons = options.map(([value, text]) =>
      el("button", {
        class: "gf-solid",
        text,
        "data-name": key && `${key} ${value}`,
        onclick: () => part.now.change(value),
      }),
    );
    const part = {
      now: null,
      node: el(
        "div",
        { class: "gf-choice-of", role: "group", "aria-label": label },
        el("span", { class: "gf-soft", text: label }),
        ...buttons,
      ),
      show: ({ value }) =>
        buttons.forEach((one, i) => one.setAttribute("aria-pressed", String(options[i][0] === value))),
    };
    return part;
  },
  button({ key }) {
    const node = el("button", { "data-name": key, onclick: () => part.now.act() });
    const part = {
      now: null,
      node,
      show({ text, title = "", look = "gf-solid", pressed, disabled = false }) {
        Object.assign(node, { textContent: text, title, className: look, disabled });
        if (pressed !== undefined) node.setAttribute("aria-pressed", String(pressed));
      },
    };
    return part;
  },
};
