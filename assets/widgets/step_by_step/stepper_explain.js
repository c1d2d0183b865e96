// How one cell came about, with its own numbers, and which cells it came from. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { compute, valueOf } from "./stepper_math.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

const EDITABLE = new Set(["x", "w_q", "w_k", "w_v", "w_o", "q", "k", "v", "dots", "scores", "weights", "heads"]);

/** The cell to set when this one is clicked: itself, the one that it repeats, or null. */
export function target(t, ref) {
  const [name, h, r, c] = ref;
  if (name === "masked") return t.masked[h][r][c] === -Infinity ? null : ["scores", h, r, c];
  if (name === "concat") return ["heads", Math.floor(c / t.dHead), r, c % t.dHead];
  return EDITABLE.has(name) ? ref : null;
}

const NAMES = {
  embedding: labels("word"),
  position: labels("position"),
  x: "X",
  w_q: "W_q",
  w_k: "W_k",
  w_v: "W_v",
  w_o: "W_o",
  q: labels("query"),
  k: labels("key"),
  v: labels("value"),
  dots: labels("dot_product"),
  scores: labels("score"),
  masked: labels("masked_score"),
  exp: "e^s",
  sum: "Σ e^s",
  weights: labels("weight"),
  share: labels("sigma_of_weights"),
  heads: labels("output"),
  concat: "O",
  out: "Y",
};
// The same at Story; and what a whole matrix is called there.
const WORDS = {
  ...NAMES,
  x: labels("input"),
  w_q: labels("query_matrix"),
  w_k: labels("key_matrix"),
  w_v: labels("value_matrix"),
  w_o: labels("output_matrix"),
  exp: labels("exponential"),
  sum: labels("sum"),
  share: labels("sum_of_weights"),
  concat: labels("output_of_heads"),
  out: labels("result"),
};
export const MATRICES = {
  ...WORDS,
  embedding: labels("words"),
  position: labels("positions"),
  q: labels("queries"),
  k: labels("keys"),
  v: labels("values"),
  dots: labels("dot_products"),
  scores: labels("scores"),
  masked: labels("masked_scores"),
  exp: labels("exponentials"),
  weights: labels("weights"),
  heads: labels("outputs"),
};
const SUB = "₀₁₂₃₄₅₆₇₈₉";
const sub = (i) => [...String(i)].map((d) => SUB[d]).join("");

/** A number as short as its cell: a true minus sign, fewer decimals where there are more digits before the point. */
export function short(v, digits = 2) {
  if (v === Infinity || v === -Infinity) return v > 0 ? "∞" : "−∞";
  const size = Math.abs(v);
  const shown =
    size >= 99_950 ? v.toExponential(0) : fixed(v, size >= 999.5 ? 0 : size >= 99.5 ? Math.min(1, digits) : digits);
  return shown.replace(/^-(?=[0.]*$)/, "").replace("-", "−");
}

/** What a cell is made of: [[operand, operand], ...] for a sum of products, as cells. */
function factors(t, [name, h, r, c]) {
  const range = (n) => [...Array(n).keys()];
  if (name === "q" || name === "k" || name === "v") {
    return range(t.x[0].length).map((i) => [
      ["x", 0, r, i],
      [`w_${name}`, 0, i, h * t.dHead + c],
    ]);
  }
  if (name === "dots") {
    return range(t.dHead).map((i) => [
      ["q", h, r, i],
      ["k", h, c, i],
    ]);
  }
  if (name === "heads") {
    return range(t.nWord).map((i) => [
      ["weights", h, r, i],
      ["v", h, i, c],
    ]);
  }
  if (name === "out") {
    return range(t.concat[0].length).map((i) => [
      ["concat", 0, r, i],
      ["w_o", 0, i, c],
    ]);
  }
  return null;
}

const LETTERS = { q: "x", k: "x", v: "x", dots: "q", heads: "a", out: "o" };
const OTHERS = { q: "w", k: "w", v: "w", dots: "k", heads: "v", out: "w" };

