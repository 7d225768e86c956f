import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { createDemoData, type Tokens } from '../demo/demo-data.ts';
import { openInstallation } from '../installation.ts';
import { serveHere } from '../serving.ts';
import { readConfig } from '../settings.ts';
import { stopSignal } from '../stop-signal.ts';

const execute = promisify(execFile);
const checkout = join(import.meta.dirname, '../../..');
/** Git ignores the configuration of the user who runs the demo. */
const gitEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };

export const demoCommand = new Command('demo')
  .description(
    'Show what Hearth does: start it on a temporary folder, create a team, push this repository, and search its ' +
      'code. On a terminal, it then runs until Ctrl-C.',
  )
  .argument('[folder...]', 'other Git repositories to push')
  .addHelpText('after', '\nExample:\n  hearth demo ~/work/engine')
  .action(async (folders) => {
    const stopped = stopSignal('SIGHUP');
    const data = await mkdtemp(join(tmpdir(), 'hearth-demo-'));
    const { config } = readConfig(
      { port: '0', sshPort: 'off', pagesPort: '0', data, log: 'silent', rateLimits: 'off', vocabulary: 'github' },
      {},
    );
    const installation = await step('Starting Hearth and its database', () => openInstallation(config, 'server'));
    const serving = await serveHere(config, installation.settings, { jobs: true });
    try {
      const tokens = await step('Creating users, an organization, teams, an app and a token of each kind', () =>
        createDemoData(installation.settings),
      );
      const names: string[] = [];
      for (const folder of [checkout, ...folders.map((given) => resolve(given))])
        names.push(await push(serving.url, tokens, folder));
      await step('Opening issues', () => openIssues(serving.url, tokens, names[0] ?? ''));
      await step('Waiting for the search index', () => waitUntilIndexed(serving.url, tokens, names));
      await show(serving.url, tokens, names[0] ?? '');
      if (process.stdout.isTTY) {
        process.stdout.write(`\nHearth runs at ${serving.url} until you press Ctrl-C.\n`);
        await stopped;
      }
    } finally {
      await serving.stop();
      await installation.close();
      await rm(data, { recursive: true, force: true });
    }
  });

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  process.stderr.write(`${what} … `);
  const result = await work();
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}

async function push(url: string, { classic }: Tokens, folder: string): Promise<string> {
  const name = folder === checkout ? 'hearth' : basename(folder);
  await api(url, classic, 'POST', '/orgs/acme/repos', { name });
  return step(`Pushing ${folder}`, async () => {
    const source = await repositoryAt(folder);
    const remote = `${url.replace('://', `://ada:${classic}@`)}/acme/${name}.git`;
    try {
      await execute('git', ['push', '--quiet', remote, 'HEAD:refs/heads/main'], { cwd: source.path, env: gitEnv });
    } finally {
      await source.close();
    }
    return name;
  });
}

/** The folder itself if it is a complete Git repository. Otherwise a temporary repository with a copy of its files. */
async function repositoryAt(folder: string): Promise<{ path: string; close(): Promise<void> }> {
  const isRepository = (await stat(join(folder, '.git')).catch(() => undefined)) !== undefined;
  if (isRepository && !(await isShallow(folder))) return { path: folder, close: async () => undefined };
  const path = await mkdtemp(join(tmpdir(), 'hearth-demo-source-'));
  await cp(folder, path, {
    recursive: true,
    filter: (source) => !/\/(node_modules|data|\.git)(\/|$)/.test(source.slice(folder.length)),
  });
  const git = (...args: string[]) =>
    execute('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: path, env: gitEnv });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Files');
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}

/** A shallow clone can't be pushed, since its history is incomplete. */
async function isShallow(folder: string): Promise<boolean> {
  const { stdout } = await execute('git', ['rev-parse', '--is-shallow-repository'], { cwd: folder, env: gitEnv });
  return stdout.trim() === 'true';
}

async function api(url: string, token: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const reply = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const parsed: unknown = await reply.json();
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${JSON.stringify(parsed)}`);
  return parsed as Record<string, unknown>; // all replies that are read here are objects
}

async function openIssues(url: string, { classic, installation }: Tokens, name: string): Promise<void> {
  const path = `/repos/acme/${name}/issues`;
  await api(url, classic, 'POST', path, { title: 'Say what a refusal means', labels: ['documentation'], assignees: ['grace'] });
  await api(url, classic, 'POST', path, { title: 'Measure the index on a large repository', labels: ['enhancement'] });
  const { number } = await api(url, installation, 'POST', path, {
    title: 'Opened by an app',
    body: 'By its installation token.',
  });
  await api(url, classic, 'POST', `${path}/${number}/comments`, { body: 'And answered by its owner.' });
}

const indexTimeoutMs = 120_000;

async function waitUntilIndexed(url: string, { classic }: Tokens, names: readonly string[]): Promise<void> {
  const deadline = Date.now() + indexTimeoutMs;
  for (const name of names) {
    while ((await api(url, classic, 'GET', `/search/code?q=the+repo:acme/${name}&per_page=1`)).total_count === 0) {
      if (Date.now() > deadline) throw new Error(`The index of ${name} is not there after ${indexTimeoutMs / 1000} s`);
      await sleep(200);
    }
  }
}

type DemoRequest = { title: string; token: keyof Tokens | undefined; path: string; accept?: string; header?: string };

const demoRequests = (name: string): DemoRequest[] => [
  { title: 'A public repository, for anybody', token: undefined, path: `/repos/acme/${name}` },
  {
    title: 'Where a function is defined, with the text that matched',
    token: 'classic',
    path: `/search/code?q=authorize+language:typescript+repo:acme/${name}&per_page=1`,
    accept: 'application/vnd.github.text-match+json',
  },
  { title: 'Open issues, by the token of an app', token: 'installation', path: `/repos/acme/${name}/issues?per_page=1` },
  {
    title: 'A fine-grained token learns which permission an endpoint wants',
    token: 'fineGrained',
    path: '/orgs/acme/hooks',
    header: 'x-accepted-github-permissions',
  },
  { title: 'The latest commit, as an app acting for grace', token: 'appUser', path: `/repos/acme/${name}/commits?per_page=1` },
];

const maxLines = 14;

async function show(url: string, tokens: Tokens, name: string): Promise<void> {
  for (const { title, token, path, accept, header } of demoRequests(name)) {
    const authorization = token === undefined ? undefined : `Bearer ${tokens[token]}`;
    const headers = { ...(authorization ? { authorization } : {}), ...(accept ? { accept } : {}) };
    const reply = await fetch(`${url}/api/v3${path}`, { headers });
    const lines = JSON.stringify(await reply.json(), undefined, 2).split('\n');
    const flags = [...Object.entries(headers).map(([field, value]) => `-H '${field}: ${value}'`), ...(header ? ['-i'] : [])];
    process.stdout.write(
      [
        `\n# ${title}`,
        `curl ${[...flags, `'${url}/api/v3${path}'`].join(' ')}`,
        `${reply.status}${header ? `  ${header}: ${reply.headers.get(header)}` : ''}`,
        ...lines.slice(0, maxLines),
        ...(lines.length > maxLines ? [`… ${lines.length - maxLines} more lines`] : []),
        '',
      ].join('\n'),
    );
  }
}
