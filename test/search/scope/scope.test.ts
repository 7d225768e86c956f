import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Id } from '#lib/id.ts';
import { filtersIn } from '#search/query/filters.ts';
import { parse } from '#search/query/parser.ts';
import { runWithinBudget } from '#search/read.ts';
import { startBudget } from '#search/result.ts';
import { resolveScope } from '#search/scope/scope.ts';
import { newPlace } from '#test/search/support.ts';

const visible = sql`(select r.id from repositories r where r.visibility = 'public')`;

async function setting() {
  const place = await newPlace();
  const { db } = place;
  await sql`insert into accounts (kind, login, created_at, updated_at)
    select 'user', 'user-' || i, now(), now() from generate_series(1, 500) i`.execute(db);
  // The tenth of each account is private, and the later ones were pushed to first.
  await sql`insert into repositories (owner_id, name, visibility, default_branch, created_at, updated_at, pushed_at)
    select a.id, 'repo-' || i, case when i = 10 then 'private' else 'public' end, 'main', now(), now(),
      now() - make_interval(mins => (i * 1000 + a.id)::int)
    from accounts a, generate_series(1, 10) i`.execute(db);
  await sql`analyze repositories, accounts`.execute(db);
  const resolve = async (q: string) => {
    const filters = filtersIn(parse('code', q), () => true);
    const scope = await runWithinBudget(db, startBudget(60_000), (tx) => resolveScope(tx, { visible, filters, forks: false }));
    isPartial = scope?.isPartial;
    return scope?.ids ?? [];
  };
  let isPartial: boolean | undefined;
  const names = async (ids: readonly Id<'repositories'>[]) => {
    const rows = await db.selectFrom('repositories').select(['id', 'name']).where('id', 'in', ids).execute();
    return ids.map((id) => rows.find((row) => row.id === id)?.name);
  };
  return { place, resolve, names, isPartial: () => isPartial };
}

test('rule 4: at most 4,000 repositories are searched, those pushed to last', async () => {
  const { resolve, names, isPartial } = await setting();
  const ids = await resolve('x');
  expect([ids.length, isPartial()]).toEqual([4_000, true]);
  expect(new Set(await names(ids))).toEqual(
    new Set(['repo-1', 'repo-2', 'repo-3', 'repo-4', 'repo-5', 'repo-6', 'repo-7', 'repo-8']),
  );
});

test('rule 6: what is named and visible is searched, each once', async () => {
  const { resolve, names } = await setting();
  expect(await names(await resolve('x repo:user-7/repo-2 repo:USER-7/REPO-3 repo:user-7/repo-10'))).toEqual(['repo-2', 'repo-3']);
  expect(await resolve('x user:user-7')).toHaveLength(9);
  expect(await resolve('x user:user-7 repo:user-7/repo-2 org:user-8')).toHaveLength(18);
  expect(await names(await resolve('x repo:user-7/repo-2 -user:user-8'))).toEqual(['repo-2']);
  for (const q of ['x repo:user-7/repo-10', 'x -repo:user-7/repo-10', 'x -user:nobody', 'x -repo:user-7/none'])
    await expect(resolve(q)).rejects.toMatchObject({ problem: 'inaccessible' });
  expect(await names(await resolve('x repo:user-7/repo-2 -repo:user-7/repo-10'))).toEqual(['repo-2']);
  await expect(resolve('x repo:user-7/repo-10')).rejects.toMatchObject({ problem: 'inaccessible' });
});

test.each(['x repo:user-7/repo-2', 'x user:user-7'])(
  '%s: how many repositories there are makes no difference to how many are looked at',
  async (q) => {
    const { place } = await setting();
    const read = await runWithinBudget(place.db, startBudget(60_000), async (tx) => {
      await resolveScope(tx, { visible, filters: filtersIn(parse('code', q), () => true), forks: false });
      const { rows } = await sql<{ read: number }>`select idx_tup_fetch + seq_tup_read as read from pg_stat_xact_user_tables
        where relname = 'repositories'`.execute(tx);
      return Number(rows[0]?.read);
    });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(100);
  },
);
