import { spawn } from 'node:child_process';
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessRunning, startOfProcess } from '#lib/running-process.ts';
import { contentIdOf } from '#runner-providers/machines/content.ts';
import { readJson, writeJson } from '#runner-providers/machines/json-files.ts';
import { isGroupRunning, killGroup, startFrom } from '#runner-providers/machines/processes.ts';
import { type ProgramKind, runnerConfiguration } from '#runner-providers/machines/programs.ts';
import { machineProvider } from '#runner-providers/machines/provider.ts';
import { type Observation, type Provider, type PublishRequest, type RunnerOrder, versionOf } from '#runner-providers/provider.ts';
import { folderTools } from './folder-tools.ts';
import { type Files, filesOf, findAgent } from './machine.ts';

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
  return machineProvider(folder, {
    name: 'process',
    async check() {
      return {
        detail: 'process: a process and a folder for each runner',
        warning:
          'the provider `process` isolates nothing: jobs can read and change all that Hearth can, and each other, and the ' +
          'numbers of a machine size are not enforced. The provider `namespaces` isolates',
      };
    },
    async provision(machine, order, images) {
      const files = filesOf(machine);
      await prepareFolders(files, order, images);
      await startAgent(machine, files, path);
    },
    end: (machine) => stopAgent(filesOf(machine)),
    endOwn: (machine) => stopOwnAgent(filesOf(machine)),
    observe: (machine) => observeOne(filesOf(machine)),
    async answer(machine, result) {
      const files = filesOf(machine);
      await writeJson(files.published, result);
      await rm(files.publish, { force: true });
    },
    folderToCapture: async (machine) => filesOf(machine).work,
    tools: folderTools,
    programs: program === undefined ? undefined : programKind(program, path),
  });
}

/** Programs run on the machine itself, in their folder. */
const programKind = (program: string, path: string): ProgramKind => ({
  async launch({ registration }, machine, folder) {
    const files = filesOf(machine);
    const [config, registrationFile] = [join(folder, 'config.yaml'), join(folder, '.runner')];
    await writeFile(config, runnerConfiguration({ registration: registrationFile, work: join(folder, 'work') }));
    await writeFile(registrationFile, JSON.stringify(registration), { mode: 0o600 });
    return {
      command: [program, '-c', config, 'daemon'],
      env: { PATH: path, HOME: files.work, XDG_CACHE_HOME: join(folder, 'cache'), HEARTH_RUNNER_PUBLISH: files.publish },
    };
  },
  remove: folderTools.remove,
});

/** Creates the folders of a runner. The working folder is recreated if the image has changed. */
async function prepareFolders(files: Files, order: RunnerOrder, images: string): Promise<void> {
  const image = `${order.image.source}:${order.image.id}:${order.image.content ?? ''}`;
  await mkdir(files.inbox, { recursive: true });
  await mkdir(files.outbox, { recursive: true });
  const before = await readJson(files.order);
  if (before?.image !== image) {
    await stopAgent(files);
    const draft = `${files.work}.part`;
    await folderTools.remove(draft);
    if (order.image.content === undefined) await mkdir(draft);
    else await folderTools.copy(join(images, order.image.content), draft);
    await folderTools.remove(files.work);
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

/** Ends an agent that this process started, or whose server has ended. Another server starts it again. */
async function stopOwnAgent(files: Files): Promise<void> {
  const { pid, start } = (await readJson(files.owner)) ?? {};
  if (typeof pid !== 'number') return;
  if (pid === process.pid || !isProcessRunning(pid, startFrom(start))) await stopAgent(files);
}

async function observeOne(files: Files): Promise<Omit<Observation, 'runner'>> {
  const { at } = (await readJson(files.active)) ?? {};
  const time = typeof at === 'string' ? new Date(at) : undefined;
  const request = await publishRequestOf(files);
  return {
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
