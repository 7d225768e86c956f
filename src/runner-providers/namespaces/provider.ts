import { createHash } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessRunning } from '#lib/running-process.ts';
import { readJson, writeJson } from '#runner-providers/machines/json-files.ts';
import { startFrom } from '#runner-providers/machines/processes.ts';
import { type ProgramKind, programFiles } from '#runner-providers/machines/programs.ts';
import { machineProvider } from '#runner-providers/machines/provider.ts';
import type { Provider, RunnerOrder } from '#runner-providers/provider.ts';
import { networkOf } from './bubblewrap.ts';
import { checkMachine } from './check.ts';
import { findParentGroup, removeControlGroup } from './control-group.ts';
import { folderToolsFor, isRoot } from './folder-tools.ts';
import { type Kept, listKept, removeRequest } from './kept.ts';
import { writeFiles } from './make.ts';
import { type Network, type Sandbox, sandboxFiles, userFor } from './sandbox.ts';

const supervisorFile = new URL('supervisor.ts', import.meta.url).pathname;
const timeoutMs = 20_000;
const pollMs = 50;
/** How long a program may take to keep its home after its job, before it is ended. */
const keepMs = 5_000;
const reservedBytes = 2 ** 30;

export type NamespaceSettings = {
  /** The folder of runners. */
  readonly folder: string;
  readonly path: string;
  /** The program that runs jobs, if any. */
  readonly program?: string | undefined;
  readonly network: Network;
  /** The address of the server, if it is known at the start. */
  readonly address?: string | undefined;
  /** Address ranges that jobs reach at any port. */
  readonly allow?: readonly string[] | undefined;
  /** Folders of tools that jobs can read, in addition to those of the system. */
  readonly tools?: readonly string[] | undefined;
  /** Folders that jobs must not see. */
  readonly hidden?: readonly string[];
  /** Jobs end if the disk of the server has less room. */
  readonly reserved?: number;
};

/** A provider that makes a sandbox of its own for each job, by namespaces of the kernel (decision 74). */
export function namespaceProvider(settings: NamespaceSettings): Provider {
  const { folder, path, program } = settings;
  const tools = folderToolsFor(path);
  const like = sandboxLike(settings);
  return machineProvider(folder, {
    name: 'namespaces',
    check: () => {
      const sandbox = { ...like, program: program ?? process.execPath, user: isRoot() ? userFor('0') : null };
      return checkMachine({ folder, hidden: settings.hidden ?? [folder], program, sandbox });
    },
    async provision(machine, order, images) {
      const image = `${order.image.source}:${order.image.id}:${order.image.content ?? ''}`;
      const content = order.image.content === undefined ? undefined : join(images, order.image.content);
      if (content !== undefined) await stat(content); // fails if it is missing
      await mkdir(machine, { recursive: true });
      const before = await readJson(orderOf(machine));
      if (before && before.image !== image) await tools.remove(keptOf(machine));
      await writeJson(orderOf(machine), { machine: order.machine, image, content: content ?? null } satisfies StoredOrder);
    },
    // Nothing runs on a machine but its programs.
    end: async () => undefined,
    endOwn: async () => undefined,
    async observe(machine) {
      const request = (await nextRequest(machine))?.request;
      return { isRunning: (await readOrder(machine)) !== undefined, ...(request ? { publishRequest: request } : {}) };
    },
    async answer(machine, result) {
      await writeJson(join(machine, 'published.json'), result);
      const answered = await nextRequest(machine);
      if (answered) await removeRequest(answered);
    },
    async folderToCapture(machine, content) {
      const kept = await listKept(keptOf(machine));
      const wanted = content === undefined ? kept.at(-1) : kept.find(({ request }) => request?.content === content);
      return wanted?.home ?? (await readOrder(machine))?.content ?? makeEmpty(machine);
    },
    tools,
    programs: program === undefined ? undefined : programKind({ ...like, program }, tools),
  });
}

type StoredOrder = { readonly machine: RunnerOrder['machine']; readonly image: string; readonly content: string | null };

const orderOf = (machine: string): string => join(machine, 'order.json');
const keptOf = (machine: string): string => join(machine, 'kept');
const readOrder = async (machine: string): Promise<StoredOrder | undefined> =>
  (await readJson(orderOf(machine))) as StoredOrder | undefined;

/** The oldest request to publish an image that has no answer. */
const nextRequest = async (machine: string): Promise<Kept | undefined> =>
  (await listKept(keptOf(machine))).find(({ request }) => request !== undefined);

/** The content of a runner without an image and without a job so far. */
async function makeEmpty(machine: string): Promise<string> {
  const empty = join(machine, 'empty');
  await mkdir(empty, { recursive: true });
  return empty;
}

/** What all sandboxes have in common. */
const sandboxLike = ({
  path,
  network,
  address = 'http://127.0.0.1:3000',
  allow = [],
  tools = [],
  reserved = reservedBytes,
}: NamespaceSettings) => ({
  path,
  network,
  allow,
  tools,
  reservedBytes: reserved,
  address,
  machine: { cpuCores: 1, memoryGb: 1, storageGb: 1 },
  content: null,
  keep: null,
  cgroup: null,
});

/** Programs run in a sandbox of their own, which a supervisor makes. */
const programKind = (like: Omit<Sandbox, 'user'>, { remove }: ReturnType<typeof folderToolsFor>): ProgramKind => ({
  async launch({ name, registration, address, generatesImages }, machine, folder) {
    const order = await readOrder(machine);
    if (!order) throw new Error('The machine of the runner is not there yet');
    const parent = findParentGroup();
    const digest = createHash('sha256').update(folder).digest('hex');
    const sandbox: Sandbox = {
      ...like,
      address,
      user: isRoot() ? userFor(digest) : null,
      machine: order.machine,
      content: order.content,
      keep: generatesImages ? keptOf(machine) : null,
      cgroup: parent === undefined ? null : join(parent, `hearth-${basename(machine)}-${name}`),
    };
    await writeFile(programFiles(folder).preparing, '');
    await writeFiles(sandbox, folder, { plan: networkOf(sandbox), registration });
    return { command: [process.execPath, supervisorFile, folder], env: { PATH: like.path } };
  },
  async awaitEnd(folder) {
    const { keep } = (await readJson(sandboxFiles(folder).description)) ?? {};
    if (typeof keep === 'string') await waitFor(async () => !(await isRunning(programFiles(folder).process)), keepMs);
  },
  async awaitEmpty(folder) {
    const { init } = sandboxFiles(folder);
    await waitFor(async () => {
      const { pid } = (await readJson(init)) ?? {};
      if (!(await isRunning(init))) return true;
      if (typeof pid === 'number') kill(pid);
      return false;
    }, timeoutMs);
  },
  async remove(folder) {
    const { cgroup } = (await readJson(sandboxFiles(folder).description)) ?? {};
    await remove(folder);
    if (typeof cgroup === 'string') removeControlGroup(cgroup);
  },
});

/** Whether the process that a file records is running. */
async function isRunning(file: string): Promise<boolean> {
  const { pid, start } = (await readJson(file)) ?? {};
  return typeof pid === 'number' && isProcessRunning(pid, startFrom(start));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it ended by itself
  }
}

async function waitFor(isDone: () => Promise<boolean>, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while (!(await isDone()) && Date.now() < until) await sleep(pollMs);
}
