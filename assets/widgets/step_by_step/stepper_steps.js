// The steps of the walk: which matrices each one shows, and the formula of both conventions. Pure; tested with node.

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

/** The steps' titles, stories, formulas and panels; plain: whether the stories say it without symbols. */
export function steps({ words, nHead, dHead, dModel, positions, causal, plain }) {
  const told = (inWords, inSymbols) => (plain ? inWords : inSymbols);
  const root = Math.sqrt(dHead).toFixed(2);
  const heads = range(nHead);
  const D = dims(dModel);
  const K = dims(dHead);
  const many = nHead > 1;
  const of = (h) => (many ? `Head ${h}` : "");
  const x = view("x", 0, words, D, ["X", "X"]);
  const w = (name) =>
    view(`w_${name}`, 0, D, D, [`W_${name}`, `Ω_${name}`], { digits: 1, group: name === "o" ? 0 : dHead });
  const q = (h) => view("q", h, words, K, ["Q", "Q"]);
  const k = (h) => view("k", h, words, K, ["Kᵀ", "Kᵀ"]);
  const v = (h) => view("v", h, words, K, ["V", "V"]);
  const square = (name, h, label, more) => view(name, h, words, words, label, more);
  const dots = (h) => square("dots", h, ["Q Kᵀ", "Kᵀ Q"]);
  const scores = (h) => square("scores", h, ["scores S", "scores S"]);
  const masked = (h) => square("masked", h, ["S with mask", "S with mask"]);
  const weights = (h, tail) => square("weights", h, ["weights A", "weights A"], { kind: "probability", tail });
  const heading = (h) => view("heads", h, words, K, ["O", "O"]);
  const split = many
    ? ` Numbers 0 to ${dHead - 1} belong to head 0, numbers ${dHead} to ${2 * dHead - 1} to head 1: first the whole {row} is projected, then it's split.`
    : "";
  const project = (name, title, role) => ({
    id: name,
    title,
    story: role + split,
    formula: [
      `${name.toUpperCase()} = X W_${name}`,
      `${name.toUpperCase()} = Ω_${name} X, with Ω_${name} = W_${name}ᵀ`,
    ],
    panels: [product(x, w(name), sideBySide(name, words, nHead, dHead, [name.toUpperCase(), name.toUpperCase()]))],
  });
  const embedding = view("embedding", 0, words, D, ["words", "words"], { digits: 1 });
  const position = view("position", 0, words, D, ["positions", "positions"]);
  return [
    {
      id: "x",
      title: "Input",
      formula: positions ? ["X = words + positions", "X = words + positions"] : ["X = words", "X = words"],
      story: positions
        ? `Each word becomes a {row} of ${dModel} numbers, the same word always the same {row}. Sines and cosines of its position are added to tell the layer where the word is.`
        : `Each word becomes a {row} of ${dModel} numbers, the same word always the same {row}. No positions are added: ${causal ? "the layer will know only which words came before" : "the layer can't know the order of the words"}.`,
      panels: [positions ? chain([embedding, position, x], ["+", "="]) : chain([x], [])],
    },
    project("q", "Queries", "What is each word looking for? Its {row}, multiplied by one matrix, is its query."),
    project("k", "Keys", "How can each word be found? The same {row}, multiplied by another matrix, is its key."),
    project("v", "Values", "What does each word hand over when it's read? A third matrix makes its value."),
    {
      id: "dots",
      title: "Scores",
      formula: ["S = Q Kᵀ", "S = Kᵀ Q"],
      story:
        "Every query meets every key. Their dot product is one number for each pair, large where the two point the same way. Their lengths count too.",
      panels: heads.map((h) => product(q(h), flip(k(h)), dots(h), of(h))),
    },
    {
      id: "scores",
      title: "Scale",
      formula: [`S / √d_k = S / √${dHead}`, `S / √d_k = S / √${dHead}`],
      story: `The more numbers a dot product has, the wider it spreads. Divided by ${told(root, `√${dHead} = ${root}`)}, the root of the head's width, the scores keep their size. This happens before the softmax.`,
      panels: heads.map((h) => chain([dots(h), scores(h)], ["scale"], of(h))),
    },
    ...(causal
      ? [
          {
            id: "masked",
            title: "Mask",
            formula: ["S + M, M = 0 or −∞", "S + M, M = 0 or −∞"],
            story: `A word must not read the words after it: those are what a language model has to guess. Their scores ${told("no longer count in", "become −∞ before")} the softmax.`,
            panels: heads.map((h) => chain([scores(h), masked(h)], ["mask"], of(h))),
          },
        ]
      : []),
    {
      id: "weights",
      title: "Softmax",
      formula: ["A = softmax of each row of S", "A = softmax of each column of S"],
      story: `${told("The exponential of each score, which grows with it and is never negative, is divided by", "Each score s becomes e^s, which is never negative (e^−∞ is 0), and is divided by Σ,")} the sum over its {row}. The result is shares: who reads how much from whom.`,
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
      title: "Read",
      formula: ["O = A V", "O = V A"],
      story: "Each word reads a mixture of all values, in the shares that its weights say.",
      panels: heads.map((h) => product(weights(h), v(h), heading(h), of(h))),
    },
    ...(many
      ? [
          {
            id: "concat",
            title: "Concat",
            formula: ["O = [O₀ O₁]", "O = [O₀ O₁], one below the other"],
            story: `The heads worked side by side without knowing of each other. Now their outputs are joined: ${nHead} × ${dHead} = ${dModel} numbers for each word.`,
            panels: [
              chain(
                [
                  ...heads.map((h) => view("heads", h, words, K, [`O, head ${h}`, `O, head ${h}`])),
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
      title: "Output",
      formula: ["Y = O W_o", "Y = Ω_o O, with Ω_o = W_oᵀ"],
      story: `One more matrix mixes what the ${many ? "heads have" : "head has"} read. ${told("The result has the shape of the input", "Y has the shape of X")} again, so a block can add the two.`,
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
