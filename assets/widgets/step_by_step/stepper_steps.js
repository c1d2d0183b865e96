// The steps of the walk: which matrices each one shows, and the formula of both conventions. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { labels } from "./labels.js";

const range = (n) => [...Array(n).keys()];
const dims = (n) => range(n).map(String);

/** A matrix on show. label: its name in the row convention and in the column convention. */
function view(name, head, rows, columns, label, { kind = "signed", digits = 2, group = 0, tail = null } = {}) {
  return {
    name,
    head,
    rows,
    columns,
    label,
    kind,
    digits,
    group,
    tail,
    ref: (r, c) => [name, head, r, c],
    flipped: false,
  };
}

/** The transpose of what is on show. */
export const flip = (v) => ({
  ...v,
  rows: v.columns,
  columns: v.rows,
  ref: (r, c) => v.ref(c, r),
  flipped: !v.flipped,
});

/** q, k, v as they leave the projection: the heads' columns side by side. */
function sideBySide(name, words, nHead, dHead, label) {
  const v = view(name, 0, words, dims(nHead * dHead), label, { group: dHead });
  return { ...v, ref: (r, c) => [name, Math.floor(c / dHead), r, c % dHead] };
}

const product = (left, top, result, title = "") => ({ kind: "product", left, top, result, title });
const chain = (views, signs, title = "") => ({ kind: "chain", views, signs, result: views[views.length - 1], title });

/** In the column convention every matrix is transposed, and so the factors change places. */
export function flipPanel(p) {
  if (p.kind === "product") return { ...p, left: flip(p.top), top: flip(p.left), result: flip(p.result) };
  const views = p.views.map(flip);
  return { ...p, views, result: views[views.length - 1] };
}

/** A text that is the same in both conventions, and one that speaks of rows or columns. */
const same = (text) => [text, text];
const byConvention = (key, values) => ["rows", "columns"].map((one) => labels(`${key}.${one}`, values));

/**
 * The steps' titles, stories, formulas and panels. Stories and formulas are told in both conventions, rows first.
 * plain: whether the stories say it without symbols.
 */
export function steps({ words, nHead, dHead, dModel, positions, causal, plain }) {
  const root = fixed(Math.sqrt(dHead), 2);
  const heads = range(nHead);
  const D = dims(dModel);
  const K = dims(dHead);
  const many = nHead > 1;
  const of = (h) => (many ? labels("head", { head: h }) : "");
  const x = view("x", 0, words, D, ["X", "X"]);
  const w = (name) =>
    view(`w_${name}`, 0, D, D, [`W_${name}`, `Ω_${name}`], { digits: 1, group: name === "o" ? 0 : dHead });
  const q = (h) => view("q", h, words, K, ["Q", "Q"]);
  const k = (h) => view("k", h, words, K, ["Kᵀ", "Kᵀ"]);
  const v = (h) => view("v", h, words, K, ["V", "V"]);
  const square = (name, h, label, more) => view(name, h, words, words, label, more);
  const dots = (h) => square("dots", h, ["Q Kᵀ", "Kᵀ Q"]);
  const scores = (h) => square("scores", h, same(labels("scores_s")));
  const masked = (h) => square("masked", h, same(labels("s_with_mask")));
  const weights = (h, tail) => square("weights", h, same(labels("weights_a")), { kind: "probability", tail });
  const heading = (h) => view("heads", h, words, K, ["O", "O"]);
  const numbers = { last_of_0: dHead - 1, first_of_1: dHead, last_of_1: 2 * dHead - 1 };
  const split = many ? byConvention("split_story", numbers) : same("");
  const project = (name, title, role) => ({
    id: name,
    title,
    story: role.map((one, i) => [one, split[i]].filter(Boolean).join(" ")),
    formula: [
      `${name.toUpperCase()} = X W_${name}`,
      labels("transposed_projection", { result: name.toUpperCase(), matrix: name }),
    ],
    panels: [product(x, w(name), sideBySide(name, words, nHead, dHead, [name.toUpperCase(), name.toUpperCase()]))],
  });
  const embedding = view("embedding", 0, words, D, same(labels("words")), { digits: 1 });
  const position = view("position", 0, words, D, same(labels("positions")));
  return [
    {
      id: "x",
      title: labels("title.x"),
      formula: same(labels(positions ? "x_with_positions" : "x_without_positions")),
      story: byConvention(positions ? "positions_story" : causal ? "order_story" : "no_order_story", { size: dModel }),
      panels: [positions ? chain([embedding, position, x], ["+", "="]) : chain([x], [])],
    },
    project("q", labels("title.q"), byConvention("queries_story")),
    project("k", labels("title.k"), byConvention("keys_story")),
    project("v", labels("title.v"), same(labels("values_story"))),
    {
      id: "dots",
      title: labels("title.dots"),
      formula: ["S = Q Kᵀ", "S = Kᵀ Q"],
      story: same(labels("dot_products_story")),
      panels: heads.map((h) => product(q(h), flip(k(h)), dots(h), of(h))),
    },
    {
      id: "scores",
      title: labels("title.scores"),
      formula: [`S / √d_k = S / √${dHead}`, `S / √d_k = S / √${dHead}`],
      story: same(labels("scale_story", { root: plain ? root : `√${dHead} = ${root}` })),
      panels: heads.map((h) => chain([dots(h), scores(h)], ["scale"], of(h))),
    },
    ...(causal
      ? [
          {
            id: "masked",
            title: labels("title.masked"),
            formula: same(labels("mask_formula")),
            story: same(labels(plain ? "mask_story.plain" : "mask_story.deep")),
            panels: heads.map((h) => chain([scores(h), masked(h)], ["mask"], of(h))),
          },
        ]
      : []),
    {
      id: "weights",
      title: labels("title.weights"),
      formula: byConvention("softmax_formula"),
      story: byConvention(plain ? "softmax_story" : "deep_softmax_story"),
      panels: heads.map((h) =>
        chain(
          [
            causal ? masked(h) : scores(h),
            square("exp", h, ["eˢ", "eˢ"], { kind: "plain", tail: ["sum", "Σ"] }),
            weights(h, ["share", "Σ"]),
          ],
          ["exp", "share"],
          of(h),
        ),
      ),
    },
    {
      id: "heads",
      title: labels("title.heads"),
      formula: ["O = A V", "O = V A"],
      story: same(labels("reading_story")),
      panels: heads.map((h) => product(weights(h), v(h), heading(h), of(h))),
    },
    ...(many
      ? [
          {
            id: "concat",
            title: labels("title.concat"),
            formula: ["O = [O₀ O₁]", labels("joined_below")],
            story: same(labels("joined_story", { heads: nHead, head_size: dHead, size: dModel })),
            panels: [
              chain(
                [
                  ...heads.map((h) => view("heads", h, words, K, same(labels("output_of_head", { head: h })))),
                  view("concat", 0, words, D, ["O", "O"], { group: dHead }),
                ],
                [...heads.slice(1).map(() => "and"), "="],
              ),
            ],
          },
        ]
      : []),
    {
      id: "out",
      title: labels("title.out"),
      formula: ["Y = O W_o", labels("transposed_projection_of_o")],
      story: same(labels(`${plain ? "output_story" : "deep_output_story"}.${many ? "heads" : "head"}`)),
      panels: [
        product(
          view("concat", 0, words, D, ["O", "O"], { group: dHead }),
          w("o"),
          view("out", 0, words, D, ["Y", "Y"]),
        ),
      ],
    },
  ];
}
