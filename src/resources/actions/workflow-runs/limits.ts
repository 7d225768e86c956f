import { kibi, mebi, minutes, moreLimits, seconds } from '#lib/limits.ts';

export const runLimits = moreLimits('workflows', {
  callDepth: { value: 10, unit: 'count', fixed: true, of: 'levels of workflows that call one another', past: 'the run fails' },
  calls: { value: 50, unit: 'count', fixed: true, of: 'workflows that one run calls', past: 'the run fails' },
  callBytes: {
    value: mebi,
    unit: 'bytes',
    fixed: true,
    of: 'the files of the workflows that one run calls',
    past: 'the run fails',
  },
  callNodes: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'parts of the files of the workflows that one run calls, those that aliases repeat included',
    past: 'the run fails',
  },
  runAge: {
    value: 400 * 24 * 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time since the end of a run',
    past: 'it is deleted',
  },
  reviews: { value: 1_000, unit: 'count', fixed: true, of: 'what is said of the deployments of one run', past: '422' },
  waiting: {
    value: 35 * 24 * 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time that a job waits to enter its environment',
    past: 'it fails',
  },
  inputs: { value: 25, unit: 'count', fixed: true, of: 'inputs of one dispatch', past: '422' },
  outputBytes: { value: mebi, unit: 'bytes', fixed: true, of: 'the outputs of one job', past: 'further ones are left out' },
  maskedLines: {
    value: 20_000,
    unit: 'count',
    fixed: true,
    of: 'lines of the secrets of one job, which are hidden in its log',
    past: 'the job fails',
  },
  logBytes: { value: 1024 * mebi, unit: 'bytes', of: 'the log of one job', past: 'further lines are left out' },
  logRowBytes: { value: 64 * kibi, unit: 'bytes', fixed: true, of: 'a line of a log', past: 'it is cut' },
  jobTime: {
    value: 360 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'a job that says nothing of its time',
    past: 'it is cancelled',
  },
  /** The runner repeats its requests. Its own timeout for a request is 5 seconds by default. */
  poll: {
    value: 30 * seconds,
    unit: 'milliseconds',
    of: 'a poll of a runner while no job waits, which is a second shorter than the runner waits for it',
    past: 'it is answered without one',
  },
  silence: {
    value: 5 * minutes,
    unit: 'milliseconds',
    of: 'the time in which nothing is heard of a running job',
    past: 'it fails',
  },
});
