import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { searchCode } from '#search/code/search.ts';
import { parse } from '#search/query/parser.ts';
import { startBudget } from '#search/result.ts';
import { type Files, makeSearchFixture, now, push, type SearchFixture } from '#test/search/support.ts';

let place: SearchFixture;
let octo: Id<'accounts'>;
const ids: Record<string, Id<'repositories'>> = {};

async function fill(name: string, files: Files, extra: Parameters<SearchFixture['repository']>[2] = {}, owner = octo) {
  const { id, repo } = await place.repository(owner, name, extra);
  await push(repo, files, { branch: extra.default_branch ?? 'main' });
  await indexRepositoryCode({ db: place.db, git: place.git, repositoryId: id, now });
  ids[name] = id;
  return repo;
}

beforeAll(async () => {
  place = await makeSearchFixture();
  octo = await place.account('octo');
  const acme = await place.account('Acme', { kind: 'organization' });
  await fill('hello', {
    'src/getUserName.ts': 'export function getUserName(id: number) {\n  return names[id];\n}\n',
    'src/user/store.ts': 'const get_user_name = 1;\nconst total = sum(a, b);\n',
    'src/other.ts': 'import { getUserName } from "./getUserName";\ngetUserName(1);\n',
    'lib/Component.tsx': 'export const Component = () => <p>hello world</p>;\n',
    'docs/guide.md': '# Guide\nSay hello to the\nworld of users. hello-world\n',
    'package.json': '{ "name": "hello" }\n',
    'big.txt': `marker ${'filler '.repeat(500)}`,
  });
  await fill('tools', { 'main.py': 'def run_all():\n    hello = 1\n', 'config/app.yml': 'hello: world\n' }, {}, acme);
  await fill('secret', { 'secret.ts': 'const hello = privateThing;\n' }, { visibility: 'private' }, acme);
  await fill('old', { 'old.ts': 'const archivedThing = hello;\n' }, { archived: true });
  await fill('fork', { 'fork.ts': 'const forkedThing = hello;\n' }, { parent_id: ids.hello as Id<'repositories'> });
  const branches = await fill('branches', { 'a.ts': 'onlyOnMain' });
  await push(branches, { 'b.ts': 'onlyOnNext' }, { branch: 'next' });
  await indexRepositoryCode({ db: place.db, git: place.git, repositoryId: ids.branches as Id<'repositories'>, now });
});
afterAll(() => place.close());

const everything = sql`(select id from repositories)`;
const open = sql`(select id from repositories where visibility = 'public')`;

type Options = Partial<Omit<Parameters<typeof searchCode>[1], 'query'>>;

const search = (q: string, options: Options = {}) =>
  searchCode(place, {
    query: parse('code', q),
    visible: open,
    page: { limit: 30, offset: 0, number: 1 },
    budget: startBudget(60_000),
    ...options,
  });

const found = async (q: string, options?: Options) => (await search(q, options)).items.map(({ path }) => path);
const foundSorted = async (q: string, options?: Options) => (await found(q, options)).toSorted();

describe('terms', () => {
  test.each([
    ['getUserName', ['src/getUserName.ts', 'src/other.ts']],
    ['get_user_name', ['src/user/store.ts']],
    ['user', ['src/getUserName.ts', 'src/other.ts', 'src/user/store.ts']],
    ['GETUSERNAME', ['src/getUserName.ts', 'src/other.ts']],
    ['user total', ['src/user/store.ts']],
    ['getUserName NOT names', ['src/other.ts']],
    ['run_all OR total', ['main.py', 'src/user/store.ts']],
    ['"hello world"', ['lib/Component.tsx', 'docs/guide.md', 'config/app.yml']],
    ['"sum(a, b)"', ['src/user/store.ts']],
    ['"world hello"', []],
    ['hello NOT "hello world" repo:octo/hello', ['package.json']],
    ['"to the world"', ['docs/guide.md']],
    ['"user name"', []],
    ['nothinghere', []],
  ])('%s', async (q, paths) => {
    expect(await foundSorted(q)).toEqual(paths.toSorted());
  });
});

