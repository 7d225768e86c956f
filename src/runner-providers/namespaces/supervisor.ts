// The process of one sandbox, outside of it: `node supervisor.ts <folder>`. It makes the sandbox, ends it when its job
// has ended or takes more than its machine has, and removes it. If it is killed, the kernel ends the sandbox.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { chown, rm, stat, statfs, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect, createServer } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOfProcess } from '#lib/running-process.ts';
import { openProxy } from '#net/proxy.ts';
import { readJson, writeJson } from '#runner-providers/machines/json-files.ts';
import { programFiles } from '#runner-providers/machines/programs.ts';
import { initCommand, networkOf } from './bubblewrap.ts';
import { type ControlGroup, openControlGroup } from './control-group.ts';
import { folderToolsFor } from './folder-tools.ts';
import { keepHome } from './kept.ts';
import { fillFolders, spawnInSandbox } from './make.ts';
import { type NetworkPlan, sockets } from './network.ts';
import { type Sandbox, sandboxFiles } from './sandbox.ts';
import { deletedBytes, memoryOf, withDescendants } from './usage.ts';

const [, , folder = '.'] = process.argv;
const files = sandboxFiles(folder);
const gibibyte = 2 ** 30;
const pollMs = 500;
const maxLogBytes = 2 ** 20;
const maxConnections = 256;
/** The kernel ends processes of jobs before others when memory is short. */
const outOfMemoryScore = 500;
/** `O_CLOEXEC` (man 5 proc). */
const closeOnExec = 0o2000000;

const sandbox = (await readJson(files.description)) as Sandbox;
const tools = folderToolsFor(sandbox.path);
const { machine, user } = sandbox;

/** Opens the sockets to which the sandbox's listeners lead. Their paths are relative, since they are short then. */
async function openSockets({ server, forwards }: NetworkPlan): Promise<void> {
  if (forwards.length === 0) return;
  process.chdir(files.run);
  const toServer = createServer({ allowHalfOpen: true }, (client) => {
    const socket = connect({ ...server, allowHalfOpen: true });
    client.on('error', () => socket.destroy());
    socket.on('error', () => client.destroy());
    client.on('close', () => socket.destroy());
    socket.on('close', () => client.destroy());
    client.pipe(socket).pipe(client);
  });
  toServer.maxConnections = maxConnections;
  const { network, allow } = sandbox;
  const proxy = openProxy({ always: server, internet: network === 'internet', allow });
  for (const [name, listener] of [
    [sockets.server, toServer],
    [sockets.proxy, proxy],
  ] as [string, Server][]) {
    listener.listen(name);
    await once(listener, 'listening');
    if (user !== null) await chown(name, user, user);
  }
  process.chdir(folder);
}

/** Starts the sandbox. Its first process is recorded, so that other processes can wait for its end. */
async function start(plan: NetworkPlan, group: ControlGroup | undefined): Promise<{ child: ChildProcess; init: number }> {
  const { child, findInit } = await spawnInSandbox(sandbox, folder, { plan, group, command: initCommand(plan) });
  collectOutput(child);
  const init = await findInit();
  if (init === undefined) throw new Error('The sandbox could not be made');
  await writeJson(files.init, { pid: init, start: startOfProcess(init) });
  return { child, init };
}

/** Writes the output of the sandbox to the log, up to a size. Jobs can write it without end. */
function collectOutput({ stdout, stderr }: ChildProcess): void {
  const log = createWriteStream(programFiles(folder).log, { flags: 'a' });
  let left = maxLogBytes;
  const append = (part: Buffer): void => {
    if (left > 0) log.write(part.subarray(0, left));
    left -= part.length;
  };
  stdout?.on('data', append);
  stderr?.on('data', append);
}

/** Waits until the sandbox exceeds its machine. @returns why it has to end; undefined if it has ended by itself */
async function watch(root: number, ended: AbortSignal): Promise<string | undefined> {
  const found = new AbortController();
  const signal = AbortSignal.any([ended, found.signal]);
  // Measuring a disk may take long, and memory must not wait for it.
  const watchers = [watchMemory(root, signal), watchDisk(root, signal)];
  for (const watcher of watchers) watcher.catch(() => undefined); // the second one that fails
  try {
    return await Promise.race(watchers);
  } finally {
    found.abort();
  }
}

