import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { UpdateRequest } from '#resources/security/dependency-bot/updates/contract.ts';
import { updateJob as jobName, updateWorkflow } from '#resources/security/dependency-bot/updates/workflow.ts';
import { parse } from '#workflow-files/parser.ts';
import { permissionsOfJob } from '#workflow-files/permissions.ts';
import { namedRegistries } from '#workflow-files/private-registries.ts';
import { stepsOf } from './job.ts';

const execute = promisify(execFile);
const job = { runsOn: ['ubuntu-latest'], timeoutMinutes: 30, registries: ['NPM_REGISTRY_SECRET'] };
const expression = (text: string): string => `\${{ ${text} }}`;
const request: UpdateRequest = { ecosystem: 'npm', directory: '/', kind: 'security', open: [] };

test.each(['npm', 'pip', 'gomod'] as const)(
  'the file for %s is a workflow whose job reads, and uses no action',
  async (ecosystem) => {
    const content = updateWorkflow({ ...request, ecosystem }, job);
    const parsed = await parse({ path: '.github/workflows/x.yml', content });

    if (!('file' in parsed)) throw new Error(JSON.stringify(parsed));
    const { file } = parsed;
    expect(permissionsOfJob(file, jobName, { byDefault: 'write', mayWrite: true })).toEqual({
      token: { contents: 'read', metadata: 'read' },
      identity: 'none',
    });
    expect(namedRegistries(file.source, file.jobs.get(jobName)?.source ?? {})).toEqual(['NPM_REGISTRY_SECRET']);
    expect(content).not.toContain('"uses"');
    expect(content).not.toMatch(/\$\{\{ *secrets/);
  },
);

test('what a request says is no expression, and no part of a script', async () => {
  const marker = `${expression('github.token')}\n$(id)`;
  const hostile: UpdateRequest = { ...request, security: [{ name: marker, patched: marker, vulnerable: [marker] }] };
  const content = updateWorkflow(hostile, job);

  expect(content.match(/\$\{\{[^}]*\}\}/g)).toEqual([
    expression('steps.update.outputs.result'),
    expression('github.token'),
    expression('steps.checkout.outputs.directory'),
    expression('steps.checkout.outputs.directory'),
  ]);
  expect(stepsOf(content).map(({ run }) => run)).toEqual(stepsOf(updateWorkflow(request, job)).map(({ run }) => run));
  // The step that runs tools of packages has no token.
  expect(stepsOf(content).map(({ env }) => Object.keys(env ?? {}))).toEqual([
    ['TOKEN'],
    ['DEPENDENCY_BOT_DIRECTORY', 'DEPENDENCY_BOT_REQUEST_1'],
    ['DIRECTORY'],
  ]);
});

test('a large request is several variables, since Linux takes no long ones', () => {
  const text = Array.from({ length: 8_000 }, (_, at) => String(Math.sin(at)))
    .join(' ')
    .slice(0, 100_000);
  const security = [0, 1, 2].map((at) => ({
    name: `a${at}`,
    patched: '1',
    vulnerable: [[...text].map((c) => String.fromCharCode(c.charCodeAt(0) + at)).join('')],
  }));
  const { env = {} } = stepsOf(updateWorkflow({ ...request, security }, job)).find(({ id }) => id === 'update') ?? {};
  const parts = Object.entries(env).filter(([name]) => name.startsWith('DEPENDENCY_BOT_REQUEST_'));
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.filter(([, value]) => value.length > 120_000)).toEqual([]);
});

/** Serves a repository by Git's own program, to whoever has the token. */
async function gitServer(folder: string, token: string) {
  const requests: (string | undefined)[] = [];
  const server = createServer((incoming, response) => {
    const { authorization } = incoming.headers;
    requests.push(authorization);
    if (authorization !== `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    const { pathname, search } = new URL(incoming.url ?? '', 'http://x');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: incoming.method,
        CONTENT_TYPE: incoming.headers['content-type'],
        HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'],
        GIT_PROTOCOL: String(incoming.headers['git-protocol'] ?? ''),
      },
    });
    incoming.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const reply = Buffer.concat(chunks);
      const end = reply.indexOf('\r\n\r\n');
      for (const line of reply.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name !== 'Status') response.setHeader(name, value);
      }
      response.end(reply.subarray(end + 4));
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the check-out runs nothing of a hostile repository, and leaves the token nowhere', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-checkout-'));
  const origin = join(folder, 'acme/engine');
  await mkdir(origin, { recursive: true });
  const git = async (...args: string[]) => (await execute('git', ['-C', origin, ...args])).stdout.trim();
  await git('init', '--quiet');
  await writeFile(join(origin, '.gitattributes'), '* filter=evil text eol=crlf ident working-tree-encoding=UTF-16\n');
  await writeFile(join(origin, 'a.txt'), 'one\n$Id$\n');
  await writeFile(join(origin, '.gitmodules'), `[submodule "x"]\n\tpath = x\n\turl = ${origin}\n`);
  await symlink('/etc/hostname', join(origin, 'package.json'));
  // The attributes must not change what is stored.
  await writeFile(join(origin, '.git/info/attributes'), '* -text -filter -ident -working-tree-encoding !eol\n');
  await git('add', '--all');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first');
  const sha = await git('rev-parse', 'HEAD');

  const marker = join(folder, 'was-run');
  const bin = join(folder, 'bin');
  const template = join(folder, 'template/hooks');
  await mkdir(bin);
  await mkdir(template, { recursive: true });
  await writeFile(join(template, 'post-checkout'), `#!/bin/sh\ntouch ${marker}\n`);
  await chmod(join(template, 'post-checkout'), 0o755);
  // The machine's own configuration has filters, as Git LFS sets them up, and hooks.
  await writeFile(
    join(folder, '.gitconfig'),
    `[filter "evil"]\n\tsmudge = "touch ${marker}; cat"\n\trequired = true\n[init]\n\ttemplateDir = ${folder}/template\n` +
      `[core]\n\thooksPath = ${template}\n\tsymlinks = true\n`,
  );
  const real = (await execute('sh', ['-c', 'command -v git'])).stdout.trim();
  await writeFile(join(bin, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${folder}/arguments\nexec ${real} "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);

  const token = 'the-token-of-the-job';
  await using server = await gitServer(folder, token);
  const [step] = stepsOf(updateWorkflow(request, job));
  const output = join(folder, 'output');
  const { stdout, stderr } = await execute('sh', ['-e', '-c', step?.run ?? ''], {
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: folder,
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: output,
      GITHUB_SERVER_URL: server.url,
      GITHUB_REPOSITORY: 'acme/engine',
      GITHUB_SHA: sha,
      TOKEN: token,
    },
  });

  const directory = (await readFile(output, 'utf8')).trim().replace('directory=', '');
  expect(await readFile(join(directory, 'a.txt'), 'utf8')).toBe('one\n$Id$\n');
  expect((await stat(directory)).mode & 0o077).toBe(0);
  // A link is a file that says where it would lead.
  expect(await readFile(join(directory, 'package.json'), 'utf8')).toBe('/etc/hostname');
  await expect(stat(marker)).rejects.toThrow('ENOENT');
  expect(server.requests.filter((authorization) => authorization !== undefined).length).toBeGreaterThan(0);
  expect(stdout + stderr).not.toContain(token);
  expect(await readFile(join(folder, 'arguments'), 'utf8')).not.toContain(token);
  for (const entry of await readdir(join(directory, '.git'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) expect(await readFile(join(entry.parentPath, entry.name), 'latin1')).not.toContain(token);
  await rm(folder, { recursive: true, force: true });
});
