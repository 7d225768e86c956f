import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '#lib/startup-error.ts';
import type { PostgresHome } from './postgres-home.ts';
import { endOrphans, findOrphans, findPostmaster } from './postgres-processes.ts';

/** Reports to the operator why a start takes long. */
export type OnWait = (reason: string) => void;

/** A start's waiting for other processes. It is limited in total, and reported if it takes long. */
export type StartWait = {
  /** @throws StartupError with the reason when the time is up */
  pause(reason: string, milliseconds?: number): Promise<void>;
};

const reportAfterMs = 1_000;
const pauseMs = 50;
/** The time for the children of a dead postmaster to notice its end. */
const orphanGraceMs = 5_000;

export function startWait({ maxMs, log, onWait }: { maxMs: number; log: string; onWait: OnWait }): StartWait {
  const start = performance.now();
  let wasReported = false;
  return {
    async pause(reason, milliseconds = pauseMs) {
      const passed = performance.now() - start;
      if (passed > maxMs) throw new StartupError(`PostgreSQL could not start within ${maxMs / 1000} s (${reason}); see ${log}`);
      if (passed > reportAfterMs && !wasReported) {
        wasReported = true;
        onWait(reason);
      }
      await sleep(milliseconds);
    },
  };
}

/**
 * Waits for the children of a dead postmaster, and ends them after a while, since busy ones don't notice its end. Returns false
 * if a postmaster is running.
 */
export async function waitForOrphans(home: Pick<PostgresHome, 'data' | 'socket'>, wait: StartWait): Promise<boolean> {
  const start = performance.now();
  for (;;) {
    const orphans = await findOrphans(home);
    if (orphans.length === 0) return true;
    if ((await findPostmaster(home)) !== undefined) return false;
    if (performance.now() - start > orphanGraceMs) endOrphans(orphans);
    const ids = orphans.map(({ pid }) => pid).join(', ');
    await wait.pause(`processes of the PostgreSQL that ran before haven't ended yet: ${ids}`);
  }
}
