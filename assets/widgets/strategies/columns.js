// Texts of several strategies side by side: they fill token by token, and each token tells what it was chosen from.
import { define } from "../drawing/base.js";
import { clamp, el } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { readableOn, scale } from "../drawing/color.js";
import { card } from "./columns_card.js";
import { detail as told } from "./columns_detail.js";
import { CSS } from "./columns_style.js";
import { editor, presetMenu } from "./columns_editor.js";
import { spellColumn } from "./knobs.js";
import { Player } from "../drawing/player.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const TOKENS_PER_SECOND = 12;
// What a token costs in surprise: plain is what the model found likelier than this.
const PLAIN = 0.9;
const MOST_SURPRISE = 10;

export default define((shell) => {
  const player = new Player({
    what: labels("tokens_shown"),
    name: "Tokens shown",
    back: labels("one_back"),
    on: labels("one_on"),
    perSecond: TOKENS_PER_SECOND,
    speeds: true,
    show,
    say: () => shell.say(labels("of_tokens", { n: player.at, all: nMost })),
  });
  player.button.title = labels("play");
  const reseed = el("button", {
    class: "gf-solid",
    text: labels("reseed_all"),
    title: labels("reseed_all.told"),
  });
  const reset = el("button", {
    class: "gf-solid",
    text: labels("reset"),
    title: labels("reset.told"),
  });
  const menu = presetMenu((column) => {
    open = columns().length;
    send([...columns(), column]);
  });
  const grid = el("div", { class: "gf-cols" });
  const detail = el("div", { class: "gf-panel gf-detail" });
  const editBox = el("div");
  const key = el("div", { class: "gf-legend" });
  const foot = el("div", { class: "gf-controls gf-foot" }, key, reseed, menu, reset);
  shell.head.insertBefore(player.node, shell.tools);
  shell.body.append(editBox, grid, foot, detail);

  let nMost = 0;
  let at = null;
  let pinned = null;
  let open = null;
  let colors = null;
  let cards = [];
  let playNext = false;
  const columns = () => shell.header.columns;
  const width = () => shell.arrays.tokens.shape[1];
  const value = (name, c, i) => shell.arrays[name].data[c * width() + i];
  const label = (c, i, k) =>
    shell.header.labels[shell.arrays.top.data[(c * width() + i) * shell.arrays.top.shape[2] + k]];
  const top = (name, c, i, k) => shell.arrays[name].data[(c * width() + i) * shell.arrays.top.shape[2] + k];
  const tokenOf = (c, i) => shell.header.labels[shell.arrays.tokens.data[c * width() + i]];

  /** Python computes the new columns; `given` says what it had shown, so that the same wish counts twice. */
  function send(list) {
    shell.commit("columns", { text: list.map(spellColumn).join("~"), given: shell.header.id });
  }
  const change = (c, values) => send(columns().map((one, i) => (i === c ? { ...one, ...values } : one)));

  reseed.addEventListener("click", () => {
    playNext = true;
    send(columns().map((one) => (one.locked || one.kind !== "sample" ? one : { ...one, seed: one.seed + 1 })));
  });
  reset.addEventListener("click", () => {
    open = null;
    shell.commit("columns", { text: "", given: shell.header.id });
  });

  for (const part of [player.node, grid]) {
    part.addEventListener("keydown", (event) => {
      if (!event.defaultPrevented && player.key(event)) event.preventDefault();
    });
  }

  function show(n) {
    for (const [c, card] of cards.entries()) {
      card.chips.forEach((chip, i) => {
        chip.hidden = i >= n;
        if (chip.line) chip.line.hidden = chip.hidden;
      });
      card.end.hidden = n < columns()[c].n;
    }
    player.tell(labels("of", { n, all: nMost }), labels("of_tokens", { n, all: nMost }));
    if (!at || at[1] >= n) point(null);
  }

  function point(next) {
    if (at) cards[at[0]]?.chips[at[1]]?.classList.remove("on");
    at = next;
    if (at) cards[at[0]].chips[at[1]].classList.add("on");
    for (const [c, card] of cards.entries()) {
      if (at?.[0] === c) card.text.setAttribute("aria-activedescendant", card.chips[at[1]].id);
      else card.text.removeAttribute("aria-activedescendant");
    }
    explain();
  }

  /** The least likely token of all, for a first look. */
  function palest() {
    let found = null;
    columns().forEach((one, c) => {
      for (let i = 0; i < one.n; i++) if (!found || value("plain", c, i) < value("plain", ...found)) found = [c, i];
    });
    return found;
  }

  /** One token's candidates: outlined under the model, filled after the filters; what was cut is told in words. */
  function explain() {
    if (!at) {
      detail.replaceChildren(
        el("span", {
          class: "gf-hint",
          text: labels("hint"),
        }),
      );
      return;
    }
    const [c, i] = at;
    const candidates = Array.from({ length: shell.arrays.top.shape[2] }, (_, k) => ({
      name: label(c, i, k),
      plain: top("top_plain", c, i, k),
      after: top("top_after", c, i, k),
      isKept: Boolean(top("top_kept", c, i, k)),
    }));
    detail.replaceChildren(
      ...told(columns()[c], i, {
        value: (name) => value(name, c, i),
        candidates,
        token: tokenOf(c, i),
        nVocabulary: shell.header.n_vocabulary,
      }),
    );
  }

  function keys(event, c) {
    const last = Math.min(player.at, columns()[c].n) - 1;
    const from = at?.[0] === c ? at[1] : -1;
    const to = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: last }[event.key];
    if (event.key === "Escape") point((pinned = null));
    else if (to !== undefined && last >= 0) {
      point((pinned = [c, clamp(to, 0, last)]));
      shell.say(detail.querySelector(".gf-readout").textContent);
      cards[c].chips[at[1]].scrollIntoView({ block: "nearest" });
    } else return;
    event.preventDefault();
  }

  function cardOf(one, c) {
    const tokens = Array.from({ length: one.n }, (_, i) => tokenOf(c, i));
    const { measures, best } = shell.header;
    const figures = one.measures.map((value, k) => ({ name: measures[k + 1], value, isBest: best[k].includes(c) }));
    return card(one, tokens, figures, `gf-${shell.header.id}-${c}`, {
      place: c,
      isOpen: open === c,
      key: (event) => keys(event, c),
      point: (i) => point([c, i]),
      choose: (i) => point((pinned = [c, i])),
      leave: () => pinned?.[1] < player.at && point(pinned),
      lock: () => change(c, { locked: !one.locked }),
      edit() {
        open = open === c ? null : c;
        drawEditor();
      },
      reseed() {
        playNext = true;
        change(c, { seed: one.seed + 1 });
      },
      remove:
        columns().length > 1 &&
        (() => {
          open = null;
          send(columns().filter((_, i) => i !== c));
        }),
    });
  }

  function drawEditor() {
    for (const [c, one] of cards.entries()) one.tools.firstChild.setAttribute("aria-pressed", String(open === c));
    const one = columns()[open];
    const close = () => {
      open = null;
      drawEditor();
    };
    editBox.replaceChildren(...(one ? [editor(one, (values) => change(open, values), close)] : []));
  }

  const comparison = () => ({
    columns: shell.header.measures,
    rows: columns().map((one) => [one.title, ...one.measures]),
  });

  return {
    held: () => pinned,
    hold([c, i]) {
      if (i < Math.min(player.at, columns()[c]?.n)) point((pinned = [c, i]));
    },
    update() {
      const h = shell.header;
      nMost = Math.max(0, ...h.columns.map((one) => one.n));
      player.play(false);
      at = pinned = null;
      cards = h.columns.map(cardOf);
      grid.replaceChildren(...cards.map((one) => one.box));
      menu.disabled = h.columns.length >= h.most;
      menu.options[0].text = menu.disabled ? labels("at_most", { n: h.most }) : labels("add");
      const plays = playNext && !matchMedia("(prefers-reduced-motion: reduce)").matches;
      playNext = false;
      player.set(nMost, plays ? 0 : nMost);
      player.go(player.at);
      player.play(plays);
      if (!plays) point(palest());
      drawEditor();
      grid.setAttribute("aria-label", h.takeaway);
    },
    draw() {
      colors = scale("value", 0, MOST_SURPRISE, shell.theme.mode);
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      for (const [c, one] of cards.entries()) {
        one.chips.forEach((chip, i) => {
          const p = value("plain", c, i);
          const fill = p > PLAIN ? "" : colors.css(-Math.log(p));
          chip.style.background = fill;
          chip.style.color = fill && readableOn(fill);
        });
      }
      key.replaceChildren(
        ...legend(colors, labels("surprise")),
        el("span", {}, el("span", { class: "gf-deep", text: labels("nats") }), labels("plain", { p: PLAIN })),
      );
      const across = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
      const rows = Math.ceil(cards.length / across);
      // As high as the others leave it; a longer text scrolls in its card.
      const others = shell.theme.presenting ? 6.5 : 12.6;
      const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const room =
        across < 3 ? 24 * rem : (shell.tall - others * rem) / rows - (shell.theme.presenting ? 3.4 : 4.4) * rem;
      const line = 1.25 * rem;
      grid.style.setProperty("--gf-most", `${Math.max(4, Math.floor(room / line)) * line}px`);
    },
    table: comparison,
    picture: () => ({ ...photograph(grid), scale: colors, scaleTitle: labels("surprise_nats") }),
    destroy: () => player.play(false),
  };
}, CSS);
