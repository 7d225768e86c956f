// Clients of other languages, as they are published. Each script in `clients/` does what Hearth has, and says each step that it
// did. What isn't installed (`clients/install.sh`) is skipped: nothing is fetched here.
import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAppById, installApp, offerManifest } from '#resources/repositories/apps/index.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';

const execute = promisify(execFile);
const scripts = join(import.meta.dirname, 'clients');
/** Where `install.sh` puts what belongs to no package manager of the machine. */
const installed = process.env.HEARTH_TEST_CLIENTS ?? join(homedir(), '.cache/hearth-clients');

const steps = [
  ...[
    'sign in',
    'repository',
    'contents',
    'git data',
    'labels',
    'milestones',
    'issues',
    'comments',
    'reactions',
    'hooks',
    'search',
  ],
  ...['keys', 'watching', 'notifications', 'migrations', 'pull requests', 'app'],
];

/** How long a compiler may take at most. What a script needs was compiled before; what is left takes seconds. */
const compilerMs = 120_000;
/** How long a script may take at most. */
const scriptMs = 120_000;

type Command = readonly [program: string, ...args: string[]];

const succeeds = (program: string, ...args: string[]): Promise<boolean> =>
  execute(program, args).then(
    () => true,
    () => false,
  );
/** The first of these programs that answers to the arguments. */
async function first(programs: readonly string[], ...args: string[]): Promise<string | undefined> {
  for (const program of programs) if (await succeeds(program, ...args)) return program;
  return undefined;
}

const pythons = [join(installed, 'python/bin/python'), 'python3', '/usr/bin/python3'];

/** A script of a Python that has the module. */
async function python(module: string, script: string): Promise<Command | undefined> {
  const program = await first(pythons, '-c', `import ${module}`);
  return program === undefined ? undefined : [program, join(scripts, script)];
}

/** Debian's Ruby comes with Debian's Octokit, whatever other Ruby is there. */
async function ruby(): Promise<Command | undefined> {
  const program = await first(['ruby', '/usr/bin/ruby'], '-e', 'require "octokit"; require "jwt"');
  return program === undefined ? undefined : [program, join(scripts, 'octokit.rb')];
}

/** A digest of all files below a folder, and of their names. */
async function digestOf(source: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(source, { recursive: true })).sort()) {
    const path = join(source, name);
    if ((await stat(path)).isFile()) hash.update(JSON.stringify([name, await readFile(path, 'utf8')]));
  }
  return hash.digest('hex');
}

/** Compiles what is in a folder of `clients/`, unless `made` is what was compiled from the same files. */
async function compile(name: string, made: string, [program, ...args]: Command, env: object = {}): Promise<void> {
  const source = join(scripts, name);
  const note = `${made}.digest`;
  const digest = await digestOf(source);
  if (existsSync(made) && (await readFile(note, 'utf8').catch(() => '')) === digest) return;
  await rm(note, { force: true });
  await execute(program, args, { cwd: source, env: { ...process.env, ...env }, timeout: compilerMs });
  await writeFile(note, digest);
}

/** Java runs what javac made of a single file. */
async function java(): Promise<Command | undefined> {
  const jars = join(installed, 'hub4j');
  if (!existsSync(jars) || !(await succeeds('javac', '--version'))) return undefined;
  const classes = join(installed, 'hub4j-classes');
  await compile('hub4j', classes, ['javac', '-d', classes, '-cp', join(jars, '*'), 'Client.java']);
  return ['java', '-cp', [classes, join(jars, '*')].join(delimiter), 'Client'];
}

/** A program that `install.sh` compiled once, brought up to date from what was fetched then. */
async function compiled(name: string, program: string, compiler: Command, env: object): Promise<Command | undefined> {
  const [command] = compiler;
  if (!existsSync(join(installed, program)) || !(await succeeds(command, name === 'go-github' ? 'version' : '--version')))
    return undefined;
  await compile(name, join(installed, program), compiler, env);
  return [join(installed, program)];
}

const go = () =>
  compiled('go-github', 'go-github', ['go', 'build', '-o', join(installed, 'go-github'), '.'], { GOPROXY: 'off', GOFLAGS: '' });
const cargo = ['cargo', 'build', '--quiet', '--offline', '--locked', '--target-dir', join(installed, 'octocrab')] as const;
const rust = () => compiled('octocrab', 'octocrab/debug/octocrab-client', cargo, {});

/** The public part of an SSH key that nobody has. */
function newSshKey(): string {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))]);
  return `ssh-ed25519 ${blob.toString('base64')}`;
}

/** What each client has no method for, or isn't asked for. */
const clients: readonly { name: string; command: () => Promise<Command | undefined>; without?: readonly string[] }[] = [
  { name: 'PyGithub', command: () => python('github', 'with_pygithub.py') },
  { name: 'githubkit', command: () => python('githubkit', 'with_githubkit.py'), without: ['pull requests'] },
  { name: 'octokit.rb', command: ruby, without: ['pull requests'] },
  { name: 'go-github with ghinstallation', command: go, without: ['pull requests'] },
  { name: 'octocrab', command: rust, without: ['pull requests'] },
  { name: 'hub4j', command: java, without: ['migrations', 'pull requests'] },
];

const here = await world({ vocabulary: 'github' });
const folder = await mkdtemp(join(tmpdir(), 'hearth-clients-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const environment: Record<string, string> = {};

beforeAll(async () => {
  here.clock.now = new Date(); // apps sign by the real time
  const ada = await here.user('ada');
  const bob = await here.user('bob');
  const acme = await here.org(ada, 'acme');
  const manifest = { name: 'helper', url: 'https://app.example', default_permissions: { issues: 'write', metadata: 'read' } };
  const { now } = here.clock;
  const code = await here.change((scope) => offerManifest(scope, { manifest, owner: ada, by: ada, now }));
  const { body: made } = await (await here.as(undefined)).post(`/app-manifests/${code}/conversions`);
  const app = await findAppById(here.db, made.id);
  if (!app) throw new Error('The app is there');
  const installation = await here.change((scope) => installApp(scope, { app, account: acme, repositories: 'all', by: ada, now }));
  const key = join(folder, 'app.pem');
  await writeFile(key, made.pem);
  // Java reads keys in this form, into which its users convert them.
  const pkcs8 = join(folder, 'app-pkcs8.pem');
  await writeFile(pkcs8, createPrivateKey(made.pem).export({ type: 'pkcs8', format: 'pem' }));
  Object.assign(environment, {
    HEARTH_API: `${here.url}/api/v3`,
    HEARTH_TOKEN: await here.token(ada),
    HEARTH_OTHER_TOKEN: await here.token(bob),
    HEARTH_ORG: 'acme',
    HEARTH_HOOK: (await receiver()).url,
    HEARTH_APP: String(made.id),
    HEARTH_APP_KEY: key,
    HEARTH_APP_PKCS8: pkcs8,
    HEARTH_INSTALLATION: String(installation.id),
  });
});

test.for(clients)('$name', async ({ name, command, without = [] }, { skip }) => {
  const [program, ...args] = (await command()) ?? skip(`${name} is not installed (test/acceptance/clients/install.sh)`);
  const env = { ...process.env, ...environment, HEARTH_KEY: newSshKey() };
  const running = execute(program, args, { env, timeout: scriptMs });
  const over = running.then(
    () => true,
    () => true,
  );
  // Jobs run while it asks, as they do on a server.
  while (!(await Promise.race([over, sleep(50).then(() => false)]))) await here.settle();
  const { stdout } = await running;
  expect(stdout.trim().split('\n')).toEqual(steps.filter((step) => !without.includes(step)));
});
