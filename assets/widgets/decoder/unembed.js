// From the last hidden row to a probability: choose a token, and see its logit as the sum of D products.
import { BarLines, largest } from "../drawing/bar_lines.js";
import { chance, clamp, el, format, grouped } from "../drawing/elements.js";
import { either, formula } from "../drawing/formula.js";
import { table } from "../drawing/table.js";
import { quoted, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { logitTerms, share } from "./unembed_math.js";
import { STYLE } from "./unembed_style.js";

const MOST = 20; // products in sight, on a slide fewer
const MOST_ON_A_SLIDE = 12;
const STEP = 17;

/** The bars have a place of their own; what is told of them stands below. */
function products() {
  const readout = el("div", { class: "gf-readout" });
  const sum = el("div", { class: "gf-formula" });
  const bars = new BarLines();
  return { bars, readout, sum, box: el("div", { class: "gf-scroll" }, bars.node) };
}

export default picture(
  (h, { hidden: { data: hidden }, rows, biases }, { shell, theme, state, set }) => {
    const { pinned, kept } = state;
    const { bars, readout, sum, box } = kept;
    const d = hidden.length;
    const rowOf = (i) => rows.data.subarray(i * d, (i + 1) * d);
    const most = theme.presenting ? MOST_ON_A_SLIDE : MOST;
    const each = h.tokens.map((token, i) => {
      const terms = logitTerms(hidden, rowOf(i), biases.data[i], most, h.softcap);
      return { token, terms, p: share(terms.logit, h.largest, h.total) };
    });
    const sentence = (i) => {
      const key = h.plain ? "token_score" : "token_logit";
      const values = { token: quoted(h.tokens[i]), score: format(each[i].terms.logit), p: chance(each[i].p, 4) };
      return labels(i === h.truth ? `${key}.truth` : key, values);
    };

    /** The products of one token. */
    function open(at) {
      const { terms, token } = each[at];
      const row = rowOf(at);
      const limits = [hidden, row].map(largest);
      const rest = terms.nRest ? [{ name: labels("rest"), factors: [] }] : [];
      const line = (i) => {
        if (i >= terms.shown.length) return labels("other_coordinates", { n: terms.nRest, sum: format(terms.rest) });
        const c = terms.shown[i];
        const [a, b, product, sum] = [hidden[c], row[c], terms.products[c], terms.running[i]].map((v) => format(v));
        return labels("at_coordinate", { c, h: a, w: b, product, sum });
      };
      const hint = labels("products_hint", { token: quoted(token) });
      const tell = (i) => readout.replaceChildren(i === null ? el("span", { class: "gf-hint", text: hint }) : line(i));
      bars.tell = (i, byKeyboard) => {
        tell(i);
        if (byKeyboard) shell.say(line(i));
      };
      bars.show({
        lines: [...terms.shown.map((c) => ({ name: `${c}`, factors: [hidden[c], row[c]] })), ...rest],
        sums: [...terms.running, ...(terms.nRest ? [terms.dot] : [])],
        limits,
        ranges: limits.map((limit) => `±${format(limit, 1)}`),
        heads: h.plain
          ? [labels("last_row"), labels("token_row"), labels("added_up")]
          : ["h", labels("token_w"), labels("product_sums")],
        corner: h.plain ? "" : "i",
        index: 34,
        step: Math.round(STEP * theme.unit),
        room: box.clientWidth || shell.width,
        theme,
        label: labels("products", { token: sentence(at) }),
      });
      tell(null);
      const logit = h.softcap
        ? [
            ["=", "x", format(terms.sum)],
            ["→", labels("capped", { cap: h.softcap }), format(terms.logit), true],
          ]
        : [["=", labels("logit_z"), format(terms.logit), true]];
      sum.replaceChildren(
        ...formula([
          ["", labels("n_product", { n: d }), format(terms.dot)],
          ...(h.has_bias ? [["+", labels("bias"), format(biases.data[at])]] : []),
          ...logit,
          ["→", `e^(z − ${format(h.largest, 2)})`, format(Math.exp(terms.logit - h.largest), 4)],
          ["/", labels("over_tokens", { n: grouped(h.vocab_size) }), format(h.total, 4)],
          ["=", labels("probability"), chance(each[at].p, 4), true],
        ]),
      );
    }

    const score = either(labels("score"), labels("logit_z"));
    const heads = [[labels("token")], score, ["e^(z − max)"], [labels("probability")], [""]].map((parts, i) =>
      el("th", { scope: "col", class: i === 2 ? "gf-deep" : null, translate: i === 2 ? "no" : null }, ...parts),
    );
    const pin = (i) => set({ ...state, pinned: i });
    return {
      things: each,
      layout: "gf-unembed",
      draw: ({ token, terms, p }, i) =>
        el(
          "tr",
          {},
          el("td", { translate: "no", text: `${i === h.truth ? "✓ " : ""}${visible(token)}` }),
          el("td", { text: format(terms.logit, 3) }),
          el("td", { class: "gf-deep", text: format(Math.exp(terms.logit - h.largest), 4) }),
          el("td", { text: chance(p, 4) }),
          el("td", {}, el("span", { class: "track" }, el("span", { style: `width: ${clamp(p, 0, 1) * 100}%` }))),
        ),
      arrange: (lines) => [table(heads, lines)],
      mark(node, place) {
        const at = place ?? pinned;
        node.querySelectorAll("tbody tr").forEach((one, i) => one.classList.toggle("on", i === at));
        open(at);
      },
      said: (_, i) => [sentence(i)],
      chosen: pinned,
      follows: true,
      choose: (_, i) => pin(i),
      reset: () => pinned > 0 && pin(0),
      label: `${h.takeaway} ${labels("unembed_keys")}`,
      note: sentence(pinned),
      below: [sum],
      beside: [box, readout],
      held: pinned !== state.first && [pinned],
      hold: ([i]) => i < each.length && pin(i),
      columns: [labels("coordinate"), "h", "w", "h × w"],
      rows: Array.from(hidden, (v, i) => [String(i), v, rowOf(pinned)[i], each[pinned].terms.products[i]]),
    };
  },
  {
    style: STYLE,
    state(h, old) {
      const first = clamp(h.selected ?? 0, 0, h.tokens.length - 1);
      return { first, pinned: first, kept: old?.kept ?? products() };
    },
  },
);
