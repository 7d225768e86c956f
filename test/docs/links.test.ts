import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { found, pages, root } from './pages.ts';

/** The anchors of a page's headings, as renderers of Markdown make them. */
const anchorsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

const links = found(/\]\(([^)\s]+)\)/g).filter(({ is }) => !/^https?:/.test(is));

test('every link between pages leads to a file, and to a heading in it', () => {
  expect(links.length).toBeGreaterThan(50);
  const dead = links.filter(({ file, is }) => {
    const [path = '', anchor] = is.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  });
  expect(dead).toEqual([]);
});

test('every page of docs/ is linked from the README or the list of its folder', () => {
  const linked = new Set(links.map(({ file, is }) => join(dirname(file), is.split('#')[0] ?? '')));
  const lost = pages.filter(({ file }) => file.startsWith('docs/') && !linked.has(file) && !linked.has(dirname(file)));
  expect(lost.map(({ file }) => file)).toEqual([]);
});

test('every file of the checkout that a page names is there', () => {
  const named = found(/(?<![\w/.])((?:src|test|bench|docs|tools)\/[\w./-]*\w\/?)/g).filter(({ is }) => !is.includes('...'));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ is }) => !existsSync(join(root, is)))).toEqual([]);
});

test('the files that "open first" names are in their folders', () => {
  const rows = found(
    /^\| `(\w+\/` \| .* \| .*) \|$/gm,
    pages.filter(({ file }) => file === 'docs/a-request.md'),
  );
  expect(rows.length).toBeGreaterThan(10);
  const missing = rows.flatMap(({ is }) => {
    const [room = '', , last = ''] = is.split(' | ');
    const files = [...last.matchAll(/`([^`]+)`/g)].map(([, name = '']) => join('src', room.replace('`', ''), name));
    return files.filter((name) => !existsSync(join(root, name)));
  });
  expect(missing).toEqual([]);
});
