/** The resource usage of a server's processes: its own, PostgreSQL's and git's. Linux only. */
import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds of a tick, the unit of processor time in /proc. On every machine, Linux reports 100 ticks per second. */
const tickMs = 10;

/** The fields of /proc/PID/stat after the program's name. The first is the state, field 3 in the manual. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** The fields of all descendants of these processes, including the processes themselves, by process id. */
async function descendants(roots: readonly number[]): Promise<Map<number, string[]>> {
  const running = new Map<number, string[]>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    if (stat !== '') running.set(Number(name), fieldsOf(stat));
  }
  const found = new Set(roots);
  for (const pid of found) for (const [child, fields] of running) if (Number(fields[1]) === pid) found.add(child);
  return new Map([...running].filter(([pid]) => found.has(pid)));
}

/** A field of a process's memory in bytes: its share of shared pages (PSS), or everything resident (RSS). */
async function memoryField(pid: number, field: 'Pss' | 'Rss'): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

async function proportional(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(pids.map((pid) => memoryField(pid, 'Pss')));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The memory of a server's processes in bytes, shared pages counted once (PSS). */
export const memoryOf = async (...roots: number[]): Promise<number> => proportional([...(await descendants(roots)).keys()]);

/**
 * The memory of a single-process server, as resident size, and of its PostgreSQL, with shared pages counted once (PSS). In bytes.
 */
export async function memoryByProgram(server: number): Promise<{ node: number; postgres: number }> {
  const pids = [...(await descendants([server])).keys()];
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  const postgres = await proportional(pids.filter((_, at) => names[at] === 'postgres\n'));
  return { node: await memoryField(server, 'Rss'), postgres };
}

/**
 * The processor time in milliseconds that a server's processes have used since they started, including ended ones: the kernel
 * adds a child's time to its parent's after the parent has waited for it.
 */
export async function processorTimeOf(...roots: number[]): Promise<number> {
  let ticks = 0;
  // utime, stime, cutime and cstime, fields 14 to 17.
  for (const fields of (await descendants(roots)).values()) for (const field of fields.slice(11, 15)) ticks += Number(field);
  return ticks * tickMs;
}

/** The processor time in milliseconds of one process only. */
export async function processorTimeOfOne(pid: number): Promise<number> {
  const fields = fieldsOf(await readFile(`/proc/${pid}/stat`, 'utf8'));
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Measures the memory twice a second until it is stopped. Returns the maximum. */
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
