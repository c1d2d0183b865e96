// How long a race will still take, in words.

/** "About 40 seconds left."; "" before that is known. @param {{seconds_left?: number | null}} race */
export function timeLeft({ seconds_left: left }) {
  if (!left) return "";
  return left < 90
    ? `About ${Math.max(5, 5 * Math.round(left / 5))} seconds left.`
    : `About ${Math.round(left / 60)} minutes left.`;
}
