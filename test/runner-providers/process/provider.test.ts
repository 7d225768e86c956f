import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { isProcessRunning } from '#lib/running-process.ts';
import { agentOf, machineRoom, orderOf, runOn } from './support.ts';

const { folder, provider, machine } = await machineRoom();
const idOf = (id: number) => asId<'hosted_runners'>(id);
const seen = async (id: number) => (await provider.observe())?.runners.find(({ runner }) => runner === id);

test('a runner is a process that runs what is handed to it, in a folder of its own', async () => {
  await provider.provision(orderOf(1));
  expect(await runOn(machine(1), 'sh', '-c', 'echo hello > here.txt; pwd; exit 3')).toEqual({
    exit_code: 3,
    output: `${join(machine(1), 'work')}\n`,
  });
  expect(await readFile(join(machine(1), 'work', 'here.txt'), 'utf8')).toBe('hello\n');
  expect(await runOn(machine(1), '/nowhere/program')).toMatchObject({ exit_code: null });
  const observed = await seen(1);
  expect(observed).toMatchObject({ isRunning: true });
  expect(Date.now() - (observed?.lastActiveOn?.getTime() ?? 0)).toBeLessThan(30_000);
});

test('nothing of Hearth’s environment reaches a runner', async () => {
  await provider.provision(orderOf(2));
  const { output } = await runOn(machine(2), 'env');
  const names = output
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names.filter((name) => !['PATH', 'HOME', 'HEARTH_RUNNER_PUBLISH', 'PWD', 'SHLVL', '_'].includes(name ?? ''))).toEqual(
    [],
  );
});

test('provisioning again leaves the process and its work alone', async () => {
  await provider.provision(orderOf(3));
  const agent = await agentOf(machine(3));
  await writeFile(join(machine(3), 'work', 'kept'), 'x');
  await provider.provision(orderOf(3, { maximumRunners: 5 }));
  expect(await agentOf(machine(3))).toBe(agent);
  expect(await readdir(join(machine(3), 'work'))).toEqual(['kept']);
});

test('a runner outlives the process that made it, and one that died is started again', async () => {
  const script = `
    import { processProvider } from '#runner-providers/process/provider.ts';
    const provider = processProvider({ folder: ${JSON.stringify(folder)}, path: ${JSON.stringify(process.env.PATH)} });
    await provider.provision(${JSON.stringify(orderOf(4))});
    process.stdout.write('made');
    setInterval(() => undefined, 1000);`;
  const maker = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void maker.kill('SIGKILL'));
  await once(maker.stdout, 'data');
  maker.kill('SIGKILL');
  await once(maker, 'exit');
  const agent = await agentOf(machine(4));
  expect(isProcessRunning(agent)).toBe(true);
  expect(await runOn(machine(4), 'echo', 'alive')).toMatchObject({ output: 'alive\n' });

  process.kill(agent, 'SIGKILL');
  await expect.poll(() => isProcessRunning(agent)).toBe(false);
  expect(await seen(4)).toMatchObject({ isRunning: false });
  await provider.provision(orderOf(4));
  expect(await seen(4)).toMatchObject({ isRunning: true });
});

test('the agents of a server end with it, and those of a server that was killed with the next', async () => {
  await provider.provision(orderOf(41));
  const own = await agentOf(machine(41));
  const orphan = await agentOf(machine(4));
  await writeFile(join(machine(41), '..', '43'), 'a file'); // nothing but folders are machines
  expect([isProcessRunning(own), isProcessRunning(orphan)]).toEqual([true, true]);
  await writeFile(join(machine(4), 'owner.json'), JSON.stringify({ pid: 2 ** 30, start: 1 }));
  await provider.provision(orderOf(42));
  const others = await agentOf(machine(42));
  await writeFile(join(machine(42), 'owner.json'), JSON.stringify({ pid: process.ppid }));
  await provider.stopAll();
  expect([isProcessRunning(own), isProcessRunning(orphan), isProcessRunning(others)]).toEqual([false, false, true]);
  await provider.provision(orderOf(41));
  expect(await seen(41)).toMatchObject({ isRunning: true });
});

test('a runner goes with all that it runs, and may go twice', async () => {
  await provider.provision(orderOf(5));
  const agent = await agentOf(machine(5));
  await writeFile(
    join(machine(5), 'inbox', 'long.json'),
    JSON.stringify({ command: ['sh', '-c', 'echo $$ > pid; exec sleep 600'] }),
  );
  const child = async () => Number(await readFile(join(machine(5), 'work', 'pid'), 'utf8').catch(() => '0'));
  await expect.poll(child).toBeGreaterThan(0);
  const running = await child();

  await provider.remove(idOf(5));
  await provider.remove(idOf(5));
  expect([isProcessRunning(agent), isProcessRunning(running)]).toEqual([false, false]);
  expect(await readdir(join(folder, 'machines'))).not.toContain('5');
});

test('what a runner holds becomes an image on which others begin', async () => {
  await provider.provision(orderOf(6));
  await runOn(machine(6), 'sh', '-c', 'mkdir tools; echo one > tools/a; ln -s /etc/hostname link');
  const kept = await provider.capture(idOf(6));
  expect(kept?.sizeGb).toBe(1);
  const image = { source: 'custom', id: '9', content: kept?.content } as const;
  await provider.provision(orderOf(7, { image }));
  expect(await runOn(machine(7), 'cat', 'tools/a')).toEqual({ exit_code: 0, output: 'one\n' });
  expect(await runOn(machine(7), 'readlink', 'link')).toEqual({ exit_code: 0, output: '/etc/hostname\n' });

  // Another image begins with another folder, and another process.
  await provider.provision(orderOf(7));
  expect(await readdir(join(machine(7), 'work'))).toEqual([]);
  await provider.drop(kept?.content ?? '');
  await provider.drop('../machines');
  expect(await readdir(join(folder, 'images'))).toEqual([]);
  await expect(provider.provision(orderOf(7, { image }))).rejects.toThrow(/ENOENT/);
});

test('a job asks to publish by a file, and is answered by another', async () => {
  await provider.provision(orderOf(8));
  await runOn(machine(8), 'sh', '-c', `echo '{"image":"toolchain","version":"2.*"}' > $HEARTH_RUNNER_PUBLISH`);
  const first = await seen(8);
  expect(first?.publishRequest).toMatchObject({ image: 'toolchain', version: '2.*' });
  expect((await seen(8))?.publishRequest).toEqual(first?.publishRequest);
  const kept = await provider.capture(idOf(8), first?.publishRequest?.content);
  expect(await provider.capture(idOf(8), first?.publishRequest?.content)).toEqual(kept);
  await provider.answer(idOf(8), { version: '2.0.0' });
  expect((await seen(8))?.publishRequest).toBeUndefined();
  expect(await readFile(join(machine(8), 'published.json'), 'utf8')).toBe('{"version":"2.0.0"}');
});

test('files of a runner that were broken are no fault of the provider', async () => {
  await provider.provision(orderOf(10));
  for (const name of ['publish.json', 'active.json']) await writeFile(join(machine(10), name), '{"image":');
  expect(await seen(10)).toEqual({ runner: 10, isRunning: true });
  await writeFile(join(machine(10), 'publish.json'), '[1]');
  await symlink('/nowhere', join(folder, 'machines', 'odd'));
  expect((await seen(10))?.publishRequest).toMatchObject({ image: '' });
});
