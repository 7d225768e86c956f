// Between the messages of the protocol and what the families take and give.
import { create, type JsonObject } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Task as GivenTask, ToldResult, ToldState } from '#resources/workflow-runs/index.ts';
import {
  Result,
  type StepState,
  type Task,
  TaskNeedSchema,
  TaskSchema,
  type UpdateTaskRequest,
} from './generated/runner/v1/runner_pb.js';

const results: Readonly<Record<ToldResult, Result>> = {
  success: Result.SUCCESS,
  failure: Result.FAILURE,
  cancelled: Result.CANCELLED,
  skipped: Result.SKIPPED,
};

export const resultMessage = (result: ToldResult): Result => results[result];

const toldResult = (result: Result): ToldResult | undefined =>
  (Object.keys(results) as ToldResult[]).find((name) => results[name] === result);

const dateOf = (time: Timestamp | undefined): Date | undefined => time && timestampDate(time);

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

/** What a runner tells of a job. Numbers of rows that no log can have are taken as 0. */
export const toldState = ({ state, outputs }: UpdateTaskRequest): ToldState => ({
  result: toldResult(state?.result ?? Result.UNSPECIFIED),
  startedAt: dateOf(state?.startedAt),
  endedAt: dateOf(state?.stoppedAt),
  steps: (state?.steps ?? []).map((step: StepState) => ({
    result: toldResult(step.result),
    startedAt: dateOf(step.startedAt),
    endedAt: dateOf(step.stoppedAt),
    firstRow: rowOf(step.logIndex),
    rows: rowOf(step.logLength),
  })),
  outputs,
});

const rowOf = (value: bigint): number => (value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : 0);
