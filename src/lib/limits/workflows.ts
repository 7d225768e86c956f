// Workflow files, runs, jobs and their logs.
import { kibi, type LimitGroup, mebi, minutes, seconds } from './limit.ts';

export const workflows = {
  fileBytes: { value: 512 * kibi, unit: 'bytes', fixed: true, of: 'a workflow file', past: 'a failed run that says so' },
  files: { value: 200, unit: 'count', fixed: true, of: 'workflow files of one commit', past: 'further ones are not read' },
  jobs: { value: 256, unit: 'count', fixed: true, of: 'jobs that one matrix makes', past: 'the run fails' },
  callDepth: { value: 4, unit: 'count', fixed: true, of: 'levels of workflows that call one another', past: 'the run fails' },
  runJobs: { value: 1_000, unit: 'count', fixed: true, of: 'jobs of one attempt of a run', past: 'the run fails' },
  groupName: {
    value: 400,
    unit: 'count',
    fixed: true,
    of: 'characters of the name of a concurrency group',
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
  logBytes: { value: 1024 * mebi, unit: 'bytes', of: 'the log of one job', past: 'further lines are left out' },
  logRowBytes: { value: 64 * kibi, unit: 'bytes', fixed: true, of: 'a line of a log', past: 'it is cut' },
  jobTime: {
    value: 360 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'a job that says nothing of its time',
    past: 'it is cancelled',
  },
  /** The runner asks again by itself; its own limit of a request is 5 seconds. */
  poll: {
    value: 4 * seconds,
    unit: 'milliseconds',
    of: 'a poll of a runner while no job waits',
    past: 'it is answered without one',
  },
  silence: {
    value: 5 * minutes,
    unit: 'milliseconds',
    of: 'the time in which nothing is heard of a running job',
    past: 'it fails',
  },
  offline: {
    value: minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time since the last poll of a runner',
    past: 'it is shown as offline',
  },
  runnerGroups: { value: 1_000, unit: 'count', fixed: true, of: 'groups of runners of an organization', past: '422' },
  groupWorkflows: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'workflows that a group of runners is restricted to',
    past: '422',
  },
} as const satisfies LimitGroup;
