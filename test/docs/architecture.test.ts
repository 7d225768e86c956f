import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './pages.ts';

const foldersOf = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

test('docs/architecture.md lists each product with all of its families', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const listed = text
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const rows = section.split(/^## /m)[0]?.match(/^\| `.*?\|/gm) ?? [];
      return [section.split('\n')[0], rows.flatMap((row) => row.match(/(?<=`)[\w-]+(?=`)/g) ?? []).sort()];
    });
  const products = foldersOf('src/resources');
  expect(products.length).toBeLessThanOrEqual(10);
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(products.map((product) => [product, foldersOf(`src/resources/${product}`)])),
  );
});
