import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, repo, db, statements } = await world();

type Entry = { id: number; event: string; label?: { name: string }; commit_id?: string; body?: string };

/** Many events of an issue, of which some came from a private repository that its owner may not read, and some comments. */
async function busyIssue() {
  const [owner, other] = [await user(), await user()];
  const [engine, secret] = [await repo(owner), await repo(other, { visibility: 'private' })];
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  const { body: issue } = await client.post(`${path}/issues`, { title: 'Busy' });
  await sql`
    insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at, commit_id, source_repository_id)
    select ${engine.id}, ${issue.id}, ${owner.id}, case n % 5 when 0 then 'referenced' else 'labeled' end,
      case n % 5 when 0 then '{}' else jsonb_build_object('label', jsonb_build_object('name', n::text, 'color', 'd73a4a')) end,
      timestamptz '2026-01-01' + n * interval '1 second',
      case n % 5 when 0 then lpad(n::text, 40, '0') end, case n % 5 when 0 then ${secret.id}::bigint end
    from generate_series(1, 60) n`.execute(db);
  await sql`
    insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
    select ${engine.id}, ${issue.id}, ${owner.id}, n::text, timestamptz '2026-01-01' + n * interval '3 seconds', now()
    from generate_series(1, 20) n
    `.execute(db);
  return { owner, other, path, client };
}

const numbersOf = (entries: Entry[]) =>
  entries.map(({ label, commit_id, body }) => (label || commit_id ? Number(label?.name ?? commit_id) : `comment ${body}`));
const numbers = Array.from({ length: 60 }, (_, index) => index + 1);

test.each([
  ['issues/1/events', numbers],
  ['issues/events', numbers.toReversed()],
  ['issues/1/timeline', numbers.flatMap((n) => (n % 3 === 0 ? [n, `comment ${n / 3}`] : [n]))],
])('each page of %s is full, and holds what the viewer may see', async (list, all) => {
  const { other, path, client } = await busyIssue();
  const visible = all.filter((entry) => typeof entry === 'string' || entry % 5 !== 0);
  for (const [who, expected] of [
    [client, visible],
    [await as(other), all],
  ] as const) {
    const found: (number | string)[] = [];
    let next: string | undefined = `${path}/${list}?per_page=7`;
    for (let page = 1; next !== undefined; page++) {
      const { body, headers } = await who.get(next);
      found.push(...numbersOf(body));
      const isLast = page === Math.ceil(expected.length / 7);
      expect(body).toHaveLength(isLast ? expected.length - 7 * (page - 1) : 7);
      if (!isLast) expect(headers.link).toContain(`page=${Math.ceil(expected.length / 7)}>; rel="last"`);
      next = isLast ? undefined : `${path}/${list}?per_page=7&page=${page + 1}`;
    }
    expect(found).toEqual(expected);
  }
});

test('a list takes as many statements for few events as for many, on any page', async () => {
  const { owner, path } = await busyIssue();
  for (const list of ['issues/1/events', 'issues/events', 'issues/1/timeline']) {
    const first = await statements(owner, `${path}/${list}?per_page=4`);
    expect(await statements(owner, `${path}/${list}?per_page=20`)).toBe(first);
    expect(await statements(owner, `${path}/${list}?per_page=4&page=9`)).toBe(first);
  }
});

test('with more comments than events, the pages of a timeline are the same', async () => {
  const { path, client } = await busyIssue();
  const { body } = await client.get(`${path}/issues/1/timeline?per_page=100`);
  await sql`update issues set comments_count = 1000 where number = 1`.execute(db);
  const pages = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map((page) => client.get(`${path}/issues/1/timeline?per_page=10&page=${page}`)),
  );
  expect(numbersOf(pages.flatMap((page) => page.body))).toEqual(numbersOf(body));
});

// How many events and comments there are, and how many times of either come together.
test.each([
  ['few events', 40, 1_300, 1, 3],
  ['few comments', 1_300, 40, 3, 1],
  ['as many of both, often at once', 700, 700, 50, 20],
  ['all events before all comments', 700, 700, 700, 1],
  ['all comments before all events', 700, 700, 1, 700],
])('the pages of a timeline are in one order: %s', async (_name, events, comments, eventsAtOnce, commentsPerBatch) => {
  const owner = await user();
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  const { body: issue } = await client.post(`${path}/issues`, { title: 'Busy' });
  const at = (atOnce: number) => sql`timestamptz '2026-01-01' + (n / ${atOnce}::int) * interval '1 second'`;
  await sql`
    insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
    select ${engine.id}, ${issue.id}, ${owner.id}, 'labeled',
      jsonb_build_object('label', jsonb_build_object('name', n::text, 'color', 'd73a4a')),
      ${at(eventsAtOnce)} from generate_series(1, ${events}::int) n`.execute(db);
  await sql`
    insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
    select ${engine.id}, ${issue.id}, ${owner.id}, n::text, ${at(commentsPerBatch)}, now()
    from generate_series(1, ${comments}::int) n`.execute(db);
  await sql`update issues set comments_count = ${comments} where id = ${issue.id}`.execute(db);
  const { rows } = await sql<{ entry: number | string }>`
    select entry from (
      select created_at, 1 as kind, id, to_jsonb((data -> 'label' ->> 'name')::int) as entry from issue_events
      where issue_id = ${issue.id}
      union all
      select created_at, 2, id, to_jsonb('comment ' || body) from issue_comments where issue_id = ${issue.id}
    ) as all_of_them order by created_at, kind, id`.execute(db);
  const pages = Array.from({ length: Math.ceil((events + comments) / 90) + 1 }, (_, index) => index + 1);
  const replies = await Promise.all(pages.map((page) => client.get(`${path}/issues/1/timeline?per_page=90&page=${page}`)));
  expect(numbersOf(replies.flatMap(({ body }) => body))).toEqual(rows.map(({ entry }) => entry));
});

test('past ten thousand events, each page still leads to the next', async () => {
  const { path, client, owner } = await busyIssue();
  await sql`
    insert into issue_events (repository_id, issue_id, actor_id, event, created_at)
    select repository_id, id, author_id, 'locked', now() from issues, generate_series(1, 10200)
    where repository_id = (select id from repositories where owner_id = ${owner.id})`.execute(db);
  const { headers } = await client.get(`${path}/issues/events?per_page=100&page=101`);
  expect(headers.link).toContain('page=102>; rel="next"');
  expect((await client.get(`${path}/issues/events?per_page=100&page=103`)).body).toHaveLength(48);
});

test.each(['', '?per_page=1', '?per_page=1&page=9'])('where there is nothing, the list is empty %s', async (query) => {
  const owner = await user();
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  await client.post(`${path}/issues`, { title: 'Quiet' });
  for (const list of ['issues/events', 'issues/1/events', 'issues/1/timeline'])
    expect(await client.get(`${path}/${list}${query}`)).toMatchObject({ status: 200, body: [] });
  expect((await client.get(`${path}/issues/2/events`)).status).toBe(404);
  await client.patch(path, { has_issues: false });
  for (const list of ['issues/events', 'issues/1/events', 'issues/1/timeline', 'issues/events/1'])
    expect((await client.get(`${path}/${list}${query}`)).status).toBe(410);
});
