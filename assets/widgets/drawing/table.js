// Tables: a cell is a text or an element of its own.
import { el } from "./elements.js";

const cell = (tag, scope) => (what) => (what instanceof Element ? what : el(tag, { text: what, scope }));

/**
 * A row, named by its first cell.
 * @param {any[]} cells
 */
export const row = ([name, ...values], attributes = {}) =>
  el("tr", attributes, cell("th", "row")(name), ...values.map(cell("td")));

/** A table of such rows. */
export const table = (heads, rows, attributes = {}) =>
  el("table", attributes, el("thead", {}, el("tr", {}, ...heads.map(cell("th", "col")))), el("tbody", {}, ...rows));
