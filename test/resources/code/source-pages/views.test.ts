import { expect, test } from 'vitest';
import { withFileLinks } from '#resources/code/source-pages/file-links.ts';
import { readNotebook } from '#resources/code/source-pages/notebook-cells.ts';
import { readTable, separatorOf } from '#resources/code/source-pages/separated-values.ts';
import { computing } from '#test/support/time.ts';
import { renderMarkdown } from '#text/markdown-html.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';

const html = 'https://code.example';
const linked = (text: string): string => {
  const parts = renderMarkdown({ text, html, breaks: false }) ?? [];
  const rendered = parts.map((part) => (typeof part === 'string' ? part : part.plain)).join('') as RenderedHtml;
  return withFileLinks(rendered, { folder: 'docs', blob: '/a/r/blob/main', raw: '/a/r/raw/main' }).trim();
};

test.each([
  ['[x](guide.md#top)', '/a/r/blob/main/docs/guide.md#top'],
  ['[x](../src/a%20b.ts?x=1)', '/a/r/blob/main/src/a%20b.ts?x=1'],
  ['[x](/LICENSE)', '/a/r/blob/main/LICENSE'],
  ['[x](../../../../etc/passwd)', '/a/r/blob/main/etc/passwd'],
  ['[x](https://example.org/a)', 'https://example.org/a'],
  ['[x](#second-part)', '#user-content-second-part'],
  ['[x](..)', '/a/r/blob/main'],
  ['[x](%zz)', '/a/r/blob/main/docs/%25zz'],
])('the link %s leads to %s', (text, address) => {
  expect(/href="([^"]*)"/.exec(linked(text))?.[1]).toBe(address);
});

test('pictures of the repository are shown, those of other servers are words', () => {
  expect(linked('![p](p.png)')).toContain('<img src="/a/r/raw/main/docs/p.png" alt="p" loading="lazy">');
  const other = linked('[![a "b"](https://example.org/b.png)](x)');
  expect(other).not.toContain('<img');
  expect(other).toContain('title="https://example.org/b.png">a &quot;b&quot;</span>');
});

test('headings have the anchors that links name', () => {
  expect(linked('# First *steps*, now\n\n# First steps now')).toContain('<h1 id="user-content-first-steps-now">');
  expect(linked('# A\n\n# A')).toContain('id="user-content-a-1"');
  expect(linked('# "><script>x</script>')).not.toContain('<script');
});

test('links of a hostile text stay harmless', () => {
  const text = linked('[x](javascript:alert(1)) <a href="x\\"onclick=alert(1)">y</a> <img src="x" onerror="alert(1)">');
  expect(text).not.toMatch(/(?:href|src)="javascript:|<[^>]*\son\w+=/);
});

test('no part of a value is taken for an attribute', () => {
  const link = linked('<a title="x href=" lang=" href=/a/r/raw/main/p data-diff=x class=diff-file id=p z" href="b">Docs</a>');
  expect(link).toContain(
    '<a title="x href=" lang=" href=/a/r/raw/main/p data-diff=x class=diff-file id=p z" href="/a/r/blob/main/docs/b"',
  );
  expect(linked('<img title="foo src=" alt=" onerror=alert(1) x" src="p.png">')).toContain(
    '<img title="foo src=" alt=" onerror=alert(1) x" src="/a/r/raw/main/docs/p.png" loading="lazy">',
  );
});

test('a table of comma-separated values is read with quotes', () => {
  expect(readTable('a,"b, ""c""",d\r\n1,,3\n', ',')).toEqual({
    rows: [
      ['a', 'b, "c"', 'd'],
      ['1', '', '3'],
    ],
    is_cut: false,
  });
  expect(readTable('a,"b\nc"\n', ',')?.rows).toEqual([['a', 'b\nc']]);
  expect(readTable('a,', ',')?.rows).toEqual([['a', '']]);
  expect(readTable('a,"b', ',')).toBeUndefined();
  expect(readTable('"a"b,c', ',')).toBeUndefined();
  expect(readTable('', ',')).toEqual({ rows: [], is_cut: false });
  expect([separatorOf('x.tsv', ''), separatorOf('x.csv', 'a;b;c,d'), separatorOf('x.csv', 'a,b')]).toEqual(['\t', ';', ',']);
});

test('a large table is cut', () => {
  const rows = readTable('x,y\n'.repeat(200_000), ',');
  expect(rows).toMatchObject({ is_cut: true });
  expect(rows?.rows.length).toBe(10_000);
  expect(readTable(`${'x,'.repeat(1_000)}\n`, ',')).toMatchObject({ is_cut: true });
  const hostile = ['"'.repeat(1_000_000), ','.repeat(1_000_000), '\n'.repeat(1_000_000), '"a",'.repeat(250_000)];
  for (const text of hostile) expect(computing(() => readTable(text, ','))).toBeLessThan(500);
});

test('a notebook is read as cells of text', () => {
  const notebook = {
    cells: [
      { cell_type: 'markdown', source: ['# A\n', 'b'] },
      { cell_type: 'code', source: 'x', outputs: [{ text: ['1\n'] }, { data: { 'image/png': 'x', 'text/plain': 'y' } }] },
      { cell_type: 'code', source: 'z', outputs: [{ traceback: ['\u001b[31mError\u001b[0m', 'line'] }] },
      { cell_type: 'odd', source: 5 },
      null,
    ],
    metadata: { language_info: { name: 'python' } },
  };
  expect(readNotebook(JSON.stringify(notebook))).toEqual({
    language: 'python',
    isCut: false,
    cells: [
      { kind: 'markdown', source: '# A\nb', outputs: [], others: 0 },
      { kind: 'code', source: 'x', outputs: ['1\n'], others: 1 },
      { kind: 'code', source: 'z', outputs: ['Error\nline'], others: 0 },
      { kind: 'raw', source: '', outputs: [], others: 0 },
      { kind: 'raw', source: '', outputs: [], others: 0 },
    ],
  });
});

test('a notebook at its bounds is cut, and what is none is not read', () => {
  const cells = Array.from({ length: 1_000 }, () => ({ cell_type: 'code', source: 'x' }));
  expect(readNotebook(JSON.stringify({ cells }))).toMatchObject({ isCut: true, cells: { length: 200 } });
  const long = [{ source: 'x'.repeat(300_000) }];
  expect(readNotebook(JSON.stringify({ cells: long }))).toMatchObject({ isCut: true, cells: { length: 0 } });
  for (const text of ['', '{', '[]', '"x"', 'null', '{"cells":{}}', '['.repeat(100_000)])
    expect(readNotebook(text)).toBeUndefined();
});
