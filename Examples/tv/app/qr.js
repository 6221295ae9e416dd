/**
 * Draws a QR code: bytes, error correction L, versions 1 to 5 (at most 106 bytes), so there is one block of codewords
 * and no version information.
 *
 * Source: ISO/IEC 18004.
 */

/** For each version the number of data codewords and of correction codewords. */
const CAPACITY = [[19, 7], [34, 10], [55, 15], [80, 20], [108, 26]];
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** @returns rows of booleans, true for dark; `null` if the text is too long. */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = CAPACITY.findIndex(([data]) => bytes.length <= data - 2) + 1;
  if (!version) return null;
  const codewords = withCorrection(bytes, ...CAPACITY[version - 1]);
  const all = MASKS.map((_, mask) => matrix(codewords, version, mask));
  return all.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

/** @returns an SVG element of the code, with its quiet zone; always dark on white, as cameras expect. */
export function qrPicture(text, label) {
  const rows = qrCode(text);
  if (!rows) return null;
  const side = rows.length + 8;
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const attributes = { viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" };
  for (const [name, value] of Object.entries(attributes)) picture.setAttribute(name, value);
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  for (const [fill, path] of [["#fff", `M0 0h${side}v${side}h-${side}z`], ["#000", dark]]) {
    const part = document.createElementNS("http://www.w3.org/2000/svg", "path");
    part.setAttribute("fill", fill);
    part.setAttribute("d", path);
    picture.append(part);
  }
  return picture;
}

/** The data codewords (byte mode), and those of Reed-Solomon over the field with the polynomial 0x11D. */
function withCorrection(bytes, length, extra) {
  const bits = [[4, 4], [bytes.length, 8], ...Array.from(bytes, (byte) => [byte, 8]), [0, 4]]
    .map(([value, width]) => value.toString(2).padStart(width, "0")).join("");
  const data = bits.match(/.{8}/g).map((byte) => parseInt(byte, 2));
  for (let pad = 0; data.length < length; pad += 1) data.push(pad % 2 ? 0x11 : 0xec);
  let generator = [1];
  for (let index = 0, root = 1; index < extra; index += 1, root = multiply(root, 2)) {
    generator = [...generator, 0].map((term, place) => term ^ (place ? multiply(generator[place - 1], root) : 0));
  }
  const rest = [...data, ...Array(extra).fill(0)];
  for (let place = 0; place < length; place += 1) {
    const factor = rest[place];
    generator.forEach((term, offset) => (rest[place + offset] ^= multiply(term, factor)));
  }
  return [...data, ...rest.slice(length)];
}

function multiply(left, right) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((right >> bit) & 1) product ^= left;
  }
  return product;
}

function matrix(codewords, version, mask) {
  const side = 17 + 4 * version;
  const rows = Array.from({ length: side }, () => Array(side).fill(null));
  const set = (x, y, dark) => { if (rows[y]?.[x] !== undefined) rows[y][x] = dark; };
  const ring = (centreX, centreY, radius, isDark) => {
    for (let y = -radius; y <= radius; y += 1) {
      for (let x = -radius; x <= radius; x += 1) set(centreX + x, centreY + y, isDark(Math.max(Math.abs(x), Math.abs(y))));
    }
  };
  for (let place = 8; place < side - 8; place += 1) {
    set(place, 6, place % 2 === 0);
    set(6, place, place % 2 === 0);
  }
  for (const [x, y] of [[3, 3], [side - 4, 3], [3, side - 4]]) ring(x, y, 4, (far) => far !== 2 && far !== 4);
  if (version > 1) ring(side - 7, side - 7, 2, (far) => far !== 1);
  format(set, side, mask);
  fill(rows, codewords, mask);
  return rows;
}

/** The level and the mask, twice, and the one module that is always dark. */
function format(set, side, mask) {
  let rest = (1 << 3) | mask;
  for (let bit = 0; bit < 10; bit += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((((1 << 3) | mask) << 10) | rest) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = ((bits >> bit) & 1) === 1;
    set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : side - 15 + bit, dark);
    set(bit < 8 ? side - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, dark);
  }
  set(8, side - 8, true);
}

/** Puts the bits into what is free: pairs of columns from the right, up and down in turn, not the timing column. */
function fill(rows, codewords, mask) {
  const side = rows.length;
  let bit = 0;
  for (let right = side - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < side; step += 1) {
      const y = ((right + 1) & 2) === 0 ? side - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (rows[y][x] !== null) continue;
        const dark = ((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
        rows[y][x] = (dark === 1) !== (MASKS[mask](x, y) === 0);
        bit += 1;
      }
    }
  }
}

/** How hard a code is to read: long runs, squares, look-alikes of the corners, and more dark than light. */
function penalty(rows) {
  const side = rows.length;
  const lines = [...rows, ...rows.map((_, x) => rows.map((row) => row[x]))]
    .map((line) => line.map((dark) => (dark ? "1" : "0")).join(""));
  let points = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * ((line.match(/(?=10111010000|00001011101)/g) ?? []).length);
  }
  for (let y = 1; y < side; y += 1) {
    for (let x = 1; x < side; x += 1) {
      if (rows[y][x] === rows[y][x - 1] && rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y - 1][x - 1]) points += 3;
    }
  }
  const dark = rows.flat().filter(Boolean).length / (side * side);
  return points + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}
