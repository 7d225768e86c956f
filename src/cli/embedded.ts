import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Address } from '#database/connect.ts';
import { type Embedded, startEmbedded } from '#database/embedded.ts';
import { becomePresent, type Presence } from '#database/presence.ts';

const attempts = 3;
const restartPauseMs = 1_000;

/** The embedded PostgreSQL of a data folder, as a process uses it. */
export type Entered = {
  address: Address;
  takenOver: boolean;
  /** Ends the use. PostgreSQL is stopped if no other process uses it, or if this one is the server. */
  leave(): Promise<void>;
};

type Part = { embedded: Embedded; presence: Presence };

/** Starts the PostgreSQL of a data folder, or joins the running one. A server keeps it running until it leaves. */
export async function enterEmbedded(path: string, role: 'server' | 'command', log: Logger): Promise<Entered> {
  let part = await enter(path, role);
  let leaving = false;
  let restarting: Promise<void> | undefined;
  const watch = async (): Promise<void> => {
    await part.presence.lost;
    if (leaving) return;
    log.error('the embedded PostgreSQL ended; it is started again');
    restarting = restart();
    await restarting;
  };
  const restart = async (): Promise<void> => {
    for (; !leaving; await sleep(restartPauseMs)) {
      try {
        part = await enter(path, role);
        return void watch();
      } catch (error) {
        log.error({ err: error }, 'the embedded PostgreSQL could not be started; trying again');
      }
    }
  };
  if (role === 'server') void watch();
  const { address, takenOver } = part.embedded;
  return {
    address,
    takenOver,
    async leave() {
      leaving = true;
      await restarting;
      const last = await part.presence.leave();
      if (last || role === 'server') await part.embedded.stop();
    },
  };
}

/** On standard error: what a command prints is read by programs. */
const tellWait = (reason: string): void => void process.stderr.write(`Waiting to start PostgreSQL (${reason})\n`);

/** If another process is just stopping the PostgreSQL, it is started again. */
async function enter(path: string, role: 'server' | 'command'): Promise<Part> {
  for (let attempt = 1; ; attempt++) {
    const embedded = await startEmbedded(path, {}, tellWait);
    try {
      return { embedded, presence: await becomePresent(embedded.address, role) };
    } catch (error) {
      const wentAway = error instanceof Error && 'code' in error && attempt < attempts;
      if (!wentAway) throw error;
    }
  }
}
