import { limitGroup, mebi, seconds } from './limit.ts';

export const threadLimits = limitGroup('threads', 'Worker threads', {
  concurrent: {
    value: 2,
    unit: 'count',
    fixed: true,
    of: 'worker threads of one process; one caller uses one of them at a time',
    past: 'further texts wait',
  },
  anonymous: {
    value: 1,
    unit: 'count',
    fixed: true,
    of: 'worker threads that all anonymous callers use at a time',
    past: 'further texts wait',
  },
  waiting: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'texts of one caller that wait for a worker thread',
    past: 'a text is shown as it was written; a workflow run starts later',
  },
  waitingTime: {
    value: 10 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time that a text waits for a worker thread',
    past: 'a text is shown as it was written; a workflow run starts later',
  },
  heap: {
    value: 256 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'the heap of one worker thread',
    past: 'the thread ends, and the text is not interpreted',
  },
  idle: {
    value: 60 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time that a worker thread stays open without work',
    past: 'it is closed',
  },
});
