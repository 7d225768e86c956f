import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { onTestFinished } from 'vitest';
import { isGitError } from '#git/errors.ts';
import { openObjects } from '#git/objects/objects.ts';
import { oidOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { planTree } from '#git/objects/write-tree.ts';
import { spawnProgram } from '#git/process/spawn-client.ts';
import type { GitLimits, GitRepository, GitStore } from '#git/repo.ts';
import { createRepository, openGitStore } from '#git/store.ts';
import { type PushHandlers, receivePack } from '#git/transport/receive-pack.ts';
import { advertiseRefs, type Service, uploadPack } from '#git/transport/smart-http.ts';

export const ada = { name: 'Ada Lovelace', email: 'ada@example.org', date: new Date('2024-05-06T07:08:09Z'), zone: 120 };

/** A folder of the test's own, removed after it. */
export async function scratch(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hearth-git-'));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

export async function newStore(limits: Partial<GitLimits> = {}): Promise<GitStore> {
  const store = await openGitStore({ root: await scratch(), env: process.env, limits });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

export async function newRepo(limits: Partial<GitLimits> = {}): Promise<GitRepository> {
  return createRepository(await newStore(limits), 1, { defaultBranch: 'main' });
}

/** The user's own git, in a folder. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada Lovelace',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada Lovelace',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  // By the spawn server, as the product does: to start a program from a process of tests takes ten times as long.
  const started = spawnProgram({ file: 'git', args, cwd, env, niceness: 0, channel: false });
  started.stdin.end();
  const [stdout, stderr, { code, error }] = await Promise.all([text(started.stdout), text(started.stderr), started.closed]);
  if (code !== 0) throw Object.assign(error ?? new Error(`git ${args.join(' ')} failed\n${stderr}`), { code, stdout, stderr });
  return stdout;
}

/** A commit of these files (no others) on these parents, written by one process. */
export async function commit(
  repo: GitRepository,
  files: Record<string, string>,
  parents: string[] = [],
  message = 'Change',
): Promise<string> {
  const changes = Object.entries(files).map(([path, text]) => ({ path, mode: '100644' as const, content: Buffer.from(text) }));
  await using reader = await openObjects(repo);
  const { oid: tree, objects } = await planTree(reader, { changes });
  const made = { type: 'commit' as const, data: commitBytes({ tree, parents, author: ada, committer: ada, message }) };
  await writeObjects(repo, [...objects, made]);
  return oidOf(made);
}

/** The kind of the GitError with which this ends; fails the test when it ends well or otherwise. */
export async function kindOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    if (isGitError(error)) return error.kind;
    throw error;
  }
  return 'nothing was thrown';
}

/** How many clones, pushes and the like are running: each holds a slot until its git has ended. */
export const openTransfers = ({ store }: GitRepository): number => store.transfers.running;

export type TestServer = { url: string; requests: string[] };

/** A plain HTTP server around one repository, as Hearth's own will be. */
export async function serve(repo: GitRepository, handlers: PushHandlers = {}): Promise<TestServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answerGit(repo, request, response, handlers).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(isGitError(error) ? 400 : 500);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/repo.git`, requests };
}

/** Answers a request of Git's smart HTTP about a repository. */
export async function answerGit(
  repo: GitRepository,
  request: IncomingMessage,
  response: ServerResponse,
  handlers: PushHandlers = {},
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const header = request.headers['git-protocol'];
  const options = {
    protocol: typeof header === 'string' ? header : undefined,
    gzip: request.headers['content-encoding'] === 'gzip',
  };
  const asked = url.searchParams.get('service') ?? url.pathname.split('/').at(-1);
  const service: Service = asked === 'git-receive-pack' ? asked : 'git-upload-pack';
  const reply = url.pathname.endsWith('/info/refs')
    ? { type: 'advertisement', body: await advertiseRefs(repo, service, options) }
    : {
        type: 'result',
        body:
          service === 'git-upload-pack'
            ? await uploadPack(repo, request, options)
            : await receivePack(repo, request, { ...options, ...handlers }),
      };
  response.writeHead(200, { 'content-type': `application/x-${service}-${reply.type}`, 'cache-control': 'no-cache' });
  await pipeline(reply.body, response);
}