const pause = (signal: AbortSignal): Promise<void> => sleep(pollMs, undefined, { signal }).catch(() => undefined);

async function watchMemory(root: number, signal: AbortSignal): Promise<string | undefined> {
  const { dev } = await stat(folder);
  for (; !signal.aborted; await pause(signal))
    if (memoryOf(withDescendants(root), dev) > machine.memoryGb * gibibyte) return memoryReason;
  return undefined;
}

async function watchDisk(root: number, signal: AbortSignal): Promise<string | undefined> {
  const { dev } = await stat(folder);
  let [bytes, next] = [0, 0];
  for (; !signal.aborted; await pause(signal)) {
    const begun = Date.now();
    if (begun >= next) {
      bytes = await tools.sizeOf(folder);
      // Measuring a folder of many files takes a sixth of a processor at most.
      next = Date.now() + Math.max(pollMs, 5 * (Date.now() - begun));
    }
    if (bytes + deletedBytes(withDescendants(root), dev) > machine.storageGb * gibibyte)
      return `It wrote more than the disk of its machine holds (${machine.storageGb} GB)`;
    const { bavail, bsize, files: nodes, ffree } = await statfs(folder);
    if (bavail * bsize < sandbox.reservedBytes || ffree < nodes / 100) return 'The disk of the server has no more room for jobs';
  }
  return undefined;
}

const memoryReason = `It took more memory than its machine has (${machine.memoryGb} GB)`;

/** Closes files that this process has inherited, so that jobs don't inherit them. Node closes its own ones for programs. */
function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    const [, flags = '0'] = /^flags:\s+([0-7]+)$/m.exec(readInfo(fd)) ?? [];
    if (fd > 2 && flags !== '0' && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd);
  }
}

function readInfo(fd: number): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
  } catch {
    return ''; // the one by which the folder was read
  }
}

type Outcome = { readonly exitCode: number | null; readonly reason: string | undefined };

/** Runs the job to its end. A reason says why the sandbox was ended. */
async function runJob(group: ControlGroup | undefined): Promise<Outcome> {
  const plan = networkOf(sandbox);
  await openSockets(plan);
  const { child, init } = await start(plan, group);
  await rm(programFiles(folder).preparing, { force: true });
  const ended = new AbortController();
  const exit = once(child, 'exit').then(([code]: (number | null)[]) => {
    ended.abort();
    return code ?? null;
  });
  let reason: string | undefined = 'The sandbox of the job failed';
  try {
    reason = await watch(init, ended.signal);
  } finally {
    if (reason !== undefined) endProcess(init);
  }
  const exitCode = await exit;
  return { exitCode, reason: reason ?? (group?.ranOutOfMemory() ? memoryReason : undefined) };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it ended by itself
  }
}

async function main(): Promise<void> {
  closeInherited();
  await writeFile('/proc/self/oom_score_adj', String(outOfMemoryScore));
  let outcome: Outcome = { exitCode: null, reason: 'The sandbox of the job failed' };
  try {
    await fillFolders(sandbox, folder, tools);
    const group = sandbox.cgroup === null ? undefined : openControlGroup(sandbox.cgroup, machine);
    outcome = await runJob(group);
    group?.remove();
  } finally {
    const { exitCode, reason } = outcome;
    if (reason !== undefined) await writeJson(programFiles(folder).ended, { reason });
    const { keep } = sandbox;
    // A runner that ended with an error had no job.
    if (exitCode === 0 && reason === undefined && keep !== null)
      await keepHome({ keep, ...files, name: basename(folder) }, tools);
    for (const part of [files.home, files.temporary, files.runner, files.run]) await tools.remove(part);
  }
}

process.on('SIGTERM', () => process.exit(0));
await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
process.exit();
