import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findEvent } from '#events/read.ts';
import { fanOutIssueEvents } from '#resources/platform/notifications/jobs.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage, reasonsIn, threadStatuses } from './stage.ts';

const w = await world();
const later = (seconds: number) => {
  w.clock.now = new Date(w.clock.now.getTime() + seconds * 1_000);
};
const titles = (rows: { title: string }[]) => rows.map(({ title }) => title);

test('a thread tells its repository, its subject, and the latest comment for as long as that is there', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, comment, base, repo } = await makeStage(w, ada);
  const asAda = await w.as(ada);
  const issue = await open(bob);
  const api = `${w.url}/api/v3`;
  const [opened] = (await asAda.get('/notifications')).body;
  const url = `${api}/notifications/threads/${opened.id}`;
  expect(opened).toMatchObject({ url, subscription_url: `${url}/subscription`, reason: 'subscribed', unread: true });
  expect(opened.repository).toMatchObject({ id: repo.id, full_name: `${ada.login}/${repo.name}`, url: `${api}${base}` });
  expect(opened.subject).toEqual({
    title: 'The pump leaks',
    url: `${api}${issue}`,
    latest_comment_url: `${api}${issue}`,
    type: 'Issue',
  });
  expect((await asAda.get(`/notifications/threads/${opened.id}`)).body).toEqual(opened);
  const made = await comment(bob, issue);
  const [commented] = (await asAda.get('/notifications')).body;
  expect(commented).toMatchObject({ id: opened.id, subject: { latest_comment_url: made.url } });
  await asAda.patch(issue, { title: 'The pump leaks badly' });
  await asAda.delete(made.url.slice(api.length));
  const [now] = (await asAda.get('/notifications')).body;
  expect(now.subject).toMatchObject({ title: 'The pump leaks badly', latest_comment_url: `${api}${issue}` });
});

test('queries: all, participating, since, before, and pages', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, comment, base } = await makeStage(w, ada);
  const asAda = await w.as(ada);
  const times: string[] = [];
  for (const title of ['one', 'two', 'three']) {
    later(60);
    times.push(w.clock.now.toISOString());
    await open(bob, { title });
  }
  later(60);
  const own = await open(ada, { title: 'own' });
  await comment(bob, own);
  const ask = async (query: string, path = '/notifications') => titles(await inbox(asAda, `${path}?${query}`));
  const [first] = (await inbox(asAda)).slice(-1);
  await asAda.patch(`/notifications/threads/${first?.id}`);
  expect(await ask('')).toEqual(['own', 'three', 'two']);
  expect(await ask('all=true')).toEqual(['own', 'three', 'two', 'one']);
  expect(await ask('participating=true')).toEqual(['own']);
  expect(await ask(`all=true&since=${times[1]}`)).toEqual(['own', 'three', 'two']);
  expect(await ask(`all=true&before=${times[1]}`)).toEqual(['one']);
  expect(await ask(`since=${times[1]}&before=${times[2]}`)).toEqual(['two']);
  expect(await ask('all=true&per_page=3&page=2')).toEqual(['one']);
  expect(await ask('participating=true', `${base}/notifications`)).toEqual(['own']);
  expect(await ask('all=true&per_page=3&page=2', `${base}/notifications`)).toEqual(['one']);
  const other = await makeStage(w, ada);
  expect(await ask('all=true', `${other.base}/notifications`)).toEqual([]);
  const { headers } = await asAda.get('/notifications?all=true&per_page=3');
  expect(headers.link).toContain('page=2>; rel="last"');
});

test('pages hold 50 at most, and 30 to 100 for a repository; for one thread and for fifty the same statements are sent', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, base, repo } = await makeStage(w, ada);
  await open(bob);
  const counts = async () => [
    await w.statements(ada, '/notifications'),
    await w.statements(ada, `${base}/notifications?per_page=50`),
  ];
  const few = await counts();
  const many = await Promise.all(Array.from({ length: 70 }, () => w.repo(ada)));
  await sql`
    with invitations as (
      insert into notification_subjects (repository_id, kind)
      select id, 'invitation' from repositories where id = any (${many.map(({ id }) => id)}) returning id, repository_id
    )
    insert into notification_threads (account_id, repository_id, subject_id, reason, event_id, updated_at)
    select ${ada.id}, repository_id, id, 'subscribed', 0, ${w.clock.now} from invitations`.execute(w.db);
  await sql`
    with made as (
      insert into issues (repository_id, number, title, created_at, updated_at)
      select ${repo.id}, n, 'No ' || n, ${w.clock.now}, ${w.clock.now} from generate_series(1000, 1120) n returning id
    ), subjects as (
      insert into notification_subjects (repository_id, kind, issue_id) select ${repo.id}, 'issue', id from made returning id
    )
    insert into notification_threads (account_id, repository_id, subject_id, reason, event_id, updated_at)
    select ${ada.id}, ${repo.id}, id, 'subscribed', 0, ${w.clock.now} from subjects`.execute(w.db);
  expect(await counts()).toEqual(few);
  const client = await w.as(ada);
  const length = async (path: string) => (await client.get(path)).body.length;
  expect(await length('/notifications')).toBe(50);
  expect(await length('/notifications?per_page=100')).toBe(50);
  expect(await length(`${base}/notifications`)).toBe(30);
  expect(await length(`${base}/notifications?per_page=200`)).toBe(100);
  expect((await client.get('/notifications')).headers.link).toContain('page=4>; rel="last"');
});

