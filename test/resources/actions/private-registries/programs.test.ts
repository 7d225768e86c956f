// Package managers with the configuration that a job gets: what they send to a registry that demands it, and what they install.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { makeCertificate } from '#test/support/certificate.ts';
import { commitFiles } from '#test/support/commit.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';
import { sealed, setting } from './setting.ts';

const w = await world({ vocabulary: 'github' });
const execute = promisify(execFile);

/** Whether a program is there. */
function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const secret = 'm00n/light+&"=';

type Files = Readonly<Record<string, string | Buffer>>;

function typeOf(path: string): string {
  if (path.endsWith('.json')) return 'application/json';
  if (path.includes('/manifests/')) return 'application/vnd.docker.distribution.manifest.v2+json';
  return path.startsWith('/simple/') ? 'text/html' : 'application/octet-stream';
}

/** A registry with files, for whoever sends what it expects. Others are challenged. */
async function startRegistry(expected: string, filesAt: (url: string) => Files, tls?: { key: string; cert: string }) {
  const refused: string[] = [];
  const served: string[] = [];
  let files: Files = {};
  const answer = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const path = request.url ?? '';
    if (request.headers.authorization !== expected) {
      refused.push(request.headers.authorization ?? '');
      const challenge = expected.startsWith('Basic ') ? 'Basic realm="registry"' : 'Bearer';
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    const content = files[path];
    if (content === undefined) response.writeHead(404).end();
    else {
      served.push(path);
      // Terraform reads from here where a module is.
      const more = path.endsWith('/download') ? { 'x-terraform-get': './module.tar.gz' } : {};
      response.writeHead(200, { 'content-type': typeOf(path), ...more }).end(content);
    }
  };
  const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  files = filesAt(url);
  return { url, refused, served };
}

type Job = {
  /** Runs a program in the folder of the workspace. */
  run(command: string, env?: Record<string, string>): Promise<string>;
  /** Runs the step at the end of the job. */
  leave(): void;
  readonly folder: string;
};

/** A job whose added step has run, with files in its workspace. */
async function jobWith(fields: Readonly<Record<string, unknown>>, files: Files): Promise<Job> {
  const { owner, org, path } = await setting(w);
  const client = await w.as(owner);
  const made = await client.post(path, { visibility: 'all', ...fields, ...(await sealed(client, org, secret)) });
  expect(made.status).toBe(201);
  await client.put(`${path}/workflow-access`, { enabled: true });
  const repo = await w.repo(org, { by: owner });
  const jobs = 'jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: make}]\n';
  const workflow = `on: push\nenv: {PRIVATE_REGISTRIES: ${made.body.name}}\n${jobs}`;
  await commitFiles(w, repo, { '.github/workflows/ci.yml': workflow });
  await w.settle();
  const task = await (await startRunner(w, repo)).fetch();
  if (!task) throw new Error('No job waits');
  const { steps } = JSON.parse(Buffer.from(task.workflowPayload ?? []).toString()).jobs.a;
  const [before, after] = [steps[0], steps.at(-1)];
  const folder = mkdtempSync(join(tmpdir(), 'hearth-programs-'));
  const workspace = join(folder, 'job', 'workspace');
  mkdirSync(workspace, { recursive: true });
  mkdirSync(join(folder, 'home'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), content);
  }
  const filled = (text: string): string =>
    text.replaceAll(/\$\{\{ secrets\.(\w+) \}\}/g, (_, name: string) => task.secrets[name] ?? '');
  const env = Object.fromEntries(
    Object.entries(before.env as Record<string, string>).map(([name, text]) => [name, filled(text)]),
  );
  const variables = join(folder, 'variables');
  const common = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    RUNNER_TEMP: join(folder, 'temp'),
    GITHUB_WORKSPACE: workspace,
  };
  execFileSync('sh', ['-c', before.run], { env: { ...common, GITHUB_ENV: variables, ...env } });
  const set = existsSync(variables) ? readFileSync(variables, 'utf8').trim().split('\n') : [];
  const jobEnv = Object.fromEntries(set.map((line) => line.split(/=(.*)/s, 2)));
  return {
    folder,
    async run(command, more = {}) {
      const { stdout } = await execute('sh', ['-c', command], { cwd: workspace, env: { ...common, ...jobEnv, ...more } });
      return stdout;
    },
    leave() {
      execFileSync('sh', ['-c', after.run], { env: common });
      const left = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, 'home')))
        .filter((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1').includes(secret.slice(0, 8)));
      expect(left.map(({ name }) => name)).toEqual([]);
    },
  };
}

