/** A server with an administrator's token, and git for pushing to it. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startServing } from '../support/serving.ts';

const run = promisify(execFile);
const person = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

export type Stage = AsyncDisposable & {
  pid: number;
  token: string;
  api: string;
  /** @throws Error if the reply isn't a success; undefined for a reply without a body */
  call<Reply = Record<string, string>>(method: string, path: string, body?: object): Promise<Reply>;
  /** Runs git in a separate repository, which is empty at the beginning. */
  git(args: readonly string[], input?: string): Promise<string>;
  /** The push address of a repository. */
  addressOf(fullName: string): string;
};

export async function openStage(): Promise<Stage> {
  const token = 'hrp_bench_administrator_of_this_server';
  const folder = await mkdtemp(join(tmpdir(), 'hearth-secrets-'));
  const work = join(folder, 'work');
  const serving = await startServing(join(folder, 'data'), { env: { HEARTH_ADMIN_TOKEN: token } });
  const git = async (args: readonly string[], input?: string): Promise<string> => {
    const promise = run('git', [...args], { cwd: work, env: { ...process.env, ...person }, maxBuffer: 1e9 });
    promise.child.stdin?.end(input);
    return (await promise).stdout.trim();
  };
  await mkdir(work);
  await git(['init', '-q', '-b', 'main']);
  const api = `${serving.url}/api/v3`;
  return {
    pid: serving.process.pid ?? 0,
    token,
    api,
    git,
    async call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const reply = await fetch(api + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as Reply;
    },
    addressOf: (fullName) => `${serving.url.replace('//', `//x:${token}@`)}/${fullName}.git`,
    async [Symbol.asyncDispose]() {
      await serving.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** A commit with files for `git fast-import`, on top of the branch. Each file has this many bytes of text, without secrets. */
export function commitOf(branch: string, round: number, { files, bytes }: { files: number; bytes: number }): string {
  const parts = [`commit refs/heads/${branch}`, `committer a <a@example.org> ${1_700_000_000 + round} +0000`, 'data 1\nx'];
  if (round > 0) parts.push(`from refs/heads/${branch}^0`);
  for (let at = 0; at < files; at++) {
    const line = `const value${at} = await read('${round}/${at}', { key_id: ${at * round}, token: undefined });\n`;
    const text = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
    parts.push(`M 644 inline folder-${at % 100}/file-${at}.ts\ndata ${Buffer.byteLength(text)}\n${text}`);
  }
  return `${parts.join('\n')}\n`;
}
