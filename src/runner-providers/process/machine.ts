import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of one runner. The agent writes `agent.json`, `beat` and `active.json`, the provider the others. */
export const filesOf = (machine: string) => ({
  /** What the runner was made of last. */
  order: join(machine, 'order.json'),
  /** Which process is the runner's. */
  agent: join(machine, 'agent.json'),
  /** Touched by the agent every second. */
  beat: join(machine, 'beat'),
  /** When it last worked. */
  active: join(machine, 'active.json'),
  /** What is to be run, a file each, and what came of it. */
  inbox: join(machine, 'inbox'),
  outbox: join(machine, 'outbox'),
  /** A job's request to publish an image, and the answer. */
  publish: join(machine, 'publish.json'),
  published: join(machine, 'published.json'),
  /** Where jobs work: what an image of the runner holds. */
  work: join(machine, 'work'),
  log: join(machine, 'agent.log'),
});

export type Files = ReturnType<typeof filesOf>;

/** An agent without a sign for this long is dead. Another process may have its number by now. */
const silentMs = 15_000;

/** The process of a runner, if it is alive. */
export async function livingAgent({ agent, beat }: Pick<Files, 'agent' | 'beat'>): Promise<number | undefined> {
  const { pid } = (await readJson(agent)) ?? {};
  const touched = await stat(beat).catch(() => undefined);
  if (typeof pid !== 'number' || !touched || Date.now() - touched.mtimeMs > silentMs) return undefined;
  return isRunning(pid) ? pid : undefined;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
  return !isZombie(pid);
}

/**
 * What `/proc` tells of a process: its state, and the group that it belongs to. Nothing of one that is gone, nor on systems
 * without `/proc`.
 */
function statusOf(pid: number | string): { state: string; group: number } | undefined {
  try {
    // Its name stands in parentheses and may itself hold any character (man 5 proc).
    const [, state = '', group] = /^\d+ \(.*\) (\S) \d+ (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}

/** Whether a process has ended and nobody has fetched its exit code, as in a container without an init process. */
const isZombie = (pid: number): boolean => statusOf(pid)?.state === 'Z';

/** Whether anything runs in the group that a process led, though it may have ended itself. */
export function isGroupRunning(leader: number): boolean {
  try {
    process.kill(-leader, 0);
  } catch {
    return false; // there is nobody in it
  }
  const members = processes()
    .flatMap((pid) => statusOf(pid) ?? [])
    .filter(({ group }) => group === leader);
  return members.length === 0 || members.some(({ state }) => state !== 'Z');
}

/** The numbers of all processes; none on systems without `/proc`. */
function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Ends a process that leads a group, with everything in it. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    return; // it ended by itself
  }
}

/** The object in a file; undefined where there is none, or not yet a whole one. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // a file that is absent, or that somebody is still writing
  }
}

/** Writes a file whole or not at all. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(value));
  await rename(`${file}.part`, file);
}