/** Runs the programs, and shows what they said when they fail. */
async function expectServed(registry: Awaited<ReturnType<typeof startRegistry>>, work: () => Promise<unknown>, paths: string[]) {
  await work().catch((error) => {
    throw new Error(`${error.stderr}\n${error.stdout}\nrefused: ${registry.refused.join(' | ')}`);
  });
  expect(registry.served).toEqual(expect.arrayContaining(paths));
  // Programs ask without a credential first, and never with another one.
  expect(registry.refused.filter((sent) => sent !== '')).toEqual([]);
}

const withUser = { auth_type: 'username_password', username: 'ada@acme' };
const basic = (user: string): string => `Basic ${base64(`${user}:${secret}`)}`;

/** An archive with the given files. */
function archive(files: Files): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

test.skipIf(!has('npm')).each([
  ['a token', {}, `Bearer ${secret}`],
  ['a user', withUser, basic('ada@acme')],
])('npm installs a package with %s', async (_, fields, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-npm-'));
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'package.json'), '{"name": "thing", "version": "1.0.0"}');
  const tarball = execFileSync('tar', ['-czf', '-', '-C', folder, 'package']);
  const registry = await startRegistry(expected, (url) => ({
    '/npm/thing': JSON.stringify({
      name: 'thing',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': { name: 'thing', version: '1.0.0', dist: { tarball: `${url}/npm/thing/-/thing-1.0.0.tgz` } } },
    }),
    '/npm/thing/-/thing-1.0.0.tgz': tarball,
  }));
  const job = await jobWith(
    { registry_type: 'npm_registry', url: `${registry.url}/npm/`, replaces_base: true, ...fields },
    { 'package.json': '{"name": "own", "version": "0.1.0"}' },
  );
  const command = 'npm install --no-audit --no-fund --no-update-notifier thing';
  await expectServed(registry, () => job.run(command), ['/npm/thing', '/npm/thing/-/thing-1.0.0.tgz']);
  job.leave();
});

test.skipIf(!has('pip3')).each([
  ['a token', {}, '__token__'],
  ['a user', withUser, 'ada@acme'],
])('pip downloads a package with %s', async (_, fields, user) => {
  const metadata = 'Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n';
  const wheel = await archive({
    'thing.py': '',
    'thing-1.0.dist-info/METADATA': metadata,
    'thing-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    'thing-1.0.dist-info/RECORD': '',
  });
  const at = '/simple/thing/thing-1.0-py3-none-any.whl';
  const registry = await startRegistry(basic(user), () => ({
    '/simple/thing/': `<!DOCTYPE html><html><body><a href="${at}">thing-1.0-py3-none-any.whl</a></body></html>`,
    [at]: wheel,
  }));
  const job = await jobWith(
    { registry_type: 'python_index', url: `${registry.url}/simple/`, replaces_base: true, ...fields },
    {},
  );
  const command = 'pip3 download --no-deps --no-cache-dir --disable-pip-version-check thing';
  await expectServed(registry, () => job.run(command), ['/simple/thing/', at]);
  job.leave();
});

