import type { LogPosition } from './store.ts';

/** The number of rows between two positions. */
const rowsBetween = 2_000;
const newline = 10;

/** Notes where some rows of a log begin. */
type PositionReader = { read(part: Buffer): void; found(): LogPosition[] };

/** Reads parts of a log, each of whole lines. The first row needs no position. */
export function openPositions(): PositionReader {
  const positions: LogPosition[] = [];
  let [row, byte] = [0, 0];
  return {
    read(part) {
      for (let start = 0; start < part.length; ) {
        const end = part.indexOf(newline, start);
        start = end < 0 ? part.length : end + 1;
        row++;
        if (row % rowsBetween === 0) positions.push({ row, byte: byte + start });
      }
      byte += part.length;
    },
    found: () => positions,
  };
}