describe('rule 1: qualifiers', () => {
  test.each([
    ['hello in:path', []],
    ['store in:path', ['src/user/store.ts']],
    ['store in:file', []],
    ['"user store" in:path', ['src/user/store.ts']],
    ['getUserName in:file,path', ['src/getUserName.ts', 'src/other.ts']],
    ['hello user:octo', ['docs/guide.md', 'lib/Component.tsx', 'old.ts', 'package.json']],
    ['hello org:acme', ['config/app.yml', 'main.py']],
    ['hello user:ACME', ['config/app.yml', 'main.py']],
    ['hello repo:octo/Hello', ['docs/guide.md', 'lib/Component.tsx', 'package.json']],
    ['hello repo:octo/hello repo:acme/tools language:python', ['main.py']],
    ['hello repo:octo/old org:acme', ['config/app.yml', 'main.py', 'old.ts']],
    ['hello -repo:octo/hello -org:acme', ['old.ts']],
    ['hello -user:octo', ['config/app.yml', 'main.py']],
    ['user path:src', ['src/getUserName.ts', 'src/other.ts', 'src/user/store.ts']],
    ['user path:src/user', ['src/user/store.ts']],
    ['user path:user', ['src/user/store.ts']],
    ['user path:/src/user/', ['src/user/store.ts']],
    ['user path:rc', []],
    ['hello path:/ repo:octo/hello', ['package.json']],
    ['user -path:src/user', ['src/getUserName.ts', 'src/other.ts']],
    ['user path:src/other.ts', ['src/other.ts']],
    ['hello filename:package.json', ['package.json']],
    ['hello filename:PACKAGE filename:guide', ['docs/guide.md', 'package.json']],
    ['hello -filename:package repo:octo/hello', ['docs/guide.md', 'lib/Component.tsx']],
    ['hello extension:.md', ['docs/guide.md']],
    ['hello extension:md extension:py', ['docs/guide.md', 'main.py']],
    ['hello -extension:md org:octo repo:octo/hello', ['lib/Component.tsx', 'old.ts', 'package.json']],
    ['hello language:tsx', ['lib/Component.tsx']],
    ['hello language:typescript', ['lib/Component.tsx', 'old.ts']],
    ['hello language:ts -language:tsx', ['old.ts']],
    ['hello language:klingon', []],
    ['marker size:>3000', ['big.txt']],
    ['marker size:<3000', []],
    ['marker -size:10..100', ['big.txt']],
    ['hello archived:true', ['old.ts']],
    ['hello archived:false user:octo', ['docs/guide.md', 'lib/Component.tsx', 'package.json']],
    ['forkedThing', []],
    ['forkedThing fork:true', ['fork.ts']],
    ['hello fork:only', ['fork.ts']],
    ['forkedThing repo:octo/fork', ['fork.ts']],
    ['hello is:public org:acme', ['config/app.yml', 'main.py']],
    ['hello is:private', []],
    ['hello is:internal', []],
  ])('%s', async (q, paths) => {
    expect(await foundSorted(q)).toEqual(paths);
  });

  test('private repositories are found by those who see them', async () => {
    expect(await found('privateThing', { visible: everything })).toEqual(['secret.ts']);
    expect(await found('hello is:private', { visible: everything })).toEqual(['secret.ts']);
  });

  test('internal repositories are found as such', async () => {
    await sql`update repositories set visibility = 'internal' where name = 'secret'`.execute(place.db);
    expect(await found('hello is:internal', { visible: everything })).toEqual(['secret.ts']);
    expect(await found('hello is:private', { visible: everything })).toEqual(['secret.ts']);
    await sql`update repositories set visibility = 'private' where name = 'secret'`.execute(place.db);
    expect(await found('hello is:internal', { visible: everything })).toEqual([]);
  });

  test('user:@me is the viewer', async () => {
    expect(await found('archivedThing user:@me', { viewerId: octo })).toEqual(['old.ts']);
    await expect(search('archivedThing user:@me')).rejects.toMatchObject({ problem: 'inaccessible' });
  });
});

