// Texts of several strategies side by side: they fill token by token, and each token tells what it was chosen from.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { readableOn, scale } from "../drawing/color.js";
import { CSS } from "./columns_style.js";
import { editor, presetMenu } from "./columns_editor.js";
import { printed, spellColumn } from "./filters.js";
import { Player } from "../drawing/player.js";
import { inText, short, visible } from "../drawing/tokens.js";

const TOKENS_PER_SECOND = 12;

export default define((shell) => {
  const player = new Player({
    what: "Tokens shown",
    unit: "token",
    perSecond: TOKENS_PER_SECOND,
    speeds: true,
    show,
    say: () => shell.say(`${player.now.textContent} tokens`),
  });
  player.node.append(el("span", { class: "gf-hint", text: "The texts are already written; ▶ plays them back." }));
  const reseed = el("button", {
    class: "gf-solid",
    text: "New seeds",
    title: "New random numbers for all columns that aren't locked",
  });
  const reset = el("button", {
    class: "gf-solid",
    text: "Reset",
    title: "Back to the six columns you started with",
  });
  const menu = presetMenu((column) => {
    open = columns().length;
    send([...columns(), column]);
  });
  const tools = el("div", { class: "gf-controls" }, reseed, menu, reset);
  const grid = el("div", { class: "gf-cols" });
  const detail = el("div", { class: "gf-panel gf-detail" });
  const editBox = el("div");
  const key = el("div", { class: "gf-legend" });
  const compare = el("div", {
    class: "gf-scroll gf-compare",
    tabindex: 0,
    role: "region",
    "aria-label": "Comparison of the columns",
  });
  shell.body.append(player.node, tools, editBox, grid, key, detail, compare);

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
    player.tell(`${n} of ${nMost}`, `${n} of ${nMost} tokens`);
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
          text: "Point at a token to see what it was chosen from, or use the arrow keys in a text.",
        }),
      );
      return;
    }
    const [c, i] = at;
    const one = columns()[c];
    const m = shell.arrays.top.shape[2];
    const rank = value("rank", c, i);
    const n = value("n_kept", c, i);
    const u = one.draws[i];
    const full = Math.max(
      ...Array.from({ length: m }, (_, k) => Math.max(top("top_plain", c, i, k), top("top_after", c, i, k))),
      1e-9,
    );
    const how =
      one.kind === "beam"
        ? "chosen by the search, not drawn"
        : u === null
          ? "nothing is drawn: the likeliest of what is left"
          : `the number drawn, ${format(u, 4)}, fell between ${format(value("low", c, i), 4)} and ${format(value("high", c, i), 4)}`;
    const rows = [];
    for (let k = 0; k < m; k++) {
      const isChosen = k === m - 1;
      const place = isChosen ? rank : k + 1;
      if (isChosen && rank < m) break; // it stands among the first already
      const cut = !top("top_kept", c, i, k);
      const after = top("top_after", c, i, k);
      const is = el("i", { class: "is" });
      const was = el("i", { class: "was" });
      is.style.width = `${(after / full) * 100}%`;
      was.style.width = `${(top("top_plain", c, i, k) / full) * 100}%`;
      rows.push(
        el(
          "tr",
          { class: place === rank ? "took" : cut ? "cut" : null },
          el("td", { text: `${place}.` }),
          el("th", { scope: "row" }, el("bdi", { text: short(label(c, i, k), 14) }), place === rank ? " ◂" : ""),
          el("td", { text: printed(top("top_plain", c, i, k)) }),
          el("td", { text: cut ? "cut" : printed(after) }),
          el("td", { class: "bar" }, el("div", {}, is, was)),
        ),
      );
    }
    const head = el(
      "tr",
      {},
      ...["rank", "token", "model", one.kind === "beam" ? "model" : "drawn from", ""].map((text) =>
        el("th", { text, scope: "col" }),
      ),
    );
    detail.replaceChildren(
      el(
        "div",
        { class: "gf-readout" },
        el("b", { text: one.title }),
        `, token ${i + 1}: `,
        el("b", { text: short(tokenOf(c, i), 18) }),
        ` · ${n.toLocaleString("en")} of ${shell.header.n_vocabulary.toLocaleString("en")} tokens kept · rank ${rank.toLocaleString("en")} · ${how}`,
      ),
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)),
      el("div", {
        class: "gf-hint",
        text:
          one.kind === "beam"
            ? "Bars: the model's probability."
            : "Bars: outlined the model's probability, filled what it was chosen from.",
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

  function card(one, c) {
    const text = el("div", {
      class: "gf-text",
      role: "listbox",
      tabindex: 0,
      "aria-label": `${one.title}: ${inText(one.spoken)}`,
      onkeydown: (event) => keys(event, c),
    });
    const chips = Array.from({ length: one.n }, (_, i) => {
      const token = tokenOf(c, i);
      const chip = el("span", {
        "data-i": i,
        role: "option",
        id: `gf-${shell.header.id}-${c}-${i}`,
        "aria-label": visible(token),
        text: inText(token),
      });
      text.append(chip);
      if (token.includes("\n")) text.append((chip.line = el("br")));
      return chip;
    });
    const end = el("em", { text: { end: "the end token", empty: "the filters left no token", "": "" }[one.stop] });
    text.append(end);
    const placeOf = (event) => {
      const i = event.target.closest("[data-i]")?.dataset.i;
      return i === undefined ? null : [c, Number(i)];
    };
    text.addEventListener("pointerover", (event) => {
      const place = placeOf(event);
      if (place) point(place);
    });
    text.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && pinned?.[1] < player.at) point(pinned);
    });
    text.addEventListener("click", (event) => {
      const place = placeOf(event);
      if (place) point((pinned = place));
    });
    const button = (name, title, run, pressed) =>
      el("button", {
        text: name,
        title,
        "aria-label": `${name === "×" ? "Remove" : name} ${one.title}`,
        onclick: run,
        "aria-pressed": pressed,
      });
    const tools = el(
      "div",
      { class: "gf-cardtools" },
      button(
        "Edit",
        "Change this column",
        () => {
          open = open === c ? null : c;
          drawEditor();
        },
        String(open === c),
      ),
      one.kind === "sample"
        ? button(`Seed ${one.seed} ↻`, "A new seed", () => {
            playNext = true;
            change(c, { seed: one.seed + 1 });
          })
        : null,
      button(
        one.locked ? "Locked" : "Lock",
        "Keep this text when the others get new seeds",
        () => change(c, { locked: !one.locked }),
        String(Boolean(one.locked)),
      ),
      columns().length > 1
        ? button("×", "Remove this column", () => {
            open = null;
            send(columns().filter((_, i) => i !== c));
          })
        : null,
    );
    return {
      box: el(
        "section",
        { class: one.locked ? "gf-col locked" : "gf-col" },
        el("h4", { text: one.title }),
        tools,
        text,
      ),
      text,
      chips,
      end,
      tools,
    };
  }

  function drawEditor() {
    for (const [c, one] of cards.entries()) one.tools.firstChild.setAttribute("aria-pressed", String(open === c));
    const one = columns()[open];
    editBox.replaceChildren(
      ...(one
        ? [
            editor(
              one,
              (values) => change(open, values),
              () => {
                open = null;
                drawEditor();
              },
            ),
          ]
        : []),
    );
  }

  function drawTable() {
    const { columns: names, rows } = comparison();
    const best = shell.header.best;
    compare.replaceChildren(
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...names.map((text) => el("th", { text, scope: "col" })))),
        el(
          "tbody",
          {},
          ...rows.map((row, c) =>
            el(
              "tr",
              {},
              ...row.map((text, i) =>
                el(i ? "td" : "th", { text, scope: i ? null : "row", class: best[i - 1]?.includes(c) ? "best" : null }),
              ),
            ),
          ),
        ),
      ),
    );
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
      cards = h.columns.map(card);
      grid.replaceChildren(...cards.map((one) => one.box));
      menu.disabled = h.columns.length >= h.most;
      menu.options[0].text = menu.disabled ? `${h.most} columns at most` : "Add a column …";
      const plays = playNext && !matchMedia("(prefers-reduced-motion: reduce)").matches;
      playNext = false;
      player.set(nMost, plays ? 0 : nMost);
      player.go(player.at);
      player.play(plays);
      if (!plays) point(palest());
      drawEditor();
      drawTable();
      grid.setAttribute("aria-label", h.takeaway);
    },
    draw() {
      colors = scale("probability", 0, 1, shell.theme.mode);
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      for (const [c, one] of cards.entries()) {
        one.chips.forEach((chip, i) => {
          const fill = colors.css(value("plain", c, i));
          chip.style.background = fill;
          chip.style.color = readableOn(fill);
        });
      }
      key.replaceChildren(...legend(colors, "probability under the model, before any filter"));
    },
    table: comparison,
    picture() {
      const base = grid.getBoundingClientRect();
      return {
        width: base.width + 8,
        height: base.height + 8,
        scale: colors,
        scaleTitle: "probability under the model",
        paint(p) {
          for (const one of cards) {
            const title = one.box.querySelector("h4").getBoundingClientRect();
            p.text(one.box.querySelector("h4").textContent, title.left - base.left + 4, title.top - base.top + 12, {
              fill: shell.theme.text,
              size: 13,
              font: shell.theme.font,
              weight: 600,
            });
            for (const chip of one.chips) {
              if (chip.hidden) continue;
              const b = chip.getBoundingClientRect();
              const [x, y] = [b.left - base.left + 4, b.top - base.top + 4];
              p.rect(x, y, b.width, b.height, { fill: chip.style.background, radius: 3 });
              p.text(chip.textContent, x, y + b.height / 2, {
                fill: chip.style.color,
                size: 13,
                font: shell.theme.code,
              });
            }
          }
        },
      };
    },
    destroy: () => player.play(false),
  };
}, CSS);
