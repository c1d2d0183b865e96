// Scrub over the merges of BPE: the text as tokens, each over its number, the counted pairs, and the number of tokens.
import { clamp, el, format, grouped } from "../drawing/elements.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { ticks } from "../drawing/ticks.js";
import { quoted, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { cutAt, halves, spell, whole } from "./cuts.js";
import { labels } from "./labels.js";
import { STYLE } from "./merges_style.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [44, 14, 12, 40];

export default picture(
  (h, { content, gone, n_token: { data: counts } }, { shell, theme, width, step: at, go, state: kept }) => {
    const { tokens, steps } = h; // a token is [bytes, label, number]
    const last = steps.length;
    const byBytes = new Map(tokens.map((one) => [one[0], one]));
    const cut = cutAt(gone.data, at);
    const half = halves(gone.data, cut, at);
    const things = cut.map((place) => byBytes.get(spell(content.data, place)));
    const isGlued = ([bytes]) => bytes.length > 1;
    const made = at ? tokens[steps[at - 1][2]] : null;
    const next = steps[at];
    const name = (i, letters = 20) => quoted(tokens[i][1], letters);
    const bold = (i) => el("b", {}, el("bdi", { translate: "no", text: name(i) }));

    function story() {
      const then = next ? following(next) : [labels(h.complete ? "complete" : "film_ends")];
      if (!made) return [labels("no_merges"), " ", ...then];
      const [left, right, token, count] = steps[at - 1];
      const done = { step: at, left: bold(left), right: bold(right), token: bold(token), number: made[2] };
      return [...labels.parts("glued", { ...done, times: times(count) }), " ", ...then];
    }

    function following([left, right, , count, , [, second]]) {
      const pair = labels.parts("next", { left: bold(left), right: bold(right), times: times(count) });
      const isTie = second?.[2] === count;
      return isTie ? [...pair, " ", labels("tie", { left: name(second[0]), right: name(second[1]) })] : pair;
    }

    function pair([left, right, count], i) {
      const label = `${name(left, 14)} + ${name(right, 14)}`;
      return el(
        "tr",
        { class: i ? null : "best" },
        el("td", { class: "pair", translate: "no", text: `${i ? " " : "▸"} ${label}`, title: label }),
        el("td", { class: "count", text: `${count}×` }),
        el("td", { class: "share" }, el("div", { style: `width: ${(100 * count) / next[3]}%` })),
      );
    }

    /** Tokens over merges; a finger on it scrubs. */
    const { curve } = kept;
    function paintCurve(p, size) {
      const [right, floor, high] = [size[0] - RIGHT, size[1] - BOTTOM, Math.max(counts[0], 1)];
      const x = (merges) => LEFT + (merges / Math.max(1, last)) * (right - LEFT);
      const y = (v) => TOP + (1 - v / high) * (floor - TOP);
      const small = { fill: theme.soft, size: Math.min(15, 11 * theme.unit), font: theme.code };
      for (const v of ticks([0, high], 4, 1)[0]) {
        p.segment(LEFT, y(v), right, y(v), { color: theme.line, width: 0.75 });
        p.text(grouped(v), LEFT - 6, y(v), { ...small, align: "right" });
      }
      for (const v of ticks([0, last], 5, 1)[0]) p.text(`${v}`, x(v), floor + 13, { ...small, align: "center" });
      p.text(labels("merges"), right, floor + 29, { ...small, font: theme.font, align: "right" });
      const points = [...counts].map((v, i) => [x(i), y(v)]);
      if (points.length > 1) p.line(points, { color: theme.categorical[0], width: 2 });
      p.segment(x(at), TOP - 6, x(at), floor, { color: theme.accent, width: 1.5 });
      p.rect(x(at) - 4, y(counts[at]) - 4, 8, 8, { fill: theme.accent, radius: 4 });
      const isLeft = x(at) < size[0] / 2;
      const look = { ...small, fill: theme.accent, align: isLeft ? "left" : "right", weight: 700 };
      const beside = x(at) + (isLeft ? 9 : -9);
      p.text(labels("n_token", { n: grouped(counts[at]) }), beside, Math.max(TOP + 2, y(counts[at]) - 12), look);
    }
    const perToken = format(h.n_character / Math.max(1, counts[at]), 2);
    const cutTitle = labels("cut", { n: at, tokens: grouped(counts[at]), per_token: perToken });
    const pairs = next ? next[5].map(pair) : [el("tr", {}, el("td", { text: h.complete ? labels("no_pair") : "–" }))];
    const pairsTitle = next ? labels("n_pair", { n: grouped(next[4]) }) : labels("pairs");
    kept.pairs.replaceChildren(
      el("div", { class: "gf-soft", text: pairsTitle }),
      el("table", { class: "gf-pairs" }, ...pairs),
    );
    const told = el("div", { class: "gf-merge" }, ...story());
    return {
      things,
      layout: "gf-cut",
      draw(thing, i) {
        const kind = ["", " left", " right"][half[i]];
        const look = thing[0] === made?.[0] ? "new" : isGlued(thing) ? "glued" : "";
        const letters = el("b", { class: look + kind, translate: "no", dir: "auto", text: visible(thing[1]) });
        return el("span", {}, letters, el("small", { text: thing[2] }));
      },
      arrange: (chips) =>
        whole(gone.data, cut).flatMap(([start, end]) => {
          const piece = el("div", {}, ...chips.slice(start, end));
          return things[end - 1][1].includes("\n") ? [piece, el("i", { role: "presentation" })] : [piece];
        }),
      after(text) {
        text.style.maxHeight = `${Math.round(Math.max(0.28 * shell.tall, width < 480 ? 300 : 204))}px`;
        const size = [curve.parentElement.clientWidth, Math.round(clamp(0.25 * shell.tall, 130, 180))];
        curve.firstChild.paint = (p) => paintCurve(p, size);
        curve.firstChild.paint(new CanvasPainter(fit(curve.firstChild, ...size)));
        Object.assign(curve.style, { width: `${size[0]}px`, height: `${size[1]}px` });
        curve.setAttribute("aria-label", `${h.takeaway} ${labels("curve_at", { n: at, tokens: counts[at] })}`);
        curve.onpointerdown = curve.onpointermove = ({ isPrimary, buttons, clientX }) => {
          if (!isPrimary || !buttons) return;
          const along = clientX - curve.getBoundingClientRect().left - LEFT;
          go(Math.round((along / (size[0] - LEFT - RIGHT)) * last));
        };
      },
      said([bytes, label, number]) {
        const [left, right] = steps.find(([, , one]) => tokens[one][0] === bytes) ?? [];
        const by = steps.findIndex(([, , one]) => tokens[one][0] === bytes);
        const from =
          by < 0 ? labels("from_start") : labels("made_by", { step: by + 1, left: name(left), right: name(right) });
        return [
          el("bdi", {}, el("b", { translate: "no", text: visible(label) })),
          `  ·  ${labels("its_number", { number })}  ·  ${from}`,
        ];
      },
      hint: labels("hint"),
      label: `${cutTitle}. ${labels("keys")}`,
      spoken: told.textContent,
      sentence: [told],
      first: [el("div", { class: "gf-soft", text: cutTitle })],
      below: [kept.split],
      columns: ["merge", "left", "right", "token", "number", "count", "n_token"].map((one) => labels(`column.${one}`)),
      rows: steps.map(([left, right, one, count], i) => [
        String(i + 1),
        ...[left, right, one].map((token) => visible(tokens[token][1])),
        String(tokens[one][2]),
        String(count),
        String(counts[i + 1]),
      ]),
    };
  },
  {
    style: STYLE,
    state: (_, old) => old ?? lower(),
    steps: ({ steps: { length } }) =>
      Array.from({ length: length + 1 }, (_, i) => labels("merge_of", { n: i, all: length })),
    player: {
      what: labels("merges_done"),
      back: labels("one_back"),
      on: labels("one_on"),
      perSecond: 2,
      speeds: true,
      // The same text with more merges keeps its place; another text begins anew.
      start: (h, before, at) => (h.content_id === before?.content_id && h.start === before.start ? at : h.start),
    },
  },
);

/** What stands below the text: it stays, so that a finger on the curve keeps hold of it. */
function lower() {
  const pairs = el("div");
  const curve = el("div", { class: "gf-stage gf-curve", tabindex: 0, role: "img" }, el("canvas"));
  const title = el("div", { class: "gf-soft", text: labels("curve") });
  return { pairs, curve, split: el("div", { class: "gf-counts" }, pairs, el("div", {}, title, curve)) };
}

const times = (n) => labels(n === 1 ? "once" : n === 2 ? "twice" : "n_times", { count: grouped(n) });
