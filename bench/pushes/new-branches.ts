/**
 * Pushes many new branches together, to a server and to `file://`, and measures the processor time of the receiver: git alone, or
 * the server with its PostgreSQL and git, until the push is answered and until its events are done.
 *
 *     npx node bench/pushes/new-branches.ts [refs]
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { openDatabase } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { processorTimeOf } from '../support/processes.ts';

const run = promisify(execFile);
const refs = Number(process.argv[2] ?? 5_000);
const scopes = process.argv[3] === 'inspected' ? ['repo'] : ['repo', 'workflow'];
const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
const folder = await mkdtemp(join(tmpdir(), 'hearth-new-branches-'));
const data = join(folder, 'data');
const work = join(folder, 'work');
await mkdir(data);
await mkdir(work);

const hearth = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [entry, ...args, '--data', data, '--log', 'silent'])).stdout.trim();
const identity = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
async function git(cwd: string, args: string[], input?: string): Promise<string> {
  const promise = run('git', args, { cwd, env: { ...process.env, ...identity, GIT_TERMINAL_PROMPT: '0' }, maxBuffer: 1e9 });
  promise.child.stdin?.end(input);
  return (await promise).stdout.trim();
}
const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;

const embedded = await startEmbedded(data);
const postgres = Number((await readFile(join(data, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
const serve = [entry, 'serve', '--port', '0', '--ssh-port', 'off', '--pages-port', 'off', '--data', data];
const server = spawn(process.execPath, serve, { stdio: ['ignore', 'pipe', 'pipe'] });
const database = openDatabase(embedded.address);
try {
  const url = await new Promise<string>((resolve) => {
    let said = '';
    const read = (chunk: Buffer): void => {
      said += chunk;
      const found = /^Hearth listens on (\S+)/m.exec(said)?.[1];
      if (found) resolve(found);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
  });
  await hearth('user', 'create', 'ada');
  const scopeFlags = scopes.flatMap((scope) => ['--scope', scope]);
  const token = await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', ...scopeFlags, '--quiet');
  await hearth('repo', 'create', 'ada/engine');
  await git(work, ['init', '-q', '-b', 'main']);
  await git(work, ['commit', '-q', '--allow-empty', '-m', 'one']);
  await git(work, ['push', '-q', `${url.replace('//', `//x:${token}@`)}/ada/engine.git`, 'main']);
  const one = await git(work, ['rev-parse', 'HEAD']);
  const plain = join(folder, 'plain.git');
  await git(folder, ['clone', '-q', '--bare', work, plain]);
  const pack = run('git', ['pack-objects', '--stdout', '--revs', '-q'], { cwd: work, encoding: 'buffer' });
  pack.child.stdin?.end(`${one}\n`);
  const lines = Array.from({ length: refs }, (_, at) =>
    packet(`${'0'.repeat(40)} ${one} refs/heads/b${at}${at === 0 ? '\0 report-status' : ''}`),
  );
  const body = Buffer.concat([Buffer.from(`${lines.join('')}0000`), (await pack).stdout]);

  const own = process.resourceUsage();
  const alone = performance.now();
  const before = await processorTimeOf(process.pid);
  const receiving = run('git', ['receive-pack', '--stateless-rpc', plain], { cwd: folder, maxBuffer: 1e9 });
  receiving.child.stdin?.end(body);
  await receiving;
  const used = process.resourceUsage();
  const mine = (used.userCPUTime - own.userCPUTime + used.systemCPUTime - own.systemCPUTime) / 1_000;
  const ofGit = (await processorTimeOf(process.pid)) - before - mine;
  report('git alone', performance.now() - alone, ofGit);

  await quiet();
  const transactionsBefore = await transactions();
  const start = performance.now();
  const first = await processorTimeOf(server.pid ?? 0, postgres);
  const reply = await fetch(`${url}/ada/engine.git/git-receive-pack`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-git-receive-pack-request' },
    body,
  });
  const text = await reply.text();
  const done = text.split('ok refs/').length - 1;
  if (done !== refs) throw new Error(`${done} of ${refs} branches were made: ${reply.status} ${text.slice(0, 500)}`);
  // Its events start immediately, and don't belong to the reply.
  server.kill('SIGSTOP');
  const ms = performance.now() - start;
  const answered = await processorTimeOf(server.pid ?? 0, postgres);
  report('server, until its answer', ms, answered - first);
  server.kill('SIGCONT');
  await quiet();
  const all = await processorTimeOf(server.pid ?? 0, postgres);
  report('server, until its events are done', performance.now() - start, all - first);
  process.stdout.write(`transactions of the push and its events: ${(await transactions()) - transactionsBefore}\n`);
} finally {
  await database.close();
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

function report(what: string, ms: number, processor: number): void {
  process.stdout.write(
    `${refs} branches, ${what}: ${(ms / 1_000).toFixed(1)} s, processor time ${(processor / 1_000).toFixed(2)} s\n`,
  );
}

/** The number of database transactions so far. A statement outside of a transaction counts as one. */
async function transactions(): Promise<number> {
  await pause(2_000); // statistics are delayed
  const { rows } = await sql<{ count: number }>`select (xact_commit + xact_rollback)::int as count
    from pg_stat_database where datname = current_database()`.execute(database.db);
  return rows[0]?.count ?? 0;
}

/** Waits until no event is undispatched and no job is due. */
async function quiet(): Promise<void> {
  for (let calm = 0; calm < 5; ) {
    await pause(400);
    const { rows } = await sql<{ busy: boolean }>`select exists (select from undispatched_events)
      or exists (select from event_deliveries) or exists (select from jobs._private_jobs where run_at <= now()) as busy`.execute(
      database.db,
    );
    calm = rows[0]?.busy === false ? calm + 1 : 0;
  }
}
