import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { clientConfig } from '#database/connect.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { indexStale } from '#search/stale.ts';
import { newPlace, now, push } from '#test/search/support.ts';

async function setup() {
  const place = await newPlace();
  const { db, git } = place;
  const owner = await place.account('octo');
  const { id, repo } = await place.repository(owner, 'hello');
  const pushed = async (files: Record<string, string>) => {
    await push(repo, files);
    await db.updateTable('repositories').set({ pushed_at: now }).where('id', '=', id).execute();
  };
  const failures: unknown[] = [];
  const options = { db, git, now, onFailure: (error: unknown) => void failures.push(error) };
  const catchUp = async () => (await indexStale(options)).repositories;
  const paths = async () => (await db.selectFrom('code_files').select('path').orderBy('path').execute()).map(({ path }) => path);
  return { place, owner, id, repo, pushed, catchUp, failures, paths };
}

test('what has no index, an old one or an unfinished one is indexed, and what has a good one is left alone', async () => {
  const { place, pushed, catchUp, paths } = await setup();
  await pushed({ a: 'alpha', b: 'beta' });
  expect(await catchUp()).toBe(1);
  expect(await paths()).toEqual(['a', 'b']);
  expect(await catchUp()).toBe(0);

  await place.db.updateTable('commit_indexes').set({ analyser: 0 }).execute();
  expect(await catchUp()).toBe(1);
  await place.db.deleteFrom('code_indexes').execute();
  await place.db.deleteFrom('code_files').where('path', '=', 'a').execute();
  expect(await catchUp()).toBe(1);
  expect(await paths()).toEqual(['a', 'b']);
  await push((await place.repository(await place.account('other'), 'empty')).repo, { c: 'never told of' });
  expect(await catchUp()).toBe(1);
  expect(await catchUp()).toBe(0);
});

test('accounts that another version of the analyser has indexed are indexed, and no others', async () => {
  const { place } = await setup();
  const { db, git } = place;
  const options = { db, git, now, onFailure: (error: unknown) => Promise.reject(error) };
  await indexStale(options);
  await db.updateTable('account_words').set({ analyser: 0, words: '=bygone' }).execute();
  expect(await indexStale(options)).toMatchObject({ accounts: 1 });
  expect((await db.selectFrom('account_words').select('words').executeTakeFirstOrThrow()).words).toContain('=octo');
  expect(await indexStale(options)).toEqual({ accounts: 0, repositories: 0 });
});

test('another default branch that no event told of is indexed', async () => {
  const { place, repo, pushed, catchUp, paths } = await setup();
  await pushed({ a: 'alpha' });
  await push(repo, { n: 'next' }, { branch: 'next' });
  await catchUp();
  await place.db.updateTable('repositories').set({ default_branch: 'next' }).execute();
  expect(await catchUp()).toBe(1);
  expect(await paths()).toEqual(['n']);
});

test('a rebuilding that lost its connection to the database in the middle is finished', async () => {
  const { place, id, pushed, catchUp, paths } = await setup();
  await pushed(Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`f${i}.js`, `const name${i} = ${i};`])));
  await catchUp();
  const killer = new pg.Client(clientConfig(place.address));
  await killer.connect();
  const killed: Promise<unknown>[] = [];
  const broken = indexRepositoryCode({
    db: place.db,
    git: place.git,
    repositoryId: id,
    now,
    rebuild: true,
    onProgress({ done }) {
      // Whoever holds the repository's lock is the one that indexes.
      if (done > 0 && killed.length === 0)
        killed.push(
          killer.query(
            `select pg_terminate_backend(pid) from pg_locks
            where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
          ),
        );
    },
  });
  await expect(broken).rejects.toThrow();
  await Promise.all(killed);
  await killer.end();
  const left = (await paths()).length;
  expect(left).toBeLessThan(1_200);
  const { rows } = await sql<{ commit_oid: string | null }>`select commit_oid from code_indexes`.execute(place.db);
  expect(rows).toEqual([{ commit_oid: null }]);

  expect(await catchUp()).toBe(1);
  expect(await paths()).toHaveLength(1_200);
});

test('a repository that cannot be read keeps no other from being indexed', async () => {
  const { place, owner, pushed, catchUp, failures, paths } = await setup();
  await pushed({ a: 'alpha' });
  const next = await place.repository(owner, 'next');
  await push(next.repo, { b: 'beta' });
  await place.db.updateTable('repositories').set({ pushed_at: now }).execute();
  await sql`alter table code_files add constraint no_alpha check (path <> 'a')`.execute(place.db);
  expect(await catchUp()).toBe(2);
  expect(failures).toHaveLength(1);
  expect(await paths()).toEqual(['b']);
  await sql`alter table code_files drop constraint no_alpha`.execute(place.db);
  expect(await catchUp()).toBe(1);
  expect(await paths()).toEqual(['a', 'b']);
});