test('rule 2: qualifiers alone are invalid', async () => {
  for (const q of ['language:js', 'repo:octo/hello -extension:md', '->', 'NOT hello', 'hello OR NOT world', '"(){}" user:octo']) {
    await expect(search(q), q).rejects.toMatchObject({
      kind: 'invalid',
      problem: 'no_term',
      errors: [{ resource: 'Search', field: 'q' }],
    });
  }
});

test('rule 2: only the default branch is searched', async () => {
  expect(await found('onlyOnMain')).toEqual(['a.ts']);
  expect(await found('onlyOnNext')).toEqual([]);
});

describe('rule 4: at most 1,000 results of at most 4,000 repositories', () => {
  test('pages end at the thousandth result', async () => {
    await fill('many', Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`f${i}.txt`, `manyfold ${i}`])));
    const last = await search('manyfold', { page: { limit: 100, offset: 950, number: 11 } });
    expect(last.total_count).toBe(1_100);
    expect(last.items).toHaveLength(50);
    await expect(search('manyfold', { page: { limit: 100, offset: 1_000, number: 11 } })).rejects.toMatchObject({
      message: 'Only the first 1000 search results are available.',
    });
  });

  test('pages hold every result once', async () => {
    const seen = new Set<string>();
    for (let offset = 0; offset < 1_000; offset += 100) {
      for (const { path } of (await search('manyfold', { page: { limit: 100, offset, number: 1 } })).items) seen.add(path);
    }
    expect(seen.size).toBe(1_000);
  });

  test('only the 4,000 repositories pushed to last are examined', async () => {
    await sql`insert into repositories (owner_id, name, created_at, updated_at, pushed_at)
      select ${octo}, 'r' || n, now(), now(), now() from generate_series(1, 4000) as n`.execute(place.db);
    expect(await found('onlyOnMain')).toEqual([]);
    await sql`update repositories set pushed_at = now() + interval '1 day' where name = 'branches'`.execute(place.db);
    expect(await found('onlyOnMain')).toEqual(['a.ts']);
    await sql`delete from repositories where name ~ '^r[0-9]+$'`.execute(place.db);
  });
});

describe('rule 6: named resources that the caller cannot access', () => {
  test.each(['repo:acme/secret', 'repo:acme/missing', 'user:nobody', 'org:nobody', 'repo:nobody/x'])(
    '%s is refused',
    async (scope) => {
      const refused = { kind: 'invalid', message: 'Validation Failed', problem: 'inaccessible' };
      await expect(search(`hello ${scope}`)).rejects.toMatchObject(refused);
      await expect(search(`nothinghere ${scope}`)).rejects.toMatchObject(refused);
    },
  );

  test('a hidden repository and one that does not exist are refused alike', async () => {
    const errorOf = (q: string) => search(q).catch((error: unknown) => ({ ...(error as object) }));
    expect(await errorOf('hello repo:acme/secret')).toEqual(await errorOf('hello repo:acme/missing'));
  });

  test('with one accessible name, only its results come, without an error', async () => {
    expect(await search('hello repo:acme/secret repo:octo/hello')).toMatchObject({ total_count: 3, incomplete_results: false });
    expect(await found('hello user:nobody repo:acme/tools language:python')).toEqual(['main.py']);
  });

  test('excluded names need not exist', async () => {
    expect(await found('archivedThing -repo:octo/hello')).toEqual(['old.ts']);
  });
});

test('what is hidden is not counted, not even when it is named', async () => {
  expect(await search('privateThing')).toEqual({ total_count: 0, incomplete_results: false, items: [] });
  const counts = await Promise.all([search('hello'), search('hello', { visible: everything })]);
  expect(counts.map(({ total_count }) => total_count)).toEqual([6, 7]);
});