/** A crate in an archive. */
function crate(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-crate-'));
  mkdirSync(join(folder, 'thing-1.0.0', 'src'), { recursive: true });
  writeFileSync(join(folder, 'thing-1.0.0', 'Cargo.toml'), '[package]\nname = "thing"\nversion = "1.0.0"\nedition = "2021"\n');
  writeFileSync(join(folder, 'thing-1.0.0', 'src', 'lib.rs'), '');
  return execFileSync('tar', ['-czf', '-', '-C', folder, 'thing-1.0.0']);
}

test.skipIf(!has('cargo')).each([
  ['with a token', {}, secret],
  ['with a user', withUser, basic('ada@acme')],
  ['instead of the public registry', { replaces_base: true }, secret],
])('Cargo fetches a crate %s', async (_, fields, expected) => {
  const bytes = crate();
  const registry = await startRegistry(expected, (url) => ({
    '/index/config.json': JSON.stringify({ dl: `${url}/dl`, 'auth-required': true }),
    '/index/th/in/thing': JSON.stringify({
      name: 'thing',
      vers: '1.0.0',
      deps: [],
      cksum: sha256(bytes),
      features: {},
      yanked: false,
    }),
    '/dl/thing/1.0.0/download': bytes,
  }));
  const from = 'replaces_base' in fields ? '"1"' : '{ version = "1", registry = "cargo-registry-secret" }';
  const job = await jobWith(
    { registry_type: 'cargo_registry', url: `${registry.url}/index/`, ...fields },
    {
      'Cargo.toml': `[package]\nname = "own"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nthing = ${from}\n`,
      'src/lib.rs': '',
    },
  );
  const home = {
    CARGO_HOME: join(job.folder, 'home', 'cargo'),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(process.env.HOME ?? '', '.rustup'),
  };
  await expectServed(registry, () => job.run('cargo fetch', home), ['/index/th/in/thing', '/dl/thing/1.0.0/download']);
  job.leave();
});

test.skipIf(!has('go')).each([
  ['a token', {}, 'token'],
  ['a user', withUser, 'ada@acme'],
])('Go downloads a module with %s', async (_, fields, user) => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'));
  const root = 'example.com/thing@v1.0.0';
  const module = await archive({ [`${root}/go.mod`]: 'module example.com/thing\n', [`${root}/thing.go`]: 'package thing\n' });
  const at = '/goproxy/example.com/thing/@v/v1.0.0';
  const registry = await startRegistry(
    basic(user),
    () => ({
      [`${at}.info`]: JSON.stringify({ Version: 'v1.0.0', Time: '2026-01-01T00:00:00Z' }),
      [`${at}.mod`]: 'module example.com/thing\n',
      [`${at}.zip`]: module,
    }),
    await makeCertificate(folder),
  );
  const job = await jobWith(
    { registry_type: 'goproxy_server', url: `${registry.url}/goproxy/`, replaces_base: true, ...fields },
    { 'go.mod': 'module example.com/own\n\ngo 1.21\n' },
  );
  const env = {
    GONOSUMDB: 'example.com',
    GOMODCACHE: join(job.folder, 'home', 'modules'),
    GOFLAGS: '-modcacherw',
    GOTOOLCHAIN: 'local',
    SSL_CERT_FILE: join(folder, 'cert.pem'),
  };
  await expectServed(registry, () => job.run('go mod download example.com/thing@v1.0.0', env), [`${at}.mod`, `${at}.zip`]);
  job.leave();
});