/** The value that a cell would have without its own edit, everything before it being as it is. */
export function derived(t, about, ref) {
  const [name, h, r, c] = ref;
  const pairs = factors(t, ref);
  if (pairs) return pairs.reduce((sum, [a, b]) => sum + valueOf(t, a) * valueOf(t, b), 0);
  if (name === "scores") return t.dots[h][r][c] / Math.sqrt(t.dHead);
  if (name === "weights") return t.masked[h][r][c] === -Infinity ? 0 : t.exp[h][r][c] / t.sum[h][r][0];
  if (name === "x" || name.startsWith("w_")) return about[name][r][c];
  return valueOf(t, ref);
}

/**
 * A cell as a sum or a product: parts [sign, symbol, number, isHit][], a note, and the cells it comes from.
 * about.columns: whether the column convention is on show.
 */
export function explain(t, about, ref, isEdited = false) {
  const [name, h, r, c] = ref;
  const value = valueOf(t, ref);
  const pairs = factors(t, ref);
  const result = (v, isHit = !isEdited) => ["=", NAMES[name], short(v, name === "weights" ? 4 : 3), isHit];
  const end = isEdited ? [["→", labels("set_by_you"), String(value).replace("-", "−"), true]] : [];
  if (pairs) {
    const parts = pairs.map(([a, b], i) => [
      i ? "+" : "",
      `${LETTERS[name]}${sub(i)} · ${OTHERS[name]}${sub(i)}`,
      `${short(valueOf(t, a))} × ${short(valueOf(t, b))}`,
    ]);
    return { parts: [...parts, result(derived(t, about, ref)), ...end], sources: pairs.flat(), note: "" };
  }
  if (name === "scores") {
    return {
      parts: [
        ["", NAMES.dots, short(t.dots[h][r][c], 3)],
        ["/", `√${t.dHead}`, short(Math.sqrt(t.dHead), 3)],
        result(derived(t, about, ref)),
        ...end,
      ],
      sources: [["dots", h, r, c]],
      note: "",
    };
  }
  if (name === "masked") {
    const told = {
      query: quoted(about.words[r]),
      key: quoted(about.words[c]),
      score: short(t.scores[h][r][c], 3),
    };
    const note = value === -Infinity ? labels(about.plain ? "must_not_read" : "must_not_read_score", told) : "";
    return {
      parts: [
        ["", NAMES.scores, short(t.scores[h][r][c], 3)],
        ["+", labels("mask"), value === -Infinity ? "−∞" : "0"],
        result(value),
      ],
      sources: [["scores", h, r, c]],
      note,
    };
  }
  if (["exp", "sum", "weights", "share"].includes(name)) return softmaxParts(t, about, ref, result, end);
  if (name === "concat") {
    const head = Math.floor(c / t.dHead);
    return {
      parts: [["", labels("number_of_head", { head, number: c % t.dHead }), short(value, 3), true]],
      sources: [["heads", head, r, c % t.dHead]],
      note: "",
    };
  }
  if (name === "x" && about.positions) {
    return {
      parts: [
        ["", NAMES.embedding, short(about.embedding[r][c], 1)],
        ["+", NAMES.position, short(about.position[r][c])],
        result(about.x[r][c]),
        ...end,
      ],
      sources: [
        ["embedding", 0, r, c],
        ["position", 0, r, c],
      ],
      note: "",
    };
  }
  if (name === "position") {
    const wave = c % 2 ? "cos" : "sin";
    const exponent = 2 * Math.floor(c / 2);
    const d = about.x[0].length;
    return {
      parts: [["", labels("rounded"), `${wave}( ${r} / 10000^(${exponent}/${d}) )`], result(value)],
      sources: [],
      note: "",
    };
  }
  const origin =
    name === "embedding" || name === "x"
      ? labels("drawn_for_word", { word: quoted(about.words[r]) })
      : labels("drawn_weight");
  return { parts: [["", origin, short(derived(t, about, ref), 1), !isEdited], ...end], sources: [], note: "" };
}