test('revoked access is gone at the next search', async () => {
  await sql`update repositories set visibility = 'private' where name = 'tools'`.execute(place.db);
  expect(await found('run_all')).toEqual([]);
  await sql`update repositories set visibility = 'public' where name = 'tools'`.execute(place.db);
  expect(await found('run_all')).toEqual(['main.py']);
});

describe('rule 7: a query that takes too long', () => {
  test('gives what was found, and says so', async () => {
    const result = await search('hello', { budget: startBudget(0.5) });
    expect(result).toMatchObject({ incomplete_results: true });
  });

  test('is stopped in PostgreSQL, and its connection is free again', async () => {
    const slow = sql`(select id from repositories where pg_sleep(30) is not null)`;
    const start = performance.now();
    expect(await search('hello', { visible: slow, budget: startBudget(300) })).toEqual({
      total_count: 0,
      incomplete_results: true,
      items: [],
    });
    expect(performance.now() - start).toBeLessThan(15_000);
    const { rows } = await sql<{ busy: number }>`select count(*) as busy from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`.execute(place.db);
    expect(rows).toEqual([{ busy: 0 }]);
  });
});

describe('best match', () => {
  test('a file named and a file defining the word come before one that mentions it', async () => {
    expect(await found('getUserName')).toEqual(['src/getUserName.ts', 'src/other.ts']);
    expect(await found('run_all component', {})).toEqual([]);
    expect((await found('store OR names'))[0]).toBe('src/user/store.ts');
  });

  test('shorter files come before longer ones, and generated ones last', async () => {
    await fill('ranking', {
      'long.txt': `rankword ${'and many other words '.repeat(2_000)}`,
      'short.txt': 'rankword here',
      'vendor/copy.txt': 'rankword here',
      'a.min.js': 'rankword here',
    });
    expect(await found('rankword')).toEqual(['short.txt', 'vendor/copy.txt', 'a.min.js', 'long.txt']);
  });

  test('the same search gives the same order and scores', async () => {
    expect(await search('hello')).toEqual(await search('hello'));
  });
});

test('sort=indexed orders by the time of indexing', async () => {
  const latest = await found('hello', { sort: 'indexed' });
  expect(latest[0]).toBe('old.ts');
  expect(await found('hello', { sort: 'indexed', order: 'asc' })).toEqual(latest.toReversed());
});

test('hits tell their blob and the commit at which it was indexed', async () => {
  const [hit] = (await search('onlyOnMain')).items;
  expect(hit).toMatchObject({ path: 'a.ts', repositoryId: ids.branches, blobOid: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(hit?.commitOid).toMatch(/^[0-9a-f]{40}$/);
});

test('no search reads a whole table of files', async () => {
  await sql`analyze code_files`.execute(place.db);
  // One connection, so that the statistics of all statements are there when they are asked for.
  await using alone = { ...openDatabase(place.address, { max: 1 }), [Symbol.asyncDispose]: () => alone.close() };
  const scans = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(alone.db);
    const { rows } = await sql<{
      scans: number;
    }>`select seq_scan as scans from pg_stat_user_tables where relname = 'code_files'`.execute(alone.db);
    return rows[0]?.scans ?? 0;
  };
  const before = await scans();
  for (const q of [
    'hello',
    'hello size:>1',
    'hello path:src',
    '"hello world"',
    'hello OR user NOT names',
    'manyfold -filename:f1',
  ]) {
    const asked = {
      query: parse('code', q),
      visible: open,
      page: { limit: 30, offset: 0, number: 1 },
      budget: startBudget(60_000),
    };
    await searchCode({ db: alone.db, git: place.git }, asked);
    await searchCode({ db: alone.db, git: place.git }, { ...asked, sort: 'indexed' });
  }
  expect(await scans()).toBe(before);
  await sql`select count(size) from code_files`.execute(alone.db);
  expect(await scans()).toBe(before + 1);
});
