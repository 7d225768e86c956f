import { gzipSync } from 'node:zlib';
import { toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { UpdateLogRequestSchema, UpdateTaskRequestSchema } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { withFewFields } from '#runner-protocol/message-size.ts';
import { ci, ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { longestTurn } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user();

/** Fields without content: of a log, rows. Each takes two bytes. */
const emptyFields = (number: number, count: number): Buffer => Buffer.alloc(2 * count, Buffer.from([(number << 3) | 2, 0]));

const send = async (method: string, body: Buffer, headers: Record<string, string> = {}) => {
  const reply = await fetch(`${w.url}/api/actions/runner.v1.RunnerService/${method}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/proto', ...headers },
  });
  const isJson = reply.headers.get('content-type')?.startsWith('application/json');
  return { status: reply.status, code: isJson ? ((await reply.json()) as { code: string }).code : undefined };
};

const millions = emptyFields(3, 8_000_000);

test('nothing is read of a runner that is not registered', async () => {
  const unknown = { 'x-runner-uuid': 'a', 'x-runner-token': 'b' };
  const { longest } = await longestTurn(async () => {
    for (const headers of [{}, unknown]) {
      expect(await send('UpdateLog', millions, headers)).toEqual({ status: 401, code: 'unauthenticated' });
      expect(await send('UpdateLog', gzipSync(millions), { ...headers, 'content-encoding': 'gzip' })).toMatchObject({
        status: 401,
      });
    }
    expect(await send('Register', millions)).toEqual({ status: 429, code: 'resource_exhausted' });
    const packed = { 'content-encoding': 'gzip' };
    expect(await send('Register', gzipSync(millions), packed)).toEqual({ status: 429, code: 'resource_exhausted' });
  });
  expect(longest, 'milliseconds of the longest turn').toBeLessThan(1_000);
});

test('of millions of rows, those are taken that a message may have, and the others asked for', async () => {
  const repo = await w.repo(ada);
  await pushWorkflow(w, repo, { [ciPath]: ci });
  const runner = await startRunner(w, repo);
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  const first = await runner.client.updateLog({ taskId: task.id, index: 0n, rows: Array.from({ length: 150_000 }, () => ({})) });
  expect(Number(first.ackIndex)).toBe(99_999);
  const second = await runner.client.updateLog({ taskId: task.id, index: 0n, rows: Array.from({ length: 150_000 }, () => ({})) });
  expect(second.ackIndex).toBe(first.ackIndex);
  const rest = await runner.client.updateLog({ taskId: task.id, index: first.ackIndex, rows: [{}] });
  expect(rest.ackIndex).toBe(first.ackIndex + 1n);
  const outputs = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [String(at), '']));
  await expect(runner.client.updateTask({ state: { id: task.id }, outputs })).rejects.toThrow('resource_exhausted');
  await runner.end(task, 'success');
});

test('the fields of all parts of a message are counted', () => {
  const log = toBinary(UpdateLogRequestSchema, {
    $typeName: 'runner.v1.UpdateLogRequest',
    taskId: 1n,
    index: 0n,
    noMore: true,
    rows: Array.from({ length: 3 }, () => ({
      $typeName: 'runner.v1.LogRow' as const,
      content: 'x',
      time: { $typeName: 'google.protobuf.Timestamp' as const, seconds: 1n, nanos: 1 },
    })),
  });
  // The number of the job, three rows of five fields, and the end.
  expect(withFewFields(log, UpdateLogRequestSchema, { most: 17 })).toHaveLength(log.length);
  expect(() => withFewFields(log, UpdateLogRequestSchema, { most: 16 })).toThrow('more than 16 fields');
  const cut = withFewFields(log, UpdateLogRequestSchema, { most: 12, cutAt: 3 });
  expect(withFewFields(cut, UpdateLogRequestSchema, { most: 11 })).toHaveLength(cut.length);
  expect(() => withFewFields(cut, UpdateLogRequestSchema, { most: 10 })).toThrow('fields');
  const outputs = Buffer.concat([Buffer.from([0x12, 200, 1]), emptyFields(1, 100)]);
  expect(() => withFewFields(outputs, UpdateTaskRequestSchema, { most: 100 })).toThrow('fields');
  expect(withFewFields(outputs, UpdateTaskRequestSchema, { most: 101 })).toHaveLength(outputs.length);
});

test.each([
  ['a length beyond its end', [0x1a, 5, 0]],
  ['a number without end', Array.from({ length: 12 }, () => 0xff)],
  ['a part of a number', [0x80]],
  ['a group', [0x0b]],
  ['a fixed number beyond its end', [0x0d, 0]],
])('%s is no message', (_, bytes) => {
  expect(() => withFewFields(Uint8Array.from(bytes), UpdateLogRequestSchema, { most: 10 })).toThrow('not protobuf');
});
