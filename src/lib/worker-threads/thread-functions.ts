// Runs functions in worker threads if third-party code in them interprets users' texts. If they exhaust memory or time, only
// their thread ends, and not the process or the event loop.
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
  /** The author of the text. One caller uses one thread at a time. */
  readonly caller: Caller;
};

/** The functions of a module, which run in a worker thread. Arguments and results are cloned. */
type ThreadFunctions<Module> = {
  /**
   * @throws ThreadEnded if the function takes too long, or more memory than a thread has
   * @throws Refusal if too many calls wait
   */
  call<Name extends FunctionName<Module>>(
    name: Name,
    input: InputOf<Module[Name]>,
    options: ThreadOptions,
  ): Promise<OutputOf<Module[Name]>>;
};

/**
 * @param module the module of the functions
 * @param processorTime the maximum processor time of one call, in milliseconds
 * @example threadFunctions<typeof import('./parse.ts')>(new URL('./parse.ts', import.meta.url), 1_000)
 */
export function threadFunctions<Module>(module: URL, processorTime: number): ThreadFunctions<Module> {
  return {
    call: async (name, input, { caller }) =>
      // The module's function with this name returned the value.
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

/** Idle threads, each with the timer that closes it. The limiter bounds their number. */
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
