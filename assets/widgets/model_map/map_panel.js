// What one sees inside: the matrices of a head or an MLP, one matrix, the arithmetic of one number.
import { raster, scale } from "../drawing/color.js";
import { clamp, el, format } from "../drawing/elements.js";
import { Grid } from "../drawing/grid.js";
import { row, table } from "../drawing/table.js";
import { word } from "../drawing/tokens.js";
import { arithmetic } from "../engine/arithmetic.js";
import { labels } from "./labels.js";
import { wholeSize } from "./map_numbers.js";
import { cellWords, code, inside, matrix, matrixWords, placeIn } from "./map_places.js";

const MOST_TERMS = 10;
const SPREAD = 2.5;

/** @typedef {import("./map_places.js").Place} Place */

export class Panel {
  node = el("div", { class: "gf-inside", hidden: true });
  grid = null;

  /**
   * @param {{go: (to: Place) => void, edit: (edit: any, isDrag?: boolean) => void, say: (text: string) => void}} acts
   */
  constructor(acts) {
    this.acts = acts;
  }

  /**
   * Show a place, or what is said while it is awaited; a change of numbers alone leaves what one holds.
   * @param {Place} place
   * @param {{pass: any, focus: number, theme: any, width: number, height: number, vocabulary: any, isOff: any,
   *   holds: (name: string, place: Place) => any}} look
   */
  show(place, look, waiting = "") {
    const at = JSON.stringify(place);
    const isNew = at !== this.at;
    this.at = waiting ? null : at;
    this.place = place;
    this.look = look;
    if (waiting) this.node.replaceChildren(el("p", { class: "gf-what", text: waiting }));
    else if (place.cell && !look.pass.isServers) this.#number(isNew);
    else if (place.name) this.#matrix(isNew);
    else this.#parts();
  }

