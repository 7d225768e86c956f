/** The target of the attacks: a separate server with a few accounts and repositories, as users would create them. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Serving, startServing } from '../support/serving.ts';
import type { Target } from './attacker.ts';

const execute = promisify(execFile);
const checkout = join(import.meta.dirname, '../..');
const entry = join(checkout, 'src/cli/hearth.ts');
const attackingAccounts = 5;
const issues = 300;
const bombDepth = 12;
const bombWidth = 16;

export type Stage = {
  readonly server: Serving;
  readonly target: Target;
  /** The ordinary user, who sends few requests while others attack. */
  readonly bystander: { url: string; token: string; repository: string };
  stop(): Promise<void>;
};

const quiet = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = async (cwd: string, args: readonly string[], input?: string): Promise<string> => {
  const run = execute('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd, env: quiet });
  if (input !== undefined) run.child.stdin?.end(input);
  return (await run).stdout.trim();
};

/** @param within a command that starts the server, for example with limited memory */
export async function openStage(within: readonly string[]): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'hearth-abuse-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const data = join(folder, 'data');
  const cli = async (...args: string[]): Promise<string> =>
    (await execute(process.execPath, [entry, ...args, '--data', data])).stdout.trim();
  const account = async (login: string): Promise<string> => {
    await cli('user', 'create', login);
    return cli('token', 'create', '--user', login, '--kind', 'classic', '--scope', 'repo', '--scope', 'workflow', '--quiet');
  };
  const token = await account('ada');
  const names = Array.from({ length: attackingAccounts }, (_, index) => `eve-${index}`);
  const tokens: string[] = [];
  for (const name of names) tokens.push(await account(name));
  const server = await startServing(data, { within, env: { HEARTH_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  stack.defer(() => server.stop());
  const post = async (as: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${as}` };
    const reply = await fetch(`${server.url}/api/v3${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`POST ${path} is answered by ${reply.status}: ${await reply.text()}`);
  };
  const push = (work: string, as: string, repository: string): Promise<string> =>
    git(work, ['push', '--quiet', `${server.url.replace('://', `://x:${as}@`)}/${repository}.git`, 'HEAD:refs/heads/main']);

  await post(token, '/user/repos', { name: 'engine' });
  await post(token, '/user/repos', { name: 'bomb' });
  // It isn't public. In a public repository, git sends no credentials until it is asked for them, and would count as a stranger.
  await post(token, '/user/repos', { name: 'own', private: true });
  const work = await sourceRepository(folder);
  await push(work, token, 'ada/engine');
  await push(work, token, 'ada/own');
  await push(await treeBomb(folder), token, 'ada/bomb');
  for (let number = 0; number < issues; number++)
    await post(token, '/repos/ada/engine/issues', { title: `Issue ${number}`, body: 'It does not start. '.repeat(100) });
  const accounts: Target['accounts'][number][] = [];
  for (const [index, name] of names.entries()) {
    const as = tokens[index] ?? '';
    await post(as, '/user/repos', { name: 'box' });
    await push(work, as, `${name}/box`);
    accounts.push({ token: as, repository: `${name}/box` });
  }
  const head = await git(work, ['rev-parse', 'HEAD']);
  const opened = stack.move();
  return {
    server,
    target: { url: server.url, repository: 'ada/engine', head, bomb: 'ada/bomb', accounts },
    bystander: { url: server.url, token, repository: 'ada/own' },
    stop: () => opened.disposeAsync(),
  };
}

/** A repository with a few megabytes: Hearth's source, and incompressible data. */
async function sourceRepository(folder: string): Promise<string> {
  const work = join(folder, 'source');
  await mkdir(work);
  await git(work, ['init', '--quiet', '--initial-branch=main']);
  await cp(join(checkout, 'src'), join(work, 'src'), { recursive: true });
  for (let number = 0; number < 10; number++) await writeFile(join(work, `noise-${number}`), randomBytes(2 * 1024 * 1024));
  await git(work, ['add', '.']);
  await git(work, ['commit', '--quiet', '--message', 'Source']);
  return work;
}

/** A repository of a dozen objects whose tree has 16¹² files. */
async function treeBomb(folder: string): Promise<string> {
  const work = join(folder, 'bomb');
  await mkdir(work);
  await git(work, ['init', '--quiet', '--initial-branch=main']);
  let entry = `100644 blob ${await git(work, ['hash-object', '-w', '--stdin'], 'boom\n')}`;
  for (let depth = 0; depth < bombDepth; depth++) {
    const lines = Array.from({ length: bombWidth }, (_, index) => `${entry}\tentry-${index.toString(16)}`);
    entry = `040000 tree ${await git(work, ['mktree'], `${lines.join('\n')}\n`)}`;
  }
  const tree = entry.split(' ').at(-1) ?? '';
  const empty = await git(work, ['commit-tree', '-m', 'Empty', await git(work, ['mktree'], '')]);
  const commit = await git(work, ['commit-tree', '-m', 'Bomb', '-p', empty, tree]);
  await git(work, ['update-ref', 'HEAD', commit]);
  return work;
}
