/**
 * Pushes many refs together (created, fast-forwarded, force-pushed, deleted), and measures how long another user waits in the
 * meantime.
 *
 *     npx node bench/pushes/many-refs.ts [refs]
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startEmbedded } from '#database/embedded.ts';

const run = promisify(execFile);
const refs = Number(process.argv[2] ?? 10_000);
const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
const folder = await mkdtemp(join(tmpdir(), 'hearth-many-refs-'));
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

async function git(args: string[], input?: string): Promise<string> {
  const promise = run('git', args, {
    cwd: work,
    env: { ...process.env, ...identity, GIT_TERMINAL_PROMPT: '0' },
    maxBuffer: 1e9,
  });
  promise.child.stdin?.end(input);
  return (await promise).stdout.trim();
}

/** Another user, who sends requests continuously. Returns the milliseconds of each request. */
function other(ask: () => Promise<unknown>) {
  const times: number[] = [];
  let on = true;
  const done = (async () => {
    while (on) {
      const start = performance.now();
      await ask();
      times.push(performance.now() - start);
      await pause(20);
    }
  })();
  return async () => {
    on = false;
    await done;
    times.sort((a, b) => a - b);
    return `${times[Math.floor(times.length * 0.99)]?.toFixed(0)} ms of ${times.length}`;
  };
}

const embedded = await startEmbedded(data);
const server = spawn(
  process.execPath,
  [entry, 'serve', '--port', '0', '--ssh-port', 'off', '--pages-port', 'off', '--data', data],
  {
    stdio: ['ignore', 'pipe', 'pipe'],
  },
);
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
  const tokens: Record<string, string> = {};
  for (const login of ['ada', 'eve']) {
    await hearth('user', 'create', login);
    tokens[login] = await hearth('token', 'create', '--kind', 'classic', '--user', login, '--scope', 'repo', '--quiet');
    await hearth('repo', 'create', `${login}/engine`);
  }
  const addressOf = (login: string): string => `${url.replace('//', `//x:${tokens[login]}@`)}/${login}/engine.git`;
  await git(['init', '-q', '-b', 'main']);
  await git(['commit', '-q', '--allow-empty', '-m', 'one']);
  await git(['push', '-q', addressOf('ada'), 'main']);
  await git(['push', '-q', addressOf('eve'), 'main']);
  const one = await git(['rev-parse', 'HEAD']);
  await git(['commit', '-q', '--allow-empty', '-m', 'two']);
  const two = await git(['rev-parse', 'HEAD']);
  await git(['reset', '-q', '--hard', one]);
  await git(['commit', '-q', '--allow-empty', '-m', 'aside']);
  const aside = await git(['rev-parse', 'HEAD']);

  const names = Array.from({ length: refs }, (_, number) => `refs/heads/b${number}`);
  const none = '0'.repeat(40);
  const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
  // git's own client takes long to process this many refs, so the request is built here.
  const send = async (from: string, to: string): Promise<void> => {
    const lines = names.map((name, at) => packet(`${from} ${to} ${name}${at === 0 ? '\0 report-status delete-refs' : ''}`));
    const pack = to === none ? Buffer.alloc(0) : await packOf(to);
    const reply = await fetch(`${url}/eve/engine.git/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.eve}`, 'content-type': 'application/x-git-receive-pack-request' },
      body: Buffer.concat([Buffer.from(`${lines.join('')}0000`), pack]),
    });
    const text = await reply.text();
    const done = text.split('ok refs/').length - 1;
    if (done !== refs) throw new Error(`${done} of ${refs} refs were moved: ${reply.status} ${text.slice(0, 500)}`);
  };
  const packOf = async (oid: string): Promise<Buffer> => {
    const promise = run('git', ['pack-objects', '--stdout', '--revs', '-q'], { cwd: work, encoding: 'buffer' });
    promise.child.stdin?.end(`${oid}\n`);
    return (await promise).stdout;
  };
  const pushes: [string, () => Promise<unknown>][] = [
    ['made', () => send(none, one)],
    ['moved ahead', () => send(one, two)],
    ['moved aside', () => send(two, aside)],
    ['deleted', () => send(aside, none)],
  ];
  for (const [what, push] of pushes) {
    const asking = other(() => fetch(`${url}/api/v3/user`, { headers: { authorization: `Bearer ${tokens.ada}` } }));
    const listing = other(() => git(['ls-remote', addressOf('ada')]));
    const start = performance.now();
    const outcome = await push().then(
      () => 'done',
      (error: unknown) => String(error),
    );
    const seconds = (performance.now() - start) / 1_000;
    process.stdout.write(
      `${refs} refs ${what}: ${seconds.toFixed(1)} s (${outcome}); meanwhile p99 of GET /user ${await asking()}, of ` +
        `ls-remote ${await listing()}\n`,
    );
  }
  const asking = other(() => fetch(`${url}/api/v3/user`, { headers: { authorization: `Bearer ${tokens.ada}` } }));
  await pause(10_000);
  process.stdout.write(`10 s afterwards: p99 of GET /user ${await asking()}\n`);
} finally {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await ended;
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
