import { spawn } from 'node:child_process';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asId } from '#lib/id.ts';
import type { Observation, Provider, PublishRequest, RunnerId, RunnerOrder } from '#runner-providers/provider.ts';
import { contentNamed, copyFolder, dropFolder, keepFolder, listKept } from './content.ts';
import { type Files, filesOf, isGroupRunning, killGroup, livingAgent, readJson, writeJson } from './machine.ts';

const agentFile = new URL('agent.ts', import.meta.url).pathname;
const patienceMs = 20_000;
const lookEveryMs = 50;

/** Where runners live, and the search path of their programs. */
type MachineFolder = { readonly folder: string; readonly path: string };

/**
 * Makes each runner a working folder and a process on this machine, for tests and small installations. Runners aren't isolated
 * from each other, nor from Hearth.
 */
export function processProvider({ folder, path }: MachineFolder): Provider {
  const machines = join(folder, 'machines');
  const images = join(folder, 'images');
  const machineOf = (runner: RunnerId): string => join(machines, String(runner));
  return {
    name: 'process',
    async provision(order) {
      const machine = machineOf(order.id);
      const files = filesOf(machine);
      await furnish(files, order, images);
      await startAgent(machine, files, path);
      return { publicIps: [] };
    },
    async remove(runner) {
      await stopAgent(filesOf(machineOf(runner)));
      await rm(machineOf(runner), { recursive: true, force: true, maxRetries: 5 });
    },
    capture: (runner, content) => keepFolder(images, filesOf(machineOf(runner)).work, content),
    drop: (content) => dropFolder(images, content),
    async observe() {
      const names = (await readdir(machines).catch(() => [])).filter((name) => /^[1-9]\d{0,15}$/.test(name));
      const runners = names.map((name) => asId<'hosted_runners'>(Number(name)));
      return {
        runners: await Promise.all(runners.map((runner) => observeOne(runner, filesOf(machineOf(runner))))),
        contents: await listKept(images, Date.now()),
      };
    },
    async answer(runner, said) {
      const files = filesOf(machineOf(runner));
      await writeJson(files.published, said);
      await rm(files.publish, { force: true });
    },
  };
}

/** Makes the folders of a runner. With another image, the working folder is made anew; with the same one, it stays. */
async function furnish(files: Files, order: RunnerOrder, images: string): Promise<void> {
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

/** Starts the process of a runner, unless it is alive. It goes on when the process that started it ends. */
async function startAgent(machine: string, files: Files, path: string): Promise<void> {
  if ((await livingAgent(files)) !== undefined) return;
  const log = await open(files.log, 'a');
  try {
    const agent = spawn(process.execPath, [agentFile, machine, path], {
      detached: true,
      cwd: machine,
      env: {},
      stdio: ['ignore', log.fd, log.fd],
    });
    agent.on('error', () => undefined); // seen below: it never comes to life
    agent.unref();
  } finally {
    await log.close();
  }
  const until = Date.now() + patienceMs;
  while ((await livingAgent(files)) === undefined) {
    if (Date.now() > until) throw new Error(`The process of the runner in ${machine} did not start`);
    await sleep(lookEveryMs);
  }
}

/** Ends the process of a runner and what it runs, and waits until they are gone: they write into its folder until then. */
async function stopAgent(files: Files): Promise<void> {
  const pid = await livingAgent(files);
  if (pid === undefined) return;
  killGroup(pid);
  const until = Date.now() + patienceMs;
  while (isGroupRunning(pid) && Date.now() < until) await sleep(lookEveryMs);
  await rm(files.agent, { force: true });
}

async function observeOne(runner: RunnerId, files: Files): Promise<Observation> {
  const { at } = (await readJson(files.active)) ?? {};
  const time = typeof at === 'string' ? new Date(at) : undefined;
  const request = await publishRequestOf(files);
  return {
    runner,
    isRunning: (await livingAgent(files)) !== undefined,
    ...(time && !Number.isNaN(time.getTime()) ? { lastActiveOn: time } : {}),
    ...(request ? { publishRequest: request } : {}),
  };
}

async function publishRequestOf({ publish }: Files): Promise<PublishRequest | undefined> {
  const [wanted, written] = [await readJson(publish), await stat(publish).catch(() => undefined)];
  if (!wanted || !written) return undefined;
  const content = contentNamed(`${publish} ${written.mtimeMs} ${JSON.stringify(wanted)}`);
  return { content, image: String(wanted.image ?? ''), version: versionOf(wanted.version) };
}

const versionOf = (version: unknown): string | undefined =>
  version === undefined || version === null ? undefined : String(version);
