// How a class has answered, without a name: bars, a histogram, a heat map, curves one over the other. Two rounds stand
// side by side. What was computed is marked.
import { el, format } from "../drawing/elements.js";
import { nodes } from "../drawing/markup.js";
import { spaced } from "./asking.js";
import { labels } from "./labels.js";

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** [[label, how many, key]] as bars; `rest` of them has no bar to be right. */
function bars(rows, right, label) {
  const most = Math.max(1, ...rows.map(([, n]) => n));
  const isRight = (key) => right !== null && String(right).toLowerCase() === String(key).toLowerCase();
  return el(
    "div",
    { class: "bars" },
    ...rows.flatMap(([text, n, key]) => [
      el("span", { class: "label" }, ...label(text), isRight(key) ? el("b", { class: "right", text: " ✓" }) : null),
      el(
        "span",
        { class: "bar" },
        el("i", { style: `width: ${(100 * n) / most}%`, class: isRight(key) ? "right" : "" }),
      ),
      el("span", { class: "n", text: n }),
    ]),
  );
}

const place = (value, low, high, size) => ((value - low) / (high - low)) * size;

function histogram({ bins, unit }, right) {
  const [low, high] = [bins[0][0], bins.at(-1)[1]];
  const most = Math.max(1, ...bins.map(([, , n]) => n));
  const digits = Math.max(0, -Math.floor(Math.log10(bins[0][1] - bins[0][0])));
  const picture = svg("svg", { viewBox: "0 0 400 174", role: "img", class: "histogram" });
  picture.setAttribute(
    "aria-label",
    bins.map(([a, b, n]) => labels("bin", { low: format(a, digits), high: format(b, digits), n })).join("; "),
  );
  for (const [i, [from, to, n]] of bins.entries()) {
    const x = place(from, low, high, 380) + 10;
    const height = (n / most) * 130;
    picture.append(svg("rect", { x: x + 1, y: 150 - height, width: place(to, low, high, 380) + 8 - x, height }));
    if (n) picture.append(svg("text", { x: x + place(to - from, 0, high - low, 190), y: 144 - height }, String(n)));
    picture.append(svg("text", { x, y: 168, class: i % 2 ? "between" : "" }, format(from, digits)));
  }
  picture.append(svg("text", { x: 399, y: 168, class: "end" }, format(high, digits)));
  if (typeof right === "number") {
    const x = place(Math.min(Math.max(right, low), high), low, high, 380) + 10;
    picture.append(svg("path", { class: "right", d: `M${x} 8V150` }));
  }
  return el("figure", {}, picture, unit ? el("figcaption", { text: unit }) : null);
}

function heat({ grid, rows, columns }) {
  const most = Math.max(1, ...grid.flat());
  const head = el("tr", {}, el("td"), ...columns.map((text) => el("th", { text })));
  const row = (text, r) =>
    el(
      "tr",
      {},
      el("th", { text }),
      ...grid[r].map((n) => el("td", { class: "heat", style: `--share: ${n / most}`, text: n || "" })),
    );
  return el("div", { class: "cells" }, el("table", {}, head, ...rows.map(row)));
}

/** The tokens of a text, each as dark as many have pointed at it. */
function tokens(all, right) {
  const most = Math.max(1, ...all.map(([, n]) => n));
  const one = ([text, n, key]) =>
    el(
      "span",
      { class: `token heat${key === right ? " right" : ""}`, style: `--share: ${n / most}` },
      el("code", { translate: "no", text: spaced(text) }),
      n ? el("b", { text: n }) : null,
    );
  return el("div", { class: "tokens" }, ...all.map(one));
}

function curves({ curves: all, x, low, high, x_title, y_title }, right) {
  const picture = svg("svg", { viewBox: "0 0 400 216", role: "img", class: "curves" });
  picture.setAttribute("aria-label", labels("n_curves", { n: all.length }));
  const d = (heights) =>
    heights
      .map((y, i) => `${i ? "L" : "M"}${40 + place(x[i], x[0], x.at(-1), 350)} ${190 - place(y, low, high, 170)}`)
      .join("");
  picture.append(svg("path", { class: "axis", d: "M40 20V190H390" }));
  for (const one of all) picture.append(svg("path", { class: "one", d: d(one) }));
  if (Array.isArray(right)) picture.append(svg("path", { class: "right", d: d(right) }));
  for (const [at, y] of [
    [high, 24],
    [low, 192],
  ]) {
    picture.append(svg("text", { x: 20, y }, format(at, 1).replace(/\.0$/, "")));
  }
  for (const at of [x[0], x.at(-1)]) {
    picture.append(svg("text", { x: 40 + place(at, x[0], x.at(-1), 340), y: 212 }, String(at)));
  }
  return el("figure", {}, el("span", { text: y_title }), picture, el("figcaption", { text: x_title }));
}

/** One round. @param {any} counted as asking/questions.py counts; `right` is null until it is computed */
function round(counted, right) {
  if (counted.options) return bars(counted.options, right, nodes);
  if (counted.tokens) return tokens(counted.tokens, right);
  if (counted.words) return bars(counted.words, right, (text) => [document.createTextNode(text)]);
  if (counted.bins) return histogram(counted, right);
  return counted.grid ? heat(counted) : curves(counted, right);
}

/** All rounds. */
export function counts(rounds, right = null) {
  const one = (counted, i) =>
    el(
      "div",
      { class: "round" },
      rounds.length > 1 ? el("h3", { text: labels("round", { n: i + 1 }) }) : null,
      round(counted, right),
    );
  return el("div", { class: "rounds" }, ...rounds.map(one));
}

/** An answer in words: of a curve there are none. */
export function inWords(form, value) {
  if (form.kind === "token") return [el("code", { translate: "no", text: spaced(form.tokens[value]) })];
  if (form.kind === "choice") return nodes(form.options[value] ?? "");
  if (form.kind === "cell") return [document.createTextNode(`${form.rows[value[0]]}, ${form.columns[value[1]]}`)];
  if (form.kind === "curve") return [curves({ ...form, curves: [value] }, null)];
  return [
    document.createTextNode(form.kind === "number" ? `${format(value, 2).replace(/\.?0+$/, "")} ${form.unit}` : value),
  ];
}
