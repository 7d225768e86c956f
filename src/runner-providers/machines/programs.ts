// Programs that run jobs on the machines of runners. Each has its own folder and runs one job.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asId } from '#lib/id.ts';
import { isProcessRunning, startOfProcess } from '#lib/running-process.ts';
import type { Program, ProgramOrder, RunnerId } from '#runner-providers/provider.ts';
import { readJson, writeJson } from './json-files.ts';
import { killUnder, processesUnder, startFrom } from './processes.ts';

const timeoutMs = 20_000;
const pollMs = 50;

/** The process of a program. */
type Launch = {
  readonly command: readonly [program: string, ...words: string[]];
  readonly env: Readonly<Record<string, string>>;
};

/** How programs of a kind of machine start and end. */
export type ProgramKind = {
  /** Writes the files of a program into its folder. */
  launch(order: ProgramOrder, machine: string, folder: string): Promise<Launch>;
  /** Waits before a program is ended, as long as it may end by itself. */
  awaitEnd?(folder: string): Promise<void>;
  /** Waits until no process of a killed program uses its folder. */
  awaitEmpty?(folder: string): Promise<void>;
  /** Removes the folder of an ended program. */
  remove(folder: string): Promise<void>;
};

/** The files in the folder of a program. */
export const programFiles = (folder: string) => ({
  /** The program's process, and the server process that started it. */
  process: join(folder, 'process.json'),
  /** Exists while the program isn't ready for a job. */
  preparing: join(folder, 'preparing'),
  /** Why the program was ended, if its machine ended it. */
  ended: join(folder, 'ended.json'),
  log: join(folder, 'program.log'),
});

const programsOf = (machine: string): string => join(machine, 'programs');
const folderOf = (machines: string, runner: RunnerId, name: string): string =>
  join(programsOf(join(machines, String(runner))), name);

/** Starts a program. Its folder records its process, and the server process that started it. */
export async function startProgram(machines: string, kind: ProgramKind, order: ProgramOrder): Promise<void> {
  const folder = folderOf(machines, order.runner, order.name);
  await mkdir(folder, { recursive: true });
  try {
    const { command, env } = await kind.launch(order, join(machines, String(order.runner)), folder);
    await spawnProgram(folder, command, env);
  } catch (error) {
    await kind.remove(folder);
    throw error;
  }
}

async function spawnProgram(folder: string, [program, ...words]: Launch['command'], env: Launch['env']): Promise<void> {
  const files = programFiles(folder);
  const log = await open(files.log, 'a');
  try {
    const child = spawn(program, words, { detached: true, cwd: folder, env, stdio: ['ignore', log.fd, log.fd] });
    await once(child, 'spawn'); // throws if the program can't be started
    child.unref();
    const { pid = 0 } = child;
    await writeJson(files.process, {
      pid,
      start: startOfProcess(pid),
      owner: process.pid,
      ownerStart: startOfProcess(process.pid),
    });
  } finally {
    await log.close();
  }
}

/** Ends a program with all of its processes, and removes its folder. */
export async function stopProgram(machines: string, kind: ProgramKind, runner: RunnerId, name: string): Promise<void> {
  const folder = folderOf(machines, runner, name);
  await kind.awaitEnd?.(folder);
  const { pid, start } = (await readJson(programFiles(folder).process)) ?? {};
  const until = Date.now() + timeoutMs;
  for (;;) {
    const leader = typeof pid === 'number' && isProcessRunning(pid, startFrom(start)) ? pid : undefined;
    if (leader === undefined && processesUnder(folder).length === 0) break;
    killUnder(folder, leader);
    if (Date.now() > until) break;
    await sleep(pollMs);
  }
  await kind.awaitEmpty?.(folder);
  await kind.remove(folder);
}

/** All programs of all machines, including ended ones. */
export async function listPrograms(
  machines: string,
): Promise<(Program & { readonly ownerIsRunning: boolean; readonly isOwn: boolean })[]> {
  const found = await Promise.all(
    (await listMachines(machines)).map(async (runner) => {
      const names = await readdir(programsOf(join(machines, String(runner)))).catch(() => []);
      return Promise.all(names.map((name) => readProgram(machines, runner, name)));
    }),
  );
  return found.flat();
}

async function readProgram(machines: string, runner: RunnerId, name: string) {
  const files = programFiles(folderOf(machines, runner, name));
  const { pid, start, owner, ownerStart } = (await readJson(files.process)) ?? {};
  const { reason } = (await readJson(files.ended)) ?? {};
  return {
    runner,
    name,
    isRunning: typeof pid === 'number' && isProcessRunning(pid, startFrom(start)),
    isPreparing: (await stat(files.preparing).catch(() => undefined)) !== undefined,
    ...(typeof reason === 'string' ? { reason } : {}),
    isOwn: owner === process.pid,
    ownerIsRunning: typeof owner === 'number' && isProcessRunning(owner, startFrom(ownerStart)),
  };
}

/** The runners that have a folder. */
export async function listMachines(machines: string): Promise<RunnerId[]> {
  const names = await readdir(machines).catch(() => []);
  return names.filter((name) => /^[1-9]\d{0,15}$/.test(name)).map((name) => asId<'hosted_runners'>(Number(name)));
}

/** Ends the programs that this process started, and programs whose starter has ended. */
export async function stopOwnPrograms(machines: string, kind: ProgramKind): Promise<void> {
  const own = (await listPrograms(machines)).filter(({ isOwn, ownerIsRunning }) => isOwn || !ownerIsRunning);
  await Promise.all(own.map(({ runner, name }) => stopProgram(machines, kind, runner, name)));
}

/** The content of a runner program's configuration, with the paths as the program sees them. JSON is YAML too. */
export const runnerConfiguration = ({ registration, work }: { registration: string; work: string }): string =>
  JSON.stringify({
    runner: { file: registration, fetch_interval: '1s', shutdown_timeout: '0s' },
    host: { workdir_parent: work },
    cache: { enabled: false },
  });
