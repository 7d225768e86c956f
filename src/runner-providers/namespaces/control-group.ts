// Control groups (cgroup v2), by which the kernel limits the memory and processors of a sandbox. They need a unit of systemd
// with `Delegate=yes` and `DelegateSubgroup`, so that Hearth may make groups beside its own.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RunnerOrder } from '#runner-providers/provider.ts';

const mountPoint = '/sys/fs/cgroup';
const gibibyte = 2 ** 30;
const periodMicroseconds = 100_000;
const maxProcesses = 4_096;
const controllers = ['cpu', 'memory', 'pids'];

/** The control group of a sandbox. */
export type ControlGroup = {
  /** Moves this process into the group, so that what it starts belongs to it, and back. */
  enter(): void;
  leave(): void;
  /** Whether the kernel has ended a process of the group because its memory was full. */
  ranOutOfMemory(): boolean;
  remove(): void;
};

/** The group of this process. */
function ownGroup(): string | undefined {
  const [, path] = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
  return path === undefined || path === '/' ? undefined : join(mountPoint, path);
}

/**
 * The group in which Hearth may make others: that of its unit, if its own group is below it.
 * @param own the group of this process
 */
export function findParentGroup(own = ownGroup()): string | undefined {
  if (own === undefined) return undefined;
  const parent = dirname(own);
  if (!/\.(?:service|scope)$/.test(basename(parent))) return undefined;
  try {
    const file = (name: string): string => join(parent, name);
    const available = readFileSync(file('cgroup.controllers'), 'utf8').trim().split(' ');
    if (!controllers.every((name) => available.includes(name))) return undefined;
    accessSync(file('cgroup.procs'), constants.W_OK);
    writeFileSync(file('cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '));
    return parent;
  } catch {
    return undefined; // it isn't delegated, or has processes of its own
  }
}

/** Makes the group of a sandbox, with the limits of its machine. */
export function openControlGroup(group: string, { cpuCores, memoryGb }: RunnerOrder['machine'], own = ownGroup()) {
  const write = (name: string, value: string): void => writeFileSync(join(group, name), value);
  mkdirSync(group);
  write('memory.max', String(memoryGb * gibibyte));
  if (existsSync(join(group, 'memory.swap.max'))) write('memory.swap.max', '0');
  write('memory.oom.group', '1');
  write('cpu.max', `${cpuCores * periodMicroseconds} ${periodMicroseconds}`);
  write('pids.max', String(maxProcesses));
  return {
    enter: () => write('cgroup.procs', String(process.pid)),
    leave: () => own !== undefined && writeFileSync(join(own, 'cgroup.procs'), String(process.pid)),
    ranOutOfMemory: () => /^oom_kill [1-9]/m.test(readFileSync(join(group, 'memory.events'), 'utf8')),
    remove: () => removeControlGroup(group),
  } satisfies ControlGroup;
}

/** Removes a group whose processes have ended. */
export function removeControlGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // It was removed before, or a process of it is just ending: then it stays, empty.
  }
}
