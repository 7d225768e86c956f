import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export type Page = { file: string; text: string };

const under = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

/** Every page that people read, with its path from the root. */
export const pages: readonly Page[] = ['README.md', 'CHANGELOG.md', ...['docs', 'bench', 'tools'].flatMap(under)].map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}));

/** What a pattern's first group (or the whole match) finds in the pages, each with where it was found. */
export const found = (pattern: RegExp, among = pages): { file: string; is: string }[] =>
  among.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([all, group]) => ({ file, is: group ?? all })));
