import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { jsonReader } from '#lib/json-reader.ts';
import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { formatVersion, type KindWithObjects, pageName, type RecordOf, shapes } from '../archive/format.ts';
import { archiveLimits } from '../limits.ts';
import { refused } from './unpack.ts';

/** The unpacked JSON files of an archive. */
export type Pages = {
  readonly folder: string;
  readonly names: ReadonlySet<string>;
};

const Schema = Type.Object({ version: Type.String() });

/** Refuses an archive of another format. A later version of the same first number can be read. */
export async function checkVersion(pages: Pages): Promise<void> {
  if (!pages.names.has('schema.json')) throw refused('it has no schema.json, so it is no archive of a migration');
  const found = await readJson(pages, 'schema.json');
  const { Value } = await import('typebox/value');
  if (!Value.Check(Schema, found)) throw refused('schema.json does not tell its version');
  const [wanted, given] = [formatVersion, found.version].map((version) => version.split('.')[0]);
  if (wanted !== given) throw refused(`it has the version ${found.version.slice(0, 20)}, and ${wanted} is what can be read`);
}

/** The objects of one kind, page by page, each of the shape that it must have. */
export async function* objectsOf<K extends KindWithObjects>(pages: Pages, kind: K): AsyncGenerator<RecordOf<K>[]> {
  const { Value } = await import('typebox/value');
  for (let page = 1; ; page++) {
    const name = pageName(kind, page);
    if (!pages.names.has(name)) {
      if (page === 1) throw refused(`it has no ${name}: only archives with metadata can be imported`);
      return;
    }
    const found = await readJson(pages, name);
    if (!Array.isArray(found)) throw refused(`${name} is not a list`);
    for (const [at, one] of found.entries())
      if (!Value.Check(shapes[kind], one))
        throw refused(`${name}: ${problemOf(Value.Errors(shapes[kind], one))} of object ${at + 1}`);
    yield found as RecordOf<K>[]; // each was checked
  }
}

/** Whether an archive has objects of a kind: one that was made without it has no page of it. */
export const hasPages = ({ names }: Pages, kind: KindWithObjects): boolean => names.has(pageName(kind, 1));
export const hasReleases = (pages: Pages): boolean => hasPages(pages, 'releases');

const fileRoot = 'tarball://root/';

/** The name in the archive of a file that an object names by its address. */
export const fileAt = (address: string): string => (address.startsWith(fileRoot) ? address.slice(fileRoot.length) : address);

/** How many pages a kind has. */
export const countPages = ({ names }: Pages, kind: KindWithObjects): number =>
  [...names].filter((name) => name.startsWith(`${kind}_0`)).length;

function problemOf([first]: readonly { instancePath: string; message: string }[]): string {
  return first ? `${first.instancePath || 'the value'} ${first.message}` : 'something is wrong';
}

const maxValues = fixedValue(archiveLimits.archiveValues);
const jsonLimits = {
  depth: 100,
  values: maxValues,
  names: { depth: 'requests.bodyDepth', values: 'interpreters.archiveValues' },
};

/** Reads a file part by part, so that a large one holds up nobody. */
async function readJson({ folder }: Pages, name: string): Promise<unknown> {
  const reader = jsonReader(jsonLimits);
  try {
    for await (const part of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) reader.write(part);
    const read = reader.end();
    if (read?.hasNul) throw refused(`${name} holds null characters`);
    if (read) return read.value;
  } catch (error) {
    const kind = error instanceof Refusal ? error.kind : undefined;
    if (kind === 'too_large') throw refused(`${name} holds more than ${maxValues} values`);
    if (kind !== 'bad_request') throw error;
  }
  throw refused(`${name} is not JSON`);
}
