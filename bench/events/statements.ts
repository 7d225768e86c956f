/**
 * The statements that PostgreSQL runs for an everyday change and all its effects, according to its own log: the statements of the
 * request, of the transactions (`begin`, `commit`) and of the worker, which polls a few times a second.
 *
 *     npx node bench/events/statements.ts [--show story]
 */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { sql } from 'kysely';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import type { Change } from '#endpoint/scope.ts';
import { startWorker } from '#jobs/worker.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import { createClassicToken } from '#resources/identity/tokens/index.ts';
import { listen } from '#server/listen.ts';
import { printTable } from '../search/measure.ts';
import { openForBench } from '../support/hearth.ts';

const run = promisify(execFile);
const { values } = parseArgs({ options: { show: { type: 'string' } } });
const folder = await mkdtemp(join(tmpdir(), 'hearth-statements-'));
const data = join(folder, 'data');
const work = join(folder, 'work');
await mkdir(data);
await mkdir(work);
const postgres = await startEmbedded(data, { log_statement: 'all', log_line_prefix: '%a|' });
await migrate(postgres.address);
const hearth = await openForBench(postgres.address, folder);
const { db } = hearth.database;
const worker = await startWorker(hearth.worker);

/** The statements in the log so far. */
async function logged(): Promise<string[]> {
  const text = await readFile(join(data, 'postgres/server.log'), 'utf8');
  return text.split('\n').filter((line) => /\bLOG: {2}(statement|execute [^:]*):/.test(line));
}

/** Waits until no work that events started is due. These polls aren't counted. */
async function settled(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waits: boolean }>`
      select /* settled */ exists (select from undispatched_events) or exists (select from event_deliveries)
        or exists (select from jobs.jobs where run_at <= now()) as waits`.execute(db);
    if (!rows[0]?.waits) return;
    await pause(20);
  }
}

const api = async (method: string, path: string, body?: object): Promise<{ number: number }> => {
  const reply = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply.status === 204 ? { number: 0 } : ((await reply.json()) as { number: number });
};
const git = (...args: string[]) =>
  run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: work });
const commit = (message: string) => git('commit', '-q', '--allow-empty', '-m', message);

const url = await listen(hearth.app, { host: '127.0.0.1', port: 0 });
const now = new Date();
const doChange: Change = (work) => changeWithoutRequest({ db, services: hearth.services, now }, work);
const user = await doChange((scope) => createUser(scope, { login: 'ada', now }));
const { login } = await doChange((scope) => createOrganization(scope, { login: 'acme', owner: user, now }));
const scopes = ['repo', 'admin:org', 'workflow'] as const;
const { token } = await doChange((scope) => createClassicToken(scope, { user, scopes: [...scopes], name: '', now }));
const base = `/repos/${login}/engine`;

try {
  await api('POST', `/orgs/${login}/repos`, { name: 'engine', private: true });
  await git('init', '-q', '-b', 'main');
  await git('remote', 'add', 'origin', `${url.replace('//', `//x:${token}@`)}/${login}/engine.git`);
  await commit('one');
  await git('push', '-q', 'origin', 'main');
  const push = async (count: number, branch = 'main') => {
    for (let at = 0; at < count; at++) await commit(`change ${at}`);
    return () => git('push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
  };
  await (await push(1, 'topic'))();
  const { number } = await api('POST', `${base}/pulls`, { title: 'Merge', head: 'topic', base: 'main' });
  // The first request of each kind fills the caches.
  await api('POST', `${base}/issues`, { title: 'First' });
  await api('POST', `${base}/issues/${number}/comments`, { body: 'First' });

  const sha = (await git('rev-parse', 'origin/main')).stdout.trim();
  const stories: [string, () => Promise<() => Promise<unknown>>][] = [
    ['a push of a commit to a branch with a pull request', () => push(1, 'topic')],
    ['a merge', async () => () => api('PUT', `${base}/pulls/${number}/merge`, {})],
    ['a new issue', async () => () => api('POST', `${base}/issues`, { title: 'The pump leaks' })],
    ['a new comment', async () => () => api('POST', `${base}/issues/${number}/comments`, { body: 'It does' })],
    ['a new release', async () => () => api('POST', `${base}/releases`, { tag_name: 'v1' })],
    ['a status', async () => () => api('POST', `${base}/statuses/${sha}`, { state: 'success' })],
    ['a star', async () => () => api('PUT', `/user/starred/${login}/engine`)],
    [
      'a push of a commit',
      async () => {
        await git('pull', '-q', '--rebase', 'origin', 'main');
        return push(1);
      },
    ],
    ['a push of 100 commits', () => push(100)],
  ];
  const rows: [string, number][] = [];
  for (const [name, prepare] of stories) {
    await settled();
    const story = await prepare();
    await pause(300);
    await settled();
    const before = (await logged()).length;
    await story();
    await settled();
    await pause(100);
    const lines = (await logged()).slice(before).filter((line) => !line.includes('/* settled */'));
    rows.push([name, lines.length]);
    if (values.show === name) console.log(lines.join('\n'));
  }
  printTable(['story', 'statements'], rows);
} finally {
  await worker.stop();
  await hearth[Symbol.asyncDispose]();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
