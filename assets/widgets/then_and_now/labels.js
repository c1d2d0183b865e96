import { texts } from "../page/texts.js";

export const labels = texts({
  second: "second block",
  all_today: "all as today",
  all_then: "all as in 2017",
  switch: "switch",
  "part.embedding": "embedding",
  "part.attention": "attention",
  "part.feed_forward": "feed-forward",
  "part.output": "output",
  qk_norm: "q/k norm",
});
