import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, org, member, repo, db, statements } = await world();

type Issue = { number: number; state: 'open' | 'closed'; comments: number };

/** What happens between two requests, and what is asked for then. `at` is a place among the issues there are, in parts of all. */
const changes = fc.oneof(
  fc.record({ kind: fc.constant('open' as const), comments: fc.nat(3) }),
  fc.record({ kind: fc.constant('close' as const), at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }) }),
);
const asked = fc.record({
  state: fc.constantFrom('open', 'closed', 'all'),
  sort: fc.constantFrom('created', 'comments'),
  direction: fc.constantFrom('asc', 'desc'),
  perPage: fc.integer({ min: 1, max: 4 }),
  page: fc.integer({ min: 1, max: 5 }),
});

test('a page holds what stands at its place when it is asked for, whatever came and went since the page before', async () => {
  const owner = await user();
  const client = await as(owner);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(changes, { maxLength: 3 }), asked), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        const { id, name } = await repo(owner);
        let issues: Issue[] = [];
        let last = 0;
        const open = async (comments: number) => {
          issues.push({ number: ++last, state: 'open', comments });
          // Two in a minute, so that ids decide between issues of the same time.
          const at = new Date(Date.UTC(2026, 0, 1, 0, Math.floor(last / 2)));
          await db
            .insertInto('issues')
            .values({ repository_id: id, number: last, title: 'x', comments_count: comments, created_at: at, updated_at: at })
            .execute();
        };
        for (let at = 0; at < 8; at++) await open(at % 3);
        for (const [happened, { state, sort, direction, perPage, page }] of steps) {
          for (const change of happened) {
            const found = 'at' in change ? issues[Math.floor(change.at * issues.length)] : undefined;
            if (change.kind === 'open') await open(change.comments);
            if (change.kind === 'close' && found) {
              found.state = 'closed';
              await db
                .updateTable('issues')
                .set({ state: 'closed' })
                .where('repository_id', '=', id)
                .where('number', '=', found.number)
                .execute();
            }
            if (change.kind === 'delete' && found) {
              issues = issues.filter((issue) => issue !== found);
              await db.deleteFrom('issues').where('repository_id', '=', id).where('number', '=', found.number).execute();
            }
          }
          const sign = direction === 'asc' ? 1 : -1;
          const expected = issues
            .filter((issue) => state === 'all' || issue.state === state)
            .sort((a, b) => sign * ((sort === 'comments' ? a.comments - b.comments : 0) || a.number - b.number))
            .map(({ number }) => number);
          const query = `state=${state}&sort=${sort}&direction=${direction}&per_page=${perPage}&page=${page}`;
          const reply = await client.get(`/repos/${owner.login}/${name}/issues?${query}`);
          expect(reply.body.map(({ number }: Issue) => number)).toEqual(expected.slice((page - 1) * perPage, page * perPage));
          expect(/rel="next"/.test(String(reply.headers.link))).toBe(expected.length > page * perPage);
          const lastPage = /page=(\d+)>; rel="last"/.exec(String(reply.headers.link))?.[1];
          if (lastPage !== undefined) expect(Number(lastPage)).toBe(Math.ceil(expected.length / perPage));
        }
      },
    ),
    { numRuns: Number(process.env.HEARTH_TEST_CASES ?? 25) },
  );
});

test('a later page of a list with joins, or in an order that is unique in it alone, holds nothing of another list', async () => {
  const owner = await user();
  const [acme, other] = [await org(owner), await org(owner)];
  const people = await Promise.all(Array.from({ length: 5 }, () => user()));
  for (const one of people) await Promise.all([member(acme, one), member(other, one)]);
  const client = await as(owner);
  const ids = [owner, ...people].map(({ id }) => id).sort((a, b) => a - b);
  const members = await client.get(`/orgs/${acme.login}/members?per_page=2&page=2`);
  expect(members.body.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2, 4));

  const [first, second] = [await repo(owner), await repo(owner)];
  for (const { id } of [first, second])
    await sql`insert into milestones (repository_id, number, title, created_at, updated_at)
      select ${id}::bigint, n, n::text, now(), now() from generate_series(1, 5) n`.execute(db);
  const milestones = await client.get(`/repos/${owner.login}/${second.name}/milestones?per_page=2&page=2`);
  expect(milestones.body.map(({ number }: { number: number }) => number)).toEqual([3, 4]);
  expect(milestones.body[0].url).toContain(second.name);
});

test('beyond what is counted, each page leads to the next until the last', async () => {
  const owner = await user();
  const { id, name } = await repo(owner);
  const path = `/repos/${owner.login}/${name}/issues?per_page=100`;
  await sql`insert into issues (repository_id, number, title, created_at, updated_at)
    select ${id}::bigint, n, 'x', now(), now() from generate_series(1, 10150) n`.execute(db);
  const client = await as(owner);
  const linked = async (page: number) => {
    const { body, headers } = await client.get(`${path}&page=${page}`);
    const to = (rel: string) => new RegExp(`[?&]page=(\\d+)[^>]*>; rel="${rel}"`).exec(String(headers.link))?.[1];
    return { length: body.length, next: to('next'), prev: to('prev') };
  };
  expect(await linked(1)).toEqual({ length: 100, next: '2', prev: undefined });
  expect(await linked(100)).toEqual({ length: 100, next: '101', prev: '99' });
  expect(await linked(101)).toEqual({ length: 100, next: '102', prev: '100' });
  expect(await linked(102)).toEqual({ length: 50, next: undefined, prev: '101' });
  // Pages far down count nothing, and so cost what the first does.
  expect(await statements(owner, `${path}&page=101`)).toBe(await statements(owner, path));
});

test('the last page that pages reach leads to no further one, whatever is beyond it', async () => {
  const owner = await user();
  const { id, name } = await repo(owner);
  const client = await as(owner);
  const base = `/repos/${owner.login}/${name}`;
  await client.post(`${base}/issues`, { title: 'x' });
  const issue = await db.selectFrom('issues').select('id').where('repository_id', '=', id).executeTakeFirstOrThrow();
  await sql`insert into labels (repository_id, name, color, is_default)
    select ${id}::bigint, 'label ' || n, 'ffffff', false from generate_series(1, 100150) n`.execute(db);
  await sql`insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
    select ${id}::bigint, ${issue.id}::bigint, ${owner.id}::bigint, 'reopened', '{}', now()
    from generate_series(1, 100150) n`.execute(db);
  for (const path of [`${base}/labels`, `${base}/issues/1/events`, `${base}/issues/1/timeline`]) {
    const linked = async (query: string) => {
      const { body, headers } = await client.get(`${path}?${query}`);
      return { path, length: body.length, next: /[?&]page=(\d+)[^>]*>; rel="next"/.exec(String(headers.link))?.[1] };
    };
    expect(await linked('per_page=100&page=999')).toEqual({ path, length: 100, next: '1000' });
    expect(await linked('per_page=100&page=1000')).toEqual({ path, length: 100, next: undefined });
    // Pages that don't divide the bound: the last one holds rows beyond it.
    expect(await linked('per_page=30&page=3334')).toEqual({ path, length: 30, next: undefined });
    // The largest number of a page is read as itself.
    expect(await linked('per_page=1&page=100000')).toEqual({ path, length: 1, next: undefined });
  }
});
