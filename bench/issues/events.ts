import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { median, printTable, quantile, type Times } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

/**
 * The first page and a late one of long lists of issue events, for one issue and for a repository. Use `--events 10000` for a
 * shorter run.
 */
const { values } = parseArgs({
  options: { events: { type: 'string', default: '100000' }, requests: { type: 'string', default: '50' } },
});
const events = Number(values.events);
const requests = Number(values.requests);
const perPage = 30;
/** With the default numbers, page 3,000 of 100,000 events. */
const late = Math.floor((events * 0.9) / perPage);

await using stage = await openStage();

type Contents = { name: string; comments: number; hidden: number };
const kinds: Contents[] = [
  { name: 'busy', comments: 0, hidden: 0 },
  { name: 'discussed', comments: events / 100, hidden: 0 },
  { name: 'referred', comments: 0, hidden: events / 100 },
  { name: 'halves', comments: events / 2, hidden: 0 },
];

/** Fills a repository with one issue and its events. The reader may not see the source of the hidden ones. */
async function fill({ name, comments, hidden }: Contents): Promise<void> {
  const { id } = await stage.addRepository(name);
  const secret = await stage.addRepository(`${name}-secret`);
  const other = await stage.addAccount(`${name}-other`);
  await sql`update repositories set visibility = 'private', owner_id = ${other} where id = ${secret.id}`.execute(stage.db);
  const { rows } = await sql<{ id: number }>`
    insert into issues (repository_id, number, title, author_id, comments_count, created_at, updated_at)
    values (${id}, 1, 'Busy', ${stage.owner}, ${comments}, now(), now()) returning id`.execute(stage.db);
  const issue = rows[0]?.id;
  await sql`
    insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
    select ${id}, ${issue}, ${stage.owner}, 'labeled', '{"label": {"name": "bug", "color": "d73a4a"}}',
      timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, ${events - comments}::int) n`.execute(stage.db);
  await sql`
    insert into issue_events (repository_id, issue_id, actor_id, event, commit_id, created_at, source_repository_id)
    select ${id}, ${issue}, ${stage.owner}, 'referenced', repeat('a', 40),
      timestamptz '2026-01-01' + n * interval '100 seconds', ${secret.id} from generate_series(1, ${hidden}::int) n`.execute(
    stage.db,
  );
  await sql`
    insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
    select ${id}, ${issue}, ${stage.owner}, 'It does so here, too.', timestamptz '2026-01-01' + n * interval '1 second', now()
    from generate_series(1, ${comments}::int) n`.execute(stage.db);
}

async function timesOf(path: string): Promise<Times> {
  const times: Times = [];
  const headers = { authorization: `Bearer ${stage.token}` };
  for (let at = -5; at < requests; at++) {
    const begun = performance.now();
    const reply = await stage.hearth.app.inject({ url: `/api/v3${path}`, headers });
    if (reply.statusCode !== 200 || reply.json<unknown[]>().length !== perPage)
      throw new Error(`${path} is answered by ${reply.payload.slice(0, 200)}`);
    if (at >= 0) times.push(performance.now() - begun);
  }
  return times;
}

for (const kind of kinds) await fill(kind);
await sql`vacuum analyze`.execute(stage.db);
const lists: [string, string][] = [
  ['of an issue', 'busy/issues/1/events'],
  ['of a repository', 'busy/issues/events'],
  ['of an issue, 1 in 100 hidden', 'referred/issues/1/events'],
  ['of a repository, 1 in 100 hidden', 'referred/issues/events'],
  ['timeline', 'busy/issues/1/timeline'],
  ['timeline, 1 in 100 a comment', 'discussed/issues/1/timeline'],
  ['timeline, half of it comments', 'halves/issues/1/timeline'],
];
const table: (string | number)[][] = [];
for (const [name, path] of lists) {
  const [first, last] = [await timesOf(`/repos/bench/${path}`), await timesOf(`/repos/bench/${path}?page=${late}`)];
  table.push([name, median(first), quantile(first, 0.95), median(last), quantile(last, 0.95)]);
}
printTable([`${events} events, ms`, 'page 1', 'p95', `page ${late}`, 'p95'], table);
