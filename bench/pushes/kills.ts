/**
 * Pushes while the server is repeatedly killed (`kill -9`). Then it checks whether every acknowledged push is there, and whether
 * the events of each branch describe its whole history, each move once.
 * With more than one client, each commit is pushed by several of them at once.
 *
 *     node bench/pushes/kills.ts [rounds] [clients]
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openDatabase } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import type { RefMove } from '#events/ref-moves.ts';

const run = promisify(execFile);
const rounds = Number(process.argv[2] ?? 20);
const clients = Number(process.argv[3] ?? 1);
const pushers = 3;
const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
const folder = await mkdtemp(join(tmpdir(), 'hearth-kills-'));
const data = join(folder, 'data');
await mkdir(data);

const hearth = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [entry, ...args, '--data', data, '--log', 'silent'])).stdout;
const identity = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await run('git', args, { cwd, env: { ...process.env, ...identity, GIT_TERMINAL_PROMPT: '0' } })).stdout.trim();

async function startServer() {
  const child = spawn(
    process.execPath,
    [entry, 'serve', '--port', '0', '--ssh-port', 'off', '--pages-port', 'off', '--data', data],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  const read = (chunk: Buffer): void => {
    said += chunk;
    const url = /^Hearth listens on (\S+)/m.exec(said)?.[1];
    if (url) resolve(url);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = new Promise((done) => child.once('exit', done));
  void ended.then(() => reject(new Error(said)));
  const kill = (signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal);
    return ended;
  };
  return { url: await promise, kill };
}

type Pusher = { folder: string; branch: string; acknowledged: string[] };

/** Pushes commit after commit until a push fails. */
async function push({ folder: cwd, branch, acknowledged }: Pusher, address: string): Promise<void> {
  for (;;) {
    await git(cwd, 'commit', '-q', '--allow-empty', '-m', String(acknowledged.length));
    const oid = await git(cwd, 'rev-parse', 'HEAD');
    const results = await Promise.all(
      Array.from({ length: clients }, () =>
        git(cwd, 'push', '-q', address, `HEAD:refs/heads/${branch}`).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (!results.includes(true)) return;
    acknowledged.push(oid);
  }
}

const embedded = await startEmbedded(data);
const database = openDatabase(embedded.address);
try {
  await hearth('user', 'create', 'ada');
  const token = (await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', '--scope', 'repo', '--quiet')).trim();
  await hearth('repo', 'create', 'ada/engine');
  const team = await Promise.all(
    Array.from({ length: pushers }, async (_, number): Promise<Pusher> => {
      const work = join(folder, `work-${number}`);
      await mkdir(work);
      await git(work, 'init', '-q');
      return { folder: work, branch: `b${number}`, acknowledged: [] };
    }),
  );
  const addressAt = (url: string): string => `${url.replace('//', `//x:${token}@`)}/ada/engine.git`;
  for (let round = 1; round <= rounds; round++) {
    const server = await startServer();
    const pushing = Promise.all(team.map((one) => push(one, addressAt(server.url))));
    await pause(300 + Math.random() * 1_200);
    await server.kill('SIGKILL');
    await pushing;
    process.stderr.write(`\rround ${round}: ${team.reduce((sum, one) => sum + one.acknowledged.length, 0)} pushes acknowledged`);
  }
  process.stderr.write('\n');
  const server = await startServer();
  const problems = await settled(addressAt(server.url), team);
  await server.kill('SIGTERM');
  const total = team.reduce((sum, one) => sum + one.acknowledged.length, 0);
  process.stdout.write(`${rounds} kills, ${total} pushes acknowledged, ${problems.length} problems\n${problems.join('\n')}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await database.close();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The problems that remain after the server had two minutes to recover from the crashes. */
async function settled(address: string, team: Pusher[]): Promise<string[]> {
  for (let second = 0; ; second++) {
    const problems = await findProblems(address, team);
    if (problems.length === 0 || second === 120) return problems;
    await pause(1_000);
  }
}

async function findProblems(address: string, team: Pusher[]): Promise<string[]> {
  const rows = await database.db.selectFrom('events').select('data').where('kind', '=', 'push').orderBy('id').execute();
  const moves = rows.flatMap(({ data }) => (data as { moves: RefMove[] }).moves); // by the definition of the event
  const refs = new Map((await git(folder, 'ls-remote', address)).split('\n').map((line) => [line.slice(41), line.slice(0, 40)]));
  return team.flatMap(({ branch, acknowledged }) => {
    const own = moves.filter(({ ref }) => ref === `refs/heads/${branch}`);
    const breaks = own.filter(({ before }, index) => before !== (own[index - 1]?.after ?? null));
    const lost = acknowledged.filter((oid) => own.filter(({ after }) => after === oid).length !== 1);
    const last = own.at(-1)?.after === refs.get(`refs/heads/${branch}`) ? [] : [`${branch}: its last move has no event`];
    return [
      ...breaks.map(({ before, after }) => `${branch}: a gap or repetition at ${before} → ${after}`),
      ...lost.map((oid) => `${branch}: ${oid} was acknowledged and isn't told of once`),
      ...last,
    ];
  });
}
