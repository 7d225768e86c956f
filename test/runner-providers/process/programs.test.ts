import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { processesUnder } from '#runner-providers/machines/processes.ts';
import { processProvider } from '#runner-providers/process/provider.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';

// A program that begins a step in a process group of its own, as runners do.
const folder = await mkdtemp(join(tmpdir(), 'hearth-programs-'));
const program = join(folder, 'program');
await writeFile(program, '#!/bin/sh\nsetsid sleep 1000 &\necho "$HOME" > told\nwait\n');
await chmod(program, 0o755);
const provider = processProvider({ folder, path: process.env.PATH ?? '', program });
atEndOfFile(async () => {
  await provider.stopAll();
  await rm(folder, { recursive: true, maxRetries: 10 });
});
const runner = asId<'hosted_runners'>(7);
const machine = join(folder, 'machines', '7');
const order = (name: string) => ({
  runner,
  name,
  registration: { name, token: 'secret' },
  address: 'http://127.0.0.1:1',
  generatesImages: false,
});

test('a program runs in a folder of its own, and is stopped with the steps that it began', async () => {
  await provider.start(order('one'));
  await provider.start(order('two'));
  const own = join(machine, 'programs', 'one');
  await expect.poll(() => readFile(join(own, 'told'), 'utf8').catch(() => '')).toBe(`${join(machine, 'work')}\n`);
  expect(JSON.parse(await readFile(join(own, '.runner'), 'utf8'))).toEqual({ name: 'one', token: 'secret' });
  await expect.poll(() => processesUnder(own).length).toBe(2);
  expect(await provider.programs()).toMatchObject([
    { runner, name: 'one', isRunning: true },
    { runner, name: 'two', isRunning: true },
  ]);
  await provider.stop(runner, 'one');
  expect(processesUnder(own)).toEqual([]);
  expect(await readdir(join(machine, 'programs'))).toEqual(['two']);

  const { pid } = JSON.parse(await readFile(join(machine, 'programs', 'two', 'process.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => provider.programs()).toMatchObject([{ name: 'two', isRunning: false }]);
  await provider.stopAll();
  expect(processesUnder(machine)).toEqual([]);
  expect(await provider.programs()).toEqual([]);
});

test('a program of another process is left alone, unless that is gone', async () => {
  await provider.start(order('three'));
  const state = join(machine, 'programs', 'three', 'process.json');
  const own = JSON.parse(await readFile(state, 'utf8'));
  await writeFile(state, JSON.stringify({ ...own, owner: 1, ownerStart: null }));
  await provider.stopAll();
  expect(await provider.programs()).toMatchObject([{ name: 'three', isRunning: true }]);
  await writeFile(state, JSON.stringify({ ...own, owner: process.ppid, ownerStart: 1 }));
  await provider.stopAll();
  expect(await provider.programs()).toEqual([]);
});

test('another process with the same number is no program', async () => {
  await provider.start(order('four'));
  const state = join(machine, 'programs', 'four', 'process.json');
  const own = JSON.parse(await readFile(state, 'utf8'));
  await writeFile(state, JSON.stringify({ ...own, start: own.start - 1 }));
  expect(await provider.programs()).toMatchObject([{ name: 'four', isRunning: false }]);
  await provider.stop(runner, 'four');
  expect(processesUnder(machine)).toEqual([]);
});

test('what cannot be started is refused, and leaves nothing', async () => {
  const without = processProvider({ folder, path: '', program: join(folder, 'missing') });
  await expect(without.start(order('five'))).rejects.toThrow('ENOENT');
  expect(await provider.programs()).toEqual([]);
  expect(processProvider({ folder, path: '' }).runsJobs).toBe(false);
});
