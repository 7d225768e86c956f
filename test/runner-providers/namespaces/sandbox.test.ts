import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { orderOf } from '#test/runner-providers/process/support.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { ended, logOf, processesWith, sandboxes, shellProgram } from './support.ts';

const { problem } = await sandboxes();
beforeEach((context) => {
  if (problem !== undefined) context.skip(problem);
});

const runner = asId<'hosted_runners'>(1);
const small = { machine: { cpuCores: 1, memoryGb: 1, storageGb: 1 } };
const program = (name: string, more: { address?: string; generatesImages?: boolean } = {}) => ({
  runner,
  name,
  registration: { name },
  address: 'http://127.0.0.1:1',
  generatesImages: false,
  ...more,
});

/** Runs a script in a sandbox to its end, and gives what it wrote. */
async function outputOf(script: string, more: Parameters<typeof sandboxes>[0] & { address?: string } = {}): Promise<string> {
  const { address, ...settings } = more;
  const { provider, machine } = await sandboxes({ program: await shellProgram(script), ...settings });
  await provider.provision(orderOf(1, small));
  await provider.start(program('one', address === undefined ? {} : { address }));
  await ended(provider, 'one');
  const log = await logOf(machine(1), 'one');
  await provider.stop(runner, 'one');
  expect(await readdir(join(machine(1), 'programs'))).toEqual([]);
  return log;
}

