// What one number does on its way: the sums of the strips, in words and numbers. Pure; tested with node.

/**
 * One line for each strip that is a sum of two others, else one for each strip.
 * values: the number in each strip; sums: [[a, b] | null]. A line is a list of parts, each a text or a number.
 */
export function sums(values, { names, sums: pairs }) {
  const lines = pairs
    .map((pair, r) =>
      pair === null
        ? null
        : [
            { text: `${names[pair[0]]} ` },
            { number: values[pair[0]] },
            { text: ` + ${names[pair[1]]} ` },
            { number: values[pair[1]] },
            { text: ` = ${names[r]} ` },
            { number: values[r] },
          ],
    )
    .filter(Boolean);
  return lines.length ? lines : names.map((name, r) => [{ text: `${name} ` }, { number: values[r] }]);
}
