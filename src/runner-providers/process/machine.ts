import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a runner. The agent writes `agent.json`, `beat` and `active.json`, the provider all others. */
export const filesOf = (machine: string) => ({
  /** The last order that the runner was made from. */
  order: join(machine, 'order.json'),
  /** The pid of the agent. */
  agent: join(machine, 'agent.json'),
  /** Touched by the agent every second (heartbeat). */
  beat: join(machine, 'beat'),
  /** When the agent last ran a job. */
  active: join(machine, 'active.json'),
  /** One file for each job to run, and for each result. */
  inbox: join(machine, 'inbox'),
  outbox: join(machine, 'outbox'),
  /** A job's request to publish an image, and the reply. */
  publish: join(machine, 'publish.json'),
  published: join(machine, 'published.json'),
  /** The working folder of jobs, which images of the runner contain. */
  work: join(machine, 'work'),
  log: join(machine, 'agent.log'),
});

export type Files = ReturnType<typeof filesOf>;

/** An agent without a heartbeat for this long is dead. Another process may have its pid. */
const heartbeatTimeoutMs = 15_000;

/** The pid of a runner's agent, if it is alive. */
export async function findAgent({ agent, beat }: Pick<Files, 'agent' | 'beat'>): Promise<number | undefined> {
  const { pid } = (await readJson(agent)) ?? {};
  const touched = await stat(beat).catch(() => undefined);
  if (typeof pid !== 'number' || !touched || Date.now() - touched.mtimeMs > heartbeatTimeoutMs) return undefined;
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

/** The state and the process group of a process, from `/proc`; undefined where it doesn't exist, or without `/proc`. */
function statusOf(pid: number | string): { state: string; group: number } | undefined {
  try {
    // The name is in parentheses and may contain any character (man 5 proc).
    const [, state = '', group] = /^\d+ \(.*\) (\S) \d+ (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}

/** Whether a process has ended but wasn't reaped, as in a container without an init process. */
const isZombie = (pid: number): boolean => statusOf(pid)?.state === 'Z';

/** Whether a process of a group is running. Its leader may have ended. */
export function isGroupRunning(leader: number): boolean {
  try {
    process.kill(-leader, 0);
  } catch {
    return false; // the group is empty
  }
  const members = processes()
    .flatMap((pid) => statusOf(pid) ?? [])
    .filter(({ group }) => group === leader);
  return members.length === 0 || members.some(({ state }) => state !== 'Z');
}

/** The pids of all processes; empty without `/proc`. */
function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Kills all processes of a group. */
export function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    return; // it ended by itself
  }
}

/** When a process began, in ticks since the machine did; null without `/proc`. With it, another process with the same pid isn't taken for it. */
export function startOf(pid: number): number | null {
  try {
    const after = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '');
    return Number(after.split(' ')[19]); // the 22nd field (man 5 proc)
  } catch {
    return null;
  }
}

/** Whether a process is running that began at this time. */
export const isSameProcess = (pid: number, start: unknown): boolean =>
  isRunning(pid) && (typeof start !== 'number' || startOf(pid) === start);

/** The pids of the processes that work in a folder or below it, whoever began them; empty without `/proc`. */
export const processesUnder = (folder: string): number[] =>
  processes()
    .map(Number)
    .filter((pid) => {
      const place = placeOf(pid);
      return (place === folder || place?.startsWith(`${folder}/`)) && !isZombie(pid);
    });

/** The working folder of a process. One that was removed ends with a word that says so. */
function placeOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // it has ended, or belongs to somebody else
  }
}

/** Kills the processes that work in a folder or below it, and a group of processes. Steps of jobs have groups of their own. */
export function killUnder(folder: string, leader: number | undefined): void {
  if (leader !== undefined) killGroup(leader);
  for (const pid of processesUnder(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it ended by itself
    }
  }
}

/** Reads an object from a file; undefined where the file is missing or incomplete. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // the file is missing or being written
  }
}

/** Writes a file atomically. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(value));
  await rename(`${file}.part`, file);
}
