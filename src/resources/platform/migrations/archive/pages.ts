import { type Kind, kinds, pageName, pageSize, shapes } from './format.ts';
import type { TarWriter } from './tar-writer.ts';

/** The JSON files of one kind of objects: each holds a hundred of them, the last one what is left. */
type PageWriter = { add(objects: readonly object[]): Promise<void>; finish(): Promise<void> };

export function openPages(tar: TarWriter, kind: Kind): PageWriter {
  let page = 0;
  let waiting: object[] = [];
  const write = async (objects: readonly object[]): Promise<void> => {
    page += 1;
    await tar.addBytes(pageName(kind, page), bytesOf(objects));
  };
  return {
    async add(objects) {
      waiting.push(...objects);
      const whole = waiting.length - (waiting.length % pageSize);
      for (let at = 0; at < whole; at += pageSize) await write(waiting.slice(at, at + pageSize));
      waiting = waiting.slice(whole);
    },
    async finish() {
      if (waiting.length > 0 || page === 0) await write(waiting);
      waiting = [];
    },
  };
}

/**
 * A JSON array. It is put together outside of the heap, without other strings than those of the objects: long texts would stay in
 * it until a full collection.
 */
function bytesOf(objects: readonly object[]): Buffer {
  const texts = objects.map((object) => JSON.stringify(object));
  const separators = Math.max(texts.length - 1, 0);
  const bytes = Buffer.allocUnsafe(2 + separators + texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let end = bytes.write('[');
  for (const [at, text] of texts.entries()) {
    if (at > 0) end += bytes.write(',', end);
    end += bytes.write(text, end);
  }
  bytes.write(']', end);
  return bytes;
}

/** Kinds of objects that Hearth doesn't have. Each has one empty page, so that an archive has the files that document 2 names. */
const objectless = kinds.filter((kind) => !Object.hasOwn(shapes, kind));

/** Writes the empty pages of kinds without objects, but for those that are excluded. */
export async function addEmptyPages(tar: TarWriter, excluded: ReadonlySet<Kind>): Promise<void> {
  for (const kind of objectless) if (!excluded.has(kind)) await openPages(tar, kind).finish();
}

/**
 * Rows that are read at once: for two pages, since each batch takes a few statements. More would outlive collections of young
 * garbage.
 */
const batchSize = 200;

/** The batches of a list that goes on after a key, until none is left. */
export async function* batchesOf<Row, Key>(
  first: Key,
  list: (after: Key, limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  size = batchSize,
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const rows = await list(after, size);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    after = keyOf(last);
  }
}
