// The next token before and after a change: two bars for each token that is likely in one of both.
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";
import { heightOf, PAIR_STYLE, paintPairs, pairBars } from "./pair_bars.js";

const WIDE = 420; // css pixels, in a file

export default define((shell) => {
  const box = el("div", { role: "img" });
  shell.body.append(box);
  const show = pairBars(box);
  const shown = () => [shell.header.labels, shell.header.before, shell.header.after, shell.header.names];

  function inWords() {
    const { labels, before, after, names, takeaway } = shell.header;
    const both = (i) => `${format(before[i])} ${names[0]}, ${format(after[i])} ${names[1]}`;
    return takeaway || labels.map((token, i) => `${visible(token)}: ${both(i)}`).join("; ");
  }

  return {
    update() {},
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      box.setAttribute("aria-label", inWords());
      show(...shown());
    },
    table: () => ({
      columns: ["token", ...shell.header.names],
      rows: shell.header.labels.map((token, i) => [visible(token), shell.header.before[i], shell.header.after[i]]),
    }),
    picture: () => ({
      width: WIDE,
      height: heightOf(shell.header.labels.length),
      paint: (p) => paintPairs(p, ...shown(), { theme: shell.theme, width: WIDE }),
    }),
  };
}, PAIR_STYLE);
