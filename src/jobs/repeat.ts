import type { QueueContext } from './job.ts';

type Stoppable = Pick<QueueContext, 'stopping'>;

/** Repeats a step while it returns true. @throws JobStopped before the next step if the worker stops */
export async function repeatWhile({ stopping }: Stoppable, step: () => Promise<boolean>): Promise<void> {
  do stopping?.throwIfAborted();
  while (await step());
}

/** The items, for a loop with many steps. @throws JobStopped before the next step if the worker stops */
export function* stepsOf<Item>({ stopping }: Stoppable, items: Iterable<Item>): Generator<Item> {
  for (const item of items) {
    stopping?.throwIfAborted();
    yield item;
  }
}
