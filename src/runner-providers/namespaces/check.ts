// Whether sandboxes can be made on this machine. It makes one, since many things can be in the way.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProviderCheck } from '#runner-providers/provider.ts';
import { initCommand, networkOf } from './bubblewrap.ts';
import { findParentGroup } from './control-group.ts';
import { folderToolsFor } from './folder-tools.ts';
import { fillFolders, spawnInSandbox, writeFiles } from './make.ts';
import { inside, type Sandbox } from './sandbox.ts';
import { hasFilter } from './seccomp.ts';
import { findVisible } from './system.ts';

const run = promisify(execFile);
const otherwise = 'or choose another HEARTH_RUNNER_PROVIDER';

type CheckOptions = {
  /** The folder of runners. */
  readonly folder: string;
  /** Folders that jobs must not see. */
  readonly hidden: readonly string[];
  readonly program: string | undefined;
  /** A sandbox like those of jobs, but for the folder of its content. */
  readonly sandbox: Sandbox;
};

/** Checks the machine, and describes what limits jobs on it. */
export async function checkMachine(options: CheckOptions): Promise<ProviderCheck> {
  const { sandbox } = options;
  const limits = findParentGroup()
    ? 'memory and processors are limited by control groups'
    : 'there are no control groups that Hearth may use: memory is measured twice a second, and processors are fixed';
  const user = sandbox.user === null ? "as Hearth's user" : 'as users of their own';
  const detail = `namespaces: jobs run ${user}, with the network \`${sandbox.network}\`; ${limits}; disks are measured`;
  const problem = await findProblem(options);
  return problem === undefined ? { detail } : { detail, problem: `The runner provider namespaces can't be used: ${problem}` };
}

async function findProblem({ folder, hidden, program, sandbox }: CheckOptions): Promise<string | undefined> {
  if (process.platform !== 'linux') return `it needs Linux; choose another HEARTH_RUNNER_PROVIDER`;
  if (!hasFilter(process.arch))
    return `it doesn't know the system calls of ${process.arch}; choose another HEARTH_RUNNER_PROVIDER`;
  const visible = await findVisible(hidden, sandbox.tools);
  if (visible !== undefined)
    return `jobs could read ${visible}, since it is in a folder that they see (/usr, or one of HEARTH_RUNNER_TOOLS); move it`;
  if (program !== undefined && !(await isExecutable(program)))
    return `${program} is no program that everybody may read and execute (HEARTH_RUNNER_PROGRAM)`;
  for (const [tool, from] of [
    ['bwrap', 'bubblewrap'],
    ['prlimit', 'util-linux'],
  ])
    if (!(await isInstalled(`${tool}`, sandbox.path))) return `${tool} is missing; install ${from}, ${otherwise}`;
  const failure = await trySandbox(folder, sandbox);
  return failure === undefined
    ? undefined
    : `namespaces can't be made here (${failure}); allow unprivileged user namespaces (sysctl ` +
        'kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, in a container ' +
        `seccomp=unconfined and systempaths=unconfined), ${otherwise}`;
}

/** Whether everybody may read and execute a file. Jobs may run as another user than Hearth. */
async function isExecutable(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true && (found.mode & 0o005) === 0o005;
}

const isInstalled = (program: string, path: string): Promise<boolean> =>
  run(program, ['--version'], { env: { PATH: path } }).then(
    () => true,
    () => false,
  );

/** Makes a sandbox in which Node starts. @returns what went wrong */
async function trySandbox(folder: string, sandbox: Sandbox): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  const own = await mkdtemp(join(folder, 'check-'));
  const tools = folderToolsFor(sandbox.path);
  try {
    const plan = networkOf(sandbox);
    await writeFiles(sandbox, own, { plan, registration: {} });
    await fillFolders(sandbox, own, tools);
    const { child } = await spawnInSandbox(sandbox, own, {
      plan,
      command: initCommand(plan, [inside.node, '--version']),
    });
    let output = '';
    child.stderr?.on('data', (part) => (output += part));
    const [code] = await once(child, 'close');
    await tools.sizeOf(own);
    return code === 0 ? undefined : (output.trim().split('\n').at(-1) ?? '') || `it ended with ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await tools.remove(own).catch(() => rm(own, { recursive: true, force: true }));
  }
}
