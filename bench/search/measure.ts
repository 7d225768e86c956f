/** Milliseconds of each run. */
export type Times = number[];

export const quantile = (times: Times, part: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

export const median = (times: Times): number => quantile(times, 0.5);

/** Runs all inputs twice: the first time, and with warm caches. */
export async function timeEach<T>(
  inputs: readonly T[],
  run: (input: T) => Promise<unknown>,
): Promise<{ first: Times; again: Times }> {
  return { first: await timeAll(inputs, run), again: await timeAll(inputs, run) };
}

async function timeAll<T>(inputs: readonly T[], run: (input: T) => Promise<unknown>): Promise<Times> {
  const times: Times = [];
  for (const input of inputs) {
    const start = performance.now();
    await run(input);
    times.push(performance.now() - start);
  }
  return times;
}

const shown = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));

/** A table in columns of equal width. */
export function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? shown(cell) : cell)))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => String(row[column] ?? '').length)));
  for (const row of cells) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    );
  }
}
