import { Worker } from 'node:worker_threads';
import { threadLimits } from '#lib/limits/threads.ts';
import { fixedValue } from '#lib/limits.ts';
import type { TaskMessage, TaskResult } from './messages.ts';

/** Why a worker thread was ended before its task was done. */
export class ThreadEnded extends Error {
  readonly reason: 'time' | 'memory' | 'crash';

  constructor(reason: ThreadEnded['reason'], options?: ErrorOptions) {
    super(`A worker thread was ended: ${reason}`, options);
    this.reason = reason;
  }
}

/** A thread that runs one task at a time. */
export type WorkerThread = {
  readonly isOpen: boolean;
  /**
   * Runs a task.
   * @param processorTime the maximum processor time of the task, in milliseconds. If the task exceeds it, the thread is ended.
   * @throws ThreadEnded
   * @throws the error of the task
   */
  run(task: TaskMessage, processorTime: number): Promise<unknown>;
  close(): void;
};

const mebi = 1024 * 1024;
const heap = fixedValue(threadLimits.heap) / mebi;
/** The part of the heap for new objects. */
const youngHeap = 32;
/**
 * After this multiple of its processor time a task is ended in any case, for example if it waits for something that never
 * happens.
 */
const wallFactor = 20;
/** The minimum time between two checks of a task that has used up its time, in milliseconds. */
const shortestCheck = 20;

export function openWorkerThread(): WorkerThread {
  const startUsage = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { startUsage },
    resourceLimits: { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb: youngHeap },
    // The options of this process may load modules that a thread doesn't need.
    execArgv: [],
  });
  worker.unref();
  let isOpen = true;
  let current: PromiseWithResolvers<TaskResult> | undefined;
  const end = (reason: ThreadEnded['reason'], cause?: unknown): void => {
    isOpen = false;
    current?.reject(new ThreadEnded(reason, { cause }));
    void worker.terminate();
  };
  worker.on('message', (result: TaskResult) => current?.resolve(result));
  worker.on('messageerror', (error) => end('crash', error));
  worker.on('error', (error) => end(isOutOfMemory(error) ? 'memory' : 'crash', error));
  worker.on('exit', () => end('crash'));

  /** Ends the thread once its task has used its processor time. On a busy machine, that takes longer. */
  const limitTime = (processorTime: number): { stop(): void } => {
    const latest = performance.now() + processorTime * wallFactor;
    let timer: NodeJS.Timeout;
    let isStopped = false;
    const check = async (): Promise<void> => {
      // A thread that doesn't answer is blocked in native code.
      const usage = await Promise.race([worker.cpuUsage().catch(() => undefined), later(processorTime)]);
      if (isStopped) return;
      const used = usage ? (usage.user + usage.system - (startUsage[0] ?? 0)) / 1_000 : processorTime;
      const left = processorTime - used;
      if (left <= 0 || performance.now() > latest) end('time');
      else timer = setTimeout(check, Math.max(left, shortestCheck));
    };
    timer = setTimeout(check, processorTime);
    return {
      stop() {
        isStopped = true;
        clearTimeout(timer);
      },
    };
  };

  return {
    get isOpen() {
      return isOpen;
    },
    async run(task, processorTime) {
      current = Promise.withResolvers();
      startUsage[0] = Number.POSITIVE_INFINITY; // until the module is loaded
      worker.ref();
      const limit = limitTime(processorTime);
      try {
        worker.postMessage(task);
        const result = await current.promise;
        if ('error' in result) throw result.error;
        return result.output;
      } finally {
        limit.stop();
        worker.unref();
        current = undefined;
      }
    },
    close() {
      end('crash');
    },
  };
}

const later = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref());

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
