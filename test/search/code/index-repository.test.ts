import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '#database/connect.ts';
import { change } from '#database/connect.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { Id } from '#lib/id.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { removeFiles } from '#search/code/store.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { newPlace, now, push } from '#test/search/support.ts';

const paths = async ({ db }: Pick<Database, 'db'>, id: Id<'repositories'>): Promise<string[]> =>
  (await db.selectFrom('code_files').select('path').where('repository_id', '=', id).orderBy('path').execute()).map(
    ({ path }) => path,
  );

const has = async ({ db }: Pick<Database, 'db'>, lexeme: string): Promise<string[]> => {
  const { rows } = await sql<{ path: string }>`
    select path from code_files where ${lexemesOfRow} @@ ${`'${lexeme}'`}::tsquery order by path`.execute(db);
  return rows.map(({ path }) => path);
};

async function setup() {
  const place = await newPlace();
  const owner = await place.account('octo');
  const { id, repo } = await place.repository(owner, 'hello');
  const index = () => indexRepositoryCode({ db: place.db, git: place.git, repositoryId: id, now });
  return { place, id, repo, index };
}

test('the files of the default branch enter the index, with their words, languages and sizes', async () => {
  const { place, id, repo, index } = await setup();
  const commit = await push(repo, {
    'src/getUserName.ts': 'export const x = 1;\n',
    'README.md': '# Hello',
    'bin/run': '#!/usr/bin/env node\n',
  });

  expect(await index()).toEqual({ commit, files: 3, removed: 0, added: 3 });

  const rows = await place.db
    .selectFrom('code_files')
    .select(['path', 'language', 'size'])
    .orderBy('size')
    .orderBy('path')
    .execute();
  expect(rows).toEqual([
    { path: 'README.md', language: 'Markdown', size: 7 },
    { path: 'bin/run', language: 'JavaScript', size: 20 },
    { path: 'src/getUserName.ts', language: 'TypeScript', size: 20 },
  ]);
  expect(await has(place, '/user')).toEqual(['src/getUserName.ts']);
  expect(await has(place, 'hello')).toEqual(['README.md']);
  expect(await has(place, `@${id}`)).toHaveLength(3);
});

test('a push indexes its changed paths alone', async () => {
  const { place, repo, index } = await setup();
  const first = await push(repo, { a: 'alpha', b: 'beta', c: 'gamma' });
  await index();
  const before = await place.db.selectFrom('code_files').select(['id', 'path']).orderBy('path').execute();
  const commit = await push(repo, { a: 'alpha', b: 'changed', d: 'delta' }, { parents: [first] });

  expect(await index()).toEqual({ commit, files: 3, removed: 3, added: 2 });

  const after = await place.db.selectFrom('code_files').select(['id', 'path']).orderBy('path').execute();
  expect(after.map(({ path }) => path)).toEqual(['a', 'b', 'd']);
  expect(after[0]).toEqual(before[0]);
  expect(await has(place, 'beta')).toEqual([]);
  expect(await has(place, 'changed')).toEqual(['b']);
  expect(await index()).toEqual({ commit, files: 3, removed: 0, added: 0 });
});

test('what a crash left half done is finished by the next call, and nothing is written twice', async () => {
  const { place, id, repo, index } = await setup();
  const files = Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`f${i}.js`, `const name${i} = ${i};`]));
  await push(repo, files);
  const stopped = indexRepositoryCode({
    db: place.db,
    git: place.git,
    repositoryId: id,
    now,
    onProgress: ({ done }) => {
      if (done > 0) throw new Error('stopped here');
    },
  });
  await expect(stopped).rejects.toThrow('stopped here');
  const left = (await paths(place, id)).length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(1_200);

  expect(await index()).toMatchObject({ files: 1_200, added: 1_200 - left });
  expect(await has(place, 'name1199')).toEqual(['f1199.js']);
});

test('a rebuilding that a crash cuts short as it begins leaves the index whole', async () => {
  const { place, id, repo, index } = await setup();
  await push(repo, { a: 'alpha' });
  await index();
  await sql`alter table code_indexes add constraint crash check (commit_oid is not null)`.execute(place.db);
  const rebuilding = indexRepositoryCode({ db: place.db, git: place.git, repositoryId: id, now, rebuild: true });
  await expect(rebuilding).rejects.toThrow('crash');
  expect(await paths(place, id)).toEqual(['a']);
});

test('a file that was changed twice before a crash was made up for has one row', async () => {
  const { place, id, repo, index } = await setup();
  const first = await push(repo, { a: 'one', b: 'two' });
  await index();
  const second = await push(repo, { a: 'three', b: 'two' }, { parents: [first] });
  await change(place.db, (tx) => removeFiles(tx, id, ['a']));

  expect(await index()).toMatchObject({ commit: second, files: 2 });
  expect(await has(place, 'three')).toEqual(['a']);
});

