import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Client, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { createRunnerToken, type RunnerOwner } from '#resources/actions/runners/index.ts';
import {
  LogRowSchema,
  Result,
  RunnerService,
  StepStateSchema,
  type Task,
} from '#runner-protocol/generated/runner/v1/runner_pb.js';
import type { World } from './world.ts';

/** A small client of the runner protocol, which acts as a runner step by step. */
export type TestRunner = {
  readonly id: number;
  readonly client: Client<typeof RunnerService>;
  /** The next job; undefined if none waits. */
  fetch(): Promise<Task | undefined>;
  /** Appends lines to the log of a task, starting at a row. */
  log(task: Task, lines: readonly string[], from?: number): Promise<void>;
  /** Reports successful steps while the task continues. */
  tell(task: Task, steps: readonly RowsOfStep[]): Promise<void>;
  /** Reports the end of a task, whose steps have the given rows. */
  end(task: Task, result: 'success' | 'failure' | 'cancelled', more?: EndOptions): Promise<void>;
};

type RowsOfStep = { readonly first: number; readonly rows: number };
type EndOptions = { readonly outputs?: { [name: string]: string }; readonly steps?: readonly RowsOfStep[] };

const results = { success: Result.SUCCESS, failure: Result.FAILURE, cancelled: Result.CANCELLED } as const;

type RunnerOptions = { name?: string; labels?: string[]; token?: string; ephemeral?: boolean };

/** Registers a runner of a repository. */
export const startRunner = (
  world: World,
  repo: { id: Parameters<typeof createRunnerToken>[1]['repository'] & {} },
  options: RunnerOptions = {},
): Promise<TestRunner> => startRunnerOf(world, { repository: repo.id }, options);

/** Registers a runner of an organization or a repository, or with an existing token. */
export async function startRunnerOf(
  { url, change, clock }: World,
  owner: RunnerOwner,
  options: RunnerOptions = {},
): Promise<TestRunner> {
  const made = () => change((scope) => createRunnerToken(scope, owner, { purpose: 'registration', now: clock.now }));
  return joinRunner({ url, clock }, { ...options, token: options.token ?? (await made()).token });
}

/** Registers a runner with a token at a server, which may be another process, and may have another address later. */
export async function joinRunner(
  { url, clock }: { url: string | (() => string); clock: { now: Date } },
  { name = 'r1', labels = ['ubuntu-latest'], token, ephemeral = false }: RunnerOptions & { token: string },
): Promise<TestRunner> {
  const baseUrl = (): string => `${typeof url === 'string' ? url : url()}/api/actions`;
  const unknown = createClient(RunnerService, createConnectTransport({ baseUrl: baseUrl(), httpVersion: '1.1' }));
  const { runner } = await unknown.register({ name, token, labels, ephemeral, version: 'test' });
  if (!runner) throw new Error('The runner was not registered');
  const connect = (at: string) =>
    createClient(
      RunnerService,
      createConnectTransport({
        baseUrl: at,
        httpVersion: '1.1',
        interceptors: [
          (next) => (request) => {
            request.header.set('x-runner-uuid', runner.uuid);
            request.header.set('x-runner-token', runner.token);
            return next(request);
          },
        ],
      }),
    );
  let [address, client] = [baseUrl(), connect(baseUrl())];
  const present = (): typeof client => {
    if (address !== baseUrl()) [address, client] = [baseUrl(), connect(baseUrl())];
    return client;
  };
  const stateOf = (result: keyof typeof results, steps: readonly RowsOfStep[]) => {
    const time = timestampFromDate(clock.now);
    const told = steps.map(({ first, rows }, at) =>
      create(StepStateSchema, {
        id: BigInt(at),
        result: results[result],
        startedAt: time,
        stoppedAt: time,
        logIndex: BigInt(first),
        logLength: BigInt(rows),
      }),
    );
    return { startedAt: time, steps: told };
  };
  return {
    id: Number(runner.id),
    get client() {
      return present();
    },
    fetch: async () => (await present().fetchTask({ tasksVersion: 0n })).task,
    async log(task, lines, from = 0) {
      const time = timestampFromDate(clock.now);
      const rows = lines.map((content) => create(LogRowSchema, { time, content }));
      await present().updateLog({ taskId: task.id, index: BigInt(from), rows });
    },
    async tell(task, steps) {
      await present().updateTask({ state: { id: task.id, ...stateOf('success', steps) } });
    },
    async end(task, result, { outputs = {}, steps = [] } = {}) {
      const state = { id: task.id, ...stateOf(result, steps), result: results[result], stoppedAt: timestampFromDate(clock.now) };
      await present().updateTask({ state, outputs });
    },
  };
}
