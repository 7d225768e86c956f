// Git over SSH of a server that was started from the command line.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { hasOpenSsh } from '#test/ssh-server/support.ts';
import { hearth, installation, type Server, serve, temporaryFolder } from './support.ts';

const execute = promisify(execFile);

/** A person with a key and a repository of a server, and how they use Git. */
async function person({ run }: Awaited<ReturnType<typeof installation>>, server: Server) {
  const folder = await temporaryFolder();
  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  expect((await run('user', 'create', 'ada')).code).toBe(0);
  expect((await run('repo', 'create', 'ada/engine')).code).toBe(0);
  const token = (
    await run(
      'token',
      'create',
      '--kind',
      'classic',
      '--user',
      'ada',
      '--scope',
      'repo',
      '--scope',
      'admin:public_key',
      '--quiet',
    )
  ).out;
  const headers = { authorization: `Bearer ${token.trim()}` };
  const body = JSON.stringify({ title: 'key', key: await readFile(`${key}.pub`, 'utf8') });
  expect((await fetch(`${server.url}/api/v3/user/keys`, { method: 'POST', headers, body })).status).toBe(201);
  const { ssh_url } = (await (await fetch(`${server.url}/api/v3/repos/ada/engine`, { headers })).json()) as { ssh_url: string };
  const known = join(folder, 'known');
  const trust = async () => {
    const { ssh_keys } = (await (await fetch(`${server.url}/api/v3/meta`)).json()) as { ssh_keys: string[] };
    writeFileSync(known, ssh_keys.map((line) => `[127.0.0.1]:${new URL(ssh_url).port} ${line}\n`).join(''));
    return ssh_keys;
  };
  const ssh = ['ssh', '-F', '/dev/null', '-o', `UserKnownHostsFile=${known}`, '-o', 'BatchMode=yes', '-i', key];
  const git = (...args: string[]) =>
    execute('git', args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, GIT_SSH_COMMAND: ssh.join(' '), GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  await git('init', '-q', '-b', 'main', 'work');
  return {
    keys: await trust(),
    url: ssh_url,
    ssh,
    git: (...args: string[]) => git('-C', 'work', ...identity, ...args),
    listed: async () => (await git('ls-remote', ssh_url)).stdout,
  };
}

test.skipIf(!hasOpenSsh)('several processes serve Git over SSH behind one port, by keys that a restart keeps', async () => {
  const place = await installation();
  const server = await serve(place.data, ['--workers', '2', '--ssh-port', '0'], place.env);
  const { url, git, listed, keys } = await person(place, server);
  await git('commit', '-q', '--allow-empty', '-m', 'One');
  await git('push', '-q', url, 'main');
  expect(await Promise.all(Array.from({ length: 6 }, listed))).toEqual(
    Array.from({ length: 6 }, () => expect.stringContaining('refs/heads/main')),
  );
  expect(await server.end()).toBe(0);
  await expect(listed()).rejects.toThrow(/Connection refused/);
  const again = await serve(place.data, ['--ssh-port', new URL(url).port], place.env);
  expect(((await (await fetch(`${again.url}/api/v3/meta`)).json()) as { ssh_keys: string[] }).ssh_keys).toEqual(keys);
  expect(await listed()).toContain('refs/heads/main');
  expect((await place.run('doctor')).out).toMatch(/ssh .*ssh-ed25519 SHA256:/);
});

test.skipIf(!hasOpenSsh)('a server that is told to end finishes the command that runs, and takes no other', async () => {
  const place = await installation();
  const server = await serve(place.data, ['--ssh-port', '0'], place.env);
  const { url, ssh, listed } = await person(place, server);
  const { port } = new URL(url);
  const [program = '', ...options] = ssh;
  const push = spawn(program, [...options, '-p', port, 'git@127.0.0.1', "git-receive-pack 'ada/engine.git'"]);
  await once(push.stdout, 'data');
  const ended = server.end();
  await expect.poll(() => listed().then(String, (error) => String(error))).toMatch(/refused|closed/i);
  expect(push.exitCode).toBeNull();
  push.stdin.end('0000');
  expect(await once(push, 'exit')).toEqual([0, null]);
  expect(await ended).toBe(0);
});

test('a port for SSH that is in use is one clear line, and no server starts', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? String(address.port) : '';
  const { data, env } = await installation();
  const { code, err } = await hearth(['serve', '--data', data, '--port', '0', '--ssh-port', port], env);
  other.close();
  expect(code).not.toBe(0);
  expect(err.trim()).toMatch(new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use, which is for Git over SSH: .*off$`));
});

test('the port for SSH that nobody set is left to whoever has it, with a warning; websites need a host of their own', async () => {
  // Another program may have them already, which is as good.
  const others = [2222, 3001].map((port) =>
    createServer()
      .on('error', () => undefined)
      .listen(port, '127.0.0.1'),
  );
  onTestFinished(() => {
    for (const other of others) other.close();
  });
  const { data, env } = await installation();
  for (const workers of [[], ['--workers', '2']]) {
    const server = await serve(data, workers, { ...env, HEARTH_SSH_PORT: '', HEARTH_PAGES_PORT: '' });
    expect(server.log()).toMatch(/Git over SSH is off, since port 2222 of 127\.0\.0\.1 is in use: .* --ssh-port/);
    expect(server.log()).not.toContain('3001');
    expect(((await (await fetch(`${server.url}/api/v3/meta`)).json()) as { ssh_keys?: string[] }).ssh_keys).toBeUndefined();
    expect(await server.end()).toBe(0);
  }
});

test('a port whose address was set is an error where it is in use', async () => {
  const other = createServer()
    .on('error', () => undefined)
    .listen(2222, '127.0.0.1');
  onTestFinished(() => void other.close());
  const { data, env } = await installation();
  const wanted = { ...env, HEARTH_SSH_PORT: '', HEARTH_SSH_URL: 'ssh://code.example.com' };
  const { code, err } = await hearth(['serve', '--data', data, '--port', '0'], wanted);
  expect(code).not.toBe(0);
  expect(err).toContain('Port 2222 of 127.0.0.1 is in use, which is for Git over SSH');
});

test("host keys are the owner's alone, and are in a backup", async () => {
  const { data, env, run } = await installation();
  const server = await serve(data, ['--ssh-port', '0'], env);
  const keysOf = async () => ((await (await fetch(`${server.url}/api/v3/meta`)).json()) as { ssh_keys: string[] }).ssh_keys;
  const keys = await keysOf();
  expect(keys.map((key) => key.split(' ')[0]).sort()).toEqual(['ecdsa-sha2-nistp256', 'ssh-ed25519', 'ssh-rsa']);
  const folder = join(data, 'ssh-host-keys');
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  const backup = join(await temporaryFolder(), 'backup');
  expect((await run('backup', backup)).code).toBe(0);
  const other = await installation();
  const restored = await other.run('restore', backup, '--other-key');
  expect([restored.code, restored.err]).toEqual([0, expect.anything()]);
  const copy = await serve(other.data, ['--ssh-port', '0'], other.env);
  expect(((await (await fetch(`${copy.url}/api/v3/meta`)).json()) as { ssh_keys: string[] }).ssh_keys).toEqual(keys);
});
