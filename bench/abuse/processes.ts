/** What the processes of a server take: its own, PostgreSQL's and git's. Linux alone. */
import { readdir, readFile } from 'node:fs/promises';

/** Every process that descends from one, itself included. */
async function descendants(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (stat !== '') parents.set(Number(name), parent);
  }
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}

/** The memory of a server's processes in bytes, shared pages counted once (PSS). */
export async function memoryOf(root: number): Promise<number> {
  const sizes = await Promise.all(
    (await descendants(root)).map(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Measures the memory twice a second until it is stopped; gives the most that it saw. */
export function watchMemory(root: number): { stop(): Promise<number> } {
  let peak = 0;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      peak = Math.max(peak, await memoryOf(root));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      return peak;
    },
  };
}
