// How long a race will still take, in words.
import { labels } from "./labels.js";

/** "About 40 seconds left."; "" before that is known. @param {{seconds_left?: number | null}} race */
export function timeLeft({ seconds_left: left }) {
  if (!left) return "";
  return left < 90
    ? labels("seconds_left", { n: Math.max(5, 5 * Math.round(left / 5)) })
    : labels("minutes_left", { n: Math.round(left / 60) });
}