  /** The matrices of a head, or of an MLP, in the order in which they are computed. */
  #parts() {
    const { place, look, acts } = this;
    const { nLayer, nHead } = look.pass;
    const isThere = ({ place: { name } }) => !name || name === "probabilities" || look.pass.taps.has(name);
    const found = inside(place, { nLayer, nHead, hasMlp: true }).filter(isThere);
    const cards = found.map(({ label, told, place: to }) => {
      const canvas = el("canvas");
      this.#small(canvas, to);
      return el(
        "button",
        { class: "gf-matrix", title: told, onclick: () => acts.go(to) },
        canvas,
        el("b", { text: label }),
        el("span", { text: told }),
      );
    });
    this.node.replaceChildren(el("div", { class: "gf-matrices" }, ...cards));
  }

  #small(canvas, place) {
    const { pass, focus, vocabulary, theme } = this.look;
    const shown = matrix(pass, place, focus, vocabulary);
    const colors = this.#scale(shown);
    const nColumn = shown.columns.length;
    raster(
      nColumn,
      shown.rows.length,
      colors.rgb,
      (i) => {
        const v = shown.value(Math.floor(i / nColumn), i % nColumn);
        return v === null ? null : colors.level(v);
      },
      canvas,
    );
    canvas.style.borderColor = theme.line;
  }

  #scale({ kind, value, rows, columns }) {
    const { mode } = this.look.theme;
    if (kind === "probability") return scale("probability", 0, 1, mode);
    const numbers = rows.flatMap((_, r) => columns.map((__, c) => value(r, c) ?? 0));
    const limit = SPREAD * wholeSize({ data: numbers });
    return scale("signed", -limit, limit, mode);
  }

  #matrix(isNew) {
    const { place, look, acts } = this;
    const { pass, focus, vocabulary, theme, width, height } = look;
    const shown = matrix(pass, place, focus, vocabulary);
    const [title, what] = matrixWords(place.name);
    const hint = labels(pass.isServers ? "in_small_ones" : "click_number");
    if (isNew) {
      this.readout = el("p", { class: "gf-readout" });
      this.grid = new Grid({
        hover: (at, byKeyboard) => {
          this.readout.textContent = at ? `${cellWords(this.shown, at)}: ${this.#printed(at)}` : hint;
          if (byKeyboard && at) acts.say(this.readout.textContent);
        },
        choose: (at) => !pass.isServers && this.shown.value(...at) !== null && acts.go({ ...place, cell: at }),
      });
      this.head = el("p", { class: "gf-what" });
      this.node.replaceChildren(this.head, this.grid.node, this.readout);
      this.readout.textContent = hint;
    }
    this.shown = shown;
    this.head.replaceChildren(
      ...labels.parts("about", { title: el("b", { text: title }), what }),
      shown.nWhole > shown.columns.length
        ? ` ${labels("largest", { all: shown.nWhole, n: shown.columns.length })} `
        : " ",
      el("code", { class: "gf-deep", text: this.#shape(shown) }),
    );
    const values = Float32Array.from(
      shown.rows.flatMap((_, r) => shown.columns.map((__, c) => shown.value(r, c) ?? NaN)),
    );
    this.grid.set({
      values,
      rows: shown.rows,
      columns: shown.columns,
      scale: this.#scale(shown),
      labelFor: `${title}: ${what}`,
    });
    const row = shown.columns.map((_, c) => Math.abs(shown.value(focus, c) ?? 0));
    this.grid.selected = [focus, row.indexOf(Math.max(...row))];
    this.grid.draw(theme, width - 24, { maxHeight: height - 110, maxCell: 40, minCell: 3, tall: !shown.isSquare });
  }

  #shape(shown) {
    const nColumn = shown.ids ? this.look.pass.vocabSize : (shown.nWhole ?? shown.columns.length);
    return `${code(this.place)}  ${shown.rows.length} × ${nColumn}`;
  }

  #printed(at) {
    const v = this.shown.value(...at);
    return v === null ? labels("not_read") : format(v, 4);
  }

  /** One number: what it was made of, step by step; and a handle to hold it elsewhere. */
  #number(isNew) {
    const { place, look, acts } = this;
    const { pass, focus, vocabulary, holds } = look;
    const shown = matrix(pass, place, focus, vocabulary);
    const { name } = place;
    const [r, c] = place.cell;
    const column = shown.ids ? shown.ids[c] : c;
    const made = arithmetic(pass.model, pass.taps, pass.ids, name, placeIn({ ...place, cell: [r, column] }));
    const now = shown.value(r, c);
    if (isNew) {
      this.sum = el("div");
      this.handle = name === "probabilities" ? null : this.#handle(place, column, now);
      this.node.replaceChildren(...[this.sum, this.handle].filter(Boolean));
    }
    const set = holds(name, place);
    const line = (label, value, more = "") =>
      el("p", { class: `gf-step ${more}` }, el("span", { text: label }), el("b", { text: format(value, 4) }));
    const steps = made.steps.length ? made.steps : [{ label: labels("so"), value: made.value }];
    this.sum.replaceChildren(
      el("p", { class: "gf-what" }, el("b", { text: cellWords(shown, place.cell) }), ` ${matrixWords(name)[0]}`),
      this.#terms(made),
      ...steps.map(({ label, value }, i) => line(label, value, i === steps.length - 1 ? "total" : "")),
      ...(set ? [line(labels("you_set"), now, "total on")] : []),
    );
    this.said = `${cellWords(shown, place.cell)}: ${format(now, 4)}`;
    if (isNew) acts.say(this.said);
  }

  #handle(/** @type {Place} */ { name, head, layer, cell: [r, c] }, column, now) {
    const isWeight = name.endsWith("attn.weights");
    const limit = isWeight ? 1 : 2 * Math.max(Math.abs(now), wholeSize(this.look.pass.taps.get(name)));
    const slider = el("input", {
      type: "range",
      min: isWeight ? 0 : -limit,
      max: limit,
      step: limit / 200,
      "aria-label": labels("set_number"),
      "data-name": "set_number",
      oninput: () => {
        const value = Number(slider.value);
        this.acts.edit(
          isWeight
            ? { part: "weight", layer, head, query: r, key: c, value }
            : { part: "cell", name, at: placeIn({ head, name, cell: [r, column] }), value },
          true,
        );
      },
    });
    slider.value = now;
    return el("label", { class: "gf-handle" }, `${labels("drag")} `, slider);
  }

  #terms(/** @type {import("../engine/arithmetic.js").Arithmetic} */ { kind, terms, factors, top }) {
    const sorted = [...terms].sort((a, b) => Number(b.isAsked ?? 0) - Number(a.isAsked ?? 0) || size(b) - size(a));
    const shown = sorted.slice(0, MOST_TERMS);
    const rest = sorted.slice(MOST_TERMS);
    const most = Math.max(...shown.map(size)) || 1;
    const sum = (some) => some.reduce((total, one) => total + one.value, 0);
    const bar = (value) => {
      const node = el("span", { class: value < 0 ? "gf-amount less" : "gf-amount" });
      node.style.width = `${clamp((60 * Math.abs(value)) / most, 1, 60)}px`;
      return node;
    };
    const numbers = {
      products: (one) => [format(one.a, 3), format(one.b, 3), format(one.value, 3)],
      share: (one) => [format(one.a, 3), format(one.value, 4)],
      sum: (one) => [format(one.value, 4)],
      function: (one) => [format(one.value, 4)],
    }[kind];
    const heads = {
      products: factors && [factors[0], `× ${factors[1]}`, "="],
      share: [labels("score"), labels("exp_score", { top: format(top, 3) })],
      sum: [""],
      function: [""],
    }[kind];
    const line = (one) =>
      row([this.#source(one), ...numbers(one), bar(one.value)], { class: one.isAsked ? "total" : null });
    const lines = shown.map(line);
    const gap = heads.slice(1).map(() => "");
    if (rest.length) {
      lines.push(row([labels("smaller_ones", { n: rest.length }), ...gap, format(sum(rest), 3), bar(sum(rest))]));
    }
    if (terms.length > 1) {
      lines.push(row([labels("all_together"), ...gap, format(sum(terms), 4), ""], { class: "total" }));
    }
    return table(["", ...heads, ""], lines);
  }

  /** What a term is, and the way to where it was read. */
  #source({ from, label, token: at }) {
    const { pass, vocabulary } = this.look;
    const { name } = this.place;
    const token = at ?? (name.endsWith("attn.weights") ? label : null);
    let text = token === null ? label : `“${word(pass.tokens[token])}”`;
    if (name === "probabilities") text = `“${word(vocabulary(Number(label)))}”`;
    if (!from || name === "probabilities") return el("span", { text });
    return el("button", { class: "gf-from", text, title: from[0], onclick: () => this.acts.go(placeOf(...from)) });
  }
}

const size = ({ value }) => Math.abs(value);

/**
 * The place of a number of a tap.
 *
 * @returns {Place}
 */
function placeOf(name, at) {
  const layer = name.match(/^blocks\.(\d+)\./)?.[1];
  const isHead = at.length === 3;
  const isMlp = name.includes(".mlp.");
  return {
    ...(layer !== undefined && { layer: Number(layer) }),
    ...(isHead && { head: at[0] }),
    ...(isMlp && { part: "mlp" }),
    name,
    cell: at.slice(-2),
  };
}
