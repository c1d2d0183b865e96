// Attention as lines between two columns of tokens: thickness is weight; color and dash are the head. Any set of heads.
import { mix } from "../drawing/color.js";
import { clamp, el, format, fromByte, grouped, measure, ROUNDED } from "../drawing/elements.js";
import { short, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { HeadChips } from "./head_chips.js";
import { labels } from "./labels.js";
import { dashOf, headsIn, linesAt, linesOf, masksOf, takeSlots } from "./line_set.js";
import { STYLE } from "./lines_style.js";

const SIDES = ["", "query", "key"];
const [TOP, FOOT] = [24, 22]; // css pixels: the headings; the heads
const WIDEST = 9; // css pixels of a line of weight 1
const MOST_NAMED = 16; // heads below the picture

export default picture(
  (h, { weights }, { shell, theme, width: room, state, set }) => {
    const [nLayer, nHead] = weights.shape;
    const { slots, threshold, chips } = state;
    const on = state.on.filter(([l, n]) => l < nLayer && n < nHead);
    const things = [
      ...h.rows.map((token, i) => ({ side: "query", i, token, others: h.columns })),
      ...h.columns.map((token, i) => ({ side: "key", i, token, others: h.rows })),
    ];
    const places = { query: 0, key: h.rows.length };
    const to = (side, i) => places[side] + clamp(i, 0, (side === "query" ? h.rows : h.columns).length - 1);
    const walk = (step) => (place) => to(things[place ?? 0].side, (place === null ? -1 : things[place].i) + step);
    const across = (side) => (place) => to(side, things[place ?? 0].i);
    const { lines, cut } = linesOf(weights, on, threshold);
    const linesOfToken = ({ side, i }) => linesAt(weights, on, side, i, threshold);
    const otherEnd = (side, line) => (side === "query" ? line.column : line.row);

    const color = (head) => theme.categorical[slots.get(String(head)) % theme.categorical.length];
    const dash = (head) => dashOf(slots.get(String(head)));
    const width = Math.min(room, 860);
    const size = Math.round((width < 480 ? 11 : 12) * theme.unit);
    const names = things.map(({ token }) => short(token, width < 480 ? 8 : 16));
    const widest = (list) => Math.ceil(Math.max(40, ...list.map((name) => measure(name, size, theme.code)))) + 12;
    const left = widest(names.slice(0, h.rows.length));
    const right = width - widest(names.slice(h.rows.length));
    const nLine = Math.max(h.rows.length, h.columns.length);
    const above = (100 + 30 * nLayer) * theme.unit + TOP + FOOT;
    const step = clamp(Math.floor((shell.tall - above) / nLine), 9, 30);
    const thin = step < 20 ? 0.7 : 1;
    const foot = TOP + nLine * step + 4;
    const every = Math.ceil((size - 1) / step); // of so many names one is drawn, where lines are lower than letters

    const keep = (heads) => set({ ...state, on: heads, isOwn: true, slots: takeSlots(new Map(slots), heads) });
    const pin = (pinned) => set({ ...state, pinned });
    chips.change = (heads) => {
      keep(heads);
      shell.say(labels("n_on", { n: heads.length }));
    };
    chips.build(nLayer, nHead, h.open);
    chips.draw(on, color, dash, theme);

    /** Heads lie a little apart, so that lines of one pair do not hide each other. */
    function paintLines(p, some) {
      for (const { head, row, column, weight } of some) {
        const shift = ((head + 0.5) / on.length - 0.5) * step * 0.6;
        const line = Math.max(0.6, weight * WIDEST * thin);
        const longer = clamp(line / 2, 1, 3);
        const ends = [row, column].map((i, k) => [k ? right : left, TOP + (i + 0.5) * step + shift]);
        p.line(ends, {
          color: mix(theme.page, color(on[head]), 0.3 + 0.7 * weight),
          width: line,
          dash: dash(on[head]).map((part) => part * longer),
        });
      }
    }

    /** The names of the tokens that are lit, over the others; of all only so many as there is room for. */
    function paintNames(p, lit = null) {
      things.forEach(({ side, i }, place) => {
        if (lit ? !lit.has(place) : i % every) return;
        const [x, from, to, align] =
          side === "query" ? [left - 6, 0, left, "right"] : [right + 6, right, width, "left"];
        const y = TOP + (i + 0.5) * step;
        if (lit) p.rect(from, y - size / 2 - 1, to - from, size + 2, { fill: theme.page });
        const look = lit ? { fill: theme.accent, weight: 700 } : { fill: theme.soft };
        p.text(names[place], x, y, { size, font: theme.code, align, ...look });
      });
    }

    /** The lines of one token alone, over the others faded. */
    function paintToken(p, place) {
      const { side } = things[place];
      const found = linesOfToken(things[place]);
      const far = found.map((line) => to(side === "query" ? "key" : "query", otherEnd(side, line)));
      p.rect(left, TOP, right - left, foot - TOP, { fill: `${theme.page}e6` });
      paintLines(p, found.reverse());
      paintNames(p, new Set([place, ...far]));
    }

    /** What one token reads, or who reads it. */
    function list({ side, i, token, others }) {
      const found = linesOfToken({ side, i });
      const most = shell.width < 760 ? 4 : 14;
      const item = (line) => {
        const other = otherEnd(side, line);
        const bar = el("i", { style: `width: ${line.weight * 100}%; background: ${color(on[line.head])}` });
        return el(
          "li",
          {},
          el("span", { class: "gf-soft", text: on[line.head].join(".") }),
          el("span", { class: "what", translate: "no", dir: "auto" }, `${visible(others[other])} ${other}`, bar),
          el("span", { class: "number", text: format(line.weight, 2) }),
        );
      };
      const key = side === "query" ? "reads" : "read_by";
      const kind = el("span", { class: "gf-soft", text: labels(side) });
      const heading = { side: kind, token: el("b", { translate: "no", text: visible(token) }), i };
      const weaker = labels("weaker", { n: found.length - most });
      const more = found.length > most ? [el("div", { class: "gf-soft", text: weaker })] : [];
      return [
        el("div", {}, ...labels.parts(found.length ? key : `${key}.nothing`, heading)),
        el("ul", { class: "gf-reads" }, ...found.slice(0, most).map(item)),
        ...more,
      ];
    }

    const pinned = state.pinned !== null && state.pinned < things.length ? state.pinned : null;
    const sample = (weight) => [
      el("span", { style: `height: ${Math.max(1, weight * WIDEST * thin)}px` }),
      format(weight, 1),
    ];
    const note = (isTold, text) => (isTold ? [el("span", { text })] : []);
    return {
      things,
      size: [width, foot + FOOT],
      /** The left part of the picture belongs to the queries, the right one to the keys. */
      at(x, y) {
        const reach = (right - left) * 0.3;
        const side = x < left + reach ? "query" : x > right - reach ? "key" : null;
        const i = Math.floor((y - TOP) / step);
        return side && i >= 0 && things[places[side] + i]?.side === side ? places[side] + i : null;
      },
      paint(p) {
        const soft = { fill: theme.soft, size: 11 * theme.unit, font: theme.font };
        paintLines(p, lines);
        p.text(h.row_title, left - 6, 9, { ...soft, align: "right" });
        p.text(h.column_title, right + 6, 9, soft);
        paintNames(p);
        on.slice(0, MOST_NAMED).forEach((head, i) => {
          const x = 6 + i * 58;
          p.segment(x, foot + 12, x + 24, foot + 12, { color: color(head), width: 3, dash: dash(head) });
          p.text(head.join("."), x + 28, foot + 12, { ...soft, font: theme.code });
        });
        if (pinned !== null) paintToken(p, pinned);
      },
      mark: paintToken,
      keys: {
        ArrowDown: walk(1),
        ArrowUp: walk(-1),
        ArrowLeft: across("query"),
        ArrowRight: across("key"),
        Home: walk(-Infinity),
        End: walk(Infinity),
      },
      said: list,
      hint: labels("lines_hint"),
      chosen: pinned,
      choose({ side, i }, place) {
        const isNew = place !== pinned;
        pin(isNew ? place : null);
        if (!isNew) shell.say(labels("released"));
        // With the time, so that the same token clicked once more is news again.
        else if (side === "query") shell.commit("pick", { row: i, at: Date.now() });
      },
      reset: () => pinned !== null && pin(null),
      held: (pinned !== null || state.isOwn) && [
        SIDES.indexOf(things[pinned]?.side ?? ""),
        things[pinned]?.i ?? 0,
        ...(state.isOwn ? masksOf(on) : []),
      ],
      hold([side, i, ...masks]) {
        const heads = headsIn(masks, weights.shape);
        const own = masks.length ? { on: heads, isOwn: true, slots: takeSlots(new Map(slots), heads) } : {};
        set({ ...state, ...own, pinned: SIDES[side] ? to(SIDES[side], i) : null });
      },
      label: `${h.takeaway} ${labels("lines_keys")}`,
      first: [chips.node],
      controls: [
        {
          label: labels("hide_below"),
          name: labels("hide_below.told"),
          key: "hide_below",
          min: 0,
          max: 1,
          step: 0.01,
          value: threshold,
          shown: format(threshold, 2),
          change: (value) => set({ ...state, threshold: value }),
        },
      ],
      key: [
        el("span", { class: "gf-widths" }, labels("weight"), ...[0.1, 0.5, 1].flatMap(sample)),
        el("span", { text: ROUNDED }),
        ...note(on.length && !lines.length, labels("none_reach", { weight: format(threshold, 2) })),
        ...note(cut, labels("cut", { n: grouped(cut) })),
      ],
      columns: [
        ...["head", "query", "token", "key", "token"].map((one) => labels(one)),
        labels("weight_rounded", { rounded: ROUNDED }),
      ],
      rows: lines
        .slice(-1000)
        .reverse()
        .map(({ head, row, column, weight }) => [
          on[head].join("."),
          String(row),
          visible(h.rows[row]),
          String(column),
          visible(h.columns[column]),
          fromByte(weight),
        ]),
    };
  },
  {
    style: STYLE,
    aside: true,
    state(h, old, before) {
      const isOwn = Boolean(old?.isOwn && old.on.length);
      const on = isOwn ? old.on : [h.open];
      const isSame = JSON.stringify(h.rows) === JSON.stringify(before?.rows);
      return {
        on,
        isOwn, // whether the person has chosen heads; else it is the open one
        slots: takeSlots(new Map(old?.slots), on),
        threshold: old?.threshold ?? h.threshold,
        pinned: isSame ? (old?.pinned ?? null) : null,
        chips: old?.chips ?? new HeadChips(),
      };
    },
  },
);