function softmaxParts(t, { columns }, [name, h, r, c], result, end) {
  const shift = t.shift[h][r];
  const s = t.masked[h][r];
  const row = t.exp[h][r];
  const power = shift ? labels("exp_below_largest") : "e^s";
  const terms = row
    .map((v) => short(v, 2))
    .filter((_, i) => s[i] > -Infinity)
    .join(" + ");
  const all = s.map((_, i) => ["exp", h, r, i]);
  const exp = [
    ["", labels("score_s"), short(s[c] ?? 0, 3)],
    ["→", power, short(row[c] ?? 0, 3)],
  ];
  if (name === "exp") {
    return {
      parts: s[c] === -Infinity ? [["", "e^−∞", "0", true]] : [exp[0], ["→", power, short(row[c], 3), true]],
      sources: [
        ["masked", h, r, c],
        ["scores", h, r, c],
      ],
      note: "",
    };
  }
  if (name === "sum") {
    return {
      parts: [
        ["", labels(columns ? "column_added" : "row_added"), terms],
        ["=", "Σ", short(t.sum[h][r][0], 3), true],
      ],
      sources: all,
      note: "",
    };
  }
  if (name === "share") {
    const total = t.share[h][r][0];
    const note = Math.abs(total - 1) < 1e-9 ? "" : labels(columns ? "no_shares_in_column" : "no_shares_in_row");
    return {
      parts: [
        ["", labels(columns ? "column_added" : "row_added"), t.weights[h][r].map((v) => short(v)).join(" + ")],
        ["=", "Σ", short(total, 4), true],
      ],
      sources: t.weights[h][r].map((_, i) => ["weights", h, r, i]),
      note,
    };
  }
  const ratio = row[c] / t.sum[h][r][0];
  const parts = s[c] === -Infinity ? [["", labels("masked_exp"), "0"]] : exp;
  return {
    parts: [
      ...parts,
      ["/", labels(columns ? "column_sum" : "row_sum", { terms }), short(t.sum[h][r][0], 3)],
      result(s[c] === -Infinity ? 0 : ratio),
      ...end,
    ],
    sources: [
      ["exp", h, r, c],
      ["sum", h, r, 0],
    ],
    note: "",
  };
}

/** What the cell is called: "query of “sat”, head 0, number 1". */
export function nameOf(about, [name, h, r, c]) {
  const isOfHead = about.nHead > 1;
  const told = { name: (about.plain ? WORDS : NAMES)[name], head: h };
  if (name.startsWith("w_")) return labels("cell_of_matrix", { ...told, row: r, column: c });
  const word = quoted(about.words[r]);
  if (["dots", "scores", "masked", "exp", "weights"].includes(name)) {
    return labels(isOfHead ? "pair_in_head" : "pair", { ...told, query: word, key: quoted(about.words[c]) });
  }
  if (name === "sum" || name === "share") return labels(isOfHead ? "of_word_in_head" : "of_word", { ...told, word });
  const isSplit = ["q", "k", "v", "heads"].includes(name);
  return labels(isOfHead && isSplit ? "number_of_word_in_head" : "number_of_word", { ...told, word, number: c });
}

/** Every tensor with and without the edits; `changed(ref)` tells the number that stood there before, or null. */
export function both(given, edits) {
  const now = compute(given, edits);
  const before = edits.length ? compute(given) : now;
  const changed = (ref) => {
    if (now === before || ref[0] === "embedding" || ref[0] === "position") return null;
    const was = valueOf(before, ref);
    return Math.abs(was - valueOf(now, ref)) > 1e-12 || (was === -Infinity) !== (valueOf(now, ref) === -Infinity)
      ? was
      : null;
  };
  return { now, changed };
}
