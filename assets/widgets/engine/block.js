// One block, as in core/nn/block.py: attention, then feed-forward, each beside its residual path.
import { attention } from "./attention.js";
import { feedForward, tokenShift } from "./feed_forward.js";
import { norm } from "./norms.js";
import { add } from "./tensor.js";

/** (T, D) -> (T, D); asks: those of the attention; shifted: half of what feed-forward reads is the token before. */
export function block(run, path, x, asks) {
  const { style, shifted, cache } = asks;
  const beside = (name, from, part) => {
    const change = part(style.norm_first ? norm(run, `${path}.${name}`, from, style) : from);
    const sum = style.residual === false ? change : add(from, change);
    return style.norm_first ? sum : norm(run, `${path}.${name}`, sum, style);
  };
  x = run.tap(`${path}.resid_in`, x);
  x = beside("norm_1", x, (y) => attention(run, `${path}.attn`, y, asks));
  x = run.tap(`${path}.resid_mid`, x);
  if (style.feed_forward !== false) {
    x = beside("norm_2", x, (y) => {
      const read = shifted ? tokenShift(y, cache?.lastRow(path, y)) : y;
      return feedForward(run, `${path}.mlp`, read, style.activation);
    });
  }
  return run.tap(`${path}.resid_out`, x);
}

/** Blocks one above the other; where they are normed first, one more norm follows the last. */
export function stack(run, config, x, asks) {
  const style = config.block;
  const { n_head, n_kv_head } = config;
  for (let layer = 0; layer < config.n_layer; layer++) {
    x = block(run, `blocks.${layer}`, x, { n_head, n_kv_head, style, ...asks });
  }
  return run.tap("final", style.norm_first ? norm(run, "norm", x, style) : x);
}
