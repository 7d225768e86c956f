import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { asId } from '#lib/id.ts';
import { processProvider } from '#runner-providers/process/provider.ts';
import type { RunnerOrder } from '#runner-providers/provider.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';

/** A provider of processes with a folder of its own; every runner of it is taken away after the last test. */
export async function machineRoom({ program }: { program?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-runners-'));
  const provider = processProvider({ folder, path: process.env.PATH ?? '', program });
  atEndOfFile(async () => {
    for (const { runner } of (await provider.observe())?.runners ?? []) await provider.remove(runner);
    await rm(folder, { recursive: true, maxRetries: 10 });
  });
  return { folder, provider, machine: (id: number) => join(folder, 'machines', String(id)) };
}

export const orderOf = (id: number, more: Partial<RunnerOrder> = {}): RunnerOrder => ({
  id: asId<'hosted_runners'>(id),
  name: `runner-${id}`,
  platform: 'linux-x64',
  image: { source: 'service', id: 'ubuntu-24.04', content: undefined },
  machine: { cpuCores: 2, memoryGb: 8, storageGb: 75 },
  maximumRunners: 1,
  staticIp: false,
  ...more,
});

/** Lets a runner run a program, and waits for what came of it. */
export async function runOn(machine: string, ...command: string[]): Promise<{ exit_code: number; output: string }> {
  const name = `${Date.now()}-${Math.random()}.json`;
  await writeFile(join(machine, 'inbox', name), JSON.stringify({ command }));
  const came = () => readFile(join(machine, 'outbox', name), 'utf8').catch(() => '');
  await expect.poll(came, { message: `what came of ${command.join(' ')}` }).not.toBe('');
  return JSON.parse(await came());
}

/** The number of the process of a runner. */
export const agentOf = async (machine: string): Promise<number> =>
  JSON.parse(await readFile(join(machine, 'agent.json'), 'utf8')).pid;
