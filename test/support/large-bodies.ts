/**
 * Bodies that take the most resources of a server, by name. Each is as large as its endpoint allows, or as small as necessary.
 */
export const bodies: Readonly<Record<string, () => Buffer>> = {
  ordinary: () => json({ title: 'The pump leaks', body: 'It does so after an hour of rain.', labels: ['bug'] }),
  'empty lists as labels, 30 KB': () => lists(10_000),
  'empty lists as labels, 60 KB': () => lists(20_000),
  'empty lists as labels, 1 MiB': () => lists(340_000),
  'empty lists in an unknown field, 1 MiB': () => Buffer.from(`{"title":"a","x":[${'[],'.repeat(340_000)}1]}`),
  'numbers in an unknown field, 1 MiB': () => Buffer.from(`{"title":"a","x":[${'1,'.repeat(510_000)}1]}`),
  'one text of 1 MB': () => json({ title: 'a', body: 'x'.repeat(1_000_000) }),
  'fields of any name, 1 MiB': () =>
    Buffer.from(`{"title":"a"${Array.from({ length: 70_000 }, (_, i) => `,"f${i}":1`).join('')}}`),
  'blob of 39 MiB as text': () => json({ content: 'x'.repeat(39 * mebi) }),
  'blob of 39 MiB, all escapes': () => Buffer.from(`{"content":"${'\\n'.repeat(19 * mebi)}"}`),
  'blob of 39 MiB, not Latin': () => json({ content: 'ж'.repeat(19 * mebi) }),
  'blob of 39 MiB in base64': () => json({ content: Buffer.alloc(29 * mebi, 'h').toString('base64'), encoding: 'base64' }),
  'blob of 39 MiB in base64 with line ends': () =>
    json({
      content: Buffer.alloc(28 * mebi, 'h')
        .toString('base64')
        .replace(/.{60}/g, '$&\n'),
      encoding: 'base64',
    }),
  'blob with a field of empty lists, 39 MiB': () => Buffer.from(`{"content":"a","x":[${'[],'.repeat(13 * mebi)}1]}`),
  'blob after 39 MiB of blanks': () => Buffer.from(`${' '.repeat(39 * mebi)}{"content":"a"}`),
  'blob that is a number of 39 MiB': () => Buffer.from(`{"content":${'1'.repeat(39 * mebi)}}`),
  'tree whose message is unknown, 39 MiB': () => json({ message: 'x'.repeat(39 * mebi) }),
  'tree of 1,000 files': () => tree(1_000),
  'tree of 19,000 files': () => tree(19_000),
  'tree of 19,000 distinct files': () => tree(19_000, (i) => `content ${i}`),
  'tree of 390 files of 100 KB': () => tree(390, (i) => `${i}`.padEnd(100_000, 'ab')),
  'tree of 19,000 deletions': () =>
    json({ tree: Array.from({ length: 19_000 }, (_, i) => ({ path: `f${i}`, mode: '100644', sha: null })) }),
  'tree of 40,000 wrong entries': () => json({ tree: Array.from({ length: 40_000 }, () => ({ mode: 1 })) }),
  'tree of empty lists, 39 MiB': () => Buffer.from(`{"tree":[${'[],'.repeat(13 * mebi)}1]}`),
};

/** The path for a body, in a repository. */
export const pathOf = (name: string): string =>
  name.startsWith('blob') ? 'git/blobs' : name.startsWith('tree') ? 'git/trees' : 'issues';

export type Sent = { url: string; method: string; token: string; body: string };

const mebi = 1024 * 1024;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const lists = (count: number): Buffer => Buffer.from(`{"title":"a","labels":[${'[],'.repeat(count)}[]]}`);
const tree = (count: number, contentOf = (_at: number): string => 'a'): Buffer =>
  json({
    tree: Array.from({ length: count }, (_, i) => ({
      path: `d${i % 100}/f${i}`,
      mode: '100644',
      type: 'blob',
      content: contentOf(i),
    })),
  });
