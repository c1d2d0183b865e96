// One text, continued in three ways: above, the chances of one token as each way sees them; below, what was written.
import { el, percent } from "../drawing/elements.js";
import { readableOn, scale } from "../drawing/color.js";
import { inText, visible, word } from "../drawing/tokens.js";
import { grouped } from "../page/numbers.js";
import { bar } from "../scene/bars.js";
import { picture } from "../scene/scene.js";
import { animateFromBefore } from "../shared/motion.js";
import { labels } from "./labels.js";
import { STYLE } from "./three_ways_style.js";

const ALWAYS = 2; // greedy and sampling
const DEPTHS = [0.34, 0.7, 1]; // how dark each shade of unlikely is

/** One line for each candidate of token i, and one for all others; the chosen one in orange. full: the longest bar. */
function chanceBars(tokens, i, full, n, theme) {
  if (i >= tokens.length) return [el("div", { class: "gf-soft", text: labels("ways.ended") })];
  const { names, chances, chosen, verb } = tokens[i];
  return chances.map((p, k) => {
    const isRest = k === names.length;
    const value = Number.isNaN(p) ? labels("ways.cut") : percent(p, p < 0.0995 ? 1 : 0);
    const line = bar({
      ...{
        name: isRest ? labels("ways.others", { n, count: grouped(n) }) : word(names[k]),
        translate: isRest ? undefined : "no",
      },
      ...{ value: k === chosen ? `${value} ◂ ${verb}` : value, share: (p || 0) / full },
      fill: k === chosen ? theme.accent : theme.soft,
    });
    line.className = k === chosen ? "took" : isRest ? "rest" : "";
    return line;
  });
}

export default picture(
  (h, { plain, top, chances, chosen }, { theme, step, state: pinned, set }) => {
    const [, N, M] = top.shape;
    const third = h.ways.findIndex(({ key }) => key === h.third);
    const shadeOf = (p) => h.unlikely.findLastIndex((most) => p < most); // -1: not unlikely
    const lanes = [...h.ways.keys()]
      .filter((c) => c < ALWAYS || c === third)
      .map((c, lane) => {
        const tokens = Array.from({ length: h.ways[c].n }, (_, i) => {
          const at = c * N + i;
          const names = Array.from(top.data.subarray(at * M, (at + 1) * M), (id) => h.names[id]);
          const own = Array.from(chances.data.subarray(at * (M + 1), (at + 1) * (M + 1)));
          const [k, p] = [chosen.data[at], plain.data[at]];
          const verb = labels(c === 0 ? "ways.taken" : "ways.drawn");
          return { lane, i, names, chances: own, chosen: k, verb, name: names[k], p, own: own[k], shade: shadeOf(p) };
        });
        return { ...h.ways[c], tokens, n: tokens.filter(({ i, shade }) => i <= step && shade >= 0).length };
      });
    const things = lanes.flatMap(({ tokens }) => tokens);
    const isWhole = step >= N - 1;
    // While they write, the newest token; of the whole texts the first one that differs.
    const now = pinned !== null && pinned <= step ? pinned : isWhole ? lanes[ALWAYS].first_difference : step;
    const shades = scale("value", 0, 1, theme.mode);
    const fills = DEPTHS.map((depth) => shades.css(depth));
    const shaded = (k) => (k < 0 ? null : `background: ${fills[k]}; color: ${readableOn(fills[k])}`);

    function bars({ tokens }, i) {
      const all = lanes.flatMap((one) => one.tokens[i]?.chances ?? []);
      return chanceBars(tokens, i, Math.max(...all.filter((p) => p > 0)), h.n_others, theme);
    }

    const written = (tokens) => Math.min(step + 1, tokens.length);
    const { title, quote } = lanes[ALWAYS];
    const sentence =
      quote && isWhole
        ? labels.parts("ways.wild", { title, quote: el("code", { translate: "no", text: inText(quote).trim() }) })
        : [labels("ways.count", { a: lanes[0].n, b: lanes[1].n, c: lanes[ALWAYS].n })];

    return {
      things,
      layout: "gf-ways",
      draw({ i, name, shade }) {
        const [, space, letters] = inText(name).match(/^( *)([^]*)$/);
        const style = i > step ? "visibility: hidden; opacity: 0" : "opacity: 1"; // it keeps its place
        return el("span", { translate: "no", style }, i ? space : "", el("b", { style: shaded(shade), text: letters }));
      },
      arrange: (parts) =>
        lanes.map((lane) =>
          el(
            "section",
            {},
            el("h4", { text: lane.title }),
            el("div", { class: "gf-way-how", text: lane.how }),
            el("div", { class: "gf-rows" }, ...bars(lane, now)),
            el("p", { class: "gf-way-text" }, ...lane.tokens.map((one) => parts[things.indexOf(one)])),
            el(
              "div",
              { class: "gf-way-n" },
              ...labels.parts("ways.unlikely", {
                n: lane.n,
                number: el("b", { class: "gf-key-number", text: String(lane.n) }),
                of: written(lane.tokens),
              }),
            ),
          ),
        ),
      mark(node, place) {
        const i = place === null ? now : things[place].i;
        node.querySelectorAll(".gf-way-text > span").forEach((one, k) => one.classList.toggle("on", things[k].i === i));
        node.querySelectorAll(".gf-rows").forEach((one, k) => one.replaceChildren(...bars(lanes[k], i)));
        animateFromBefore(node, ".gf-rows i", "width");
        animateFromBefore(node, ".gf-way-text > span", "opacity");
      },
      said: ({ lane, i, name, p, own }) => [
        labels("ways.said", {
          ...{ title: lanes[lane].title, token: word(name), i: i + 1 },
          ...{ p: percent(p, 1), own: percent(own, 1) },
        }),
      ],
      hint: labels("hint"),
      chosen: pinned === null ? null : now,
      choose: (_, place) => set(things[place].i === pinned ? null : things[place].i),
      reset() {
        if (pinned === null) return false;
        set(null);
        return true;
      },
      held: pinned !== null && [pinned],
      hold: ([i]) => i < N && set(i),
      label: labels("ways.label", { before: h.before }),
      sentence,
      first: [
        el(
          "div",
          { class: "gf-way-prompt" },
          el(
            "span",
            { class: "gf-mono", translate: "no" },
            `… ${h.before} `,
            el("u", { text: "?", "aria-hidden": "true" }),
          ),
          el(
            "span",
            { class: "gf-way-key" },
            labels("ways.key"),
            ...h.unlikely.map((most, k) =>
              el("b", { class: "gf-shade", style: shaded(k), text: `<${percent(most, most < 0.01 ? 1 : 0)}` }),
            ),
          ),
        ),
      ],
      columns: [labels("ways.way"), labels("ways.place"), labels("token"), labels("ways.p")],
      row: ({ lane, i, name, p }) => [lanes[lane].title, String(i + 1), visible(name), p],
    };
  },
  {
    style: STYLE,
    state: (_, pinned = null) => pinned,
    steps: ({ ways }) =>
      Array.from({ length: Math.max(...ways.map(({ n }) => n)) }, (_, n) => labels("ways.step", { n: n + 1 })),
    player: { what: labels("tokens_shown"), name: "Tokens written", perSecond: 6, start: () => Infinity },
  },
);
