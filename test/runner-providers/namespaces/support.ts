import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type NamespaceSettings, namespaceProvider } from '#runner-providers/namespaces/provider.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';

/** A provider of sandboxes with a folder of its own. `problem` says why it can't work on this machine. */
export async function sandboxes(more: Partial<NamespaceSettings> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-sandboxes-'));
  const provider = namespaceProvider({ folder, path: process.env.PATH ?? '', network: 'internet', ...more });
  atEndOfFile(async () => {
    for (const { runner } of (await provider.observe())?.runners ?? []) await provider.remove(runner);
    await rm(folder, { recursive: true, maxRetries: 10 });
  });
  const { problem } = await provider.check();
  return { folder, provider, problem, machine: (id: number) => join(folder, 'machines', String(id)) };
}

/** A runner program that is a shell script. */
export async function shellProgram(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-program-'));
  atEndOfFile(() => rm(folder, { recursive: true }));
  const file = join(folder, 'program');
  await writeFile(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

/** What a program has written so far. */
export const logOf = (machine: string, name: string): Promise<string> =>
  readFile(join(machine, 'programs', name, 'program.log'), 'utf8').catch(() => '');

/** The processes of this machine whose command line contains a text. */
export const processesWith = (text: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(text);
      } catch {
        return false; // it has ended
      }
    })
    .map(Number);

/** Waits until a program has ended. */
export async function ended(provider: Awaited<ReturnType<typeof sandboxes>>['provider'], name: string): Promise<void> {
  const isRunning = async () => (await provider.programs()).some((one) => one.name === name && one.isRunning);
  await expect.poll(isRunning, { message: `${name} ends` }).toBe(false);
}
