// What happens to the logits between the model and the draw: the filters of core/generate/filters.py, in their order.
// Each takes logits (V,), its number and the tokens so far, and gives new logits; a removed token gets -Infinity.

const SLACK = 1e-6; // logits are float32: a mass that reaches a threshold but for its rounding counts as reaching it

/** (V,) probabilities; removed tokens get 0. */
export function softmax(z) {
  let top = -Infinity;
  let total = 0;
  for (const v of z) if (v > top) top = v;
  const out = Float64Array.from(z, (v) => Math.exp(v - top));
  for (const v of out) total += v;
  return out.map((v) => v / total);
}

const keep = (z, test) => Float64Array.from(z, (v, i) => (test(i) ? v : -Infinity));

/** -sum p log p in nats. */
export function entropy(p) {
  let sum = 0;
  for (const v of p) if (v > 0) sum -= v * Math.log(v);
  return sum;
}

/** Token numbers by ascending key, equal ones in the order of the vocabulary. */
const order = (key) => Uint32Array.from(key.keys()).sort((a, b) => key[a] - key[b] || a - b);

/** The fewest tokens, by ascending key, whose probabilities add up to `share`: the one that crosses it stays. */
function smallestSet(z, p, key, share) {
  const kept = new Uint8Array(z.length);
  let before = 0;
  let first = true;
  for (const i of order(key)) {
    if (first || before < share - SLACK) kept[i] = 1;
    first = false;
    before += p[i];
  }
  return keep(z, (i) => kept[i]);
}

function atLeast(z, p, least) {
  const threshold = Math.min(least, Math.max(...p)) * (1 - SLACK);
  return keep(z, (i) => p[i] >= threshold);
}

export const temperature = (z, t) => Float64Array.from(z, (v) => v / t);

/** The k likeliest, and every token as likely as the k-th. */
export function topK(z, k) {
  const least = Float64Array.from(z).sort()[Math.max(0, z.length - k)];
  return keep(z, (i) => z[i] >= least);
}

export function topP(z, share) {
  const p = softmax(z);
  const key = p.map((v) => -v);
  return smallestSet(z, p, key, share);
}

export function minP(z, share) {
  const p = softmax(z);
  const least = share * Math.max(...p) * (1 - SLACK);
  return keep(z, (i) => p[i] >= least);
}

/** Nearest to the expected surprise first, until they add up to `share`; equally near ones stay together. */
export function typicalP(z, share) {
  const p = softmax(z);
  const h = entropy(p);
  const distance = Float64Array.from(p, (v) => (v > 0 ? Math.abs(-Math.log(v) - h) : Infinity));
  let last = Math.min(...distance);
  let before = 0;
  for (const i of order(distance)) {
    if (before >= share - SLACK) break;
    last = distance[i];
    before += p[i];
  }
  return keep(z, (i) => distance[i] <= last + SLACK);
}

export const epsilon = (z, e) => atLeast(z, softmax(z), e);

export function eta(z, e) {
  const p = softmax(z);
  return atLeast(z, p, Math.min(e, Math.sqrt(e) * Math.exp(-entropy(p))));
}

export function repetitionPenalty(z, penalty, ids) {
  const seen = new Set(ids);
  return Float64Array.from(z, (v, i) => (seen.has(i) ? (v < 0 ? v * penalty : v / penalty) : v));
}

export function noRepeatNgram(z, n, ids) {
  if (ids.length < n) return Float64Array.from(z);
  const tail = ids.slice(ids.length - n + 1).join();
  const banned = new Set();
  for (let i = 0; i + n <= ids.length; i++) {
    if (n === 1 || ids.slice(i, i + n - 1).join() === tail) banned.add(ids[i + n - 1]);
  }
  return keep(z, (i) => !banned.has(i));
}
