import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { sealedColumns } from '#database/sealed-columns.ts';
import type { Manifest } from './manifest.ts';

/** The last value of each sealed column of a backup. These values identify the key of a backup without a fingerprint. */
export async function readSealedValues(folder: string, { tables }: Pick<Manifest, 'tables'>): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (const { table, column } of sealedColumns) {
    const at = tables.find(({ name }) => name === table)?.columns.indexOf(column) ?? -1;
    const value = at < 0 ? undefined : await lastValue(join(folder, 'tables', `${table}.copy`), at);
    if (value) found.push(value);
  }
  return found;
}

/** A value in a COPY file: `\\x` and its bytes in hexadecimal. A missing value is `\N`. */
const bytesText = /^\\\\x([0-9a-f]+)$/;

async function lastValue(file: string, at: number): Promise<Buffer | undefined> {
  let last: string | undefined;
  for await (const line of linesOf(file)) last = bytesText.exec(line.split('\t')[at] ?? '')?.[1] ?? last;
  return last === undefined ? undefined : Buffer.from(last, 'hex');
}

/** The rows of a COPY file. Other line endings belong to values. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const text of createReadStream(file, 'utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
