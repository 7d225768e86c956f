// Functions that interpret texts of users by the code of others run in worker threads: what they do to the heap or to the time ends their
// thread, and never the process or the event loop.
import type { Caller } from '#lib/caller.ts';
import { concurrencyLimiter, withSlot } from '#lib/concurrency-limiter.ts';
import { threadLimits } from '#lib/limits/threads.ts';
import { fixedValue } from '#lib/limits.ts';
import { openWorkerThread, type WorkerThread } from './worker-thread.ts';

export { ThreadEnded } from './worker-thread.ts';

// biome-ignore lint/suspicious/noExplicitAny: the types of a function are those that its module declares
type AnyFunction = (input: any) => unknown;
type FunctionName<Module> = { [Name in keyof Module]: Module[Name] extends AnyFunction ? Name : never }[keyof Module] & string;
type InputOf<Called> = Called extends (input: infer Input) => unknown ? Input : never;
type OutputOf<Called> = Called extends AnyFunction ? Awaited<ReturnType<Called>> : never;

type ThreadOptions = {
  /** Whose text it is: one caller uses one thread at a time. */
  readonly caller: Caller;
};

/** The functions of a module, to be called in a worker thread. What they take and return is cloned. */
type ThreadFunctions<Module> = {
  /**
   * @throws ThreadEnded where the function takes too long, or more memory than a thread has
   * @throws Refusal where too many calls wait
   */
  call<Name extends FunctionName<Module>>(
    name: Name,
    input: InputOf<Module[Name]>,
    options: ThreadOptions,
  ): Promise<OutputOf<Module[Name]>>;
};

/**
 * @param module where the functions are
 * @param processorTime the longest processor time of one call, in milliseconds
 * @example threadFunctions<typeof import('./parse.ts')>(new URL('./parse.ts', import.meta.url), 1_000)
 */
export function threadFunctions<Module>(module: URL, processorTime: number): ThreadFunctions<Module> {
  return {
    call: async (name, input, { caller }) =>
      // The function that the module has by this name returned it.
      (await withSlot(limiter, caller, () => runInThread({ module: module.href, name, input }, processorTime))) as never,
  };
}

const limiter = concurrencyLimiter('threads.concurrent', {
  total: fixedValue(threadLimits.concurrent),
  perCaller: 1,
  anonymous: fixedValue(threadLimits.anonymous),
  waiting: fixedValue(threadLimits.waiting),
  waitingTime: fixedValue(threadLimits.waitingTime),
});

/** Threads that have nothing to do, each with the timer that closes it. The limiter bounds how many there are. */
const idle = new Map<WorkerThread, NodeJS.Timeout>();
const idleTime = fixedValue(threadLimits.idle);

async function runInThread(task: Parameters<WorkerThread['run']>[0], processorTime: number): Promise<unknown> {
  const thread = takeIdle() ?? openWorkerThread();
  try {
    return await thread.run(task, processorTime);
  } finally {
    if (thread.isOpen) idle.set(thread, setTimeout(() => closeIdle(thread), idleTime).unref());
  }
}

function takeIdle(): WorkerThread | undefined {
  for (const [thread, timer] of idle) {
    clearTimeout(timer);
    idle.delete(thread);
    if (thread.isOpen) return thread;
  }
  return undefined;
}

function closeIdle(thread: WorkerThread): void {
  idle.delete(thread);
  thread.close();
}
