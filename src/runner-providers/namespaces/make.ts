// Making a sandbox: its files, its folders, its namespaces.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FolderTools } from '#runner-providers/machines/content.ts';
import { writeJson } from '#runner-providers/machines/json-files.ts';
import { runnerConfiguration } from '#runner-providers/machines/programs.ts';
import { chooseProcessors, sandboxCommand } from './bubblewrap.ts';
import type { ControlGroup } from './control-group.ts';
import type { NetworkPlan } from './network.ts';
import { inside, type Sandbox, sandboxFiles, userInside } from './sandbox.ts';
import { systemCallFilter } from './seccomp.ts';

/** Writes the files that a sandbox begins with. */
export async function writeFiles(
  sandbox: Sandbox,
  folder: string,
  { plan, registration }: { plan: NetworkPlan; registration: object },
): Promise<void> {
  const files = sandboxFiles(folder);
  const user = sandbox.user ?? userInside;
  await Promise.all([files.etc, files.runner, files.run].map((path) => mkdir(path, { recursive: true })));
  const made = {
    passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\nrunner:x:${user}:${user}:runner:${inside.home}:/bin/sh\n`,
    group: `root:x:0:\nrunner:x:${user}:\n`,
    'nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n',
    hosts: `127.0.0.1 localhost runner\n::1 localhost\n${plan.hosts}`,
  };
  await Promise.all([
    ...Object.entries(made).map(([name, text]) => writeFile(`${files.etc}/${name}`, text)),
    writeFile(`${files.runner}/config.yaml`, runnerConfiguration({ registration: inside.registration, work: inside.work })),
    writeFile(`${files.runner}/.runner`, JSON.stringify(registration), { mode: 0o600 }),
    writeJson(files.description, sandbox),
  ]);
}

/** Fills the folders in which the job writes, and gives them to its user. */
export async function fillFolders({ content, user, path }: Sandbox, folder: string, tools: FolderTools): Promise<void> {
  const files = sandboxFiles(folder);
  if (content === null) await mkdir(files.home);
  else await tools.copy(content, files.home);
  await mkdir(files.temporary);
  await chmod(files.temporary, 0o1777);
  if (user !== null) await runProgram(path, 'chown', '-R', '-h', `${user}:${user}`, '--', files.home, files.runner);
}

async function runProgram(path: string, program: string, ...words: string[]): Promise<void> {
  const [code] = await once(spawn(program, words, { env: { PATH: path }, stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

type SpawnOptions = {
  readonly plan: NetworkPlan;
  readonly command: readonly string[];
  readonly group?: ControlGroup | undefined;
};

/**
 * Starts a command in a sandbox.
 * @returns its process, with pipes for the output, and a function that gives the id of the sandbox's first process
 */
export async function spawnInSandbox(
  sandbox: Sandbox,
  folder: string,
  { plan, command, group }: SpawnOptions,
): Promise<{ child: ChildProcess; findInit(): Promise<number | undefined> }> {
  const files = sandboxFiles(folder);
  const processors = group ? undefined : chooseProcessors(sandbox.machine.cpuCores);
  await writeFile(files.filter, systemCallFilter(process.arch, { fixesProcessors: processors !== undefined }));
  const filter = await open(files.filter);
  try {
    const [program, ...words] = await sandboxCommand(sandbox, folder, { plan, processors, command });
    group?.enter();
    const child = spawn(program, words, {
      cwd: '/',
      env: { PATH: sandbox.path },
      stdio: ['ignore', 'pipe', 'pipe', filter.fd, 'pipe'],
    });
    group?.leave();
    const info = child.stdio[4];
    await once(child, 'spawn');
    return { child, findInit: () => readInit(info as Readable) };
  } finally {
    await filter.close();
  }
}

/** Reads what bubblewrap reports of the first process; undefined if it made no sandbox. */
async function readInit(info: Readable): Promise<number | undefined> {
  let text = '';
  for await (const part of info) text += String(part);
  const [, pid] = /"child-pid": (\d+)/.exec(text) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
