// How a uniform number picks a token: all tokens side by side between 0 and 1, and where the number fell.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";
import { drawLine, LINE_STYLE, lineLabel, paintLine } from "../shared/token_line.js";

export default define((shell) => {
  const line = el("div", { class: "gf-line", role: "img" });
  shell.body.append(line);

  const pieces = () => {
    const { ids, low, high } = shell.arrays;
    const { names, token } = shell.header;
    return Array.from(ids.data, (t, i) => ({ t, name: names[t], low: low.data[i], high: high.data[i] }))
      .filter(({ t }) => t >= 0)
      .map((one) => ({ ...one, isTaken: one.t === token }));
  };

  return {
    update() {},
    draw() {
      const all = pieces();
      line.replaceChildren(...drawLine(all, shell.header.drawn, shell.theme));
      line.setAttribute(
        "aria-label",
        lineLabel(
          all.find((one) => one.isTaken),
          shell.header.drawn,
        ),
      );
    },
    table: () => ({
      columns: ["token", "from", "to", "width"],
      rows: pieces().map(({ name, low, high }) => [visible(name), low, high, high - low]),
    }),
    picture: () => ({
      width: 640,
      height: 84,
      paint: (p) => paintLine(p, pieces(), shell.header.drawn, shell.theme, 640),
    }),
  };
}, LINE_STYLE);
