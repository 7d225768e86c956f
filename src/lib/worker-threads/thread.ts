// The main module of a worker thread. It runs the requested functions of modules, one after the other.
import { parentPort, workerData } from 'node:worker_threads';
import type { TaskMessage, TaskResult, ThreadData } from './messages.ts';

const { startUsage } = workerData as ThreadData;

const run = async ({ module, name, input }: TaskMessage): Promise<TaskResult> => {
  try {
    const functions = await import(module);
    // Loading a module isn't charged to the caller.
    startUsage[0] = processorTime();
    return { output: await functions[name](input) };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
};

/** Microseconds of processor time that this thread has used. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

parentPort?.on('message', async (task: TaskMessage) => parentPort?.postMessage(await run(task)));
