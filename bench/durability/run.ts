/**
 * Repeatedly kills Hearth without warning while clients push and write issues, and checks whether all acknowledged data is still
 * there. In every third round, its PostgreSQL is killed too.
 *
 *   node bench/durability/run.ts [rounds, default 100]
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProcessRunning } from '#lib/running-process.ts';
import { type Serving, startServing } from '../support/serving.ts';

const execute = promisify(execFile);
const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
const rounds = Number(process.argv[2] ?? 100);
const pushers = 3;
const writers = 4;

const folder = await mkdtemp(join(tmpdir(), 'hearth-durability-'));
const data = join(folder, 'data');
const quiet = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

const cli = async (...args: string[]): Promise<string> =>
  (await execute(process.execPath, [entry, ...args, '--data', data])).stdout.trim();
const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await execute('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd, env: quiet })).stdout.trim();

const start = (): Promise<Serving> => startServing(data);

await cli('user', 'create', 'ada');
const token = await cli('token', 'create', '--user', 'ada', '--kind', 'classic', '--scope', 'repo', '--quiet');
await cli('repo', 'create', 'ada/engine');

type Acknowledged = { branches: Map<string, string>; issues: Map<number, string>; comments: Map<number, string> };
const totals = { pushes: 0 };
const acknowledged: Acknowledged = { branches: new Map(), issues: new Map(), comments: new Map() };

/** The fields of replies that are read here. */
type Body = { id: number; number: number; title: string; body: string; status: string };

async function api(url: string, method: string, path: string, body?: object) {
  const reply = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const parsed: unknown = await reply.json();
  return { status: reply.status, body: parsed as Body };
}

/** A client that pushes commits to its own branch until the server has ended. */
async function push(server: Serving, number: number): Promise<void> {
  const work = join(folder, `clone-${number}`);
  const branch = `branch-${number}`;
  const remote = server.url.replace('://', `://ada:${token}@`);
  for (let at = 0; ; at++) {
    await writeFile(join(work, 'file.txt'), `${server.process.pid} ${at} ${Math.random()}\n`);
    await git(work, 'add', '.');
    await git(work, 'commit', '--quiet', '--message', `Change ${at}`);
    const oid = await git(work, 'rev-parse', 'HEAD');
    try {
      await git(work, 'push', '--quiet', `${remote}/ada/engine.git`, `HEAD:refs/heads/${branch}`);
    } catch {
      return;
    }
    acknowledged.branches.set(branch, oid);
    totals.pushes += 1;
  }
}

/** A client that opens issues and comments on them until the server has ended. */
async function write(server: Serving, number: number): Promise<void> {
  try {
    for (let at = 0; ; at++) {
      const title = `Issue of ${number}: ${server.process.pid} ${at}`;
      const issue = await api(server.url, 'POST', '/repos/ada/engine/issues', { title });
      if (issue.status !== 201) throw new Error(`an issue was answered by ${issue.status}`);
      acknowledged.issues.set(issue.body.number, title);
      const text = `On ${title}`;
      const comment = await api(server.url, 'POST', `/repos/ada/engine/issues/${issue.body.number}/comments`, { body: text });
      if (comment.status === 201) acknowledged.comments.set(comment.body.id, text);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // fetch throws this if the connection broke
  }
}

const lost: string[] = [];

/** Checks everything that was acknowledged. An unacknowledged push may have arrived nevertheless. */
async function verify(server: Serving, wanted: Acknowledged): Promise<void> {
  for (const [branch, oid] of wanted.branches) {
    const { body } = await api(server.url, 'GET', `/repos/ada/engine/compare/${oid}...${branch}`);
    if (body.status !== 'identical' && body.status !== 'ahead') lost.push(`${branch} does not hold ${oid}`);
  }
  for (const [number, title] of wanted.issues) {
    const { body } = await api(server.url, 'GET', `/repos/ada/engine/issues/${number}`);
    if (body.title !== title) lost.push(`issue ${number}`);
  }
  for (const [id, text] of wanted.comments) {
    const { body } = await api(server.url, 'GET', `/repos/ada/engine/issues/comments/${id}`);
    if (body.body !== text) lost.push(`comment ${id}`);
  }
}

async function killDatabase(): Promise<void> {
  const pid = Number((await readFile(join(data, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
  process.kill(pid, 'SIGKILL');
  while (isProcessRunning(pid)) await sleep(10);
  await sleep(200); // its children end when they notice its end
}

for (let number = 0; number < pushers; number++) {
  const work = join(folder, `clone-${number}`);
  await execute('git', ['init', '--quiet', '--initial-branch=main', work], { env: quiet });
}

let server = await start();
const begun = performance.now();
for (let round = 1; round <= rounds; round++) {
  const before = { issues: acknowledged.issues.size, comments: acknowledged.comments.size };
  const clients = [
    ...Array.from({ length: pushers }, (_, number) => push(server, number)),
    ...Array.from({ length: writers }, (_, number) => write(server, number)),
  ];
  await sleep(300 + Math.random() * 700);
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');
  if (round % 3 === 0) await killDatabase();
  await Promise.all(clients);
  server = await start();
  await verify(server, {
    branches: acknowledged.branches,
    issues: new Map([...acknowledged.issues].slice(before.issues)),
    comments: new Map([...acknowledged.comments].slice(before.comments)),
  });
  process.stdout.write(
    `round ${round} of ${rounds}: ${totals.pushes} pushes, ${acknowledged.issues.size} issues, ` +
      `${acknowledged.comments.size} comments, ${lost.length} lost\n`,
  );
  if (lost.length > 0) break;
}
await verify(server, acknowledged);
server.process.kill('SIGTERM');
await once(server.process, 'exit');
const checked = await cli('doctor', '--deep').catch((error: { stdout?: string }) => error.stdout ?? String(error));
process.stdout.write(`${checked}\n${rounds} rounds in ${Math.round((performance.now() - begun) / 1000)} s\n`);
process.stdout.write(lost.length === 0 ? 'nothing that was acknowledged is lost\n' : `LOST: ${lost.join('; ')}\n`);
await rm(folder, { recursive: true, force: true });
process.exitCode = lost.length === 0 && !checked.includes('WRONG') ? 0 : 1;
