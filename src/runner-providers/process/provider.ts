import { spawn } from 'node:child_process';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asId } from '#lib/id.ts';
import { isProcessRunning, startOfProcess } from '#lib/running-process.ts';
import type { Observation, Provider, PublishRequest, RunnerId, RunnerOrder } from '#runner-providers/provider.ts';
import { captureFolder, contentIdOf, copyFolder, listContents, removeContent } from './content.ts';
import { type Files, filesOf, findAgent, isGroupRunning, killGroup, readJson, startFrom, writeJson } from './machine.ts';
import { listPrograms, startProgram, stopOwnPrograms, stopProgram } from './programs.ts';

const agentFile = new URL('agent.ts', import.meta.url).pathname;
const timeoutMs = 20_000;
const pollMs = 50;

/** The folder of runners, the PATH of their programs, and the program that runs jobs, if any. */
type MachineFolder = { readonly folder: string; readonly path: string; readonly program?: string | undefined };

/**
 * A provider that makes a working folder and a process on this machine for each runner, for tests and small installations.
 * Runners aren't isolated from each other or from Hearth.
 */
export function processProvider({ folder, path, program }: MachineFolder): Provider {
  const machines = join(folder, 'machines');
  const images = join(folder, 'images');
  const machineOf = (runner: RunnerId): string => join(machines, String(runner));
  return {
    name: 'process',
    givesPublicIps: false,
    async provision(order) {
      const machine = machineOf(order.id);
      const files = filesOf(machine);
      await prepareFolders(files, order, images);
      await startAgent(machine, files, path);
      return { publicIps: [] };
    },
    async remove(runner) {
      await stopAgent(filesOf(machineOf(runner)));
      const programs = (await listPrograms(machines)).filter((one) => one.runner === runner);
      await Promise.all(programs.map(({ name }) => stopProgram(machines, runner, name)));
      await rm(machineOf(runner), { recursive: true, force: true, maxRetries: 5 });
    },
    capture: (runner, content) => captureFolder(images, filesOf(machineOf(runner)).work, content),
    drop: (content) => removeContent(images, content),
    async observe() {
      const names = (await readdir(machines).catch(() => [])).filter((name) => /^[1-9]\d{0,15}$/.test(name));
      const runners = names.map((name) => asId<'hosted_runners'>(Number(name)));
      return {
        runners: await Promise.all(runners.map((runner) => observeOne(runner, filesOf(machineOf(runner))))),
        contents: await listContents(images, Date.now()),
      };
    },
    async answer(runner, result) {
      const files = filesOf(machineOf(runner));
      await writeJson(files.published, result);
      await rm(files.publish, { force: true });
    },
    runsJobs: program !== undefined,
    async start(order) {
      if (program === undefined) throw new Error('No program is set that runs jobs');
      await startProgram({ machines, program, path }, order);
    },
    stop: (runner, name) => stopProgram(machines, runner, name),
    programs: () => listPrograms(machines),
    async stopAll() {
      await Promise.all([stopOwnPrograms(machines), stopOwnAgents(machines)]);
    },
  };
}

/** Creates the folders of a runner. The working folder is recreated if the image has changed. */
async function prepareFolders(files: Files, order: RunnerOrder, images: string): Promise<void> {
  const image = `${order.image.source}:${order.image.id}:${order.image.content ?? ''}`;
  await mkdir(files.inbox, { recursive: true });
  await mkdir(files.outbox, { recursive: true });
  const before = await readJson(files.order);
  if (before?.image !== image) {
    await stopAgent(files);
    const draft = `${files.work}.part`;
    await rm(draft, { recursive: true, force: true });
    if (order.image.content === undefined) await mkdir(draft);
    else await copyFolder(join(images, order.image.content), draft);
    await rm(files.work, { recursive: true, force: true, maxRetries: 5 });
    await rename(draft, files.work);
  }
  await writeJson(files.order, { ...order, image });
}

/** Starts a runner's agent, unless it is alive. It continues when the process that started it is killed. */
async function startAgent(machine: string, files: Files, path: string): Promise<void> {
  if ((await findAgent(files)) !== undefined) return;
  await writeJson(files.owner, { pid: process.pid, start: startOfProcess(process.pid) });
  const log = await open(files.log, 'a');
  try {
    const agent = spawn(process.execPath, [agentFile, machine, path], {
      detached: true,
      cwd: machine,
      env: {},
      stdio: ['ignore', log.fd, log.fd],
    });
    agent.on('error', () => undefined); // the missing heartbeat is detected below
    agent.unref();
  } finally {
    await log.close();
  }
  const until = Date.now() + timeoutMs;
  while ((await findAgent(files)) === undefined) {
    if (Date.now() > until) throw new Error(`The process of the runner in ${machine} did not start`);
    await sleep(pollMs);
  }
}

/** Ends a runner's agent with its jobs, and waits for their end, since they write into the folder. */
async function stopAgent(files: Files): Promise<void> {
  const pid = await findAgent(files);
  if (pid === undefined) return;
  killGroup(pid);
  const until = Date.now() + timeoutMs;
  while (isGroupRunning(pid) && Date.now() < until) await sleep(pollMs);
  await rm(files.agent, { force: true });
}

/** Ends the agents that this process started, and agents whose server has ended. Another server starts them again. */
async function stopOwnAgents(machines: string): Promise<void> {
  const names = await readdir(machines).catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const files = filesOf(join(machines, name));
      const { pid, start } = (await readJson(files.owner)) ?? {};
      if (typeof pid !== 'number') return;
      if (pid === process.pid || !isProcessRunning(pid, startFrom(start))) await stopAgent(files);
    }),
  );
}

async function observeOne(runner: RunnerId, files: Files): Promise<Observation> {
  const { at } = (await readJson(files.active)) ?? {};
  const time = typeof at === 'string' ? new Date(at) : undefined;
  const request = await publishRequestOf(files);
  return {
    runner,
    isRunning: (await findAgent(files)) !== undefined,
    ...(time && !Number.isNaN(time.getTime()) ? { lastActiveOn: time } : {}),
    ...(request ? { publishRequest: request } : {}),
  };
}

async function publishRequestOf({ publish }: Files): Promise<PublishRequest | undefined> {
  const [request, written] = [await readJson(publish), await stat(publish).catch(() => undefined)];
  if (!request || !written) return undefined;
  const content = contentIdOf(`${publish} ${written.mtimeMs} ${JSON.stringify(request)}`);
  return { content, image: String(request.image ?? ''), version: versionOf(request.version) };
}

const versionOf = (version: unknown): string | undefined =>
  version === undefined || version === null ? undefined : String(version);
