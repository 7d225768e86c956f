/**
 * Resolves with the name of the first signal to stop. A second signal ends the process immediately, which loses no acknowledged
 * data. SIGHUP is handled only where `more` names it, since a handler would override `nohup`.
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

/** Runs a shutdown. If it takes too long, the process ends with code 1. */
export async function withinDrainTime(work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    process.stderr.write(`Hearth did not come to rest within ${drainTimeoutMs / 1000} s and ends now\n`);
    process.exit(1);
  }, drainTimeoutMs);
  await work();
  clearTimeout(timer);
}
