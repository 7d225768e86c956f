// Programs that run jobs on the machines of runners. Each has its own folder and runs one job.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asId } from '#lib/id.ts';
import { isProcessRunning, startOfProcess } from '#lib/running-process.ts';
import type { Program, ProgramOrder, RunnerId } from '#runner-providers/provider.ts';
import { filesOf, killUnder, processesUnder, readJson, startFrom, writeJson } from './machine.ts';

const timeoutMs = 20_000;
const pollMs = 50;

/** The folder of machines, the program, and the PATH of the program's processes. */
type ProgramPaths = { readonly machines: string; readonly program: string; readonly path: string };

const folderOf = (machines: string, runner: RunnerId, name: string): string => join(machines, String(runner), 'programs', name);
const stateOf = (folder: string): string => join(folder, 'process.json');

/** Starts a program. Its folder records its process, and the server process that started it. */
export async function startProgram(
  { machines, program, path }: ProgramPaths,
  { runner, name, registration }: ProgramOrder,
): Promise<void> {
  const folder = folderOf(machines, runner, name);
  const files = filesOf(join(machines, String(runner)));
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'config.yaml');
  // JSON is YAML too.
  await writeFile(
    config,
    JSON.stringify({
      runner: { file: join(folder, '.runner'), fetch_interval: '1s', shutdown_timeout: '0s' },
      host: { workdir_parent: join(folder, 'work') },
      cache: { enabled: false },
    }),
  );
  await writeFile(join(folder, '.runner'), JSON.stringify(registration), { mode: 0o600 });
  const log = await open(join(folder, 'program.log'), 'a');
  try {
    const child = spawn(program, ['-c', config, 'daemon'], {
      detached: true,
      cwd: folder,
      env: { PATH: path, HOME: files.work, XDG_CACHE_HOME: join(folder, 'cache'), HEARTH_RUNNER_PUBLISH: files.publish },
      stdio: ['ignore', log.fd, log.fd],
    });
    await once(child, 'spawn'); // throws if the program can't be started
    child.unref();
    const { pid = 0 } = child;
    await writeJson(stateOf(folder), {
      pid,
      start: startOfProcess(pid),
      owner: process.pid,
      ownerStart: startOfProcess(process.pid),
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await log.close();
  }
}

/** Ends a program with all of its processes, and removes its folder. */
export async function stopProgram(machines: string, runner: RunnerId, name: string): Promise<void> {
  const folder = folderOf(machines, runner, name);
  const { pid, start } = (await readJson(stateOf(folder))) ?? {};
  const until = Date.now() + timeoutMs;
  for (;;) {
    const leader = typeof pid === 'number' && isProcessRunning(pid, startFrom(start)) ? pid : undefined;
    if (leader === undefined && processesUnder(folder).length === 0) break;
    killUnder(folder, leader);
    if (Date.now() > until) break;
    await sleep(pollMs);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** All programs of all machines, including ended ones. */
export async function listPrograms(
  machines: string,
): Promise<(Program & { readonly ownerIsRunning: boolean; readonly isOwn: boolean })[]> {
  const runners = (await readdir(machines).catch(() => [])).filter((name) => /^[1-9]\d{0,15}$/.test(name));
  const found = await Promise.all(
    runners.map(async (machine) => {
      const names = await readdir(join(machines, machine, 'programs')).catch(() => []);
      return Promise.all(
        names.map(async (name) => {
          const runner = asId<'hosted_runners'>(Number(machine));
          const { pid, start, owner, ownerStart } = (await readJson(stateOf(folderOf(machines, runner, name)))) ?? {};
          return {
            runner,
            name,
            isRunning: typeof pid === 'number' && isProcessRunning(pid, startFrom(start)),
            isOwn: owner === process.pid,
            ownerIsRunning: typeof owner === 'number' && isProcessRunning(owner, startFrom(ownerStart)),
          };
        }),
      );
    }),
  );
  return found.flat();
}

/** Ends the programs that this process started, and programs whose starter has ended. */
export async function stopOwnPrograms(machines: string): Promise<void> {
  const own = (await listPrograms(machines)).filter(({ isOwn, ownerIsRunning }) => isOwn || !ownerIsRunning);
  await Promise.all(own.map(({ runner, name }) => stopProgram(machines, runner, name)));
}
