// One matrix over a training: play, step and scrub through its frames, all in the browser.
import { grouped } from "../page/numbers.js";
import { el, format, fromByte, ROUNDED } from "../drawing/elements.js";
import { scale } from "../drawing/color.js";
import { quoted } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const LEAST = 0.05; // a smaller weight stands as an empty cell, not as ".0"

const steps = ({ steps: all, notes }) =>
  all.map((one, i) => labels(notes[i] ? "at_step_with_note" : "at_step", { step: grouped(one), note: notes[i] }));

export default picture(
  (h, { frames, truth }, { shell, theme, step }) => {
    const size = h.rows.length * h.columns.length;
    const colors = scale("probability", 0, 1, theme.mode);
    const valueTitle = h.value_title || labels("weight");
    const bold = (token) => el("b", { translate: "no", text: quoted(token) });
    return {
      cells: {
        values: frames.data.subarray(step * size, (step + 1) * size),
        of: (v) => v / 255,
        print: (v) => (v < LEAST ? "" : format(v, 1).replace(/^0\./, ".")),
        rows: h.rows,
        columns: h.columns,
        scale: colors,
        truth: truth?.data,
        rowTitle: h.row_title,
        columnTitle: h.column_title,
        maxHeight: Math.min(420, (shell.tall - 290) / theme.unit),
      },
      said(value, [r, c]) {
        const [row, column] = [bold(h.rows[r]), bold(h.columns[c])];
        return !h.value_title // attention
          ? labels.parts("writing_reads", { row, column, weight: format(value, 2) })
          : [`${h.row_title} `, row, ` · ${h.column_title} `, column, ` · ${valueTitle} ${format(value, 2)}`];
      },
      hint: labels("play_hint"),
      legends: [[colors, `${valueTitle} (${ROUNDED})`, { truth: truth && h.truth_title }]],
      columns: [`${h.row_title} (${valueTitle}, ${ROUNDED})`, ...h.columns],
      rows: h.rows.map((t, r) => [
        t,
        ...h.columns.map((_, c) => fromByte(frames.data[step * size + r * h.columns.length + c] / 255)),
      ]),
    };
  },
  { steps, player: { what: labels("training_step"), name: "Training step" } },
);