test.skipIf(!has('mvn')).each([
  ['a token', {}, 'token'],
  ['a user', withUser, 'ada@acme'],
])('Maven resolves a parent with %s', async (_, fields, user) => {
  const pom = (artifact: string, more: string) =>
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${more}` +
    `<groupId>com.example</groupId><artifactId>${artifact}</artifactId><version>1</version><packaging>pom</packaging></project>`;
  const at = '/maven/com/example/parent/1/parent-1.pom';
  const registry = await startRegistry(basic(user), () => ({ [at]: pom('parent', '') }));
  const parent =
    '<parent><groupId>com.example</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>';
  const job = await jobWith(
    { registry_type: 'maven_repository', url: `${registry.url}/maven/`, replaces_base: true, ...fields },
    { 'pom.xml': pom('own', parent) },
  );
  // Maven reads MAVEN_ARGS from version 3.9 on.
  const given = / 3\.[0-8]\./.test(execFileSync('mvn', ['--version'], { encoding: 'utf8' })) ? '$MAVEN_ARGS ' : '';
  const command = `mvn ${given}-B -q -Dmaven.repo.local="${join(job.folder, 'home', 'maven')}" validate`;
  await expectServed(registry, () => job.run(command), [at]);
  job.leave();
});

test.skipIf(!has('bundle')).each([
  ['from the source that its file names', {}, 'token'],
  ['from a mirror', { ...withUser, replaces_base: true }, 'ada@acme'],
])('Bundler resolves a gem %s', async (_, fields, user) => {
  const registry = await startRegistry(basic(user), () => ({
    '/versions': 'created_at: 2026-01-01T00:00:00Z\n---\nthing 1.0.0 0123456789abcdef0123456789abcdef\n',
    '/info/thing': `---\n1.0.0 |checksum:${'0'.repeat(64)}\n`,
  }));
  const source = 'replaces_base' in fields ? 'https://rubygems.org' : registry.url;
  const job = await jobWith(
    { registry_type: 'rubygems_server', url: registry.url, ...fields },
    { Gemfile: `source '${source}'\ngem 'thing'\n` },
  );
  await expectServed(registry, () => job.run('bundle lock'), ['/versions']);
  expect(await job.run('cat Gemfile.lock')).toContain('thing (1.0.0)');
  job.leave();
});

test.for([
  // This subcommand needs no daemon.
  ['docker', 'docker manifest inspect --insecure'],
  ['crane', 'crane validate --insecure --remote'],
])('%s reads an image', async ([program = '', command = ''], context) => {
  if (!has(program)) context.skip(`there is no ${program}`);
  const described = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length });
  const image = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: [] } }));
  const config = described('application/vnd.docker.container.image.v1+json', image);
  const manifest = { schemaVersion: 2, mediaType: 'application/vnd.docker.distribution.manifest.v2+json', config, layers: [] };
  const registry = await startRegistry(basic('ada@acme'), () => ({
    '/v2/': '{}',
    '/v2/acme/thing/manifests/1': JSON.stringify(manifest),
    [`/v2/acme/thing/blobs/${config.digest}`]: image,
  }));
  const job = await jobWith({ registry_type: 'docker_registry', url: registry.url, ...withUser }, {});
  const { host } = new URL(registry.url);
  await expectServed(registry, () => job.run(`${command} ${host}/acme/thing:1`), [
    '/v2/acme/thing/manifests/1',
    `/v2/acme/thing/blobs/${config.digest}`,
  ]);
  job.leave();
});

test.skipIf(!has('git')).each([
  ['a token', {}, 'x-access-token'],
  ['a user', withUser, 'ada@acme'],
])('Git reads a repository with %s', async (_, fields, user) => {
  const id = 'a'.repeat(40);
  const at = '/git/acme/thing.git';
  const registry = await startRegistry(basic(user), () => ({
    [`${at}/info/refs?service=git-upload-pack`]: `${id}\trefs/heads/main\n`,
    [`${at}/HEAD`]: 'ref: refs/heads/main\n',
    '/other/thing.git/info/refs?service=git-upload-pack': `${id}\trefs/heads/main\n`,
  }));
  const job = await jobWith({ registry_type: 'git_source', url: `${registry.url}/git/acme/`, ...fields }, {});
  const read = (path: string) => job.run(`git ls-remote ${registry.url}${path}`, { GIT_TERMINAL_PROMPT: '0' });
  await expectServed(registry, () => read(at), [`${at}/info/refs?service=git-upload-pack`]);
  // The credential is for addresses below that of the registry.
  await expect(read('/other/thing.git')).rejects.toMatchObject({ stderr: expect.stringContaining('could not read Username') });
  job.leave();
});

test.skipIf(!has('terraform'))('Terraform looks for a module with a token', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-tls-'));
  const at = '/v1/modules/acme/thing/local';
  const registry = await startRegistry(
    `Bearer ${secret}`,
    () => ({
      '/.well-known/terraform.json': JSON.stringify({ 'modules.v1': '/v1/modules/' }),
      [`${at}/versions`]: JSON.stringify({ modules: [{ versions: [{ version: '1.0.0' }] }] }),
      [`${at}/1.0.0/download`]: '',
    }),
    await makeCertificate(folder),
  );
  const { host } = new URL(registry.url);
  const job = await jobWith(
    { registry_type: 'terraform_registry', url: registry.url },
    { 'main.tf': `module "thing" {\n  source  = "${host}/acme/thing/local"\n  version = "1.0.0"\n}\n` },
  );
  const env = { SSL_CERT_FILE: join(folder, 'cert.pem'), CHECKPOINT_DISABLE: '1' };
  // The archive of the module is elsewhere, where the token isn't sent.
  const work = () => job.run('terraform get || true', env);
  await expectServed(registry, work, ['/.well-known/terraform.json', `${at}/versions`, `${at}/1.0.0/download`]);
  job.leave();
});

test.skipIf(!has('composer')).each([
  ['a token', {}, 'token'],
  ['a user', withUser, 'ada@acme'],
])('Composer installs a package with %s', async (_, fields, user) => {
  const zip = await archive({ 'thing-1/composer.json': '{"name": "acme/thing"}' });
  const registry = await startRegistry(basic(user), (url) => ({
    '/composer/packages.json': JSON.stringify({
      packages: {
        'acme/thing': {
          '1.0.0': { name: 'acme/thing', version: '1.0.0', dist: { type: 'zip', url: `${url}/composer/thing-1.zip` } },
        },
      },
    }),
    '/composer/thing-1.zip': zip,
  }));
  const project = { require: { 'acme/thing': '^1.0' }, config: { 'secure-http': false } };
  const job = await jobWith(
    { registry_type: 'composer_repository', url: `${registry.url}/composer/`, replaces_base: true, ...fields },
    { 'composer.json': JSON.stringify(project) },
  );
  const env = { COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_CACHE_DIR: join(job.folder, 'home', 'composer') };
  const work = () => job.run('composer update --no-interaction --no-plugins --no-scripts', env);
  await expectServed(registry, work, ['/composer/packages.json', '/composer/thing-1.zip']);
  job.leave();
});

test.skipIf(!has('helm')).each([
  ['a token', {}, 'token'],
  ['a user', withUser, 'ada@acme'],
])('Helm pulls a chart with %s', async (_, fields, user) => {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-chart-'));
  mkdirSync(join(folder, 'thing'));
  writeFileSync(join(folder, 'thing', 'Chart.yaml'), 'apiVersion: v2\nname: thing\nversion: 1.0.0\n');
  const chart = execFileSync('tar', ['-czf', '-', '-C', folder, 'thing']);
  const registry = await startRegistry(basic(user), (url) => ({
    '/charts/index.yaml': JSON.stringify({
      apiVersion: 'v1',
      entries: {
        thing: [
          { apiVersion: 'v2', name: 'thing', version: '1.0.0', digest: sha256(chart), urls: [`${url}/charts/thing-1.0.0.tgz`] },
        ],
      },
    }),
    '/charts/thing-1.0.0.tgz': chart,
  }));
  const job = await jobWith({ registry_type: 'helm_registry', url: `${registry.url}/charts/`, ...fields }, {});
  const command = 'helm repo update && helm pull helm-registry-secret/thing';
  await expectServed(registry, () => job.run(command), ['/charts/index.yaml', '/charts/thing-1.0.0.tgz']);
  job.leave();
});
