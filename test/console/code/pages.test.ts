import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { run } from '#git/process/run.ts';
import { repoOf } from '#git/store.ts';
import { commitFiles } from '#test/support/commit.ts';
import { type PageClient, pagesAs } from '#test/support/page-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const script = '<script>alert(1)</script>';
const picture = '<img src=x onerror=alert(1)>';

let ada: Account;
let repo: RepositoryRow;
let base: string;
let first: string;
let tip: string;
let reader: PageClient;

const files: Record<string, string> = {
  'README.md': `# Engine\n\n[guide](docs/guide.md) ${script} ![b](https://example.org/b.png)\n`,
  LICENSE: 'MIT License\n',
  'docs/guide.md': '# Guide\n',
  'src/a.ts': 'const a = "<b>";\n// more\n',
  [`${picture}.txt`]: `${script}\n`,
  'data.csv': `name,${script}\n1,2\n`,
  'book.ipynb': JSON.stringify({ cells: [{ cell_type: 'code', source: script, outputs: [{ text: picture }] }] }),
  'pic.svg': `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
  'page.html': script,
  'bin.dat': 'a\0b',
  'doc.pdf': '%PDF',
  empty: '',
};

beforeAll(async () => {
  ada = await w.user('ada-of-code', { email: 'ada@example.org' } as Partial<Account>);
  repo = await w.repo(ada, { visibility: 'private' });
  base = `/${ada.login}/${repo.name}`;
  first = await commitFiles(w, repo, { 'src/a.ts': 'const a = 1;\n' }, `First ${script}\n\nMore ${picture}`);
  tip = await commitFiles(w, repo, files, `Second ${picture}`);
  await run(repoOf(w.hearth.services.git, repo.id), ['update-ref', 'refs/heads/feature/x"onclick=alert(1)', first]);
  reader = await pagesAs(w, ada);
});

const shown = async (path: string): Promise<string> => {
  const { status, text } = await reader.get(base + path);
  expect(status, path).toBe(200);
  return text;
};

const paths = [
  '',
  '/tree/main',
  '/tree/main/src',
  '/blob/main/src/a.ts',
  '/blob/main/README.md',
  `/blob/main/${encodeURIComponent(`${picture}.txt`)}`,
  '/blob/main/data.csv',
  '/blob/main/book.ipynb',
  '/blob/main/pic.svg',
  '/blob/main/pic.svg?view=source',
  '/blob/main/bin.dat',
  '/blob/main/empty',
  '/blame/main/src/a.ts',
  `/blame/main/${encodeURIComponent(`${picture}.txt`)}`,
  '/commits',
  '/commits/main/src',
  '/find/main?filter=a',
  '/tree/feature/x%22onclick=alert(1)/src',
];

test('pages are for those who may read the repository', async () => {
  const [outsider, visitor] = [await pagesAs(w, await w.user()), await pagesAs(w)];
  for (const path of [...paths, '/raw/main/src/a.ts', '/archive/main.zip']) {
    for (const client of [outsider, visitor]) expect((await client.get(base + path)).status, path).toBe(404);
  }
});

test('what people write stays text', async () => {
  for (const path of paths) {
    const text = await shown(path);
    expect(text, path).not.toMatch(/<script>alert|<img src=x|"onclick=/);
  }
  expect(await shown(`/blob/main/${encodeURIComponent(`${picture}.txt`)}`)).toContain('&lt;script&gt;alert(1)');
  expect(await shown('')).toContain('&lt;img src=x onerror=alert(1)&gt;.txt');
});

test('the front page shows files with their last commits, the README and how to clone', async () => {
  const text = await shown('');
  expect(text).toContain(`href="${base}/commit/${tip}"`);
  expect(text).toContain(`href="${base}/blob/main/docs/guide.md"`);
  expect(text).toContain('<h1 id="user-content-engine">Engine</h1>');
  expect(text).toContain(`value="${w.url}${base}.git"`);
  expect(text).toContain(`href="${base}/archive/main.zip"`);
  expect(text).toContain(`href="${base}/blob/main/LICENSE"`);
  expect(text).toContain('2 commits');
});

test('an empty repository says how to push, to those who may', async () => {
  const empty = await w.repo(ada);
  const path = `/${ada.login}/${empty.name}`;
  expect((await reader.get(path)).text).toContain('git push -u origin main');
  const other = await (await pagesAs(w, await w.user())).get(path);
  expect(other.status).toBe(200);
  expect(other.text).not.toContain('git push');
  expect((await reader.get(`${path}/tree/main`)).status).toBe(404);
  expect((await reader.get(`${path}/commits`)).status).toBe(404);
});

test('a folder and a file lead to each other’s pages', async () => {
  const location = async (path: string) => (await reader.get(base + path)).headers.get('location');
  expect(await location('/blob/main/src')).toBe(`${base}/tree/main/src`);
  expect(await location('/tree/main/src/a.ts')).toBe(`${base}/blob/main/src/a.ts`);
  expect(await location('/blame/main/src')).toBe(`${base}/tree/main/src`);
});

test('a file shows highlighted lines, with the permanent link', async () => {
  const text = await shown('/blob/main/src/a.ts');
  expect(text).toContain('<span class="line" id="L1"><a href="#L1" data-n="1" aria-hidden="true" tabindex="-1"></a>');
  expect(text).toContain('<span class="h-k">const</span>');
  expect(text).toMatch(new RegExp(`data-keeps-lines\\s+href="${base}/blob/${tip}/src/a.ts"`));
  expect((await shown(`/blob/${first}/src/a.ts`)).includes('&lt;b&gt;')).toBe(false);
});

test('a long file is shown in parts', async () => {
  const long = await w.repo(ada);
  await commitFiles(w, long, { 'a.txt': 'line\n'.repeat(12_000), 'wide.txt': `${'x'.repeat(100_000)}\n` });
  const path = `/${ada.login}/${long.name}/blob/main`;
  const second = (await reader.get(`${path}/a.txt?line=7000`)).text;
  expect(second).toContain('Lines 5,001 to 10,000 of 12,000');
  expect(second).toContain('id="L7000"');
  expect(second).not.toContain('id="L5000"');
  expect((await reader.get(`${path}/wide.txt`)).text).toContain('Very long lines are cut');
});

test('Markdown, tables and notebooks are shown as such, and as source', async () => {
  expect(await shown('/blob/main/docs/guide.md')).toContain('<h1 id="user-content-guide">Guide</h1>');
  expect(await shown('/blob/main/docs/guide.md?view=source')).toContain('# Guide');
  expect(await shown('/blob/main/data.csv')).toContain('<th scope="col">name</th>');
  expect(await shown('/blob/main/book.ipynb')).toContain('<pre class="output">&lt;img src=x');
  expect(await shown('/blob/main/pic.svg')).toContain(`<img src="${base}/raw/main/pic.svg"`);
  expect(await shown('/blob/main/bin.dat')).toContain('This file isn’t text');
});

describe('bytes of files', () => {
  test.each([
    ['src/a.ts', 'text/plain; charset=utf-8', false],
    ['page.html', 'text/plain; charset=utf-8', false],
    ['pic.svg', 'image/svg+xml', false],
    ['bin.dat', 'application/octet-stream', true],
    ['doc.pdf', 'text/plain; charset=utf-8', false],
  ])('%s has the type %s', async (path, type, isSaved) => {
    const { status, headers } = await reader.get(`${base}/raw/main/${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('content-disposition')?.startsWith('attachment') ?? false).toBe(isSaved);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  test('an unchanged file is answered 304, and what is no file 404', async () => {
    const { headers } = await reader.get(`${base}/raw/main/src/a.ts`);
    const etag = headers.get('etag') ?? '';
    expect((await reader.get(`${base}/raw/main/src/a.ts`, { 'if-none-match': etag })).status).toBe(304);
    for (const path of ['src', 'none']) expect((await reader.get(`${base}/raw/main/${path}`)).status).toBe(404);
  });

  test('an archive is downloaded by the session', async () => {
    const { status, headers } = await reader.get(`${base}/archive/main.tar.gz`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/gzip']);
    expect(headers.get('content-disposition')).toBe(`attachment; filename=${ada.login}-${repo.name}-${tip.slice(0, 7)}.tar.gz`);
    expect((await reader.get(`${base}/archive/feature/x%22onclick=alert(1).zip`)).status).toBe(200);
    expect((await reader.get(`${base}/archive/main`)).status).toBe(404);
    expect((await reader.get(`${base}/archive/none.zip`)).status).toBe(404);
  });
});

