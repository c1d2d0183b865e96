// The film strip: what each step computes as a picture of a few pixels, and a dot where an edit has changed it.
import { fit } from "../drawing/painter.js";
import { valueOf } from "./stepper_math.js";

const PIXEL = 4;
const GAP = 5;

/** Paint the results of a step. panels: those on show, so in the column convention already transposed. */
export function paintThumb(canvas, panels, { t, scales, theme }) {
  const views = panels.map((p) => p.result);
  const width = views.reduce((sum, v) => sum + v.columns.length * PIXEL + GAP, -GAP);
  const height = Math.max(...views.map((v) => v.rows.length)) * PIXEL;
  const ctx = fit(canvas, width, height);
  let x = 0;
  for (const v of views) {
    v.rows.forEach((_, r) =>
      v.columns.forEach((_, c) => {
        const value = valueOf(t, v.ref(r, c));
        ctx.fillStyle = value === -Infinity ? theme.wash : scales[v.kind].css(value);
        ctx.fillRect(x + c * PIXEL, r * PIXEL, PIXEL, PIXEL);
      }),
    );
    x += v.columns.length * PIXEL + GAP;
  }
}

/** Whether any number that the step computes is another one than before the edits. */
export const hasChanged = (panels, changed) =>
  panels.some(({ result: v }) => v.rows.some((_, r) => v.columns.some((_, c) => changed(v.ref(r, c)) !== null)));
