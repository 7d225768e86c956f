import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Address } from '#database/connect.ts';
import { type Embedded, startEmbedded } from '#database/embedded.ts';
import { becomePresent, type Presence } from '#database/presence.ts';

const attempts = 3;
const restartPauseMs = 1_000;

/** The embedded PostgreSQL of a data folder, while a process uses it. */
type JoinedPostgres = {
  address: Address;
  takenOver: boolean;
  /** Ends the use. PostgreSQL stops if no other process uses it or this process is the server. */
  leave(): Promise<void>;
};

type JoinedParts = { embedded: Embedded; presence: Presence };

type JoinOptions = {
  role: 'server' | 'command';
  log: Logger;
  /** Called as soon as this process only waits for PostgreSQL. */
  onLaunched?: (() => void) | undefined;
};

/** Starts the PostgreSQL of a data folder, or joins the running one. A server restarts it whenever it ends. */
export async function joinEmbedded(path: string, { role, log, onLaunched }: JoinOptions): Promise<JoinedPostgres> {
  let joined = await join(path, role, onLaunched);
  let leaving = false;
  let restarting: Promise<void> | undefined;
  const restartWhenLost = async (): Promise<void> => {
    await joined.presence.lost;
    if (leaving) return;
    log.error('the embedded PostgreSQL ended; it is started again');
    restarting = restart();
    await restarting;
  };
  const restart = async (): Promise<void> => {
    joined.embedded.release();
    for (; !leaving; await sleep(restartPauseMs)) {
      try {
        joined = await join(path, role);
        return void restartWhenLost();
      } catch (error) {
        log.error({ err: error }, 'the embedded PostgreSQL could not be started; trying again');
      }
    }
  };
  if (role === 'server') void restartWhenLost();
  const { address, takenOver } = joined.embedded;
  return {
    address,
    takenOver,
    async leave() {
      leaving = true;
      await restarting;
      const isLast = await joined.presence.leave();
      if (isLast || role === 'server') await joined.embedded.stop();
      else joined.embedded.release();
    },
  };
}

/** Waits are reported on standard error, since programs may read the output of a command. */
const onWait = (reason: string): void => void process.stderr.write(`Waiting to start PostgreSQL (${reason})\n`);

/** Starts or joins PostgreSQL. It retries if another process is stopping it. */
async function join(path: string, role: 'server' | 'command', onLaunched?: () => void): Promise<JoinedParts> {
  for (let attempt = 1; ; attempt++) {
    const embedded = await startEmbedded(path, {}, { onWait, ...(onLaunched ? { onLaunched } : {}) });
    try {
      return { embedded, presence: await becomePresent(embedded.address, role) };
    } catch (error) {
      embedded.release();
      const canRetry = error instanceof Error && 'code' in error && attempt < attempts;
      if (!canRetry) throw error;
    }
  }
}
