// The drawn field, and its 8 x 8 pixels, on their canvases.
import { mix, parseHex } from "../drawing/color.js";
import { fit } from "../drawing/painter.js";
import { FULL_CELL, N, SIZE } from "./canvas_math.js";

export const shadeOf = (theme, v) => mix(theme.page, theme.text, v / FULL_CELL);

/** `sheet` is a canvas with one pixel for each of the field. */
export function paintField(pad, sheet, field, side, theme) {
  const ctx = fit(pad, side, side);
  const [r, g, b] = parseHex(theme.text);
  const image = new ImageData(SIZE, SIZE);
  for (let i = 0; i < field.length; i++) image.data.set([r, g, b, field[i]], 4 * i);
  sheet.getContext("2d").putImageData(image, 0, 0);
  ctx.imageSmoothingEnabled = true;
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(sheet, 0, 0, side, side);
}

/** at: [row, column] with a frame, or null. */
export function paintPixels(grid, cells, at, side, theme) {
  const cell = side / N;
  const ctx = fit(grid, side, side);
  cells.forEach((v, i) => {
    ctx.fillStyle = shadeOf(theme, v);
    ctx.fillRect((i % N) * cell, Math.floor(i / N) * cell, cell, cell);
  });
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let i = 1; i < N; i++) {
    const v = Math.round(i * cell) + 0.5;
    ctx.moveTo(v, 0);
    ctx.lineTo(v, side);
    ctx.moveTo(0, v);
    ctx.lineTo(side, v);
  }
  ctx.stroke();
  if (!at) return;
  ctx.strokeStyle = theme.accent;
  ctx.lineWidth = 3;
  ctx.strokeRect(at[1] * cell + 1.5, at[0] * cell + 1.5, cell - 3, cell - 3);
}
