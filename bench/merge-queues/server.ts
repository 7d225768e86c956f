// A server with repositories whose main branches have merge queues. It may be killed while requests are sent.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { repositoryPath } from '#git/store.ts';
import { presentCheckout, startServing } from '../support/serving.ts';

const execute = promisify(execFile);

/** Sends a request; undefined where the server was killed before it answered. */
export type Send = <Body>(
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: Body } | undefined>;

/** How the queue of a repository works. */
export type QueueRule = {
  readonly merge_method: 'MERGE' | 'SQUASH' | 'REBASE';
  readonly grouping_strategy: 'ALLGREEN' | 'HEADGREEN';
};

export type QueueRepository = {
  readonly name: string;
  readonly rule: QueueRule;
  readonly send: Send;
  /** Its folder on disk. */
  readonly folder: string;
  readonly id: number;
};

export type QueueServer = AsyncDisposable & {
  readonly database: Database;
  /** Makes a repository with a queue, and branches `topic-0`, `topic-1` …, each of which adds the files that `filesOf` says. */
  addRepository(
    name: string,
    rule: QueueRule,
    topics: { readonly count: number; filesOf(at: number): Readonly<Record<string, string>>; readonly first?: number },
  ): Promise<QueueRepository>;
  /** Kills the server without warning, and starts it again. */
  kill(): Promise<void>;
  /** The process id of the running server. */
  pid(): number;
};

export async function startQueueServer(): Promise<QueueServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-queues-'));
  const data = join(folder, 'data');
  await mkdir(data);
  const embedded = await startEmbedded(data);
  const database = openDatabase(embedded.address);
  let server = await startServing(data);
  let isStarted = Promise.resolve();

  const hearth = async (...args: string[]): Promise<string> =>
    (await execute(join(presentCheckout, 'hearth'), [...args, '--data', data, '--log', 'silent'])).stdout.trim();

  const sendAs =
    (token: string, repository: string): Send =>
    async <Body>(method: string, path: string, body?: object) => {
      await isStarted;
      try {
        const reply = await fetch(`${server.url}/api/v3/repos/${repository}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await reply.text();
        return { status: reply.status, body: (text === '' ? undefined : JSON.parse(text)) as Body };
      } catch (error) {
        if (error instanceof TypeError) return undefined;
        throw error;
      }
    };

  return {
    database,
    pid: () => server.process.pid ?? 0,
    async addRepository(name, rule, { count, filesOf, first = 1 }) {
      await hearth('user', 'create', name);
      const token = await hearth('token', 'create', '--kind', 'classic', '--user', name, '--scope', 'repo', '--quiet');
      await hearth('repo', 'create', `${name}/engine`);
      const send = sendAs(token, `${name}/engine`);
      const repository = await send<{ id: number }>('GET', '');
      if (!repository) throw new Error('The server does not answer');
      const { id } = repository.body;
      const path = repositoryPath(join(data, 'repositories'), id);
      // Git's own record of each move of a branch, which is compared with what the queue should have done.
      await execute('git', ['config', 'core.logAllRefUpdates', 'always'], { cwd: path });
      await pushBranches(`${server.url.replace('://', `://${name}:${token}@`)}/${name}/engine.git`, { count, filesOf, first });
      const ruleset = await send('POST', '/rulesets', rulesetOf(rule));
      if (ruleset?.status !== 201) throw new Error(`No ruleset: ${JSON.stringify(ruleset)}`);
      return { name, rule, send, folder: path, id };
    },
    async kill() {
      const ended = once(server.process, 'exit');
      const { promise, resolve } = Promise.withResolvers<void>();
      isStarted = promise;
      server.process.kill('SIGKILL');
      await ended;
      server = await startServing(data);
      resolve();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await database.close();
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function pushBranches(
    remote: string,
    topics: { readonly count: number; filesOf(at: number): Readonly<Record<string, string>>; readonly first: number },
  ): Promise<void> {
    const work = join(folder, `work-${Math.random()}`);
    await execute('git', ['init', '--quiet', '--bare', work]);
    await writeFile(join(work, 'stream'), streamOf(topics));
    await execute('sh', ['-c', 'git fast-import --quiet < stream'], { cwd: work });
    await execute('git', ['push', '--quiet', remote, 'main'], { cwd: work });
    await execute('git', ['push', '--quiet', remote, 'refs/heads/*:refs/heads/*'], { cwd: work });
    await rm(work, { recursive: true, force: true });
  }
}

/** What `git fast-import` reads: a first commit of some files, and a branch upon it for each topic. */
function streamOf({
  count,
  filesOf,
  first,
}: {
  readonly count: number;
  filesOf(at: number): Readonly<Record<string, string>>;
  readonly first: number;
}): string {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commit = (branch: string, message: string, files: Readonly<Record<string, string>>, from = ''): string =>
    `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> 1767225600 +0000\n${data(message)}${from}${Object.entries(files)
      .map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`)
      .join('')}\n`;
  const initial = Object.fromEntries(
    Array.from({ length: first }, (_, at) => [`part-${at % 100}/file-${at}.txt`, `The file with the number ${at}\n`]),
  );
  const topics = Array.from({ length: count }, (_, at) =>
    commit(`topic-${at}`, `Change ${at}`, filesOf(at), 'from refs/heads/main\n'),
  );
  return `${commit('main', 'First', initial)}${topics.join('')}`;
}

const rulesetOf = (rule: QueueRule): object => ({
  name: 'Queue',
  enforcement: 'active',
  conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
  // An administrator may push past the queue.
  bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }],
  rules: [
    {
      type: 'merge_queue',
      parameters: {
        check_response_timeout_minutes: 60,
        max_entries_to_build: 5,
        max_entries_to_merge: 5,
        min_entries_to_merge: 1,
        min_entries_to_merge_wait_minutes: 0,
        ...rule,
      },
    },
    {
      type: 'required_status_checks',
      parameters: { required_status_checks: [{ context: 'test' }], strict_required_status_checks_policy: true },
    },
  ],
});
