// Which token goes to which expert: a flow from kinds of tokens to experts, and a text below it, over a training.
import { define } from "../drawing/base.js";
import { readableOn } from "../drawing/color.js";
import { el } from "../drawing/elements.js";
import { cursorKeys, indexUnder, mouseLeaves, pointer } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { quoted, visible } from "../drawing/tokens.js";
import { columns, ribbons, spread } from "./flow_math.js";

const [GAP, BAR, LEAST, MOST] = [7, 12, 190, 290];
const STYLE = `
  .gf-routed { display: flex; flex-wrap: wrap; margin-top: 6px; align-items: baseline; gap: 1px 0; }
  .gf-routed b { flex-basis: 100%; font-size: 0.75rem; font-weight: 550; color: var(--gf-soft); margin-top: 3px; }
  .gf-routed span { font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.35; min-width: 1.15em; text-align: center; white-space: pre; }
  .gf-routed .off { opacity: 0.25; }
  .gf-routed .on { outline: 2px solid var(--gf-accent); }`;

export default define((shell) => {
  const player = new Player({
    what: "Training step",
    perSecond: 4,
    show,
    say: () => shell.say(player.now.textContent),
  });
  const picture = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, picture);
  const text = el("div", { class: "gf-routed", "aria-hidden": "true" });
  const readout = el("div", { class: "gf-readout" });
  shell.body.append(el("style", { text: STYLE }), player.node, stage, readout, text);

  let [at, following] = [0, true];
  let marked = null; // {side: 0 left, 1 right; which} or {character}
  let layout = null;
  let spans = [];
  let built = "";

  pointer(
    stage,
    (event) => mark(under(event)),
    () => mark(null),
  );
  text.addEventListener("pointerover", (event) => {
    const i = indexUnder(event);
    mark(i === null ? null : { character: i });
  });
  mouseLeaves(text, () => mark(null));
  cursorKeys(stage, {
    size: () => [Math.max(nRow(), nExpert()), 2],
    get: () => (marked?.side === undefined ? null : [marked.which, marked.side]),
    move: ([which, side]) => {
      mark({ side, which: Math.min(which, (side ? nExpert() : nRow()) - 1) });
      shell.say(readout.textContent);
    },
    choose: () => {},
    reset: () => (marked === null ? false : mark(null)),
  });
  shell.body.addEventListener("keydown", (event) => {
    if (event.key !== " " && stage.contains(event.target)) return; // the picture has arrows of its own
    if (player.key(event)) event.preventDefault();
  });

  const nRow = () => shell.header.rows.length;
  const nExpert = () => shell.header.n_expert;
  const expertOf = (character) => shell.arrays.text.data[at * shell.header.characters.length + character];
  const color = (expert) => shell.theme.categorical[expert % shell.theme.categorical.length];
  const expertMarked = () =>
    marked?.side === 1 ? marked.which : marked?.character === undefined ? null : expertOf(marked.character);

  /** How often tokens of a row went to an expert, in this frame. */
  function count(row, expert) {
    const [, rows, experts] = shell.arrays.counts.shape.slice(-3);
    return shell.arrays.counts.data[(at * rows + row) * experts + expert];
  }

  const table = () =>
    Array.from({ length: nRow() }, (_, row) => Array.from({ length: nExpert() }, (_, e) => count(row, e)));
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  function under(event) {
    const box = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const side = x > layout.width / 2 ? 1 : 0;
    const which = layout.nodes[side].findIndex(([top, tall]) => y >= top - GAP / 2 && y <= top + tall + GAP / 2);
    return which < 0 ? null : { side, which };
  }

  function mark(now) {
    marked = now;
    paintAll();
    describe();
  }

  function show(index) {
    const h = shell.header;
    at = index;
    following = at === player.last;
    player.tell(`step ${h.steps[at].toLocaleString("en")}`);
    paintAll();
    describe();
  }

  function describe() {
    const [h, counts] = [shell.header, table()];
    const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0}%`;
    const row = marked?.side === 0 ? marked.which : null;
    const expert = expertMarked();
    if (marked === null) {
      readout.replaceChildren(el("span", { class: "gf-hint", text: h.hint }));
    } else if (row !== null) {
      const best = counts[row].indexOf(Math.max(...counts[row]));
      const share = percent(counts[row][best], sum(counts[row]));
      readout.replaceChildren(el("b", { text: h.rows[row] }), `: most to expert ${best + 1}, ${share} of them`);
    } else {
      const got = counts.map((one) => one[expert]);
      const all = sum(counts.map(sum));
      const most = got.indexOf(Math.max(...got));
      const what = marked.character === undefined ? "" : `${quoted(h.characters[marked.character])} → `;
      readout.replaceChildren(
        what,
        el("b", { text: `expert ${expert + 1}` }),
        `: ${percent(sum(got), all)} of all tokens, most of them ${h.rows[most].toLowerCase()}`,
      );
    }
  }

  function paint(p) {
    const { theme, header: h } = shell;
    const counts = table();
    const { width, height, left, right } = layout;
    layout.nodes = columns(counts, height, GAP);
    for (const one of ribbons(counts, layout.nodes, left + BAR, right)) {
      const isOn = marked === null || (marked.side === 0 ? one.row === marked.which : one.expert === expertMarked());
      p.path(one.outline, { fill: color(one.expert), opacity: isOn ? 0.5 : 0.08 });
    }
    const look = { size: theme.presenting ? 16 : 13, font: theme.font };
    const beside = layout.nodes.map((side) =>
      spread(
        side.map(([top, tall]) => top + tall / 2),
        look.size + 2,
        height - look.size / 2,
      ),
    );
    layout.nodes[0].forEach(([top, tall], row) => {
      p.rect(left, top, BAR, Math.max(1, tall), { fill: theme.soft });
      p.text(h.rows[row], left - 8, beside[0][row], { ...look, fill: theme.text, align: "right" });
    });
    const all = sum(counts.map(sum)) || 1;
    layout.nodes[1].forEach(([top, tall], expert) => {
      const share = sum(counts.map((one) => one[expert])) / all;
      p.rect(right, top, BAR, Math.max(1, tall), { fill: color(expert) });
      const said = `${width < 520 ? "" : "expert "}${expert + 1}: ${Math.round(100 * share)}%`;
      p.text(said, right + BAR + 8, beside[1][expert], { ...look, fill: theme.text });
    });
  }

  function paintText() {
    const expert = expertMarked();
    spans.forEach((span, i) => {
      const own = expertOf(i);
      span.style.background = color(own);
      span.style.color = readableOn(color(own));
      span.title = `expert ${own + 1}`;
      span.classList.toggle("off", expert !== null && own !== expert);
      span.classList.toggle("on", marked?.character === i);
    });
  }

  function paintAll() {
    if (!layout) return;
    paint(new CanvasPainter(fit(picture, layout.width, layout.height)));
    paintText();
  }

  function build() {
    const h = shell.header;
    const key = JSON.stringify([h.characters, h.titles]);
    if (key === built) return;
    built = key;
    spans = h.characters.map((character, i) => el("span", { text: visible(character), "data-i": i }));
    const each = spans.length / h.titles.length;
    text.replaceChildren(
      ...h.titles.flatMap((title, n) => [el("b", { text: title }), ...spans.slice(n * each, (n + 1) * each)]),
    );
  }

  return {
    update() {
      const h = shell.header;
      const same = h.steps.indexOf(shell.previous?.steps?.[at]);
      marked = null;
      // New frames do not pull anybody away.
      player.set(h.steps.length - 1, following || same < 0 ? h.steps.length - 1 : same);
      build();
    },
    draw() {
      const width = shell.width;
      const height = Math.max(LEAST, Math.min(MOST, shell.tall - 330));
      const [before, after] = width < 520 ? [84, 58] : shell.theme.presenting ? [130, 130] : [104, 100];
      layout = { width, height, left: before, right: width - after - BAR, nodes: [[], []] };
      stage.style.width = `${width}px`;
      stage.style.height = `${height}px`;
      stage.setAttribute("aria-label", shell.header.takeaway);
      player.go(player.at);
    },
    destroy: () => player.play(false),
    table: () => ({
      columns: ["tokens", ...Array.from({ length: nExpert() }, (_, e) => `expert ${e + 1}`)],
      rows: table().map((one, row) => [shell.header.rows[row], ...one]),
    }),
    picture: () => ({
      width: layout.width,
      height: layout.height + 22,
      paint(p) {
        p.text(player.now.textContent, 8, 10, { fill: shell.theme.text, size: 12, font: shell.theme.code });
        p.shifted(0, 22, () => paint(p));
      },
    }),
  };
});