/** A server on this machine that says what it was asked. */
async function listener(host = '127.0.0.1'): Promise<number> {
  const server = createServer((request, response) => response.end(`reached by ${request.headers.host}`));
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A command that writes what an address answers, or "nothing". */
const ask = (url: string): string =>
  `/hearth/bin/node -e 'fetch("${url}").then((r) => r.text()).then(console.log, () => console.log("nothing"))'`;

test('a job is alone: its own processes, user, name, files and variables', async () => {
  const log = await outputOf(`
    id -un; hostname; ls /proc | grep -c '^[0-9]'; ls / | tr '\\n' ' '; echo; find $HOME /tmp -mindepth 1 | wc -l
    env | cut -d= -f1 | sort | tr '\\n' ' '; echo
    grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '`);
  const [user, host, processCount, folders, empty, variables, status] = log.split('\n');
  expect([user, host]).toEqual(['runner', 'runner']);
  expect(Number(processCount)).toBeLessThan(10);
  expect(folders?.split(' ').filter((name) => !/^(bin|lib\w*|sbin|)$/.test(name))).toEqual(
    'dev etc hearth home proc run runner tmp usr var'.split(' '),
  );
  expect(empty?.trim()).toBe('0');
  expect(variables?.trim()).not.toMatch(/HEARTH_(?!RUNNER_PUBLISH)|DATABASE/);
  expect(status).toBe('CapPrm: 0000000000000000 CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 ');
});

const refused: readonly [command: string, reason: RegExp][] = [
  ['touch /usr/x', /Read-only file system/],
  ['touch /x', /Read-only file system/],
  ['touch /dev/x', /Read-only file system/],
  ['touch /etc/x', /Read-only file system/],
  ['touch /hearth/program', /Read-only file system|Permission denied/],
  ['unshare --user true', /Operation not permitted/],
  ['unshare --net true', /Operation not permitted/],
  ['mount -t tmpfs none /tmp', /superuser|denied|not permitted/],
  ['taskset --cpu-list --pid 0-63 $$', /Operation not permitted/],
  ['head -c 100M /dev/zero > /dev/shm/x', /No space left on device/],
  ['cat /etc/shadow', /No such file/],
  ['ls /root', /No such file/],
  ['ls /var/lib', /No such file/],
  ['truncate -s 2G $HOME/x', /File too large|File size limit exceeded/],
];

test('what would lead out of a sandbox is refused', async () => {
  const script = refused.map(([command], at) => `echo "<${at}>"; (${command}) 2>&1 && echo done`).join('\n');
  const log = await outputOf(script);
  for (const [at, [command, reason]] of refused.entries()) {
    const [, output = ''] = new RegExp(`<${at}>\n([^<]*)`).exec(log) ?? [];
    expect(output, command).toMatch(reason);
    expect(output, command).not.toContain('done');
  }
});

test.runIf(existsSync('/usr/bin/python3'))('sockets that belong to no network can’t be made', async () => {
  const script = `/usr/bin/python3 -c '
import socket
for family in (1, 2, 10, 16, 17, 38, 40):
    try:
        socket.socket(family, socket.SOCK_STREAM if family < 16 else socket.SOCK_RAW).close()
        print(family)
    except OSError as error:
        print(error.strerror)'`;
  const none = 'Address family not supported by protocol';
  expect((await outputOf(script)).trim().split('\n')).toEqual(['1', '2', '10', '16', none, none, none]);
});

test('a job reaches the server at its address, and nothing else of this machine', async () => {
  const [server, other] = [await listener(), await listener()];
  const script = [ask(`http://127.0.0.1:${server}/`), ask(`http://127.0.0.1:${other}/`)].join('\n');
  const address = `http://127.0.0.1:${server}`;
  expect(await outputOf(script, { address })).toBe(`reached by 127.0.0.1:${server}\nnothing\n`);
  const byProxy = `NO_PROXY= no_proxy= ${ask(`http://127.0.0.1:${other}/`)}`;
  expect(await outputOf(byProxy, { address, network: 'hearth' })).toMatch(/^Refused/);
  expect(await outputOf(byProxy, { address, network: 'internet' })).toMatch(/^Refused/);
  expect(await outputOf(byProxy, { address, allow: ['127.0.0.0/8'] })).toContain('reached by');
  expect(await outputOf(ask(`http://127.0.0.1:${other}/`), { address, network: 'host' })).toContain('reached by');
});

test('a server with a name and the usual port is reached, too', async () => {
  const port = await listener();
  const log = await outputOf(`grep code.example /etc/hosts; ${ask('http://code.example.test/')}; ${ask('http://[::1]:1/')}`, {
    address: 'http://code.example.test',
  });
  // Nobody listens there, but the listener of the sandbox has port 80 of that name.
  expect(log).toBe('127.0.0.1 code.example.test\nnothing\nnothing\n');
  const named = await outputOf(ask(`http://localhost:${port}/`), { address: `http://localhost:${port}` });
  expect(named).toBe(`reached by localhost:${port}\n`);
});

test('a job that takes more memory than its machine has is ended, with all of its processes', async () => {
  const script = `for i in 1 2 3; do /hearth/bin/node -e '
    const kept = Buffer.alloc(500 * 2 ** 20, 1); setTimeout(() => kept, 1e6);' & done; wait; echo survived`;
  const { provider, machine } = await sandboxes({ program: await shellProgram(script) });
  await provider.provision(orderOf(1, small));
  await provider.start(program('one'));
  await ended(provider, 'one');
  expect(await provider.programs()).toMatchObject([{ reason: 'It took more memory than its machine has (1 GB)' }]);
  expect(await logOf(machine(1), 'one')).not.toContain('survived');
});

test('one process can’t take more than the whole machine', async () => {
  const log = await outputOf(`/hearth/bin/node -e 'Buffer.alloc(3200 * 2 ** 20, 1)' || echo "it failed"`);
  expect(log).toContain('it failed');
});

test.each([
  ['files', 'for i in 1 2 3; do head -c 400M /dev/zero > $HOME/$i; done; sleep 600'],
  [
    'files that were deleted',
    'for i in 1 2 3; do (exec 6> $HOME/$i; rm $HOME/$i; head -c 400M /dev/zero >&6; sleep 600) & done; wait',
  ],
  [
    'folders that nobody may enter',
    'mkdir /tmp/a; head -c 900M /dev/zero > /tmp/a/1; chmod 0 /tmp/a; head -c 900M /dev/zero > $HOME/2; sleep 600',
  ],
])('a job that fills its disk by %s is ended', async (_, script) => {
  const { provider, machine } = await sandboxes({ program: await shellProgram(script) });
  await provider.provision(orderOf(1, small));
  await provider.start(program('one'));
  await ended(provider, 'one');
  expect(await provider.programs()).toMatchObject([{ reason: 'It wrote more than the disk of its machine holds (1 GB)' }]);
  expect((await readdir(join(machine(1), 'programs', 'one'))).sort()).not.toContain('home');
  await provider.stop(runner, 'one');
});

test('jobs end before the disk of the server is full', async () => {
  const { provider } = await sandboxes({ program: await shellProgram('sleep 600'), reserved: Number.MAX_SAFE_INTEGER });
  await provider.provision(orderOf(1, small));
  await provider.start(program('one'));
  await ended(provider, 'one');
  expect(await provider.programs()).toMatchObject([{ reason: 'The disk of the server has no more room for jobs' }]);
});

test('what a job leaves behind goes with it, whatever it is', async () => {
  const script = `setsid sleep 98761 & mkdir -p $HOME/a/b; mkfifo $HOME/pipe; ln -s /etc $HOME/link; chmod 0 $HOME/a
    d=$HOME; for i in $(seq 40); do d=x$(printf %0200d $i); mkdir $d && cd $d; done; echo deep > file`;
  await outputOf(script);
  expect(processesWith('sleep 98761')).toEqual([]);
});

test('a job ends with its supervisor, and goes with the next server where the first was killed', async () => {
  const text = await shellProgram('ls /proc/self/fd; echo begun; sleep 98762');
  const { provider, machine, folder } = await sandboxes({ program: text });
  await provider.provision(orderOf(1, small));
  await provider.start(program('one'));
  await expect.poll(() => logOf(machine(1), 'one')).toContain('begun');
  const { pid } = JSON.parse(await readFile(join(machine(1), 'programs', 'one', 'process.json'), 'utf8'));
  expect(processesWith('sleep 98762')).not.toEqual([]);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => processesWith('sleep 98762')).toEqual([]);
  expect(await provider.programs()).toMatchObject([{ name: 'one', isRunning: false }]);
  await provider.stop(runner, 'one');

  const settings = { folder, path: process.env.PATH, program: text, network: 'internet' };
  const server = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { namespaceProvider } from '#runner-providers/namespaces/provider.ts';
      await namespaceProvider(${JSON.stringify(settings)}).start(${JSON.stringify(program('two'))});
      process.stdout.write('started');
      setInterval(() => undefined, 1000);`,
    ],
    // A server may have inherited files from whoever started it, here one with a high number.
    { stdio: ['ignore', 'pipe', 'inherit', ...Array.from({ length: 60 }, () => 'ignore' as const), 'pipe'] },
  );
  onTestFinished(() => void server.kill('SIGKILL'));
  await once(server.stdout ?? server, 'data');
  await expect.poll(() => logOf(machine(1), 'two')).toContain('begun');
  // The last one is the folder itself.
  expect(await logOf(machine(1), 'two')).toBe('0\n1\n2\n3\nbegun\n');
  server.kill('SIGKILL');
  await once(server, 'exit');
  expect(await provider.programs()).toMatchObject([{ name: 'two', isRunning: true }]);
  await provider.stopAll();
  expect(processesWith('sleep 98762')).toEqual([]);
  expect(await readdir(join(machine(1), 'programs'))).toEqual([]);
});

test('the home of a job becomes an image, in which the next ones begin', async () => {
  const script = `case "$(ls $HOME)" in
    '') echo one > $HOME/tool; mkdir $HOME/closed; echo two > $HOME/closed/b; chmod 0 $HOME/closed; truncate -s 800M $HOME/sparse
        echo '{"image": "toolchain", "version": "2.*"}' > $HEARTH_RUNNER_PUBLISH;;
    *) cat $HOME/tool; chmod 700 $HOME/closed; cat $HOME/closed/b; echo more >> $HOME/tool && echo written;;
  esac`;
  const { provider, machine, folder } = await sandboxes({ program: await shellProgram(script) });
  const observed = async () => (await provider.observe())?.runners[0];
  await provider.provision(orderOf(1, small));
  expect(await observed()).toEqual({ runner: 1, isRunning: true });
  await provider.start(program('one', { generatesImages: true }));
  await ended(provider, 'one');
  await provider.stop(runner, 'one');
  const request = (await observed())?.publishRequest;
  expect(request).toMatchObject({ image: 'toolchain', version: '2.*' });
  const captured = await provider.capture(runner, request?.content);
  expect(captured).toEqual({ content: request?.content, sizeGb: 1 });
  await provider.answer(runner, { version: '2.0.0' });
  expect(await observed()).toEqual({ runner: 1, isRunning: true });
  expect(JSON.parse(await readFile(join(machine(1), 'published.json'), 'utf8'))).toEqual({ version: '2.0.0' });

  const image = { source: 'custom', id: '9', content: captured?.content } as const;
  await provider.provision(orderOf(1, { ...small, image }));
  for (const name of ['two', 'three']) {
    await provider.start(program(name));
    await ended(provider, name);
    // The second one begins as the first did: what the first wrote is gone.
    expect(await logOf(machine(1), name)).toBe('one\ntwo\nwritten\n');
    await provider.stop(runner, name);
  }
  await provider.drop(captured?.content ?? '');
  expect(await readdir(join(folder, 'images'))).toEqual([]);
  await expect(provider.provision(orderOf(1, { ...small, image }))).rejects.toThrow('ENOENT');
});

test.each([
  ['a link to another file', 'ln -s /etc/passwd $HEARTH_RUNNER_PUBLISH'],
  ['a pipe', 'mkfifo $HEARTH_RUNNER_PUBLISH'],
  ['too much', 'head -c 1M /dev/zero > $HEARTH_RUNNER_PUBLISH'],
  ['no JSON', 'echo no > $HEARTH_RUNNER_PUBLISH'],
])('a request to publish that is %s is none', async (_, script) => {
  const { provider } = await sandboxes({ program: await shellProgram(script) });
  await provider.provision(orderOf(1, small));
  await provider.start(program('one', { generatesImages: true }));
  await ended(provider, 'one');
  expect((await provider.observe())?.runners).toEqual([{ runner: 1, isRunning: true }]);
});

test('without a job so far, a runner holds what it was made from', async () => {
  const { provider, folder } = await sandboxes();
  await provider.provision(orderOf(1, small));
  const captured = await provider.capture(runner);
  expect(await readdir(join(folder, 'images', captured?.content ?? ''))).toEqual([]);
  expect(provider.runsJobs).toBe(false);
  await expect(provider.start(program('one'))).rejects.toThrow('No program is set that runs jobs');
});

test('where Hearth is not root, jobs run in a namespace of users', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('every test of this file shows it');
  // The folder of the tests is for root alone.
  const folder = await mkdtemp('/tmp/hearth-sandboxes-');
  atEndOfFile(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o777);
  const script = join(folder, 'program');
  await writeFile(script, '#!/bin/sh\nid -u; mkdir $HOME/a; touch $HOME/a/b; chmod 0 $HOME/a; sleep 98763\n');
  await chmod(script, 0o755);
  const settings = { folder: join(folder, 'runners'), path: process.env.PATH, program: script, network: 'internet' };
  const server = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { namespaceProvider } from '#runner-providers/namespaces/provider.ts';
      import { readFile, writeFile } from 'node:fs/promises';
      import { setTimeout as sleep } from 'node:timers/promises';
      const provider = namespaceProvider(${JSON.stringify(settings)});
      const { problem } = await provider.check();
      if (problem !== undefined) { process.stdout.write(problem); process.exit(0); }
      await provider.provision(${JSON.stringify(orderOf(1, small))});
      await provider.start(${JSON.stringify(program('one'))});
      const file = ${JSON.stringify(join(folder, 'runners/machines/1/programs/one/program.log'))};
      const log = () => readFile(file, 'utf8').catch(() => '');
      while ((await log()) === '') await sleep(100);
      process.stdout.write(await log());
      await provider.remove(1);`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], uid: 12_345, gid: 12_345, env: { PATH: process.env.PATH ?? '' } },
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (output += part));
  await once(server, 'close');
  if (/can't be used|EACCES|permission denied/i.test(output)) return context.skip(output);
  expect(output).toBe('1000\n');
  expect(existsSync(join(folder, 'runners', 'machines', '1'))).toBe(false);
  expect(processesWith('sleep 98763')).toEqual([]);
});
