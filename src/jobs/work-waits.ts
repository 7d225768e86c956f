import { type WorkKind, workKinds } from '#database/work-signals.ts';

/** Lets background loops wait for work. A signal while a loop is busy isn't lost. */
export type WorkWaits = {
  /** Resolves when this kind of work is signalled, after `milliseconds`, or when the loops stop. */
  next(kind: WorkKind, milliseconds: number): Promise<void>;
  /** Wakes the loops that wait for these kinds; all loops if the kinds are unknown. */
  wake(kinds?: readonly WorkKind[]): void;
};

export function openWorkWaits(stopping: AbortSignal): WorkWaits {
  const signalled = new Map(workKinds.map((kind) => [kind, Promise.withResolvers<void>()]));
  const wake = (kinds: readonly WorkKind[] = workKinds): void => {
    for (const kind of kinds) signalled.get(kind)?.resolve();
  };
  stopping.addEventListener('abort', () => wake());
  return {
    wake,
    async next(kind, milliseconds) {
      const signal = signalled.get(kind);
      if (!signal || stopping.aborted) return;
      const { promise: isOver, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, milliseconds);
      await Promise.race([signal.promise, isOver]);
      clearTimeout(timer);
      signalled.set(kind, Promise.withResolvers());
    },
  };
}
