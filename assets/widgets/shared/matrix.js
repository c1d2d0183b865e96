// A matrix to read cell by cell: hover links row, column, both tokens and the formula; a click selects.
import { Badge, BADGE_STYLE } from "../page/badge.js";
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { attentionFormula } from "../drawing/formula.js";
import { Grid } from "../drawing/grid.js";
import { RowEditor } from "./row_editor.js";
import { quoted, visible } from "../drawing/tokens.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const SMALL = 200; // css pixels: cells of several pictures side by side, which need no titles of their axes

export default define((shell) => {
  const readout = el("div", { class: "gf-readout" });
  const formulaBox = el("div", { class: "gf-formula", hidden: true });
  const key = el("div", { class: "gf-legend" });
  const editor = new RowEditor({
    apply: (row, weights) => shell.commit("edit", shell.header.edits ? written(row, weights) : { row, weights }),
    clear: () => shell.commit("edit", shell.header.edits ? "" : null),
  });
  /** A row as an address has it. */
  const written = (row, weights) =>
    `${shell.header.edits}.${row}:${weights.slice(0, row + 1).map((w) => Number(w.toPrecision(5)))}`;
  const grid = new Grid({
    hover: (at, byKeyboard) => {
      describe(at ?? grid.selected);
      if (byKeyboard && at) shell.say(sentence(at));
    },
    choose: (at) => {
      grid.selected = at;
      grid.drawOver();
      describe(at);
      shell.say(labels("selected", { cell: sentence(at) }));
      shell.commit("pick", { row: at[0], column: at[1] });
      openEditor();
    },
    reset: () => {
      if (!grid.selected) return;
      grid.selected = null;
      grid.drawOver();
      describe(null);
      openEditor();
      shell.commit("pick", null);
    },
  });
  let wantsCheck = false; // once the server knows what only this browser has computed
  const badge = new Badge({
    ask(token) {
      wantsCheck = Boolean(shell.header.edited?.is_on);
      if (wantsCheck) document.dispatchEvent(new Event("gf-tell"));
      else shell.commit("check", { of: token });
    },
    say: (text) => shell.say(text),
  });
  badge.hear(grid.stage);
  shell.body.append(grid.node, readout, formulaBox, editor.node, key, badge.node);

  /** Where it stands, after a token; labels that are numbers say so themselves. */
  const place = (names, said) => (names.every((one) => /^\W*\d/.test(one)) ? "" : said);

  function sentence([r, c]) {
    const h = shell.header;
    const pair = `${h.row_word} ${quoted(h.rows[r])}${place(h.rows, ` (${r})`)}, ${h.column_word} ${quoted(h.columns[c])}${place(h.columns, ` (${c})`)}`;
    return grid.isEmpty(r, c)
      ? `${pair}: ${h.empty_title}`
      : `${pair}: ${h.value_title} ${format(grid.value(r, c), 4)}`;
  }

  /** What the badge tells of a cell; of an empty one its place alone. */
  function cellOf(at) {
    if (!at) return null;
    const { again, difference } = shell.arrays;
    const i = at[0] * grid.nColumn + at[1];
    return grid.isEmpty(...at)
      ? { at }
      : { at, shown: grid.value(...at), again: again?.data[i], difference: difference?.data[i] };
  }

  function describe(at) {
    const h = shell.header;
    badge.show(cellOf(at));
    if (!at) {
      readout.replaceChildren(
        el("span", {
          class: "gf-hint",
          text: labels("point_at_cell"),
          title: labels("select_hint"),
        }),
      );
    } else {
      const [r, c] = at;
      readout.replaceChildren(
        `${h.row_word} `,
        el("b", { translate: "no", text: visible(h.rows[r]) }),
        `${place(h.rows, ` ${r}`)}  ·  ${h.column_word} `,
        el("b", { translate: "no", text: visible(h.columns[c]) }),
        `${place(h.columns, ` ${c}`)}  ·  `,
        grid.isEmpty(r, c)
          ? h.empty_title
          : el("span", {}, `${h.value_title} `, el("b", { text: format(grid.value(r, c), 4) })),
      );
    }
    if (!h.operands) return;
    if (!at) {
      formulaBox.replaceChildren(el("span", { class: "gf-hint", text: labels("formula_hint") }));
    } else if (grid.isEmpty(...at)) {
      formulaBox.replaceChildren(el("span", { text: labels("masked_cell") }));
    } else formulaBox.replaceChildren(...attentionFormula(operands(), at[0], at[1], grid.value(...at), grid.nColumn));
  }

  const operands = () => ({ ...shell.arrays, ...shell.header.operands, empty: grid.empty });

  function openEditor() {
    const h = shell.header;
    const row = grid.selected?.[0];
    if (!h.editable) return;
    const { data } = shell.arrays.values;
    const n = grid.nColumn;
    editor.open(
      row === undefined
        ? null
        : {
            row,
            name: h.rows[row],
            columns: h.columns,
            weights: Array.from(data.slice(row * n, row * n + n)),
            empty: Array.from({ length: n }, (_, c) => grid.isEmpty(row, c)),
            isEdited: row === h.edited?.row,
            hasPresets: Boolean(h.edits),
            theme: shell.theme,
            width: shell.width,
          },
    );
  }

  /** Of numbers that only this browser has computed the server knows nothing yet; of some it cannot. */
  function shownBadge({ badge: told, edited }) {
    if (!told) return told;
    if (edited?.is_on) return { ...told, can: told.can && !edited.why_not, found: null, why_not: edited.why_not };
    if (wantsCheck) shell.commit("check", { of: told.token });
    wantsCheck = false;
    return told;
  }

  /** What somebody has changed takes the place of the values. */
  function putEdited(h, arrays) {
    arrays.values = arrays.edited;
    if (arrays.edited_mask) arrays.empty = { ...arrays.edited_mask, data: arrays.edited_mask.data.map((v) => 1 - v) };
    h.high = h.edited.high ?? h.high;
  }

  const moves = (h) => Object.keys(h.chooses?.pick ?? {});

  /** Whether a cell is where the choices are: of a click in a row that is a choice, the column stays. */
  const isThere = (at, h) =>
    ["row", "column"].every((side, i) => !moves(h).includes(side) || at?.[i] === h.selected?.[i]);

  return {
    held: () => (grid.selected && String(grid.selected) !== String(shell.header.selected) ? grid.selected : null),
    hold([r, c]) {
      if (!(r < grid.nRow && c < grid.nColumn) || !isThere([r, c], shell.header)) return;
      grid.selected = [r, c];
      grid.drawOver();
      describe(grid.selected);
      openEditor();
    },
    update() {
      const h = shell.header;
      if (h.edited?.is_on) putEdited(h, shell.arrays);
      const previous = shell.previous ?? {};
      if (JSON.stringify(h.selected) !== JSON.stringify(previous.selected)) {
        const isClicked = grid.selected && String(grid.selected) !== String(previous.selected);
        if (!moves(h).length || !isClicked || !isThere(grid.selected, h)) grid.selected = h.selected;
      }
      const sameShape = previous.rows?.length === h.rows.length && previous.columns?.length === h.columns.length;
      if (!sameShape && !h.selected) grid.selected = null;
    },
    draw() {
      const h = shell.header;
      const { values, empty, truth } = shell.arrays;
      const isSmall = h.height !== null && h.height <= SMALL;
      const isTight = shell.theme.presenting && (h.editable || isSmall); // more shares the slide with it
      grid.set({
        values: values.data,
        rows: h.rows,
        columns: h.columns,
        empty: empty?.data,
        truth: truth?.data,
        rowTitle: isSmall ? "" : h.row_title,
        columnTitle: isSmall ? "" : h.column_title,
        scale: scale(h.kind, h.low, h.high, shell.theme.mode),
        labelFor: h.takeaway,
      });
      grid.draw(shell.theme, shell.width, {
        maxHeight: h.compact
          ? (h.height ?? 180)
          : Math.min(h.height ?? 620, shell.tall / shell.theme.unit - (isTight ? 260 : 110)),
        minCell: isTight ? 6 : undefined,
        bare: h.compact,
        tall: h.rows.length <= 8,
      });
      shell.tools.hidden = h.compact;
      readout.hidden = key.hidden = h.compact || isTight;
      formulaBox.hidden = !h.operands;
      badge.set(shownBadge(h), [h.row_word, h.column_word], h.compact, shell.arrays);
      key.replaceChildren(
        ...legend(grid.scale, h.value_title, { masked: empty && h.empty_title, truth: truth && h.truth_title }),
      );
      describe(grid.at ?? grid.selected);
      openEditor();
    },
    table: () => ({
      columns: [shell.header.row_title, ...shell.header.columns.map(visible)],
      rows: shell.header.rows.map((t, r) => [
        visible(t),
        ...shell.header.columns.map((_, c) => (grid.isEmpty(r, c) ? shell.header.empty_title : grid.value(r, c))),
      ]),
    }),
    picture: () => ({ ...photograph(grid.node), scale: grid.scale, scaleTitle: shell.header.value_title }),
  };
}, BADGE_STYLE);
