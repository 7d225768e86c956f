/** Sends a typical mix of requests to a running server. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const issues = 60;
const html = 'application/vnd.github.html+json';
const text =
  'It leaks after an **hour** of rain, see #3 and @hearth-admin.\n\n- [ ] look at the seal\n- [x] dry it\n\n```\nleak()\n```\n';

type Sent = { method?: string; path: string; body?: object; accept?: string };

export type Mixed = {
  /** Sends this many requests over this many concurrent connections. */
  send(requests: number, connections: number): Promise<void>;
  close(): void;
};

/** Makes a repository with files, issues and labels, and returns a sender of requests about it. */
export async function openMixed({ url, token, folder }: { url: string; token: string; folder: string }): Promise<Mixed> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const once = ({ method = 'GET', path, body, accept }: Sent): Promise<Buffer> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(accept === undefined ? {} : { accept }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/api/v3${path}`, { method, headers, agent }, (reply) => {
        reply.toArray().then((parts) => {
          if ((reply.statusCode ?? 500) < 300) resolve(Buffer.concat(parts));
          else reject(new Error(`${method} ${path} is answered by ${reply.statusCode}: ${Buffer.concat(parts)}`));
        }, reject);
      });
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  };
  const { login } = JSON.parse(String(await once({ path: '/user' })));
  const repo = `/repos/${login}/engine`;
  await once({ method: 'POST', path: '/user/repos', body: { name: 'engine' } });
  const remote = `${url.replace('://', `://x:${token}@`)}/${login}/engine.git`;
  await push(folder, remote);
  for (let at = 0; at < 40; at++)
    await once({ method: 'POST', path: `${repo}/labels`, body: { name: `area ${at}`, color: 'd73a4a' } });
  const issue = { title: 'The pump leaks', body: text, labels: ['bug', 'area 3'], assignees: [login] };
  for (let at = 0; at < issues; at++) await once({ method: 'POST', path: `${repo}/issues`, body: issue });

  const reads: Sent[] = [
    { path: '/user' },
    { path: repo },
    { path: `/users/${login}` },
    { path: '/user/repos' },
    { path: `${repo}/issues` },
    { path: `${repo}/issues/7` },
    { path: `${repo}/issues/7`, accept: html },
    { path: `${repo}/issues/7/comments` },
    { path: `${repo}/issues/7/timeline` },
    { path: `${repo}/labels` },
    { path: `${repo}/branches` },
    { path: `${repo}/commits` },
    { path: `${repo}/contents/src` },
    { path: `${repo}/contents/src/file-7.ts` },
    { path: `${repo}/git/refs/heads/main` },
    { path: '/notifications' },
    { path: `/search/issues?q=${encodeURIComponent(`pump is:open repo:${login}/engine`)}` },
    { path: `/search/code?q=${encodeURIComponent(`leak repo:${login}/engine`)}` },
    { path: `/search/repositories?q=engine` },
  ];
  const writes: ((at: number) => Sent)[] = [
    () => ({ method: 'POST', path: `${repo}/issues`, body: issue }),
    () => ({ method: 'POST', path: `${repo}/issues/7/comments`, body: { body: text } }),
    (at) => ({ method: 'PATCH', path: `${repo}/issues/${(at % issues) + 1}`, body: { title: `The pump leaks, ${at}` } }),
    (at) => ({
      method: 'PATCH',
      path: `${repo}/issues/${(at % issues) + 1}`,
      body: { state: at % 2 === 0 ? 'closed' : 'open' },
    }),
  ];
  const turn = reads.length + 1;
  const requestAt = (at: number): Sent => {
    const write = writes[Math.floor(at / turn) % writes.length];
    return (at % turn === 0 ? write?.(at) : reads[(at % turn) - 1]) ?? { path: repo };
  };
  return {
    async send(requests, connections) {
      let next = 0;
      const connection = async (): Promise<void> => {
        while (next < requests) {
          const at = next++;
          await once(requestAt(at));
          if (at % 1_000 === 0) await execute('git', ['ls-remote', remote]);
        }
      };
      await Promise.all(Array.from({ length: connections }, connection));
    },
    close: () => agent.destroy(),
  };
}

async function push(folder: string, remote: string): Promise<void> {
  const work = join(folder, 'work');
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const git = (...args: string[]) =>
    execute('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: work, env });
  await mkdir(join(work, 'src'), { recursive: true });
  for (let at = 0; at < 100; at++)
    await writeFile(join(work, `src/file-${at}.ts`), `export const leak${at} = (): number => ${at};\n`.repeat(100));
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'The engine');
  await git('push', '--quiet', remote, 'HEAD:refs/heads/main');
}
