import { sql } from 'kysely';
import { runDueJobs } from '#jobs/worker.ts';
import type { Id } from '#lib/id.ts';
import { listen } from '#server/listen.ts';
import { type Load, startClient } from '../requests/load.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

/** Notifying many watchers, reading a long inbox, and polling one. */
const watchers = 10_000;
const threads = 100_000;
const inRepositories = 200;
const pageLength = 50;

await using stage = await openStage();
const { db, hearth, token, owner } = stage;
const headers = { authorization: `Bearer ${token}` };

type Reply = { statusCode: number; payload: string; headers: Record<string, unknown> };

async function send(method: 'GET' | 'POST', path: string, more: { body?: object; since?: string } = {}): Promise<Reply> {
  const reply = await hearth.app.inject({
    method,
    url: `/api/v3${path}`,
    headers: { ...headers, ...(more.since === undefined ? {} : { 'if-modified-since': more.since }) },
    ...(more.body ? { payload: more.body } : {}),
  });
  if (reply.statusCode >= 400) throw new Error(`${method} ${path} is answered by ${reply.payload}`);
  return reply;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The times of a request. The first requests aren't measured. */
async function times(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let at = 0; at < count + 10; at++) all.push(await timeOf(work));
  return all.slice(10);
}

async function addWatchers(repository: Id<'repositories'>): Promise<void> {
  await sql`
    with made as (
      insert into accounts (kind, login, created_at, updated_at)
      select 'user', 'watcher-' || n, now(), now() from generate_series(1, ${watchers}::integer) n returning id
    )
    insert into repository_subscriptions (repository_id, account_id, created_at) select ${repository}, id, now()
    from made`.execute(db);
  await sql`analyze`.execute(db);
}

/** One comment that notifies all watchers, and how long concurrent requests of another user to the same process take. */
async function measureTelling(): Promise<void> {
  const { id } = await stage.addRepository('engine');
  await addWatchers(id);
  await send('POST', '/repos/bench/engine/issues', { body: { title: 'The pump leaks' } });
  const comment = async () => {
    await send('POST', '/repos/bench/engine/issues/1/comments', { body: { body: 'It does so here as well.' } });
    await runDueJobs(hearth.worker);
  };
  await runDueJobs(hearth.worker);
  const first = await timeOf(comment);
  const again: number[] = [];
  for (let at = 0; at < 9; at++) again.push(await timeOf(comment));
  printTable(
    ['one comment to 10,000 watchers', 'ms'],
    [
      ['the first (with everything else that follows a comment)', first],
      ['later ones, median', median(again)],
      ['later ones, slowest', quantile(again, 1)],
    ],
  );

  const url = await listen(hearth.app, { host: '127.0.0.1', port: 0 });
  using client = startClient();
  const load: Load = { url: `${url}/api/v3/repos/bench/engine/issues/1`, method: 'GET', token, requests: 2_000, connections: 4 };
  const measure = async (): Promise<number[]> => (await client.measure(load)).times;
  await measure();
  const alone = await measure();
  let isOver = false;
  const telling = (async () => {
    while (!isOver) await comment();
  })();
  const meanwhile = await measure();
  isOver = true;
  await telling;
  printTable(
    ['a foreground request (an issue, 4 connections)', 'median ms', 'p99 ms'],
    [
      ['nothing else', median(alone), quantile(alone, 0.99)],
      ['while comments are told all the time', median(meanwhile), quantile(meanwhile, 0.99)],
      ['ratio', median(meanwhile) / median(alone), quantile(meanwhile, 0.99) / quantile(alone, 0.99)],
    ],
  );
}

async function fillInbox(): Promise<void> {
  await sql`
    with made as (
      insert into repositories (owner_id, name, created_at, updated_at)
      select ${owner}, 'full-' || n, now(), now() from generate_series(1, ${inRepositories}::integer) n returning id
    ), opened as (
      insert into issues (repository_id, number, title, created_at, updated_at)
      select id, n, 'Number ' || n, now(), now()
      from made, generate_series(1, ${threads / inRepositories}::integer) n returning id, repository_id, number
    ), subjects as (
      insert into notification_subjects (repository_id, kind, issue_id)
      select repository_id, 'issue', id from opened returning id, repository_id, issue_id
    )
    insert into notification_threads (account_id, repository_id, subject_id, reason, event_id, unread, updated_at)
    select ${owner}, s.repository_id, s.id, 'subscribed', 0, number % 2 = 0, now() - number * interval '1 minute'
    from subjects s join opened on opened.id = s.issue_id`.execute(db);
  await sql`vacuum analyze notification_threads, notification_subjects`.execute(db);
}

async function measureInbox(): Promise<void> {
  const last = threads / pageLength;
  const cases: readonly (readonly [string, string])[] = [
    ['first page', '/notifications?all=true'],
    ['last page', `/notifications?all=true&page=${last}`],
    ['first page, unread', '/notifications'],
    ['last page, unread', `/notifications?page=${last / 2}`],
    ['last page, participating', '/notifications?all=true&participating=true'],
    ['a repository, first page', '/repos/bench/full-7/notifications?all=true&per_page=50'],
  ];
  const rows: (string | number)[][] = [];
  for (const [name, path] of cases) {
    const { length } = JSON.parse((await send('GET', path)).payload) as unknown[];
    const took = await times(100, () => send('GET', path));
    rows.push([name, `${length}`, median(took), quantile(took, 0.99)]);
  }
  printTable(['an inbox of 100,000 threads in 200 repositories', 'threads', 'median ms', 'p99 ms'], rows);
}

async function measurePolls(): Promise<void> {
  const first = await send('GET', '/notifications');
  const since = String(first.headers['last-modified']);
  const poll = async () => {
    const { statusCode } = await send('GET', '/notifications', { since });
    if (statusCode !== 304) throw new Error(`A poll is answered by ${statusCode}`);
  };
  const whole = await times(500, () => send('GET', '/notifications'));
  const polled = await times(500, poll);
  printTable(
    ['a poll', 'median ms', 'p99 ms'],
    [
      ['200, 50 threads', median(whole), quantile(whole, 0.99)],
      ['304', median(polled), quantile(polled, 0.99)],
      ['ratio', median(polled) / median(whole), quantile(polled, 0.99) / quantile(whole, 0.99)],
    ],
  );
}

await measureTelling();
await fillInbox();
await measureInbox();
await measurePolls();
