/**
 * Exports a repository with a migration, and for comparison with `git bundle` and `tar czf`. Measures time and memory.
 *
 *     npx node bench/migrations/export.ts [megabytes] [issues]
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { clientConfig } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { startServing } from '../support/serving.ts';

const run = promisify(execFile);
const [megabytes = 400, issues = 20_000] = process.argv.slice(2).map(Number);
const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
const folder = await mkdtemp(join(tmpdir(), 'hearth-export-'));
const [data, work, aside] = ['data', 'work.git', 'aside'].map((name) => join(folder, name)) as [string, string, string];
await Promise.all([mkdir(data), mkdir(work), mkdir(aside)]);

const hearth = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [entry, ...args, '--data', data, '--log', 'silent'])).stdout.trim();
const seconds = async (task: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await task();
  return (performance.now() - start) / 1_000;
};

/** Makes a repository. Half of it is incompressible, like images. The other half is text in several versions. */
async function makeRepository(): Promise<void> {
  await run('git', ['init', '-q', '--bare', '-b', 'main', work]);
  const importing = spawn('git', ['fast-import', '--quiet'], { cwd: work, stdio: ['pipe', 'inherit', 'inherit'] });
  const write = async (chunk: string | Buffer): Promise<void> => {
    if (!importing.stdin.write(chunk)) await once(importing.stdin, 'drain');
  };
  const words = Array.from({ length: 4_000 }, () => randomBytes(4).toString('hex'));
  for (let at = 0; at < megabytes; at++) {
    const isText = at % 2 === 1;
    const content = isText
      ? Buffer.from(Array.from({ length: 110_000 }, () => words[Math.floor(Math.random() * words.length)]).join(' '))
      : randomBytes(1024 * 1024);
    await write(`commit refs/heads/main\ncommitter a <a@example.org> ${1_700_000_000 + at} +0000\ndata 6\nCommit\n`);
    await write(`M 100644 inline ${isText ? 'text' : 'images'}/${at}\ndata ${content.length}\n`);
    await write(content);
    await write('\n');
  }
  importing.stdin.end();
  await once(importing, 'exit');
}

/** Resident bytes of a process: the current value, and the maximum since the last call of `forget`. */
async function memoryOf(pid: number): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string): number => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
}
const forget = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');

const server = await startServing(data);
try {
  await makeRepository();
  await hearth('user', 'create', 'ada');
  const token = await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', '--scope', 'repo', '--quiet');
  await hearth('import', work, 'ada/engine');
  const { address } = await startEmbedded(data); // the one that the server started
  const client = new pg.Client(clientConfig(address));
  await client.connect();
  const body = 'It leaks when it rains, and when it does not, it stalls. '.repeat(20);
  await client.query(
    `insert into issues (repository_id, number, title, body, author_id, created_at, updated_at)
      select r.id, n, 'Issue ' || n, $2, r.owner_id, now(), now() from repositories r, generate_series(1, $1::int) n`,
    [issues, body],
  );
  await client.query(`insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
    select i.repository_id, i.id, i.author_id, i.body, now(), now() from issues i, generate_series(1, 3)`);
  await client.end();

  const pid = server.process.pid ?? 0;
  const ask = async (path: string, options: RequestInit = {}): Promise<Response> =>
    fetch(`${server.url}/api/v3${path}`, { ...options, headers: { authorization: `Bearer ${token}` } });
  await ask('/user/migrations');
  await pause(5_000);
  const idle = (await memoryOf(pid)).now;
  await forget(pid);
  let id = 0;
  const exporting = await seconds(async () => {
    const wanted = JSON.stringify({ repositories: ['ada/engine'] });
    ({ id } = (await (await ask('/user/migrations', { method: 'POST', body: wanted })).json()) as { id: number });
    for (let state = ''; state !== 'exported'; await pause(100)) {
      ({ state } = (await (await ask(`/user/migrations/${id}`)).json()) as { state: string });
      if (state === 'failed') throw new Error('The migration failed');
    }
  });
  const { most } = await memoryOf(pid);

  const archive = join(folder, 'archive.tar.gz');
  await forget(pid);
  const downloading = await seconds(async () => {
    const { body: bytes } = await ask(`/user/migrations/${id}/archive`);
    if (!bytes) throw new Error('The archive has no bytes');
    await pipeline(Readable.fromWeb(bytes as ReadableStream), createWriteStream(archive));
  });
  const served = (await memoryOf(pid)).most;

  // The same data with other tools: the JSON files unchanged, and a bundle of the repository.
  await run('tar', ['-xzf', archive, '-C', aside, '--exclude=repositories/*']);
  const bundling = await seconds(async () => {
    await run('git', ['bundle', 'create', '--quiet', join(aside, 'engine.bundle'), '--all'], { cwd: work });
    await run('tar', ['-czf', join(folder, 'other.tar.gz'), '-C', aside, '.']);
  });
  const mebi = async (file: string): Promise<string> => ((await stat(file)).size / 2 ** 20).toFixed(0);
  const above = (bytes: number): string => ((bytes - idle) / 2 ** 20).toFixed(0);
  process.stdout.write(
    `${[
      `${megabytes} MiB of files, ${issues} issues, ${3 * issues} comments`,
      `migration              ${exporting.toFixed(1)} s  ${await mebi(archive)} MiB  ${above(most)} MiB of memory above idle`,
      `download               ${downloading.toFixed(1)} s           ${above(served)} MiB above idle`,
      `git bundle, tar czf    ${bundling.toFixed(1)} s  ${await mebi(join(folder, 'other.tar.gz'))} MiB`,
      `ratio                  ${(exporting / bundling).toFixed(2)}`,
    ].join('\n')}\n`,
  );
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
