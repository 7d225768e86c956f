// What the server and its processes take while something is asked of them.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Taken = {
  /** The most memory of one git process, and of all of them together, in MiB; 0 where the system doesn't tell. */
  git: number;
  together: number;
  /** How much the memory of this process grew, in MiB. */
  node: number;
};

const mebi = 1024 * 1024;

/** The memory of each process that works in a folder, in MiB. */
function memoryIn(root: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readlinkSync(`/proc/${pid}/cwd`).startsWith(root)) return [];
        const resident = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        return [Number(resident ?? 0) / 1024];
      } catch {
        return []; // it has ended
      }
    });
}

/** Does `work`, and tells what it took meanwhile in the processes that work in the folder, and in this one. */
export async function watched<T>(root: string, work: () => Promise<T>): Promise<{ result: T; taken: Taken }> {
  const before = process.memoryUsage.rss();
  const taken = { git: 0, together: 0, node: 0 };
  const look = (): void => {
    const each = process.platform === 'linux' ? memoryIn(root) : [];
    taken.git = Math.max(taken.git, ...each);
    taken.together = Math.max(
      taken.together,
      each.reduce((sum, one) => sum + one, 0),
    );
    taken.node = Math.max(taken.node, (process.memoryUsage.rss() - before) / mebi);
  };
  const timer = setInterval(look, 10);
  try {
    return { result: await work(), taken };
  } finally {
    look();
    clearInterval(timer);
  }
}
