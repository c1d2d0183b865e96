// BPE is born: scrub over the merges, with the counted pairs, the text re-cut and the number of tokens.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { drags, mouseLeaves } from "../drawing/input.js";
import { readableOn, tints } from "../drawing/color.js";
import { cutAt, halves, spell, ticks } from "./cuts.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { quoted, visible } from "../drawing/tokens.js";
import { STYLE } from "./merges_style.js";

const MERGES_PER_SECOND = 2;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 14, 12, 40];

export default define((shell) => {
  const player = new Player({
    what: "Merges done",
    unit: "merge",
    perSecond: MERGES_PER_SECOND,
    speeds: true,
    show,
    say: () => shell.say(said.textContent),
  });
  const said = el("div", { class: "gf-merge" });
  const pairs = el("table", { class: "gf-pairs" });
  const pairsTitle = el("div", { class: "gf-soft" });
  const chart = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, chart);
  const cutTitle = el("div", { class: "gf-soft" });
  const text = el("div", { class: "gf-cut", tabindex: 0, role: "group" });
  const readout = el("div", { class: "gf-readout" });
  stage.style.touchAction = "pan-y pinch-zoom";
  stage.style.cursor = "ew-resize";
  shell.body.append(
    player.node,
    said,
    cutTitle,
    text,
    readout,
    el(
      "div",
      { class: "gf-split even" },
      el("div", {}, pairsTitle, pairs),
      el("div", {}, el("div", { class: "gf-soft", text: "Tokens of the text, merge by merge" }), stage),
    ),
  );

  let at = 0;
  let width = 0;
  let height = 0;
  let cut = [];
  let chips = [];
  let cursor = null;
  let byBytes = new Map();
  const last = () => shell.header.steps.length;
  const token = (i) => shell.header.tokens[i]; // [bytes, label, id]
  const name = (i) => quoted(token(i)[1], 20);
  const labelAt = (i) => byBytes.get(spell(shell.arrays.content.data, cut[i]))[1];

  function show(step) {
    at = step;
    const h = shell.header;
    const nToken = shell.arrays.n_token.data;
    player.tell(`merge ${at} of ${last()}`, `merge ${at} of ${last()}, ${nToken[at]} tokens`);
    tell();
    drawPairs();
    drawText();
    curve(new CanvasPainter(fit(chart, width, height)));
    stage.setAttribute("aria-label", `${h.takeaway} After ${at} merges: ${nToken[at]} tokens.`);
  }

  function tell() {
    const h = shell.header;
    const parts = [];
    const bold = (i) => el("b", {}, el("bdi", { text: name(i) }));
    if (at === 0) parts.push("No merges yet: every byte is its own token. ");
    else {
      const [left, right, made, count] = h.steps[at - 1];
      parts.push(
        `Merge ${at} glued `,
        bold(left),
        " and ",
        bold(right),
        `: the pair was side by side ${times(count)}. The new token `,
        bold(made),
        ` gets the number ${token(made)[2]}. `,
      );
    }
    if (at < last()) {
      parts.push(
        "Most frequent now: ",
        bold(h.steps[at][0]),
        " and ",
        bold(h.steps[at][1]),
        `, ${times(h.steps[at][3])}.`,
      );
    } else {
      parts.push(
        h.complete
          ? "Nothing is left to merge: every piece of the text is a single token."
          : "The film ends here; further merges would go on in the same way.",
      );
    }
    said.replaceChildren(...parts);
  }

  function drawPairs() {
    const h = shell.header;
    const step = h.steps[at];
    pairsTitle.textContent = step
      ? `${step[4].toLocaleString("en")} different pairs side by side, the most frequent first`
      : "Pairs side by side";
    if (!step) {
      pairs.replaceChildren(el("tr", {}, el("td", { text: h.complete ? "no pair is left" : "–" })));
      return;
    }
    pairs.replaceChildren(
      ...step[5].map(([left, right, count], i) => {
        const bar = el("div");
        bar.style.width = `${(100 * count) / step[3]}%`;
        const label = `${short(left)} + ${short(right)}`;
        return el(
          "tr",
          { class: i ? null : "best" },
          el("td", { class: "pair", text: `${i ? " " : "▸"} ${label}`, title: label }),
          el("td", { class: "count", text: `${count}×` }),
          el("td", { class: "share" }, bar),
        );
      }),
    );
  }
  const short = (i) => quoted(token(i)[1], 14);

  function drawText() {
    const { theme } = shell;
    const palette = tints(theme.mode, theme.page);
    const { content, gone, n_token: count } = shell.arrays;
    cut = cutAt(gone.data, at);
    const half = halves(gone.data, cut, at);
    const made = at ? token(shell.header.steps[at - 1][2])[0] : null;
    const top = text.scrollTop;
    const nodes = [];
    chips = cut.map((place, i) => {
      const bytes = spell(content.data, place);
      const found = byBytes.get(bytes);
      const kind = [["", "half left", "half right"][half[i]], bytes === made ? "new" : ""].join(" ").trim() || null;
      const fill = palette[found[2] % palette.length];
      const chip = el("span", { text: visible(found[1]), class: kind, dir: "auto", "data-i": i });
      Object.assign(chip.style, { background: fill, color: readableOn(fill) });
      nodes.push(chip);
      if (found[1].includes("\n")) nodes.push(el("i", { role: "presentation" }));
      return chip;
    });
    text.replaceChildren(...nodes);
    text.scrollTop = top;
    cutTitle.textContent = `The text after ${at} ${at === 1 ? "merge" : "merges"}: ${count.data[at].toLocaleString("en")} tokens, ${format(shell.header.n_character / Math.max(1, count.data[at]), 2)} characters per token`;
    text.setAttribute("aria-label", `${cutTitle.textContent}. Arrow keys go from token to token.`);
    cursor = null;
    describe();
  }

  function describe() {
    if (cursor === null) {
      readout.replaceChildren(
        el("span", {
          class: "gf-hint",
          text: "Framed: the newest token. Dashed: what is glued next. Point at a token for its number.",
        }),
      );
      return;
    }
    const found = byBytes.get(spell(shell.arrays.content.data, cut[cursor]));
    const by = shell.header.steps.findIndex((s) => token(s[2])[0] === found[0]);
    const from =
      by < 0
        ? "a single byte, there from the start"
        : `made by merge ${by + 1} from ${name(shell.header.steps[by][0])} + ${name(shell.header.steps[by][1])}`;
    readout.replaceChildren(el("bdi", {}, el("b", { text: visible(found[1]) })), `  ·  number ${found[2]}  ·  ${from}`);
  }

  function point(i) {
    chips[cursor]?.classList.remove("on");
    cursor = i;
    chips[i]?.classList.add("on");
    describe();
  }

  const x = (step) => LEFT + (step / Math.max(1, last())) * (width - LEFT - RIGHT);
  function curve(p, dx = 0, dy = 0) {
    const { theme } = shell;
    const count = shell.arrays.n_token.data;
    const high = Math.max(count[0], 1);
    const y = (v) => dy + TOP + (1 - v / high) * (height - TOP - BOTTOM);
    const floor = y(0);
    const small = { fill: theme.soft, size: Math.min(15, 11 * theme.unit), font: theme.code };
    for (const v of ticks(high)) {
      p.segment(dx + LEFT, y(v), dx + width - RIGHT, y(v), { color: theme.line, width: 0.75 });
      p.text(v.toLocaleString("en"), dx + LEFT - 6, y(v), { ...small, align: "right" });
    }
    for (const v of ticks(last(), 5)) p.text(`${v}`, dx + x(v), floor + 13, { ...small, align: "center" });
    p.text("merges", dx + width - RIGHT, floor + 29, { ...small, font: theme.font, align: "right" });
    const points = [...count].map((v, i) => [dx + x(i), y(v)]);
    if (points.length > 1) p.line(points, { color: theme.categorical[0], width: 2 });
    p.segment(dx + x(at), dy + TOP - 6, dx + x(at), floor, { color: theme.accent, width: 1.5 });
    p.rect(dx + x(at) - 4, y(count[at]) - 4, 8, 8, { fill: theme.accent, radius: 4 });
    const right = x(at) < width / 2;
    p.text(
      `${count[at].toLocaleString("en")} tokens`,
      dx + x(at) + (right ? 9 : -9),
      Math.max(dy + TOP + 2, y(count[at]) - 12),
      { ...small, fill: theme.accent, align: right ? "left" : "right", weight: 700 },
    );
  }
  const drag = (event) => {
    const px = event.clientX - stage.getBoundingClientRect().left;
    player.play(false);
    player.go(Math.round(((px - LEFT) / (width - LEFT - RIGHT)) * last()));
  };
  drags(stage, drag);
  text.addEventListener("pointerover", (event) => {
    const i = event.target.dataset?.i;
    if (i !== undefined) point(Number(i));
  });
  mouseLeaves(text, () => point(null));
  shell.body.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (target === text && (key === "ArrowLeft" || key === "ArrowRight")) {
      const by = key === "ArrowLeft" ? -1 : 1;
      point(clamp((cursor ?? (by > 0 ? -1 : 1)) + by, 0, chips.length - 1));
      chips[cursor]?.scrollIntoView({ block: "nearest" });
      shell.say(readout.textContent);
    } else if (key === "Escape") {
      player.play(false);
      point(null);
    } else if (!player.key(event)) return;
    event.preventDefault();
  });

  return {
    update() {
      const h = shell.header;
      player.play(false);
      byBytes = new Map(h.tokens.map((one) => [one[0], one]));
      // The same text with more merges keeps its place; another text begins anew.
      player.set(last(), h.content_id === shell.previous?.content_id ? player.at : h.start);
    },
    draw() {
      width = stage.parentElement.clientWidth;
      height = Math.round(clamp(0.33 * shell.tall, 130, 210));
      text.style.maxHeight = `${Math.round(0.28 * shell.tall)}px`;
      Object.assign(stage.style, { width: `${width}px`, height: `${height}px` });
      player.go(player.at);
    },
    destroy: () => player.play(false),
    table: () => ({
      columns: ["merge", "left", "right", "new token", "its number", "count", "tokens after"],
      rows: shell.header.steps.map(([left, right, made, count], i) => [
        String(i + 1),
        visible(token(left)[1]),
        visible(token(right)[1]),
        visible(token(made)[1]),
        String(token(made)[2]),
        String(count),
        String(shell.arrays.n_token.data[i + 1]),
      ]),
    }),
    picture() {
      const base = text.getBoundingClientRect();
      const below = height + 34;
      return {
        width: Math.max(width, base.width) + 16,
        height: below + text.scrollHeight + 10,
        paint(p) {
          curve(p, 8, 4);
          p.text(cutTitle.textContent, 8, height + 18, { fill: shell.theme.text, size: 12, font: shell.theme.font });
          chips.forEach((chip, i) => {
            const b = chip.getBoundingClientRect();
            const left = b.left - base.left + 8;
            const top = b.top - base.top + text.scrollTop + below;
            p.rect(left, top, b.width, b.height, {
              fill: chip.style.background,
              stroke: chip.className ? shell.theme.accent : undefined,
              width: chip.matches(".new") ? 2 : 1,
              dash: chip.matches(".new") ? [] : [3, 2],
              radius: 5,
            });
            p.text(visible(labelAt(i)), left + b.width / 2, top + b.height / 2, {
              fill: chip.style.color,
              size: 13,
              font: shell.theme.code,
              align: "center",
            });
          });
        },
      };
    },
  };
}, STYLE);

const times = (n) => (n === 1 ? "once" : n === 2 ? "twice" : `${n.toLocaleString("en")} times`);
