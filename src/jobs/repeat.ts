import type { QueueContext } from './job.ts';

type Stoppable = Pick<QueueContext, 'stopping'>;

/** Repeats a step as long as it says that there is more to do. @throws JobStopped before the next one where the worker stops */
export async function repeatWhile({ stopping }: Stoppable, step: () => Promise<boolean>): Promise<void> {
  do stopping?.throwIfAborted();
  while (await step());
}

/** The items of many steps. @throws JobStopped before the next one where the worker stops */
export function* stepsOf<Item>({ stopping }: Stoppable, items: Iterable<Item>): Generator<Item> {
  for (const item of items) {
    stopping?.throwIfAborted();
    yield item;
  }
}
