import { readFileSync } from 'node:fs';
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
  /** A job's wish to publish an image, and the answer. */
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

/** Whether a process has ended and nobody has fetched its exit code, as in a container without an init process. */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // systems without /proc notice the ends of all processes
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
