/**
 * Lists the runs of a repository with very many runs, complete and filtered, the first page and a late one, over HTTP from a
 * client process, one request at a time. The goal is 20 ms. docs/performance.md has the figures.
 *
 *     npx node bench/workflows/listing.ts [--runs 100000] [--requests 200]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { runDueJobs } from '#jobs/worker.ts';
import { startClient } from '../requests/load.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '200' },
  },
});
const runs = Number(values.runs);
const requests = Number(values.requests);
/** Pages of a list extend as far as its total is counted. */
const latePage = Math.floor(Math.min(runs, 10_000) / 30);

const workflow = `on: workflow_dispatch
jobs:
  job:
    runs-on: ubuntu-latest
    steps:
      - run: "true"
`;

await using stage = await openStage();
const { app } = stage.hearth;
const api = `${await app.listen({ port: 0, host: '127.0.0.1' })}/api/v3`;
const { token } = stage;

async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const reply = await fetch(api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (reply.status === 204 ? undefined : await reply.json()) as Reply;
}

/** Copies the only existing run, spread over a year, as if it came from twenty branches, three actors and four events. */
async function fill(): Promise<void> {
  const { db } = stage;
  const actors = [stage.owner, await stage.addAccount('reader'), await stage.addAccount('writer')];
  const replaced: Record<string, string> = {
    run_number: 'n + 1',
    event_id: 'null',
    event: "(array['push', 'pull_request', 'schedule', 'workflow_dispatch'])[1 + n % 4]",
    status: "case when n % 1000 = 0 then 'queued' else 'completed' end",
    conclusion: "case when n % 1000 = 0 then null when n % 7 = 0 then 'failure' else 'success' end",
    head_branch: "'branch-' || n % 20",
    head_sha: "md5(n::text) || '01234567'",
    actor_id: `(array[${actors.join(', ')}]::bigint[])[1 + n % 3]`,
    created_at: 'run.created_at - make_interval(mins => 5 * (n + 1))',
  };
  const columns = await sql<{ name: string }>`
    select column_name as name from information_schema.columns where table_name = 'workflow_runs' and is_identity = 'NO'`.execute(
    db,
  );
  const names = columns.rows.map(({ name }) => name);
  const made = names.map((name) => replaced[name] ?? `run.${name}`);
  await sql`
    insert into workflow_runs (${sql.raw(names.join(', '))})
    select ${sql.raw(made.join(', '))} from workflow_runs run, generate_series(1, ${sql.lit(runs - 1)}) n`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

const repository = await call<{ full_name: string; default_branch: string }>('POST', '/user/repos', {
  name: 'engine',
  auto_init: true,
});
const base = `/repos/${repository.full_name}`;
await call('PUT', `${base}/contents/.github/workflows/ci.yml`, {
  message: 'Workflow',
  content: Buffer.from(workflow).toString('base64'),
});
await runDueJobs(stage.hearth.worker); // reads the workflow file
await call('POST', `${base}/actions/workflows/ci.yml/dispatches`, { ref: repository.default_branch });
await fill();

const list = `${base}/actions/runs`;
const day = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
const asked: readonly [string, string][] = [
  ['all', list],
  ['all, 100 a page', `${list}?per_page=100`],
  ['all, a late page', `${list}?page=${latePage}`],
  ['of a workflow', `${base}/actions/workflows/ci.yml/runs`],
  ['of a branch', `${list}?branch=branch-7`],
  ['of an event', `${list}?event=push`],
  ['of an actor', `${list}?actor=reader`],
  ['of a status that few have', `${list}?status=queued`],
  ['of a conclusion', `${list}?status=failure`],
  ['since a day', `${list}?created=%3E%3D${day}`],
  ['of a branch, an event and a conclusion', `${list}?branch=branch-7&event=workflow_dispatch&status=failure`],
];
using client = startClient();
const rows: string[][] = [];
for (const [name, path] of asked) {
  const { total_count: total } = await call<{ total_count: number }>('GET', path);
  if (total === 0) throw new Error(`${path} found nothing`);
  const load = { method: 'GET', url: api + path, token, connections: 1 };
  await client.measure({ ...load, requests: 20 });
  const { times } = await client.measure({ ...load, requests });
  rows.push([name, String(total), median(times).toFixed(1), quantile(times, 0.99).toFixed(1), Math.max(...times).toFixed(1)]);
}
console.log(`${runs} runs of one repository; load ${loadavg()[0]?.toFixed(1)}`);
printTable(['runs', 'total', 'ms: median', 'p99', 'most'], rows);