test.each(['since', 'before'])('%s that is no time is refused, naming the field', async (field) => {
  const ada = await w.user();
  const { base } = await makeStage(w, ada);
  const client = await w.as(ada);
  for (const path of ['/notifications', `${base}/notifications`])
    for (const text of ['yesterday', '2026-13-01T00:00:00Z', '2016-12-31T23:59:60Z'])
      expect(await client.get(`${path}?${field}=${text}`)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
});

test('a last_read_at that is no time is refused', async () => {
  const client = await w.as(await w.user());
  for (const last_read_at of ['now', '2016-12-31T23:59:60Z', 7])
    expect(await client.put('/notifications', { last_read_at })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'last_read_at' }] },
    });
});

test('what somebody may not read any more is gone at once, from counts too, and is there again with the access', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, comment, base } = await makeStage(w, ada);
  const other = await makeStage(w, ada);
  const [asAda, asBob] = [await w.as(ada), await w.as(bob)];
  await comment(ada, await open(bob, { title: 'here' }));
  await comment(ada, await open(bob, { title: 'here, too' }));
  await other.comment(ada, await other.open(bob, { title: 'there' }));
  const hidden = (await inbox(asBob)).find(({ title }) => title === 'here');
  const path = `/notifications/threads/${hidden?.id}`;

  await asAda.patch(base, { visibility: 'private' });
  const paged = await asBob.get('/notifications?per_page=1');
  expect(paged.body).toMatchObject([{ subject: { title: 'there' } }]);
  expect(paged.headers.link).toBeUndefined();
  expect((await asBob.get(`${base}/notifications`)).status).toBe(404);
  expect(await threadStatuses(asBob, path)).toEqual([404, 404, 404, 404, 404, 404]);

  await asAda.patch(base, { visibility: 'public' });
  expect(titles(await inbox(asBob)).toSorted()).toEqual(['here', 'here, too', 'there']);
});

test('nobody is told who may not read, as strangers who watched once, or who are mentioned', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const org = await w.org(ada);
  const repo = await w.repo(org, { visibility: 'private', by: ada });
  await w.collaborator(repo, bob, 'read');
  const watched = { repository_id: repo.id, created_at: w.clock.now };
  await w.db
    .insertInto('repository_subscriptions')
    .values([bob, eve].map(({ id }) => ({ ...watched, account_id: id })))
    .execute();
  await (await w.as(ada)).post(`/repos/${org.login}/${repo.name}/issues`, {
    title: 'Secret',
    body: `@${eve.login}`,
  });
  await w.settle();
  expect(await reasonsIn(await w.as(bob))).toEqual(['subscribed']);
  const told = await w.db.selectFrom('notification_threads').select('account_id').where('repository_id', '=', repo.id).execute();
  expect(told).toEqual([{ account_id: bob.id }]);
});

test('a deleted repository takes its threads along', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { open, comment, base } = await makeStage(w, ada);
  await comment(ada, await open(bob));
  const asBob = await w.as(bob);
  const { headers } = await asBob.get('/notifications');
  await (await w.as(ada)).delete(base);
  const after = await asBob.get('/notifications', { headers: { 'if-modified-since': headers['last-modified'] ?? '' } });
  expect(after).toMatchObject({ status: 200, body: [] });
});

test('what follows at once is told too, in whichever order the events are seen to', async () => {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const { base } = await makeStage(w, ada);
  const [asBob, asEve] = [await w.as(bob), await w.as(eve)];
  const { body: issue } = await asBob.post(`${base}/issues`, { title: 'The pump leaks' });
  const comments = `${base}/issues/${issue.number}/comments`;
  await asEve.post(comments, { body: 'It does so here as well.' });
  await asBob.post(comments, { body: 'Since when?' });
  const { body: last } = await (await w.as(ada)).post(comments, { body: 'Since yesterday.' });
  const deliveries = await w.db
    .selectFrom('events')
    .select('id')
    .where('kind', 'in', ['issue.opened', 'issue_comment.created'])
    .orderBy('id', 'desc')
    .limit(4)
    .execute();
  const context = w.jobContext();
  for (const { id } of deliveries) await fanOutIssueEvents.runAll([(await findEvent(w.db, id)) as never], context);
  for (const client of [asBob, asEve]) {
    const [thread] = (await client.get('/notifications')).body;
    expect(thread.subject.latest_comment_url).toBe(last.url);
  }
  expect(await reasonsIn(asEve)).toEqual(['comment']);
});

test('thousands of watchers are told by a few statements, each once, also where the job begins again', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const { base, repo } = await makeStage(w, ada);
  const count = 2_500;
  await sql`
    with made as (
      insert into accounts (kind, login, created_at, updated_at)
      select 'user', 'watcher-' || n, ${w.clock.now}, ${w.clock.now} from generate_series(1, ${count}::integer) n returning id
    )
    insert into repository_subscriptions (repository_id, account_id, created_at) select ${repo.id}, id, ${w.clock.now}
    from made`.execute(w.db);
  await (await w.as(bob)).post(`${base}/issues`, { title: 'The pump leaks' });
  await w.settle();
  const summary = async () => {
    const { rows } = await sql<{ threads: number; unread: number; inboxes: number }>`
      select count(*) as threads, count(*) filter (where unread) as unread,
        (select count(*) from notification_inboxes where account_id in (
          select account_id from notification_threads where repository_id = ${repo.id})) as inboxes
      from notification_threads where repository_id = ${repo.id}`.execute(w.db);
    return rows[0];
  };
  expect(await summary()).toEqual({ threads: count + 1, unread: count + 1, inboxes: count + 1 });
  await (await w.as(ada)).put('/notifications');
  const event = await w.db
    .selectFrom('events')
    .select('id')
    .where('kind', '=', 'issue.opened')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  await sql`select jobs.add_job('notifications.fan-out', ${JSON.stringify({ event: event.id })}::json)`.execute(w.db);
  await w.settle();
  expect(await summary()).toEqual({ threads: count + 1, unread: count, inboxes: count + 1 });
});
