// Reads fields of ink from stdin and prints the 64 counts that the canvas makes of each, for Python to compare.
import { readFileSync } from "node:fs";
import { drawLine, SIZE, spread, toCells } from "../../../assets/widgets/pictures/canvas_math.js";

const { fields, strokes, digits } = JSON.parse(readFileSync(0, "utf8"));
const counted = (field, height, width) => {
  const cells = toCells(field, height, width);
  return cells && [...cells];
};
const drawn = strokes.map((points) => {
  const field = new Uint8Array(SIZE * SIZE);
  for (let i = 1; i < points.length; i++) drawLine(field, points[i - 1], points[i], SIZE / 17);
  return { field: [...field], cells: counted(field, SIZE, SIZE) };
});
console.log(
  JSON.stringify({
    fields: fields.map((f) => counted(f.field, f.height, f.width)),
    drawn,
    spread: digits.map((cells) => {
      const field = spread(cells);
      return { field: [...field], cells: counted(field, SIZE, SIZE) };
    }),
  }),
);
