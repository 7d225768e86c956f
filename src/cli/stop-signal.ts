import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves with the name of the first signal to stop. A second signal ends the process immediately, which loses no acknowledged
 * data. SIGHUP is handled only if `more` names it, since a handler would override `nohup`.
 */
export function stopSignal(...more: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let wasSignalled = false;
  for (const name of ['SIGTERM', 'SIGINT', ...more] as const) {
    process.on(name, () => {
      if (wasSignalled) process.exit(1);
      wasSignalled = true;
      resolve(name);
    });
  }
  return promise;
}

const drainTimeoutMs = 30_000;
const cleanUpTimeoutMs = 10_000;
/** The time for work that nobody waits for, such as a request to another server, after everything else has ended. */
const lingerMs = 1_000;

/**
 * Runs a shutdown, then `cleanUp`, even if the shutdown fails or takes too long. If it takes too long, the process ends with code
 * 1.
 */
export async function withinDrainTime(
  work: () => Promise<void>,
  cleanUp: () => Promise<void> = async () => undefined,
): Promise<void> {
  let isDone = false;
  try {
    isDone = await Promise.race([work().then(() => true), sleep(drainTimeoutMs, false, { ref: false })]);
    if (!isDone) process.stderr.write(`Hearth did not come to rest within ${drainTimeoutMs / 1000} s and ends now\n`);
  } finally {
    await Promise.race([cleanUp(), sleep(cleanUpTimeoutMs, undefined, { ref: false })]);
  }
  if (!isDone) process.exit(1);
  setTimeout(() => process.exit(), lingerMs).unref();
}

/** Waits for a start. If a signal to stop arrives first, it ends the process and the embedded PostgreSQL. */
export async function startUnlessStopped<T>(starting: Promise<T>, stopped: Promise<NodeJS.Signals>): Promise<T> {
  const signal = await Promise.race([starting.then(() => undefined), stopped]);
  if (signal === undefined) return starting;
  process.stderr.write(`Hearth ends during its start (${signal})\n`);
  process.exit(0);
}
