import { texts } from "../page/texts.js";

export const labels = texts({
  second: "second block",
  flip: "flip",
  with: "with {part}",
  one: "one at a time",
  several: "several",
  lit: "Orange is what has changed since 2017: {n} of {all} parts.",
  none: "Nothing is flipped, so both blocks are that of 2017.",
  all_today: "all as today",
  all_then: "all as in 2017",
  switch: "switch",
  "part.embedding": "embedding",
  "part.attention": "attention",
  "part.feed_forward": "feed-forward",
  "part.output": "output",
  qk_norm: "q/k norm",
});
