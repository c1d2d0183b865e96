// Some numbers of a model and the text it writes, before and after all of its numbers are rounded.
import { raster, readableOn, scale } from "../drawing/color.js";
import { el, format, grouped, percent } from "../drawing/elements.js";
import { inText, word } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { animateFromBefore } from "../shared/motion.js";
import { labels } from "./labels.js";
import { STYLE } from "./changed_numbers_style.js";

const BLANK = 255; // of a wall: no number
const SIZE = 0.55; // of the color scale, as a part of the largest number of the table

const bold = (text) => el("b", { translate: "no", text });

export default picture(
  (h, { numbers, rounded, wall, rounded_wall: roundedWall }, { theme }) => {
    const { before, after } = h;
    const nNumber = numbers.data.length;
    const colors = scale("signed", -SIZE * h.largest, SIZE * h.largest, theme.mode);
    const places = [...Array(nNumber).keys()];
    const things = [numbers, rounded].flatMap(({ data }, side) =>
      places.map((i) => ({ i, side, value: data[i], is: [numbers.data[i], rounded.data[i]] })),
    );
    const share = percent(after.zero);
    const total = grouped(h.total);

    /** All tables, a dot for some of their numbers; a frame around where the numbers shown come from. */
    function tables({ data, shape: [rows, columns] }) {
      const dots = scale("signed", 0, BLANK - 1, theme.mode);
      const level = (i) => (data[i] === BLANK ? null : dots.level(data[i]));
      const frame = el("i");
      Object.assign(frame.style, { left: `${(100 * h.spot[0]) / columns}%`, top: `${(100 * h.spot[1]) / rows}%` });
      return el("div", { class: "tables" }, raster(columns, rows, dots.rgb, level), frame);
    }

    function text({ tokens, next, chance }) {
      if (!before.tokens.length) return "";
      const first = { token: bold(word(next)), share: el("b", { class: "gf-key-number", text: percent(chance) }) };
      const same = tokens.findIndex((token, i) => token !== before.tokens[i]);
      const written = tokens.map((token, i) =>
        el("b", { class: same < 0 || i < same ? "same" : "", text: inText(token) }),
      );
      return el(
        "div",
        { class: "text" },
        el(
          "div",
          { class: "next" },
          el("span", { text: labels(h.is_gap ? "fills" : "writes") }),
          el("span", {}, ...labels.parts(h.is_gap ? "best" : "next", first)),
        ),
        el("p", { translate: "no" }, el("span", { text: inText(h.prompt) }), ...written),
      );
    }

    function card(title, cells, levels, note, written) {
      const row = el("div", { class: "cells" }, ...cells);
      return el(
        "section",
        {},
        el("h4", { text: title }),
        tables(levels),
        el("div", { class: "numbers" }, row, el("small", {}, ...note)),
        text(written),
      );
    }

    const low = format(-h.largest, 2);
    const high = format(h.largest, 2);
    const isRounded = after.n > 0;
    const change = !isRounded ? "change.none" : after.n === 3 ? "change.3" : "change";
    const digits = after.step < 0.01 ? 4 : 2;
    const says = { n: after.n, share, words: after.words, fewest: h.fewest };
    const some = { n: nNumber, width: h.row_width, total, token: bold(`“${word(h.token)}”`) };

    return {
      things,
      across: nNumber,
      walked: things.length,
      layout: "gf-changed",
      draw({ value }) {
        const fill = colors.css(value);
        const cell = el("span", { class: "cell", text: format(value, 2).replace(/^(−?)0\.00$/, "0") });
        Object.assign(cell.style, { background: fill, color: readableOn(fill) });
        return cell;
      },
      arrange: (cells) => [
        card(
          labels("before"),
          cells.slice(0, nNumber),
          wall,
          labels.parts(h.token ? "some_of_token" : "some_of", some),
          before,
        ),
        el(
          "div",
          { class: "change" },
          el("div", { text: labels(change, { low, high, n: after.n, step: format(after.step, digits) }) }),
          el("p", { text: labels(isRounded ? "all_change" : "no_change", { total }) }),
        ),
        card(
          isRounded ? labels("after", { n: after.n }) : labels("after.none"),
          cells.slice(nNumber),
          roundedWall,
          [labels("same_places", { n: nNumber, share })],
          after,
        ),
      ],
      after: (node) => animateFromBefore(node, ".cell", "background"),
      mark: (node, place) =>
        node
          .querySelectorAll(".cell")
          .forEach((cell, k) => cell.classList.toggle("on", place !== null && k % nNumber === place % nNumber)),
      said: ({ i, is: [was, now] }) => [
        labels(isRounded ? "number_said" : "number_kept", {
          ...{ i: h.column + i + 1, width: h.row_width },
          ...{ before: format(was, 3), after: format(now, 3) },
        }),
      ],
      hint: labels("hint_number"),
      label: labels(`sentence.${after.says}`, says),
      sentence: labels.parts(
        `sentence.${after.says}`,
        Object.fromEntries(Object.entries(says).map(([name, value]) => [name, el("b", { text: String(value) })])),
      ),
      columns: [labels("place"), labels("before"), isRounded ? labels("after", { n: after.n }) : labels("after.none")],
      rows: places.map((i) => [String(h.column + i + 1), numbers.data[i], rounded.data[i]]),
    };
  },
  { style: STYLE },
);
