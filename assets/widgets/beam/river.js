// A beam search as a river: each branch is as high as its text is probable; at a choice of words it splits. On a phone
// two columns of bars instead.
import { mix } from "../drawing/color.js";
import { clamp, el } from "../drawing/elements.js";
import { inText } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { onTheWay } from "../shared/progress.js";
import { labels } from "./labels.js";
import { columns } from "./river_columns.js";
import { grown, pathTo, share } from "./river_math.js";
import { river } from "./river_paint.js";

const STYLE =
  "@container (max-width: 480px) { .gf .gf-controls { flex-wrap: nowrap; gap: 0.4rem; margin: 0 0 0.4rem; } }";
const TALL = [220, 310]; // css pixels
const AROUND = 260; // what stands above and below the river

export default picture(
  (h, _, { theme, width, step, shell }) => {
    const { branches, best, greedy } = h;
    const { unit } = theme;
    const tree = grown(branches);
    const paths = [...new Set([greedy, best])].map((i) => pathTo(branches, i));
    const [toBest, toGreedy] = [best, greedy].map((i) => new Set(pathTo(branches, i)));
    const kinds = branches.map(({ fate }, i) =>
      toBest.has(i) ? "best" : toGreedy.has(i) ? "greedy" : fate === "dropped" ? "dropped" : "kept",
    );
    const gray = (part) => mix(theme.page, theme.soft, part);
    const fills = { best: theme.primary, greedy: gray(0.5), kept: gray(0.34), dropped: gray(0.18) };
    const tall = clamp(shell.tall - AROUND * unit, TALL[0] * unit, TALL[1] * unit);
    const bestName = labels(h.n_beam === 1 ? "river.greedy" : best === greedy ? "river.both" : "river.best");
    const look = { branches, tree, kinds, paths, best, bestName, greedy, theme, width, tall, fills };
    const { shapes, size, paint } = width <= 480 ? columns(look) : river(look);
    const text = (i) => inText(pathTo(branches, i).map((at) => branches[at].token).join("").trim()); // prettier-ignore
    const product = (i) => pathTo(branches, i).map((at) => share(branches[at].p)).join(" × "); // prettier-ignore

    const code = (words) => el("code", { translate: "no", text: words });
    const now = onTheWay(shell, step);
    const leader = h.leaders[Math.min(step, h.leaders.length - 1)];
    const [pGreedy, pBest] = [greedy, best].map((i) => branches[i].total);
    const words = { greedy: code(h.fork?.greedy), best: code(h.fork?.best), leader: code(leader.text) };
    const values = {
      n: step + 1,
      n_beam: h.n_beam,
      p: share(leader.total),
      p_greedy: share(pGreedy),
      p_best: share(pBest),
    };
    const isWhole = step >= Math.max(...tree.map(({ depth }) => depth));
    const compared = pBest > pGreedy ? "river.better" : "river.worse";
    const whole = h.n_beam === 1 ? "river.one" : h.fork ? compared : "river.same";

    return {
      things: branches,
      size,
      at(x, y) {
        const isThere = (one) => x >= one.x && x <= one.x + one.w && y >= one.y - 4 && y <= one.y + one.h + 4;
        return shapes.find((one) => one.depth <= step && isThere(one))?.i ?? null;
      },
      paint: (p, place = null) => paint(p, new Set(place === null ? [] : pathTo(branches, place)), now),
      said: ({ total, fate }, i) => [
        el("b", { translate: "no", text: text(i) }),
        labels(tree[i].depth ? "river.said" : "river.said.first", {
          product: product(i),
          total: share(total),
          fate: labels(`river.fate.${fate}`),
        }),
      ],
      hint: labels("river.hint"),
      sentence: labels.parts(isWhole ? whole : "river.now", { ...values, ...words }),
      label: labels("river.label", { before: h.before }),
      first: [el("div", { class: "gf-mono", translate: "no", style: "margin-bottom: 0.3rem", text: `… ${h.before}` })],
      columns: [labels("column.text"), labels("river.p"), labels("river.total"), labels("column.fate")],
      row: ({ p, total, fate }, i) => [text(i), p, total, labels(`river.fate.${fate}`)],
    };
  },
  {
    style: STYLE,
    steps: ({ branches }) => {
      const last = Math.max(...grown(branches).map(({ depth }) => depth));
      return Array.from({ length: last + 1 }, (_, i) => labels("river.step", { n: i + 1 }));
    },
    player: { what: labels("river.tokens"), perSecond: 1.5, start: () => Infinity },
  },
);
