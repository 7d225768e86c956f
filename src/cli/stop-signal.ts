/**
 * Resolves with the name of the first signal that asks this process to end. A second one ends it at once, which loses nothing
 * that was acknowledged. A closed terminal (SIGHUP) is asked for by name: to listen to it would undo `nohup`.
 */
export function stopSignal(...more: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let asked = false;
  for (const name of ['SIGTERM', 'SIGINT', ...more] as const) {
    process.on(name, () => {
      if (asked) process.exit(1);
      asked = true;
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
