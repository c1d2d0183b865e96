// The tree of a beam search: play, step and scrub; columns are steps, nodes are candidates. Nothing asks the server.
import { clamp, el, format } from "../drawing/elements.js";
import { row, table } from "../drawing/table.js";
import { inText, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { countFrames, fate, frameAt, normalized, passes, path, placeOf, sentence, tokensOf } from "./beam_tree_math.js";
import { layTree, paintTree, tints } from "./beam_tree_paint.js";
import { STYLE } from "./beam_tree_style.js";

const hint = () =>
  el(
    "span",
    { class: "gf-hint" },
    "In each box: the token and two numbers, ",
    el("span", { class: "gf-deep", text: "its log-probability, and Σ, the sum over its text so far. " }),
    el("span", { class: "gf-plain", text: "for itself and for its text so far. The closer to 0, the likelier. " }),
    "Point at a box or click it for more. Space plays, the arrow keys step.",
  );

/** The finished texts that a frame knows of, the best first. */
function finished(h, pooled) {
  const text = (one) => one.tokens.map((t) => inText(h.names[t])).join("").trim(); // prettier-ignore
  const line = (one, mark, kind) =>
    row([mark + text(one), String(one.tokens.length), format(one.log_prob, 3), format(one.score, 3)], { class: kind });
  const rows = pooled.map((one, i) => line(one, i ? "" : "▸ ", i ? null : "best"));
  if (!rows.length) rows.push(row(["none yet", "", "", ""]));
  if (h.greedy) rows.push(line(h.greedy, "Greedy search writes: ", "greedy"));
  const sums = h.plain ? ["sum", "score"] : ["log-prob. (score with α = 0)", `score with α = ${h.length_penalty}`];
  const heads = [`Finished so far, best score first (at most ${h.n_beam})`, "tokens", ...sums];
  const look = { class: "gf-pool gf-scroll", tabindex: 0, role: "region", "aria-label": "Finished texts" };
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
        const score = h.length_penalty ? `; score ${format(total, 3)} ÷ ${n}^${h.length_penalty} = ${whole}` : "";
        const sum = terms.join(" + ").replaceAll("+ −", "− ") + (n > 1 ? ` = ${format(total, 3)}` : "");
        const told = { kept: "goes on", finished: "finished", pruned: "dropped" }[fate(steps[s], c)];
        return [
          el("b", { text: words(places) }),
          el("span", { class: "gf-deep", text: `: ${sum} nats${score}` }),
          el("span", { class: "gf-soft", text: `  · ${s === upTo && !decided ? "not decided yet" : told}` }),
        ];
      },
      idle: pinned === null ? [hint()] : undefined,
      chosen: pinned,
      choose: (__, at) => choose(at === pinned ? null : at),
      reset: () => choose(null),
      keys: { ArrowDown: (at) => beside(at, 1), ArrowUp: (at) => beside(at, -1), " ": null },
      held: pinned !== null && [things[pinned].s, things[pinned].c],
      hold: ([s, c]) => indexOf(s, c) >= 0 && choose(indexOf(s, c)),
      label: `${h.takeaway} Left and right step, up and down choose a candidate, Space plays.`,
      spoken: sentence(h, frame),
      first: [el("div", { class: "gf-said", text: sentence(h, frame) })],
      below: [finished(h, pooled)],
      key: [
        el("span", {}, sign(tint.kept, "solid", 2), "goes on"),
        el("span", {}, sign(tint.finished, "solid", 2), "■ finished"),
        el("span", {}, sign(theme.soft, "dashed", 1), "dropped"),
        el("span", {}, sign(theme.accent, "solid", 3), "the best finished text, or the one you point at"),
      ],
      /** A new tree is read from its root; then the present step is in sight. */
      after(scroller) {
        const right = place.x(Math.max(0, upTo)) + place.w + place.px(12);
        if (state.isNew) scroller.scrollLeft = 0;
        else if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
        else if (place.x(upTo) < scroller.scrollLeft) scroller.scrollLeft = Math.max(0, place.x(upTo - 1));
        state.isNew = false;
      },
      columns: ["step", "place", "text so far", "log-prob. of the token", "sum", "score", "fate"],
      rows: every.map(({ s, c, places }) => {
        const { log_probs: logProbs, totals, scores } = steps[s];
        return [String(s + 1), String(c + 1), words(places), logProbs[c], totals[c], scores[c], fate(steps[s], c)];
      }),
    };
  },
  {
    style: STYLE,
    state: (h, _, before) => ({ pinned: null, isNew: before?.content_id !== h.content_id }),
    steps: ({ steps }) =>
      Array.from({ length: countFrames(steps) }, (_, frame) => {
        const { step } = frameAt(frame);
        return step < 0 ? "prompt" : `step ${step + 1} of ${steps.length}`;
      }),
    player: {
      what: "Frame of the search",
      perSecond: 1.25,
      plays: true, // the first search plays from its first step
      start: (h, before, at) => (before?.content_id === h.content_id ? at : Infinity),
    },
  },
);
