// Where the parts of two blocks stand: on the residual stream, or on a branch beside it. Pure.
import { labels } from "./labels.js";

/** Sizes along the stream, by the way it runs. */
const ALONG = {
  across: { embedding: 96, norm: 82, attention: 122, "feed-forward": 104, output: 84, gap: 13, plus: 20 },
  down: { embedding: 38, norm: 28, attention: 62, "feed-forward": 38, output: 38, gap: 9, plus: 18 },
};

/** Lines of a part: [text, the switch that it follows]. */
function partsOf(setting, title) {
  const said = (name) => title(setting[name]);
  const attention = [
    [labels("part.attention"), ""],
    [said("heads"), "heads"],
    ...(setting.positions === "rope" ? [["RoPE", "positions"]] : []),
    ...(setting.queries === "qk-norm" ? [[labels("qk_norm"), "queries"]] : []),
  ];
  const embedding = [
    [labels("part.embedding"), ""],
    ...(setting.positions === "rope" ? [] : [[`+ ${said("positions")}`, "positions"]]),
  ];
  return {
    embedding: { kind: "embedding", lines: embedding },
    attention: { kind: "attention", lines: attention },
    "feed-forward": {
      kind: "feed-forward",
      lines: [
        [labels("part.feed_forward"), ""],
        [said("feed-forward"), "feed-forward"],
      ],
    },
    norm: { kind: "norm", lines: [[said("norm"), "norm"]] },
    output: {
      kind: "output",
      lines: [
        [labels("part.output"), ""],
        [said("output"), "output"],
      ],
    },
  };
}

/**
 * The block as it is drawn, in a room of `wide` px.
 * @param {Record<string, string>} setting switch -> state
 * @param {Record<string, string>} then the setting of 2017: what differs from it is lit
 * @param {(state: string) => string} title
 * @param {number} wide
 * @param {boolean} down whether the stream runs from top to bottom
 */
export function plan(setting, then, title, wide, down) {
  const size = ALONG[down ? "down" : "across"];
  const parts = partsOf(setting, title);
  const isPre = setting.place === "pre-norm";
  const boxes = [];
  const branches = [];
  const pluses = [];
  let at = 0;
  const put = (part, isBranch, isMoved = false) => {
    const lines = part.lines.map(([text, name]) => ({ text, isLit: Boolean(name) && setting[name] !== then[name] }));
    boxes.push({ at, long: size[part.kind], isBranch, lines, isLit: isMoved || lines.some((one) => one.isLit) });
    at += size[part.kind];
  };
  const moved = setting.place !== then.place;
  put(parts.embedding, false);
  at += size.gap;
  const from = at;
  for (const kind of ["attention", "feed-forward"]) {
    const start = at;
    at += size.gap;
    if (isPre) {
      put(parts.norm, true, moved);
      at += size.gap / 2;
    }
    put(parts[kind], true);
    at += size.gap;
    pluses.push(at + size.plus / 2);
    branches.push([start, at + size.plus / 2]);
    at += size.plus + size.gap / 2;
    if (!isPre) {
      put(parts.norm, false, moved);
      at += size.gap / 2;
    }
  }
  const to = at;
  at += size.gap;
  if (isPre) {
    put(parts.norm, false, moved);
    at += size.gap;
  }
  put(parts.output, false);
  return { boxes, branches, pluses, block: [from, to], long: at, scale: down ? 1 : Math.min(1.2, wide / at) };
}
