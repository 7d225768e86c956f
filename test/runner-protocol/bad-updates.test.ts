import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { LogRowSchema, Result, StepStateSchema, type Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { ci, ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user();
const tables = ['workflow_runs', 'workflow_jobs', 'workflow_job_steps', 'workflow_job_log_parts', 'check_runs'];
const time = timestampFromDate(w.clock.now);

/** A runner with a job that has written a line. */
async function setting() {
  const repo = await w.repo(ada);
  await pushWorkflow(w, repo, { [ciPath]: ci });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.log(task, ['begun']);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const logOf = async (id: bigint) => {
    const { headers } = await client.get(`${base}/actions/jobs/${id}/logs`);
    return (await (await fetch(headers.location ?? '')).text()).split('\n').map((line) => line.slice(29));
  };
  return { repo, runner, task, client, base, logOf };
}

type Log = { taskId?: bigint; index?: bigint; time?: Timestamp; content?: string };

const log = ({ client }: TestRunner, { id }: Task, { taskId = id, index = 1n, content = 'x', ...more }: Log) =>
  client.updateLog({ taskId, index, rows: [create(LogRowSchema, { time: more.time ?? time, content })] });
const state = ({ client }: TestRunner, id: bigint, more: object = {}) =>
  client.updateTask({ state: { id, result: Result.SUCCESS, ...more } });
const refusal = (call: Promise<unknown>): Promise<Code | undefined> =>
  call.then(
    () => undefined,
    ({ code }: { code: Code }) => code,
  );
const never = { ...time, seconds: 1n << 62n };

test('a runner that lies about its job is refused, and nothing changes', async () => {
  const [own, other] = [await setting(), await setting()];
  const { runner, task } = own;
  await w.unchanged(tables, async () => {
    for (const foreign of [other.task.id, 0n, -1n, 999_999n, (1n << 63n) - 1n]) {
      expect(await refusal(log(runner, task, { taskId: foreign }))).toBe(Code.NotFound);
      expect(await refusal(state(runner, foreign))).toBe(Code.NotFound);
    }
    expect(await refusal(log(runner, task, { index: -5n }))).toBe(Code.InvalidArgument);
    expect(await refusal(log(runner, task, { time: never }))).toBe(Code.InvalidArgument);
    expect(await refusal(state(runner, task.id, { startedAt: never }))).toBe(Code.InvalidArgument);
    expect(await refusal(state(runner, task.id, { steps: [create(StepStateSchema, { stoppedAt: never })] }))).toBe(
      Code.InvalidArgument,
    );
    // Rows that come again, and rows after a gap, are answered by what there is.
    expect((await log(runner, task, { index: 0n })).ackIndex).toBe(1n);
    expect((await log(runner, task, { index: 7n })).ackIndex).toBe(1n);
  });
});

test('a line is cut, and loses its control characters; what it hides stays hidden', async () => {
  const { runner, task, logOf } = await setting();
  await runner.log(task, ['a\0b\u0007c\r\nd \u001b[31mred', 'é'.repeat(1_000_000), 'last'], 1);
  const [begun, cleaned, long, last] = await logOf(task.id);
  expect([begun, cleaned, last]).toEqual(['begun', 'abc d \u001b[31mred', 'last']);
  expect(Buffer.byteLength(long ?? '')).toBeLessThanOrEqual(64 * 1024);
  expect(long?.startsWith('éé')).toBe(true);
});

test('what is told again after the end changes nothing, outputs with any letters end a job', async () => {
  const { runner, task, client, base } = await setting();
  await runner.client.updateTask({ state: { id: task.id, result: Result.SUCCESS }, outputs: { made: 'a\0b', 'c\0': 'd' } });
  expect((await client.get(`${base}/actions/jobs/${task.id}`)).body.conclusion).toBe('success');
  const next = await runner.fetch();
  expect(next?.needs.build?.outputs).toEqual({ made: 'ab', c: 'd' });
  await w.settle();
  await w.unchanged(tables, async () => {
    await state(runner, task.id, { result: Result.FAILURE });
    await runner.client.updateTask({ state: { id: task.id, result: Result.SUCCESS }, outputs: { made: 'other' } });
    expect((await log(runner, task, {})).ackIndex).toBe(1n);
  });
});

test('a token of a deleted runner is good for nothing', async () => {
  const { runner, task, client, base } = await setting();
  await runner.end(task, 'failure');
  await w.settle();
  const [{ id }] = (await client.get(`${base}/actions/runners`)).body.runners;
  expect((await client.delete(`${base}/actions/runners/${id}`)).status).toBe(204);
  await w.unchanged(tables, async () => {
    expect(await refusal(runner.fetch())).toBe(Code.Unauthenticated);
    expect(await refusal(log(runner, task, {}))).toBe(Code.Unauthenticated);
    expect(await refusal(state(runner, task.id))).toBe(Code.Unauthenticated);
  });
});
