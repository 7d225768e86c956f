import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { countStatements } from '#database/client.ts';
import { startWorker } from '#jobs/worker.ts';
import { listen } from '#server/listen.ts';
import { startClient } from '../requests/load.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';
import { processorTimeOf } from '../support/processes.ts';

/**
 * The cost of new issues with all their effects: a hook and a watcher are notified, and the issues are indexed and embedded. This
 * process is the server and its worker. Nothing is sent to the hook. Use `--issues 200` for a shorter run.
 */
const { values } = parseArgs({
  options: { issues: { type: 'string', default: '1000' }, connections: { type: 'string', default: '8' } },
});
const count = Number(values.issues);
const connections = Number(values.connections);
const warmUp = 100;
const issue = { title: 'The pump leaks', body: 'It does so after an hour of rain.', labels: ['bug'], assignees: ['bench'] };

await using stage = await openStage();
const { db, hearth } = stage;
const postmaster = Number((await readFile(join(stage.folder, 'data/postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);

/** Processor time in milliseconds. */
async function processorTimes(): Promise<{ node: number; postgres: number }> {
  const { user, system } = process.cpuUsage();
  return { node: (user + system) / 1_000, postgres: await processorTimeOf(postmaster) };
}

/** Waits until no work that events started is due. */
async function settled(): Promise<void> {
  const waits = async () => {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from undispatched_events) or exists (select from event_deliveries)
        or exists (select from jobs.jobs where run_at <= now()) as waits`.execute(db);
    return rows[0]?.waits;
  };
  while (await waits()) await sleep(25);
}

const { id } = await stage.addRepository('engine');
const watcher = await stage.addAccount('watcher');
await sql`insert into repository_subscriptions (repository_id, account_id, created_at) values (${id}, ${watcher}, now())`.execute(
  db,
);
await sql`insert into webhooks (repository_id, url, events, content_type, base_url, created_at, updated_at)
  values (${id}, 'http://127.0.0.1:9/', '{issues}', 'json', 'http://hearth.example', now(), now())`.execute(db);
const url = `${await listen(hearth.app, { host: '127.0.0.1', port: 0 })}/api/v3/repos/bench/engine/issues`;
using client = startClient();
const send = (requests: number) =>
  client.measure({ url, method: 'POST', token: stage.token, body: JSON.stringify(issue), requests, connections });

const { statements } = await countStatements(async () => {
  const loops = (hearth.worker.loops ?? []).filter(({ name }) => name !== 'webhooks.deliver');
  const worker = await startWorker({ ...hearth.worker, loops });
  await send(warmUp);
  await settled();
  const before = await processorTimes();
  const { times, milliseconds } = await send(count);
  const sent = performance.now();
  await settled();
  const after = await processorTimes();
  const node = after.node - before.node;
  const postgres = after.postgres - before.postgres;
  printTable(
    [`${count} new issues`, ''],
    [
      ['requests/s', (count / milliseconds) * 1_000],
      ['median ms', median(times)],
      ['p99 ms', quantile(times, 0.99)],
      ['ms from the last reply until nothing waits', performance.now() - sent],
      ['processor ms of Node, for each issue', node / count],
      ['processor ms of PostgreSQL, for each issue', postgres / count],
      ['both', (node + postgres) / count],
    ],
  );
  await worker.stop();
});
const { rows } = await sql<{ indexed: number; threads: number; deliveries: number }>`select
  (select count(*) from issue_documents) as indexed, (select count(*) from notification_threads) as threads,
  (select count(*) from webhook_deliveries) as deliveries`.execute(db);
printTable(
  ['statements of the worker, for each issue', (statements.length / (count + warmUp)).toFixed(1)],
  Object.entries(rows[0] ?? {}).map(([what, number]) => [what, `${number}`]),
);
