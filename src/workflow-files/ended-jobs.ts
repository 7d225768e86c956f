// Jobs of a plan that end before a runner takes them.
import { type Call, callKeyOf } from './calls.ts';
import type { WorkflowFileJob } from './file.ts';
import { literalName, shownName } from './job-names.ts';
import type { PlannedJob } from './plan.ts';

/** The location of jobs in a run: the calls that lead to them, and the prefixes of their ids and names. */
type CallLevel = { readonly prefix: string; readonly namePrefix: string; readonly calls: readonly Call[] };

export const endedJob = (
  { prefix, namePrefix, calls }: CallLevel,
  job: WorkflowFileJob,
  ended: NonNullable<PlannedJob['ended']>,
): PlannedJob => ({
  ...withoutRunner,
  id: prefix + job.id,
  calls,
  name: shownName(namePrefix + (literalName(job) ?? job.id)),
  ended,
});

/** The parts of a job that never gets a runner. */
const withoutRunner = {
  combination: null,
  index: 0,
  total: 1,
  labels: [],
  group: null,
  environment: null,
  concurrency: null,
  isOptional: false,
  timeoutMinutes: null,
  maxParallel: null,
  failsFast: true,
} as const;

/** The job that represents a call that was cancelled before its turn. */
export const cancelledCall = ({ calls, namePrefix }: CallLevel, call: Call): PlannedJob => ({
  ...withoutRunner,
  id: callKeyOf(call),
  calls: calls.slice(0, -1),
  name: namePrefix.slice(0, -' / '.length),
  ended: { result: 'cancelled' },
});
