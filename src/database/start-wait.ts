import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '#lib/startup-error.ts';
import type { PostgresHome } from './postgres-home.ts';
import { endOrphans, findPostmaster, leftProcesses } from './postgres-processes.ts';

/** Tells the operator why a start takes longer. */
export type TellWait = (reason: string) => void;

/** The wait of a start for others to leave its data folder. It is bounded in all, and told when it takes longer. */
export type StartWait = {
  /** @throws StartupError with the reason, when the time is over. */
  pause(reason: string, milliseconds?: number): Promise<void>;
};

const tellAfterMs = 1_000;
const pauseMs = 50;
/** The time for the processes of a dead postmaster to notice its death. */
const orphansEndMs = 5_000;

export function startWait({ most, log, tellWait }: { most: number; log: string; tellWait: TellWait }): StartWait {
  const start = performance.now();
  let told = false;
  return {
    async pause(reason, milliseconds = pauseMs) {
      const passed = performance.now() - start;
      if (passed > most) throw new StartupError(`PostgreSQL could not start within ${most / 1000} s (${reason}); see ${log}`);
      if (passed > tellAfterMs && !told) {
        told = true;
        tellWait(reason);
      }
      await sleep(milliseconds);
    },
  };
}

/**
 * Waits for the processes that a dead postmaster left. Those that are busy don't notice its death, so they are ended after a while.
 * False where a postmaster lives.
 */
export async function untilLeft(home: Pick<PostgresHome, 'data' | 'socket'>, wait: StartWait): Promise<boolean> {
  const start = performance.now();
  for (;;) {
    const left = await leftProcesses(home);
    if (left.length === 0) return true;
    if ((await findPostmaster(home)) !== undefined) return false;
    if (performance.now() - start > orphansEndMs) endOrphans(left);
    const ids = left.map(({ pid }) => pid).join(', ');
    await wait.pause(`processes of the PostgreSQL that ran before haven't ended yet: ${ids}`);
  }
}
