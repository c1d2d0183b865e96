// One question and four answers: the same model after each stage of its training, as a chat. Beside each answer, the
// shares of right and friendly ones; the one that the stage has raised most is framed. Narrow, only that one is shown.
import { el, percent } from "../drawing/elements.js";
import { inText } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { STYLE } from "./four_models_style.js";
import { labels } from "./labels.js";

const SIGNS = { right: "✓", wrong: "✗", question: "?", none: "✗" };
const END = "<end>";

export default picture(
  (h, _, { shell, width, step, theme }) => {
    const isNarrow = width < 560 * theme.unit;
    const isLow = shell.tall < 560;
    const { text, rows } = h.chat;
    const things = rows.flatMap(({ words, p, top, place }, row) =>
      words
        .map((word, i) => ({ row, i, word, p: p[i], top: top[i], isKey: i === place, isFirst: words[i - 1] === "?" }))
        .filter(({ word }) => word !== END),
    );
    const said = (row) => things.filter((one) => one.row === row).map(({ word }) => word);

    const kindOf = (row) => labels(rows[row].kind);

    /** One share; its name before it where there is no column for it. */
    function share(value, what, isGain) {
      const number = value === null ? "?" : percent(value);
      const filled = el("s");
      filled.style.width = `${100 * (value ?? 0)}%`;
      return el(
        "div",
        { class: isGain ? "share gain" : "share" },
        isNarrow ? `${h.shares[what]} ` : "",
        number,
        el("u", { class: value === null ? "gf-hatch" : null }, filled),
      );
    }

    function stage({ name, how, gain, shares }, row, parts) {
      const { kind } = rows[row];
      const place = row === step ? "now" : row > step ? "later" : "";
      const words = parts.filter((_, i) => things[i].row === row);
      const isHidden = kind === "hidden";
      return el(
        "div",
        { class: `${row ? "" : "first"} ${kind} ${place}` },
        el("span", { class: "no", text: String(row + 1), "aria-hidden": "true" }),
        el("div", { class: "name" }, el("b", { text: name }), el("span", { text: how })),
        el(
          "div",
          { class: isHidden ? "says gf-hatch" : "says" },
          el("p", {}, ...(isHidden ? ["?"] : words)),
          isHidden
            ? ""
            : el("i", {}, el("em", { text: SIGNS[kind], "aria-hidden": "true" }), el("span", { text: kindOf(row) })),
        ),
        ...h.shares.map((_, what) => share(shares?.[what] ?? null, what, what === gain)),
      );
    }

    return {
      things,
      layout: `gf-stages ${isNarrow ? "narrow" : isLow ? "low" : ""}`,
      draw({ i, word, isKey, isFirst }) {
        const isMark = /^[.,?]$/.test(word);
        const before = i && !isMark ? (isFirst ? el("br") : " ") : "";
        const style = `--i: ${i}`;
        return el(
          "span",
          { translate: "no", style },
          before,
          el("b", { class: isKey ? "key" : null, text: inText(word) }),
        );
      },
      arrange: (parts) => [
        el(
          "div",
          { class: "ask" },
          el("div", { class: "you" }, labels("you_ask"), el("span", { translate: "no", text })),
          ...h.shares.map((name) => el("b", { text: name })),
        ),
        ...h.models.map((one, row) => stage(one, row, parts)),
      ],
      after(node) {
        node.style.setProperty("--row", isNarrow ? "42px" : isLow ? "54px" : "64px");
        node.style.setProperty("--gap", isNarrow ? "6px" : isLow ? "6px" : "12px");
      },
      said: ({ word, p, top }) =>
        labels.parts("said", { word: el("b", { translate: "no", text: word }), p: percent(p), top }),
      hint: labels("hint", { facts: h.n_fact, sums: h.n_sum }),
      sentence: h.as_expected
        ? labels.parts(
            "sentence",
            Object.fromEntries(
              ["answer", "friendly", "right"].map((key) => [key, el("b", { text: labels(`sentence.${key}`) })]),
            ),
          )
        : [labels("sentence_mixed")],
      columns: [labels("model"), labels("answer"), labels("judged"), ...h.shares],
      rows: h.models.map(({ name, shares }, row) => [
        name,
        said(row).join(" ") || "?",
        rows[row].kind === "hidden" ? "?" : kindOf(row),
        ...h.shares.map((_, what) => shares?.[what] ?? "?"),
      ]),
    };
  },
  {
    style: STYLE,
    steps: ({ models }) => models.map((_, i) => labels("step", { n: i + 1 })),
    player: { what: labels("stage"), name: "Stage", perSecond: 0.7 },
  },
);
