// Texts side by side; each token tells its probability under the pointer, the longest copied piece is underlined.
import { el } from "../drawing/elements.js";
import { sized } from "../drawing/ngram_words.js";
import { inText, quoted } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: 0.8rem; }
.gf-cards .gf-panel { display: flex; flex-direction: column; gap: 0.5rem; }
.gf-card-title { display: flex; flex-wrap: wrap; gap: 0.1rem 0.7rem; align-items: baseline; }
.gf-said { flex: 1; font-family: var(--st-code-font); font-size: 0.8125rem; white-space: pre-wrap; overflow-wrap: anywhere; cursor: default; }
.gf-said .given, .gf-key-given { color: var(--gf-soft); font-style: italic; }
.gf-said .copied, .gf-key-copied { text-decoration: underline; text-decoration-color: var(--gf-accent); text-decoration-thickness: 2.5px; text-underline-offset: 3px; background: var(--gf-wash); }
.gf-said .on { background: var(--gf-accent); color: var(--gf-on-accent); border-radius: 3px; }
.gf-key-copied, .gf-key-given { font-family: var(--st-code-font); }
`;
// Unlike elsewhere spaces stay spaces, so that the texts read as texts; line ends break the line and are shown.
const shown = (token) => inText(token).replaceAll("⏎", "⏎\n");

export default picture(
  ({ cards }, { p }) => {
    const things = cards.flatMap((card) => card.tokens.map((token, place) => ({ card, token, place })));
    const box = (card, chips) =>
      el(
        "section",
        { class: "gf-panel" },
        el(
          "div",
          { class: "gf-card-title" },
          el("b", { text: card.title }),
          el("span", { class: "gf-soft", text: card.note }),
        ),
        el(
          "div",
          { class: "gf-said", dir: "auto" },
          el("span", { class: "given", translate: "no", text: card.prompt.map(shown).join("") }),
          ...chips,
        ),
        el("div", { class: "gf-soft", text: card.foot }),
      );

    return {
      things,
      layout: "gf-cards",
      draw({ card, token, place }) {
        const [start, length] = card.copied;
        return el("span", {
          translate: "no",
          text: shown(token),
          class: place >= start && place < start + length ? "copied" : null,
        });
      },
      arrange: (chips) =>
        cards.map((card) =>
          box(
            card,
            chips.filter((_, i) => things[i].card === card),
          ),
        ),
      said: ({ card, token, place }, i) =>
        labels.parts("drawn", {
          title: el("b", { text: card.title }),
          place: place + 1,
          all: card.tokens.length,
          token: el("b", { translate: "no", text: quoted(token) }),
          p: el("b", { text: sized(p.data[i]) }),
        }),
      hint: labels("samples_hint"),
      key: [
        el("span", {}, el("span", { class: "gf-key-copied", translate: "no", text: "abc" }), labels("copied")),
        el("span", {}, el("span", { class: "gf-key-given", translate: "no", text: "abc" }), labels("given")),
      ],
      columns: [labels("model"), labels("place"), labels("token"), labels("probability")],
      row: ({ card, token, place }, i) => [card.title, String(place), quoted(token, 40), sized(p.data[i])],
    };
  },
  { style: STYLE },
);
