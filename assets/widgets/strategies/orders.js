// Temperature before top-p, and after it: both distributions at once, as the two choices of the page say.
import { define } from "../drawing/base.js";
import { el, format, grouped } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";
import { heightOf, PAIR_STYLE, paintPairs, pairBars } from "../shared/pair_bars.js";
import { apart, bothOrders, nLeft } from "./orders_math.js";

const SAME = 1e-9;
const NAMES = ["top-p first", "temperature first"];

export default define((shell) => {
  const said = el("div", { class: "gf-readout" });
  const box = el("div");
  shell.body.append(said, box);
  const show = pairBars(box);
  let found = [];

  const shown = () => [shell.header.tokens, ...found.map((p) => p.slice(0, shell.header.tokens.length)), NAMES];

  /** Both numbers of tokens, bold, and the rest of the words. */
  function sentence() {
    const { t, p } = shell.header;
    const [last, first] = found.map((one) => el("b", { text: grouped(nLeft(one)) }));
    const differ = apart(...found);
    const outcome = differ < SAME ? "The two are the same." : `They differ by ${format(differ, 3)} in probability.`;
    const V = grouped(found[0].length);
    return [
      `Temperature ${Number(t)}, then top-p ${Number(p)}: `,
      first,
      ` of ${V} tokens are left. Top-p first: `,
      last,
      `. ${outcome}`,
    ];
  }

  return {
    update() {
      found = bothOrders(shell.arrays.logits.data, shell.header.t, shell.header.p);
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      said.replaceChildren(...sentence());
      show(...shown());
    },
    table: () => ({
      columns: ["token", ...NAMES],
      rows: shell.header.tokens.map((token, i) => [visible(token), found[0][i], found[1][i]]),
    }),
    picture: () => ({
      width: 640,
      height: heightOf(shell.header.tokens.length),
      paint: (p) => paintPairs(p, ...shown(), { theme: shell.theme, width: 640 }),
    }),
  };
}, PAIR_STYLE);
