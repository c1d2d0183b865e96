// The product of linear.js four numbers at a time, by WebAssembly: seven times as fast as JavaScript, which has no such
// instructions. The program is short enough to be written here, instruction by instruction.
// Source: the WebAssembly specification 2.0, section 5 (binary format).

const GET = 0x20;
const SET = 0x21;
const ADD = 0x6a;
const MUL = 0x6c;
const LESS = 0x49;
const LOOP = [0x03, 0x40];
const END = 0x0b;
const AGAIN_IF = [0x0d, 0]; // back to the beginning of the innermost loop
const LOAD4 = [0xfd, 0x00, 4, 0];
const ZERO4 = [0xfd, 0x0c, ...Array(16).fill(0)];
const ADD4 = [0xfd, 0xe4, 0x01];
const MUL4 = [0xfd, 0xe6, 0x01];
const LANE = (i) => [0xfd, 0x1f, i];
const ADD_FLOAT = 0x92;
const STORE_FLOAT = (at) => [0x38, 2, at];

// product(x, w, out, nRow, n, m): places in bytes; m is the length of a row in bytes, a multiple of 16.
const [X, W, OUT, N_ROW, N, M] = [0, 1, 2, 3, 4, 5];
const [T, I, J, XAT, WAT] = [6, 7, 8, 9, 10];
const ROWS = [11, 12]; // four numbers of each of two rows of x
const COLUMN = 13; // and of one row of w
const SUMS = [14, 15, 16, 17, 18, 19, 20, 21]; // two rows by four columns

const number = (value) => [0x41, value]; // below 64
const set = (local, ...value) => [...value.flat(), SET, local];
const from = (base, row, width) => [GET, base, GET, row, GET, width, MUL, ADD];
const step = (local, by, end) => [...set(local, GET, local, ...number(by), ADD), GET, local, GET, end, LESS, AGAIN_IF];

// The sums of two rows of x with four rows of w.
const tile = [
  ...set(XAT, from(X, T, M)),
  ...set(WAT, from(W, I, M)),
  ...SUMS.flatMap((sum) => set(sum, ZERO4)),
  ...set(J, number(0)),
  ...LOOP,
  ...ROWS.flatMap((row, r) => set(row, GET, XAT, GET, J, ADD, ...number(r), GET, M, MUL, ADD, LOAD4)),
  ...[0, 1, 2, 3].flatMap((c) => [
    ...set(COLUMN, GET, WAT, GET, J, ADD, ...number(c), GET, M, MUL, ADD, LOAD4),
    ...ROWS.flatMap((row, r) => set(SUMS[4 * r + c], GET, SUMS[4 * r + c], GET, row, GET, COLUMN, MUL4, ADD4)),
  ]),
  ...step(J, 16, M).flat(),
  END,
  ...SUMS.flatMap((sum, i) => [
    // out[t + r, i + c]: the four lanes added up
    ...[GET, OUT, GET, T, ...number(i >> 2), ADD, GET, N, MUL, GET, I, ADD, ...number(4), MUL, ADD],
    ...[0, 1, 2, 3].flatMap((lane) => [GET, sum, ...LANE(lane), ...(lane ? [ADD_FLOAT] : [])]),
    ...STORE_FLOAT(4 * (i & 3)),
  ]),
];
// All of them: for each pair of rows of x, each four rows of w.
const body = [
  ...[...set(T, number(0)), ...LOOP, ...set(I, number(0)), ...LOOP, ...tile, ...step(I, 4, N).flat(), END],
  ...[...step(T, 2, N_ROW).flat(), END, END],
];

const sized = (bytes) => [
  ...(bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7]),
  ...bytes,
];
const text = (s) => sized([...new TextEncoder().encode(s)]);
const locals = [2, 5, 0x7f, 11, 0x7b]; // behind the arguments: five whole numbers, then eleven fours of floats
const MODULE = [
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, ...sized([1, 0x60, 6, ...Array(6).fill(0x7f), 0])], // one type: six whole numbers, nothing back
  ...[2, ...sized([1, ...text("js"), ...text("memory"), 2, 0, 1])],
  ...[3, ...sized([1, 0])],
  ...[7, ...sized([1, ...text("product"), 0, 0])],
  ...[10, ...sized([1, ...sized([...locals, ...body])])],
];

const PAGE = 2 ** 16;

/** A function like `product` of linear.js; null where there is no WebAssembly with such instructions. */
export function makeProduct() {
  let memory;
  let run;
  try {
    memory = new WebAssembly.Memory({ initial: 1 });
    const made = new WebAssembly.Module(Uint8Array.from(MODULE));
    run = new WebAssembly.Instance(made, { js: { memory } }).exports.product;
  } catch {
    return null;
  }
  return (x, xAt, w, wAt, out, outAt, nRow, m, n) => {
    if (!nRow || !n || !m) return; // the program does each loop at least once
    const wide = up(m, 4);
    const [rows, columns] = [up(nRow, 2), up(n, 4)];
    const [wFrom, outFrom] = [rows * wide, (rows + columns) * wide];
    const lacking = 4 * (outFrom + rows * columns) - memory.buffer.byteLength;
    if (lacking > 0) memory.grow(Math.ceil(lacking / PAGE));
    const numbers = new Float32Array(memory.buffer);
    lay(numbers, 0, x, xAt, nRow, m, wide);
    lay(numbers, wFrom, w, wAt, n, m, wide);
    run(0, 4 * wFrom, 4 * outFrom, rows, columns, 4 * wide);
    for (let t = 0; t < nRow; t++) {
      const at = outFrom + t * columns;
      out.set(numbers.subarray(at, at + n), outAt + t * n);
    }
  };
}

const up = (n, by) => Math.ceil(n / by) * by;

/** Rows of m numbers, each filled up with zeros. */
function lay(numbers, at, x, from, nRow, m, wide) {
  if (m === wide) {
    numbers.set(x.subarray(from, from + nRow * m), at);
    return;
  }
  numbers.fill(0, at, at + nRow * wide);
  for (let t = 0; t < nRow; t++) numbers.set(x.subarray(from + t * m, from + (t + 1) * m), at + t * wide);
}