test('a forced push to an unrelated history, and a commit that is gone, are indexed from what is there', async () => {
  const { place, id, repo, index } = await setup();
  await push(repo, { a: 'one', b: 'two' });
  await index();
  const other = await push(repo, { b: 'two', c: 'three' }, { message: 'Another root' });
  expect(await index()).toMatchObject({ commit: other, files: 2 });
  expect(await paths(place, id)).toEqual(['b', 'c']);

  await place.db
    .updateTable('code_indexes')
    .set({ commit_oid: '1'.repeat(40) })
    .execute();
  expect(await index()).toEqual({ commit: other, files: 2, removed: 0, added: 0 });
});

test('another default branch, a branch that is deleted, and an empty repository', async () => {
  const { place, id, repo, index } = await setup();
  expect(await index()).toEqual({ commit: undefined, files: 0, removed: 0, added: 0 });
  await push(repo, { a: 'one' });
  await push(repo, { b: 'two' }, { branch: 'next' });
  await index();
  await place.db.updateTable('repositories').set({ default_branch: 'next' }).execute();
  await index();
  expect(await paths(place, id)).toEqual(['b']);
  await updateRefs(repo, [{ ref: 'refs/heads/next', to: null }]);
  expect(await index()).toMatchObject({ commit: undefined, files: 0 });
  expect(await paths(place, id)).toEqual([]);
});

test('an index that another analyser made is made anew', async () => {
  const { place, id, repo, index } = await setup();
  await push(repo, { a: 'one' });
  await index();
  await place.db.updateTable('code_indexes').set({ analyser: 0 }).execute();
  expect(await index()).toMatchObject({ files: 1, added: 1 });
  expect(await paths(place, id)).toEqual(['a']);
});

test('rule 2: files of 384 KB and more, and binary ones, are not searched', async () => {
  const { place, id, repo, index } = await setup();
  const limit = 384 * 1024;
  await push(repo, {
    'under.txt': 'x'.repeat(limit - 1),
    'at.txt': 'y'.repeat(limit),
    'image.png': Buffer.from([0x89, 0x50, 0, 1]),
    'latin1.txt': Buffer.from('caf\xe9 name', 'latin1'),
    'empty.txt': '',
  });
  await index();
  expect(await paths(place, id)).toEqual(['empty.txt', 'latin1.txt', 'under.txt']);
  expect(await has(place, 'café')).toEqual(['latin1.txt']);

  const grown = await push(repo, { 'under.txt': 'x'.repeat(limit) });
  await index();
  expect(await paths(place, id)).toEqual([]);
  expect(grown).toHaveLength(40);
});

test('hostile files are indexed within bounds', async () => {
  const { place, id, repo, index } = await setup();
  const distinct = Array.from({ length: 60_000 }, (_, i) => (i * 7919).toString(36)).join(' ');
  const random = Array.from({ length: 400 }, (_, i) => (Math.sin(i) * 1e16).toString(36).replace(/\W/g, 'x')).join('');
  const wide = Array.from({ length: 20_000 }, (_, i) => `İ${String.fromCodePoint(0x4e00 + (i % 20_000))}İ`).join(' ');
  await push(repo, {
    'minified.js': distinct.slice(0, 380_000),
    'wide.txt': wide.slice(0, 120_000),
    'base64.txt': Buffer.alloc(250_000, 'hearth').toString('base64'),
    "quote'\\back.txt": "it's a \\ back",
    [`${'deep/'.repeat(700)}file.txt`]: 'deeply nested',
    [`long.${random.slice(0, 3_900)}`]: 'oddly named',
    'lines.txt\n@1\n#typescript': 'oddly named',
    'modifiers.java': 'public\n'.repeat(50_000),
  });
  await index();
  expect(await paths(place, id)).toHaveLength(8);
  expect(await has(place, '#typescript')).toEqual([]);
  expect(await has(place, 'nested')).toHaveLength(1);
});

test('a deleted repository takes its index along, and indexing it does nothing', async () => {
  const { place, repo, index } = await setup();
  await push(repo, { a: 'one' });
  await index();
  await place.db.deleteFrom('repositories').execute();
  expect(await index()).toBeUndefined();
  expect(await place.db.selectFrom('code_files').select('id').execute()).toEqual([]);
  expect(await place.db.selectFrom('code_indexes').selectAll().execute()).toEqual([]);
});

test('calls at the same time wait for each other', async () => {
  const { place, id, repo, index } = await setup();
  await push(repo, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, `w${i}`])));
  await Promise.all([index(), index(), index()]);
  expect(await paths(place, id)).toHaveLength(50);
});
