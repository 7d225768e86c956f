import { readdirSync, readlinkSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasEnded, isProcessRunning, pidExists, readProcessStatus } from '#lib/running-process.ts';

/** The files of a runner. The agent writes `agent.json`, `beat` and `active.json`, and the provider all others. */
export const filesOf = (machine: string) => ({
  /** The last order that the runner was made from. */
  order: join(machine, 'order.json'),
  /** The pid of the agent. */
  agent: join(machine, 'agent.json'),
  /** The process of the server that started the agent. */
  owner: join(machine, 'owner.json'),
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

/** An agent without a heartbeat for this long is dead, or hangs. */
const heartbeatTimeoutMs = 15_000;

/** The pid of a runner's agent, if it is alive. */
export async function findAgent({ agent, beat }: Pick<Files, 'agent' | 'beat'>): Promise<number | undefined> {
  const { pid, start } = (await readJson(agent)) ?? {};
  const touched = await stat(beat).catch(() => undefined);
  if (typeof pid !== 'number' || !touched || Date.now() - touched.mtimeMs > heartbeatTimeoutMs) return undefined;
  return isProcessRunning(pid, startFrom(start)) ? pid : undefined;
}

/** The start time of a process from a file; null if it wasn't known. */
export const startFrom = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Whether a process of a group is running. Its leader may have ended. */
export function isGroupRunning(leader: number): boolean {
  if (!pidExists(-leader)) return false;
  const members = processes()
    .flatMap((pid) => readProcessStatus(pid) ?? [])
    .filter(({ group }) => group === leader);
  return members.length === 0 || members.some((status) => !hasEnded(status));
}

/** The pids of all processes; empty without `/proc`. */
function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
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

/** The pids of all processes that work in or below a folder; empty without `/proc`. */
export const processesUnder = (folder: string): number[] =>
  processes().filter((pid) => {
    const current = workingFolderOf(pid);
    return (current === folder || current?.startsWith(`${folder}/`)) && isProcessRunning(pid);
  });

/** The working folder of a process. The path of a removed folder ends with " (deleted)". */
function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // it has ended, or belongs to another user
  }
}

/** Kills the processes that work in or below a folder, and a process group. Steps of jobs have their own groups. */
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

/** Reads an object from a file; undefined if the file is missing or incomplete. */
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
