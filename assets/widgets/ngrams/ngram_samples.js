// Texts side by side; each token tells its probability under the pointer, the longest copied piece is underlined.
import { define } from "../drawing/base.js";
import { el, measure } from "../drawing/elements.js";
import { mouseLeaves } from "../drawing/input.js";
import { sized } from "../drawing/ngram_words.js";
import { inText, quoted } from "../drawing/tokens.js";

// Unlike elsewhere spaces stay spaces, so that the texts read as texts; line ends break the line and are shown.
const shown = (token) => inText(token).replaceAll("⏎", "⏎\n");

export default define(
  (shell) => {
    const list = el("div", { class: "gf-cards", role: "group" });
    const readout = el("div", { class: "gf-readout" });
    const key = el(
      "div",
      { class: "gf-legend" },
      el(
        "span",
        {},
        el("span", { class: "gf-key-copied", text: "abc" }),
        "longest piece copied word for word from the training text",
      ),
      el("span", {}, el("span", { class: "gf-key-given", text: "abc" }), "given beginning"),
    );
    shell.body.append(list, readout, key);
    let chips = [];
    let at = null;

    list.addEventListener("pointerover", (event) => {
      const i = event.target.dataset?.i;
      hover(i === undefined ? null : Number(i));
    });
    mouseLeaves(list, () => hover(null));
    list.addEventListener("focusout", () => hover(null));
    list.addEventListener("keydown", (event) => {
      const box = event.target.closest?.(".gf-said");
      if (!box) return;
      const own = chips.filter((chip) => chip.box === box);
      const first = own[0]?.i;
      if (first === undefined) return;
      const last = first + own.length - 1;
      const from = at !== null && at >= first && at <= last ? at : first - 1;
      if (event.key === "ArrowRight") hover(Math.min(last, from + 1), true);
      else if (event.key === "ArrowLeft") hover(Math.max(first, from - 1), true);
      else if (event.key === "Home") hover(first, true);
      else if (event.key === "End") hover(last, true);
      else if (event.key === "Escape") hover(null);
      else return;
      event.preventDefault();
    });

    function hover(i, byKeyboard = false) {
      if (i === at) return;
      chips[at]?.node.classList.remove("on");
      at = i;
      chips[i]?.node.classList.add("on");
      describe();
      if (byKeyboard && i !== null) shell.say(readout.textContent);
    }

    function describe() {
      const chip = chips[at];
      if (!chip) {
        readout.replaceChildren(
          el("span", {
            class: "gf-hint",
            text: "Point at a token for the probability with which it was drawn; in a chosen text, use the arrow keys.",
          }),
        );
        return;
      }
      readout.replaceChildren(
        el("b", { text: chip.card.title }),
        `  ·  token ${chip.place + 1} of ${chip.card.tokens.length}, `,
        el("b", { text: quoted(chip.card.tokens[chip.place]) }),
        ", was drawn with probability ",
        el("b", { text: sized(shell.arrays.p.data[at]) }),
      );
    }

    function build() {
      chips = [];
      at = null;
      list.replaceChildren(
        ...shell.header.cards.map((card) => {
          const box = el("div", {
            class: "gf-said",
            tabindex: 0,
            role: "img",
            dir: "auto",
            "aria-label": `${card.title}: ${[...card.prompt, ...card.tokens].map(inText).join("")}. ${card.foot}`,
          });
          box.append(el("span", { class: "given", text: card.prompt.map(shown).join("") }));
          const [start, length] = card.copied;
          card.tokens.forEach((token, place) => {
            const node = el("span", {
              text: shown(token),
              "data-i": chips.length,
              class: place >= start && place < start + length ? "copied" : null,
            });
            chips.push({ node, box, card, place, i: chips.length });
            box.append(node);
          });
          return el(
            "section",
            { class: "gf-panel" },
            el(
              "div",
              { class: "gf-card-title" },
              el("b", { text: card.title }),
              el("span", { class: "gf-soft", text: card.note }),
            ),
            box,
            el("div", { class: "gf-soft", text: card.foot }),
          );
        }),
      );
    }

    /** Lines of words for the downloaded picture. */
    function lines(card, width, size) {
      const out = [];
      for (const part of [...card.prompt, ...card.tokens].map(shown).join("").split("\n")) {
        let line = "";
        for (const word of part.split(/(?<= )/)) {
          if (line && measure(line + word, size, shell.theme.code) > width) {
            out.push(line);
            line = "";
          }
          line += word;
        }
        out.push(line);
      }
      return out;
    }

    return {
      update() {
        build();
      },
      draw() {
        list.setAttribute("aria-label", shell.header.takeaway);
        describe();
      },
      table: () => {
        let i = 0;
        return {
          columns: ["model", "place", "token", "probability"],
          rows: shell.header.cards.flatMap((card) =>
            card.tokens.map((token, place) => [
              card.title,
              String(place),
              quoted(token, 40),
              sized(shell.arrays.p.data[i++]),
            ]),
          ),
        };
      },
      picture: () => {
        const width = 720;
        const size = 12;
        const { theme, header } = shell;
        const blocks = header.cards.map((card) => ({ card, text: lines(card, width - 20, size) }));
        const height = blocks.reduce((sum, { text }) => sum + 44 + text.length * 17, 10);
        return {
          width,
          height,
          paint: (p) => {
            let y = 12;
            for (const { card, text } of blocks) {
              p.text(`${card.title} · ${card.foot}`, 10, y, {
                fill: theme.text,
                size: 13,
                font: theme.font,
                weight: 600,
              });
              y += 20;
              for (const line of text) {
                p.text(line, 10, y, { fill: theme.text, size, font: theme.code });
                y += 17;
              }
              y += 24;
            }
          },
        };
      },
    };
  },
  `
.gf-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0.8rem; }
.gf-cards .gf-panel { display: flex; flex-direction: column; gap: 0.5rem; }
.gf-card-title { display: flex; flex-wrap: wrap; gap: 0.1rem 0.7rem; align-items: baseline; }
.gf-said { flex: 1; font-family: var(--st-code-font); font-size: 0.8125rem; white-space: pre-wrap; overflow-wrap: anywhere; cursor: default; }
.gf-said .given, .gf-key-given { color: var(--gf-soft); font-style: italic; }
.gf-said .copied, .gf-key-copied { text-decoration: underline; text-decoration-color: var(--gf-accent); text-decoration-thickness: 2.5px; text-underline-offset: 3px; background: var(--gf-wash); }
.gf-said .on { background: var(--gf-accent); color: var(--gf-on-accent); border-radius: 3px; }
.gf-key-copied, .gf-key-given { font-family: var(--st-code-font); }
`,
);