test('blame shows the commit of each line', async () => {
  const text = await shown('/blame/main/src/a.ts');
  expect(text).toContain(`href="${base}/commit/${tip}"`);
  expect(text).not.toContain(`href="${base}/commit/${first}"`);
});

test('history is listed by day, of the repository and of a path', async () => {
  const all = await shown('/commits');
  expect(all).toContain(`href="${base}/commit/${first}"`);
  expect(all).toContain(`href="${base}/commit/${tip}"`);
  expect(await shown('/commits/main/docs')).not.toContain(`href="${base}/commit/${first}"`);
  expect((await reader.get(`${base}/commits/none`)).status).toBe(404);
});

test('files are found by words of their paths', async () => {
  const text = await shown('/find/main?filter=SRC%20a');
  expect(text).toContain(`href="${base}/blob/main/src/a.ts"`);
  expect(text).not.toContain('docs/guide.md');
  expect(await shown('/find/main?filter=nothing-like-it')).toContain('No file has these words');
});

test('what is absent is not found', async () => {
  for (const path of ['/tree/none', '/blob/main/none', '/blame/main/none', '/find/none', '/blob/main/src/a.ts/x', '/tree/%00'])
    expect((await reader.get(base + path)).status, path).toBe(404);
});

test('statements don’t grow with what is shown', async () => {
  const small = await w.repo(ada);
  const large = await w.repo(ada);
  await commitFiles(w, small, { 'a.txt': 'a' });
  for (let at = 0; at < 5; at++)
    await commitFiles(
      w,
      large,
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, n % 5 <= at ? `${at}\n`.repeat(n) : ''])),
    );
  const count = (of: RepositoryRow, path: string) => reader.statements(`/${ada.login}/${of.name}${path}`);
  for (const [one, other, most] of [
    ['', '', 10],
    ['/tree/main', '/tree/main', 6],
    ['/blob/main/a.txt', '/blob/main/f9.txt', 6],
    ['/blame/main/a.txt', '/blame/main/f9.txt', 6],
    ['/commits', '/commits', 9],
    ['/find/main', '/find/main', 5],
  ] as const) {
    const statements = [await count(small, one), await count(large, other)];
    expect(statements[0], one).toBe(statements[1]);
    expect(statements[0], one).toBeLessThanOrEqual(most);
  }
});
