// A question of a class, as one answers it: options, a number, a word, a cell to point at, a curve to draw.
import { el } from "../drawing/elements.js";
import { nodes } from "../drawing/markup.js";
import drawnCurve from "../shared/drawn_curve.js";
import { labels } from "./labels.js";

/** A message as core/browser/message_packing.py frames it, without arrays. */
function framed(header) {
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: {}, id: JSON.stringify(header) }));
  const message = new Uint8Array(4 + text.length);
  new DataView(message.buffer).setUint32(0, text.length, true);
  message.set(text, 4);
  return message;
}

/** Curves, the answer and one's own or those of all: {x, low, high, …} and what is drawn over it. */
export function curve(form, { real = null, guess = null, label = "" }, drawn = (_heights) => {}) {
  const place = el("div", { class: "curve" });
  const header = { widget: "drawn_curve", ...form, label, takeaway: "", guess, real };
  const setStateValue = (_part, { heights }) => drawn(heights);
  drawnCurve({ parentElement: place, data: framed(header), setStateValue, setTriggerValue() {} });
  return place;
}

/** A token with its space made visible. */
export const spaced = (text) => text.replace(/ /g, "␣").replace(/\n/g, "↵");

const ASK = {
  choice(form, send, mine) {
    const one = ([name, html]) =>
      el(
        "button",
        { class: "option", "aria-pressed": String(mine === name), onclick: () => send(name) },
        ...nodes(html),
      );
    return el("div", { class: "options" }, ...Object.entries(form.options).map(one));
  },
  number(form, send, mine) {
    const field = el("input", {
      type: "number",
      min: form.low,
      max: form.high,
      step: "any",
      value: mine,
      "aria-label": labels("your_answer"),
      required: true,
    });
    const unit = el("span", { text: labels("unit_range", { unit: form.unit, low: form.low, high: form.high }) });
    return line([field, unit], () => send(Number(field.value)), mine);
  },
  word(form, send, mine) {
    const field = el("input", {
      maxlength: 24,
      value: mine,
      "aria-label": labels("your_word"),
      autocapitalize: "off",
      required: true,
    });
    const given = form.text && el("p", { class: "given", text: `${form.text} …` });
    return el(
      "div",
      {},
      given,
      line([field], () => send(field.value), mine),
    );
  },
  cell(form, send, mine) {
    const head = el("tr", {}, el("td"), ...form.columns.map((text) => el("th", { text })));
    const rows = form.rows.map((text, row) =>
      el(
        "tr",
        {},
        el("th", { text }),
        ...form.columns.map((name, column) =>
          el(
            "td",
            {},
            el("button", {
              "aria-label": `${text}, ${name}`,
              "aria-pressed": String(mine?.[0] === row && mine[1] === column),
              onclick: () => send([row, column]),
            }),
          ),
        ),
      ),
    );
    return el("div", { class: "cells" }, el("table", {}, head, ...rows));
  },
  token(form, send, mine) {
    const one = (text, i) =>
      el("button", {
        class: "token",
        translate: "no",
        text: spaced(text),
        "aria-pressed": String(mine === i),
        onclick: () => send(i),
      });
    return el("div", { class: "tokens" }, ...form.tokens.map(one));
  },
  curve: (form, send, mine) =>
    mine
      ? el(
          "div",
          {},
          curve(form, { guess: mine, real: mine }),
          el("button", { text: labels("draw_again"), onclick: () => send(null) }),
        )
      : curve(form, {}, send),
};

function line(fields, send, mine) {
  const onsubmit = (event) => {
    event.preventDefault();
    send();
  };
  const button = el("button", {
    type: "submit",
    class: "solid",
    text: mine === null ? labels("send") : labels("change"),
  });
  button.type = "submit";
  return el("form", { class: "row", onsubmit }, ...fields, button);
}

/**
 * What one answers with.
 * @param {any} form
 * @param {(value: any) => void} send
 * @param {any} mine what was answered already; null: nothing
 */
export const ask = (form, send, mine) => ASK[form.kind](form, send, mine);
