// How far a model's weights have come, at the top of the card where the picture's title stands.
import { whileFetched } from "../engine/fetch_weights.js";
import { labels } from "./labels.js";

/**
 * Show it until the weights are there.
 *
 * @param {any} shell
 * @param {string} url of the weights
 */
export function showFetching(shell, url) {
  const title = shell.header.label ?? "";
  let shown;
  whileFetched(url, (share) => {
    const percent = Math.floor(100 * share);
    if (percent === shown) return;
    shown = percent;
    shell.title.textContent = share < 1 ? labels("fetching", { percent }) : title;
  });
}
