import { posix } from 'node:path';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { type Entry, findEntry, followLink, isFile } from './entries.ts';

/** The extensions of a README in the order of preference, a file without one last. */
const extensions = [
  '.md',
  '.markdown',
  '.mdown',
  '.mkdn',
  '.rst',
  '.adoc',
  '.asciidoc',
  '.org',
  '.textile',
  '.rdoc',
  '.creole',
  '.txt',
  '',
];

const rankOf = (name: string): number => {
  const found = /^readme(\..+)?$/i.exec(name);
  return found ? extensions.indexOf((found[1] ?? '').toLowerCase()) : -1;
};

/** The README of a repository: that of `.github`, of the root or of `docs`, in this order; or that of one folder. */
export async function findReadme(reader: ObjectReader, commit: Oid, folder?: string): Promise<Entry | undefined> {
  for (const candidate of folder === undefined ? ['.github', '', 'docs'] : [folder]) {
    const found = await findInFolder(reader, commit, candidate);
    if (found) return found;
  }
  return undefined;
}

async function findInFolder(reader: ObjectReader, commit: Oid, folder: string): Promise<Entry | undefined> {
  const tree = await findEntry(reader, commit, folder);
  if (tree?.mode !== '040000') return undefined;
  const names = (await reader.getTree(tree.oid)).map(({ name }) => name).filter((name) => rankOf(name) >= 0);
  for (const name of names.sort((one, other) => rankOf(one) - rankOf(other))) {
    const entry = await findEntry(reader, commit, posix.join(folder, name));
    const file = entry?.mode === '120000' ? await followLink(reader, commit, entry) : entry;
    if (file && isFile(file)) return file;
  }
  return undefined;
}
