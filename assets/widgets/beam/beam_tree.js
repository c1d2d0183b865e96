// The tree of a beam search: play, step and scrub; columns are steps, nodes are candidates. Nothing asks the server.
import { clamp, el, format } from "../drawing/elements.js";
import { row, table } from "../drawing/table.js";
import { inText, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { countFrames, fate, frameAt, normalized, passes, path, placeOf, sentence, tokensOf } from "./beam_tree_math.js";
import { layTree, paintTree, tints } from "./beam_tree_paint.js";
import { STYLE } from "./beam_tree_style.js";
import { labels } from "./labels.js";

const hint = () =>
  el(
    "span",
    { class: "gf-hint" },
    ...labels.parts("hint", {
      deep: el("span", { class: "gf-deep", text: `${labels("hint.deep")} ` }),
      plain: el("span", { class: "gf-plain", text: `${labels("hint.plain")} ` }),
    }),
  );

/** The finished texts that a frame knows of, the best first. */
function finished(h, pooled) {
  const text = (one) => one.tokens.map((t) => inText(h.names[t])).join("").trim(); // prettier-ignore
  const line = (one, name, kind) =>
    row([name, String(one.tokens.length), format(one.log_prob, 3), format(one.score, 3)], { class: kind });
  const rows = pooled.map((one, i) => line(one, `${i ? "" : "▸ "}${text(one)}`, i ? null : "best"));
  if (!rows.length) rows.push(row([labels("none_yet"), "", "", ""]));
  if (h.greedy) rows.push(line(h.greedy, labels("greedy", { text: text(h.greedy) }), "greedy"));
  const sums = h.plain
    ? [labels("sum"), labels("score")]
    : [labels("log_prob"), labels("score_with", { alpha: h.length_penalty })];
  const heads = [labels("finished_so_far", { n: h.n_beam }), labels("tokens"), ...sums];
  const look = { class: "gf-pool gf-scroll", tabindex: 0, role: "region", "aria-label": labels("finished_texts") };
  return el("div", look, table(heads, rows));
}

export default picture(
  (h, _, { theme, step: frame, state, set }) => {
    const { steps } = h;
    const { step: upTo, decided } = frameAt(frame);
    const every = steps.flatMap((one, s) => one.tokens.map((__, c) => ({ s, c, places: path(steps, s, c) })));
    const things = every.filter(({ s }) => s <= upTo);
    const indexOf = (s, c) => things.findIndex((one) => one.s === s && one.c === c);
    const pinned = state.pinned !== null && state.pinned < things.length ? state.pinned : null;
    const known = decided ? upTo : upTo - 1;
    const pooled = known < 0 ? [] : steps[known].pool;
    const best = pooled.length && decided ? placeOf(steps, pooled[0].tokens, upTo) : null;
    const place = layTree(Math.min(1.5, theme.unit));
    const words = (places) => tokensOf(steps, places).map((t) => visible(h.names[t])).join(" "); // prettier-ignore
    const choose = (at) => set({ ...state, pinned: at });
    const sign = (color, style, width) =>
      el("span", { class: "gf-key", style: `border: ${width}px ${style} ${color}` });
    const tint = tints(theme);

    /** Up and down go through the candidates of the present step. */
    function beside(at, way) {
      if (upTo < 0) return null;
      const last = steps[upTo].tokens.length - 1;
      const from = things[at]?.s === upTo ? things[at].c : way > 0 ? -1 : last + 1;
      return indexOf(upTo, clamp(from + way, 0, last));
    }

    return {
      things,
      walked: 0,
      size: [
        place.x(steps.length - 1) + place.w + place.px(6),
        place.y(Math.max(...steps.map((one) => one.tokens.length))) + 4,
      ],
      at(x, y) {
        const [s, c] = [(x - place.x(0)) / place.stepX, (y - place.y(0)) / place.stepY].map(Math.floor);
        const at = x > place.x(s) + place.w ? -1 : indexOf(s, c);
        return at < 0 ? null : at;
      },
      paint(p, at = null) {
        const lit = things[at ?? pinned]?.places ?? null;
        paintTree(p, h, place, theme, {
          frame,
          isLit: (s, c) => passes(lit, s, c) || passes(best, s, c),
          isPinned: (s, c) => pinned !== null && indexOf(s, c) === pinned,
        });
      },
      said({ s, c, places }) {
        const n = places.length;
        const terms = places.map((one, i) => format(steps[i].log_probs[one], 3));
        const total = steps[s].totals[c];
        const whole = format(normalized(total, n, h.length_penalty), 3);
        const sum = terms.join(" + ").replaceAll("+ −", "− ") + (n > 1 ? ` = ${format(total, 3)}` : "");
        const values = { sum, total: format(total, 3), n, alpha: h.length_penalty, score: whole };
        const told = s === upTo && !decided ? labels("undecided") : labels(`fate.${fate(steps[s], c)}`);
        return [
          el("b", { text: words(places) }),
          el("span", {
            class: "gf-deep",
            text: `: ${labels(h.length_penalty ? "sum_and_score" : "sum_nats", values)}`,
          }),
          el("span", { class: "gf-soft", text: `  · ${told}` }),
        ];
      },
      idle: pinned === null ? [hint()] : undefined,
      chosen: pinned,
      choose: (__, at) => choose(at === pinned ? null : at),
      reset: () => choose(null),
      keys: { ArrowDown: (at) => beside(at, 1), ArrowUp: (at) => beside(at, -1), " ": null },
      held: pinned !== null && [things[pinned].s, things[pinned].c],
      hold: ([s, c]) => indexOf(s, c) >= 0 && choose(indexOf(s, c)),
      label: `${h.takeaway} ${labels("keys")}`,
      spoken: sentence(h, frame),
      first: [el("div", { class: "gf-said", text: sentence(h, frame) })],
      below: [finished(h, pooled)],
      key: [
        el("span", {}, sign(tint.kept, "solid", 2), labels("fate.kept")),
        el("span", {}, sign(tint.finished, "solid", 2), `■ ${labels("fate.finished")}`),
        el("span", {}, sign(theme.soft, "dashed", 1), labels("fate.pruned")),
        el("span", {}, sign(theme.accent, "solid", 3), labels("marked")),
      ],
      /** A new tree is read from its root; then the present step is in sight. */
      after(scroller) {
        const right = place.x(Math.max(0, upTo)) + place.w + place.px(12);
        if (state.isNew) scroller.scrollLeft = 0;
        else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
        else if (place.x(upTo) < scroller.scrollLeft) scroller.scrollLeft = Math.max(0, place.x(upTo - 1));
        state.isNew = false;
      },
      columns: ["step", "place", "text", "log_prob", "sum", "score", "fate"].map((one) => labels(`column.${one}`)),
      rows: every.map(({ s, c, places }) => {
        const { log_probs: logProbs, totals, scores } = steps[s];
        const became = labels(`column.fate.${fate(steps[s], c)}`);
        return [String(s + 1), String(c + 1), words(places), logProbs[c], totals[c], scores[c], became];
      }),
    };
  },
  {
    style: STYLE,
    state: (h, _, before) => ({ pinned: null, isNew: before?.content_id !== h.content_id }),
    steps: ({ steps }) =>
      Array.from({ length: countFrames(steps) }, (_, frame) => {
        const { step } = frameAt(frame);
        return step < 0 ? labels("prompt") : labels("step_of", { step: step + 1, all: steps.length });
      }),
    player: {
      what: labels("frame"),
      perSecond: 1.25,
      plays: true, // the first search plays from its first step
      start: (h, before, at) => (before?.content_id === h.content_id ? at : Infinity),
    },
  },
);
