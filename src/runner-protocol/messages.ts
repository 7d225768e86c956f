// Translates between the messages of the protocol and the types of the families.
import { create, type JsonObject } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { asId, maxId } from '#lib/id.ts';
import type { Task as GivenTask, JobRow, ReportedResult, ReportedState } from '#resources/actions/workflow-runs/index.ts';
import {
  Result,
  type StepState,
  type Task,
  TaskNeedSchema,
  TaskSchema,
  type UpdateTaskRequest,
} from './generated/runner/v1/runner_pb.js';

const results: Readonly<Record<ReportedResult, Result>> = {
  success: Result.SUCCESS,
  failure: Result.FAILURE,
  cancelled: Result.CANCELLED,
  skipped: Result.SKIPPED,
};

export const resultMessage = (result: ReportedResult): Result => results[result];

const reportedResult = (result: Result): ReportedResult | undefined =>
  (Object.keys(results) as ReportedResult[]).find((name) => results[name] === result);

/** The last second whose year has four digits. */
const lastSecond = BigInt(Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000);

/** A time that a runner reports. @throws ConnectError for a time out of range */
export function dateOf(time: Timestamp | undefined): Date | undefined {
  if (time && (time.seconds < 0n || time.seconds > lastSecond)) throw wrong('A time is out of range');
  return time && timestampDate(time);
}

/** The id of a job in a runner's message; 0, which no job has, if it is invalid. */
export const jobIdOf = (id: bigint | undefined): JobRow['id'] =>
  asId(id !== undefined && id > 0n && id <= BigInt(maxId) ? Number(id) : 0);

/** The index of a row in a log. @throws ConnectError for an index out of range */
export function indexOf(index: bigint): number {
  if (index < 0n || index > BigInt(maxId)) throw wrong('An index is out of range');
  return Number(index);
}

const wrong = (message: string): ConnectError => new ConnectError(message, Code.InvalidArgument);

export const taskMessage = ({ job, file, context, secrets, vars, needs }: GivenTask): Task =>
  create(TaskSchema, {
    id: BigInt(job.id),
    workflowPayload: Buffer.from(file),
    context: context as JsonObject,
    secrets: { ...secrets },
    vars: { ...vars },
    needs: Object.fromEntries(
      Object.entries(needs).map(([id, { result, outputs }]) => [
        id,
        create(TaskNeedSchema, { result: results[result], outputs: { ...outputs } }),
      ]),
    ),
    machine: job.runner_name ?? '',
  });

/** A runner's report about a job. Invalid row numbers are read as 0. */
export const reportedState = ({ state, outputs }: UpdateTaskRequest): ReportedState => ({
  result: reportedResult(state?.result ?? Result.UNSPECIFIED),
  startedAt: dateOf(state?.startedAt),
  endedAt: dateOf(state?.stoppedAt),
  steps: (state?.steps ?? []).map((step: StepState) => ({
    result: reportedResult(step.result),
    startedAt: dateOf(step.startedAt),
    endedAt: dateOf(step.stoppedAt),
    firstRow: rowOf(step.logIndex),
    rows: rowOf(step.logLength),
  })),
  outputs,
});

const rowOf = (value: bigint): number => (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : 0);
