/** A group of processes with a common memory limit: a Linux cgroup, version 1 or 2. Needs root. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type MemoryGroup = {
  /** A command that starts another one inside the group. */
  readonly within: readonly string[];
  /**
   * The current and the maximum number of used bytes. Files that PostgreSQL and git read count until the kernel needs their
   * memory.
   */
  usage(): Promise<{ now: number; peak: number }>;
  /** The number of processes in the group that the kernel killed because memory ran out. */
  kills(): Promise<number>;
  remove(): Promise<void>;
};

const root = '/sys/fs/cgroup';

/** Makes a group with this number of bytes. Throws if the system has no cgroups that this user may create. */
export async function makeMemoryGroup(bytes: number): Promise<MemoryGroup> {
  const old = existsSync(join(root, 'memory'));
  const folder = join(root, old ? 'memory' : '', `hearth-${process.pid}`);
  await mkdir(folder);
  const files = old
    ? {
        limit: 'memory.limit_in_bytes',
        now: 'memory.usage_in_bytes',
        peak: 'memory.max_usage_in_bytes',
        kills: 'memory.oom_control',
      }
    : { limit: 'memory.max', now: 'memory.current', peak: 'memory.peak', kills: 'memory.events' };
  await writeFile(join(folder, files.limit), String(bytes));
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  return {
    within: ['sh', '-c', `echo $$ > '${join(folder, 'cgroup.procs')}' && exec "$@"`, 'sh'],
    usage: async () => ({ now: Number(await read(files.now)), peak: Number(await read(files.peak)) }),
    kills: async () => Number(/^oom_kill (\d+)$/m.exec(await read(files.kills))?.[1] ?? 0),
    async remove() {
      for (let tries = 50; ; tries--) {
        const error = await rmdir(folder).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error === undefined) return;
        if (tries === 0) throw error;
        await sleep(100);
      }
    },
  };
}
