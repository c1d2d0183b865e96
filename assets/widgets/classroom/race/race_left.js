// How long a race will still take, from how far it has come since this screen first saw it run.
const LEAST_SECONDS = 5;
const LEAST_SHARE = 0.02;
const OVER = new Set(["finished", "failed", "stopped"]);
let seen = null; // {n, at, share}: which race, when, and how much of its work was done

const mean = (rows) => rows.reduce((sum, one) => sum + (OVER.has(one.state) ? 1 : one.share), 0) / rows.length;

/**
 * "About 40 seconds left."; "" before that can be told, and after the end.
 * @param {{n: number, is_over: boolean, board: {share: number, state: string}[]}} race
 * @param {number} now milliseconds
 */
export function timeLeft({ n, is_over, board }, now = performance.now()) {
  if (is_over || !board.length) return "";
  const share = mean(board);
  if (seen?.n !== n || share < seen.share) seen = { n, at: now, share };
  const seconds = (now - seen.at) / 1000;
  const done = share - seen.share;
  if (seconds < LEAST_SECONDS || done < LEAST_SHARE) return "";
  const left = (seconds * (1 - share)) / done;
  return left < 90
    ? `About ${Math.max(5, 5 * Math.round(left / 5))} seconds left.`
    : `About ${Math.round(left / 60)} minutes left.`;
}
