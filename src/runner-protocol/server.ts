// The runner protocol: Connect, with JSON or protobuf, below `/api/actions`. It only translates. The families hold the rules for
// jobs and runners.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
} from '@connectrpc/connect';
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from '@connectrpc/connect-node';
import { LRUCache } from 'lru-cache';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous, everybody } from '#access/viewer.ts';
import { changeIn, changeWithoutRequest, scopeWithoutRequest } from '#endpoint/change-in.ts';
import type { Links } from '#endpoint/links.ts';
import { openScope } from '#endpoint/scope.ts';
import { mebi } from '#lib/limits/limit.ts';
import { notFound, Refusal, unauthenticated } from '#lib/refusal.ts';
import { issueToken } from '#resources/actions/identity-tokens/index.ts';
import { declareRunner, queuedChannel, type RunnerRow, registerRunner } from '#resources/actions/runners/index.ts';
import {
  abandonJob,
  type FoundJob,
  findJobOf,
  findRunOf,
  type JobRow,
  loadSecretMask,
  makeTask,
  noteState,
  queueKeyOf,
  returnJob,
  runLimits,
  type SecretMask,
  type Task,
  TaskProblem,
  takeJobs,
  writeLog,
} from '#resources/actions/workflow-runs/index.ts';
import { PingService } from './generated/ping/v1/ping_pb.js';
import { type RunnerSchema, RunnerService, UpdateLogRequestSchema } from './generated/runner/v1/runner_pb.js';
import { type KnownRunners, openKnownRunners } from './known-runners.ts';
import { dateOf, indexOf, jobIdOf, reportedState, resultMessage, taskMessage } from './messages.ts';
import { type ProtocolParts, type ProtocolServer, protocolPath } from './parts.ts';
import { type QueueWatch, watchQueue } from './queue-watch.ts';
import { readMessage } from './read-message.ts';
import { openTurns, type Turns } from './turns.ts';

const nodeRequest = createContextKey<IncomingMessage | undefined>(undefined);

/** Methods for everybody. Their messages say who sends them, if anything does. */
const isOpen = (method: string): boolean => method === 'Register' || method === 'Ping';
/**
 * A message about a log may be cut off before one of its rows: the reply says how many there are, and the runner sends the rest.
 */
const rowsField = UpdateLogRequestSchema.field.rows.number;
/** Milliseconds: the default timeout of a runner's request. */
const usualTimeout = 5_000;
/** Milliseconds: the part of a runner's timeout that is reserved for the reply to arrive. */
const replyTime = 1_000;

/** Opens the protocol. */
export function openProtocol(parts: ProtocolParts): ProtocolServer {
  const queue = watchQueue(parts.database, queuedChannel);
  const { db } = parts.database;
  const turns = openTurns({
    keyOf: queueKeyOf,
    version: queue.version,
    take: (runners: readonly RunnerRow[]) =>
      takeJobs(scopeWithoutRequest({ db, services: parts.services, now: parts.clock() }), runners),
  });
  const runners = openKnownRunners({ db, queue, clock: parts.clock });
  const router = createConnectRouter({
    interceptors: [noteCauses(parts)],
    acceptCompression: [compressionGzip, compressionBrotli],
    grpc: false,
    grpcWeb: false,
  });
  addServices(router, { ...parts, queue, turns, runners });
  const handlers = new Map(router.handlers.map((one) => [protocolPath + one.requestPath, one]));
  return {
    async handle({ request, reply }) {
      const { raw } = request;
      const handler = handlers.get(raw.url?.split('?', 1)[0] ?? '');
      if (!handler) throw notFound();
      const { name, input: type } = handler.method;
      // Bodies are read when access was decided (security decision 10).
      const runner = isOpen(name) ? undefined : await findRunner({ runners }, (header) => request.headers[header]);
      if (!isOpen(name) && !runner) throw unauthenticated(unknownRunner);
      const caller = runner ? await runners.callerOf(runner) : callerOf(anonymous, request.ip);
      const isLarge = name === 'UpdateLog' || name === 'UpdateTask';
      const cutAt = name === 'UpdateLog' ? rowsField : undefined;
      const bytes = await readMessage({ exchange: { request, reply }, caller, type, isLarge, cutAt, readBytes: parts.readBytes });
      // A poll waits for jobs. Those that have come are taken by turns of their own.
      if (name !== 'FetchTask') await parts.admit(caller, reply);
      const contextValues = createContextValues().set(nodeRequest, raw);
      reply.hijack();
      const given = universalRequestFromNodeRequest(raw, reply.raw, undefined, contextValues);
      for (const header of ['content-encoding', 'content-length']) given.header.delete(header);
      const answer = await handler({ ...given, body: Readable.from([bytes], { objectMode: false }) });
      // It throws where the runner has gone.
      await universalResponseToNodeResponse(answer, reply.raw).catch(() => reply.raw.destroy());
    },
    async close() {
      await runners.close();
      await queue.close();
    },
  };
}

type ServiceParts = ProtocolParts & {
  readonly queue: QueueWatch;
  readonly turns: Turns<RunnerRow, FoundJob>;
  readonly runners: KnownRunners;
};

function addServices(router: ConnectRouter, parts: ServiceParts): void {
  const { database, services, clock, queue } = parts;
  const { db } = database;
  const limits = services.resourceLimits.of(runLimits);

  const masks = openMasks(async (job) => {
    const run = await findRunOf(db, job);
    return (run && (await loadSecretMask(db, services.secrets, { job, run }))) ?? hidesAll;
  });

  router.service(PingService, { ping: ({ data }) => ({ data: `Hello, ${data}!` }) });

  router.service(RunnerService, {
    async register({ token, name, version, labels, agentLabels, ephemeral }) {
      const facts = { token, name, version, labels: labels.length > 0 ? labels : agentLabels };
      const registered = await refusing(() =>
        changeWithoutRequest({ db, services, now: clock() }, (scope) =>
          registerRunner(scope, { ...facts, isEphemeral: ephemeral, now: clock() }),
        ),
      );
      if (!registered) throw new ConnectError('The registration token is not known, or has expired', Code.Unauthenticated);
      return { runner: { ...runnerMessage(registered.runner), token: registered.token } };
    },

    async declare({ version, labels }, context) {
      const runner = await authenticated(parts, context);
      const declared = await refusing(() =>
        changeWithoutRequest({ db, services, now: clock() }, (scope) => declareRunner(scope, runner, { version, labels })),
      );
      return { runner: runnerMessage(declared ?? runner) };
    },

    /** If there is no job, waits for one, up to the polling time. */
    async fetchTask({ tasksVersion }, context) {
      const runner = await authenticated(parts, context);
      const { until, latest } = timesOf(context, limits.poll);
      let seen = tasksVersion;
      for (;;) {
        const version = queue.version();
        const task = version === seen ? undefined : await nextTask(parts, runner, { context, latest, trusts: seen !== 0n });
        if (task && task !== 'unknown') return { task: taskMessage(task), tasksVersion: 0n };
        if (task === undefined) seen = version;
        const left = until - performance.now();
        // If the state of the queue is unknown, there is no version to wait for. The runner's row may have changed, so it polls
        // again.
        if (task === 'unknown' || left <= 0 || context.signal.aborted) {
          parts.runners.note(runner);
          return { tasksVersion: seen };
        }
        await queue.changed(seen, left, context.signal);
      }
    },

    async updateTask(request, context) {
      const runner = await authenticated(parts, context);
      const reported = reportedState(request);
      const job = await changeIn(scopeOf(parts, context), async (scope) => {
        const own = await findJobOf(scope.tx, runner, jobIdOf(request.state?.id));
        return own && noteState(scope, runner, own, reported);
      });
      if (!job) throw notIts();
      // If the runner reported no result, this ends the job on the runner too.
      const isOver = job.status === 'completed' || job.cancelled_at !== null;
      return {
        state: { id: BigInt(job.id), ...(isOver && reported.result === undefined ? { result: resultMessage('cancelled') } : {}) },
        sentOutputs: Object.keys(job.outputs as object),
      };
    },

    async updateLog({ taskId, index, rows }, context) {
      const runner = await authenticated(parts, context);
      const job = await findJobOf(db, runner, jobIdOf(taskId));
      if (!job) throw notIts();
      const now = clock();
      const given = rows.map(({ time, content }) => ({ at: dateOf(time) ?? now, text: content }));
      const ack = await writeLog(db, job, {
        from: indexOf(index),
        rows: given,
        mask: await masks.of(job),
        maxBytes: limits.logBytes,
        now,
      });
      return { ackIndex: BigInt(ack) };
    },
  });
}

/** Shown in place of a log whose secrets can't be masked one by one. */
const hidesAll: SecretMask = { hide: () => '***', size: 0 };
/** The maximum number of characters of the secrets. */
const keptMasks = 32 * mebi;

/** The masks of jobs that are writing logs. If secrets change in the meantime, the change applies to later jobs. */
function openMasks(load: (job: JobRow) => Promise<SecretMask>) {
  const kept = new LRUCache<number, SecretMask>({
    maxSize: keptMasks,
    sizeCalculation: ({ size }) => size + 1_024,
    ttl: 10 * 60_000,
  });
  return {
    async of(job: JobRow): Promise<SecretMask> {
      const known = kept.get(job.id);
      if (known) return known;
      const mask = await load(job);
      kept.set(job.id, mask);
      return mask;
    },
  };
}

/**
 * A job for a runner, with its task. If no task can be made for a job, the job ends and the next one is tried. If the runner
 * disconnects while its task is made, the job is returned and offered to others immediately.
 * @returns undefined if no job waits, and 'unknown' if that can't be determined
 */
async function nextTask(
  parts: ServiceParts,
  runner: RunnerRow,
  { context, latest, trusts }: { context: HandlerContext; latest: number; trusts: boolean },
): Promise<Task | 'unknown' | undefined> {
  const { database, services, clock } = parts;
  const issue: Parameters<typeof makeTask>[2] = (job) => issueToken(database, job, { secrets: services.secrets, now: clock() });
  for (;;) {
    const taken = await parts.turns.ask(runner, { trusts, until: latest, signal: context.signal });
    if (!taken || taken === 'unknown') return taken;
    try {
      const task = await changeIn(scopeOf(parts, context), (scope) => makeTask(scope, taken, issue));
      if (!context.signal.aborted) return task;
      await changeIn(scopeOf(parts, context), (scope) => returnJob(scope, taken));
      throw new ConnectError('The runner has gone', Code.Canceled);
    } catch (error) {
      if (!(error instanceof TaskProblem)) throw error;
      await changeIn(scopeOf(parts, context), (scope) => abandonJob(scope, taken, error));
    }
  }
}

/** A scope whose links have the address at which the runner reached this server. */
const scopeOf = (parts: ServiceParts, context: HandlerContext) => {
  const { database, services, clock } = parts;
  const links = linksOf(parts, context);
  return openScope({ db: database.db, links, viewer: everybody, now: clock(), git: services.git, services });
};

const linksOf = ({ linksOf: find }: Pick<ProtocolParts, 'linksOf'>, context: HandlerContext): Links => {
  const request = context.values.get(nodeRequest);
  if (!request) throw new Error('The call has no request');
  return find(request);
};

const unknownRunner = 'The runner is not registered';

/** The runner of a request, by its headers. */
async function findRunner(
  { runners }: Pick<ServiceParts, 'runners'>,
  header: (name: string) => string | readonly string[] | null | undefined,
): Promise<RunnerRow | undefined> {
  const [uuid, token] = [header('x-runner-uuid'), header('x-runner-token')];
  return typeof uuid === 'string' && typeof token === 'string' && uuid && token ? runners.find(uuid, token) : undefined;
}

async function authenticated(parts: ServiceParts, { requestHeader, values }: HandlerContext): Promise<RunnerRow> {
  const { note } = parts;
  const runner = await findRunner(parts, (name) => requestHeader.get(name));
  if (!runner) throw new ConnectError(unknownRunner, Code.Unauthenticated);
  const request = values.get(nodeRequest);
  if (request) note(request, { runner: runner.id, actor: runner.name });
  return runner;
}

/** Records why a request failed, for the log. */
const noteCauses =
  ({ note }: ProtocolParts): Interceptor =>
  (next) =>
  async (request) => {
    try {
      return await next(request);
    } catch (cause) {
      const raw = request.contextValues.get(nodeRequest);
      if (raw) note(raw, { cause });
      throw cause;
    }
  };

/**
 * When a poll stops waiting for jobs, up to the maximum time, and the latest time at which it looks for a job. Both leave some of
 * the request's timeout for the reply. If the runner sends no timeout, a short one is assumed.
 */
function timesOf(context: HandlerContext, longest: number): { until: number; latest: number } {
  const timeout = context.timeoutMs() ?? usualTimeout;
  const now = performance.now();
  const until = now + Math.min(longest, Math.max(0, timeout - replyTime));
  return { until, latest: Math.max(until, now + timeout * 0.8) };
}

/** A missing job and another runner's job get the same reply. */
const notIts = () => new ConnectError('The runner has no such job', Code.NotFound);

/** Translates refusals of the rules into the protocol's errors. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) throw new ConnectError(error.message, Code.InvalidArgument);
    throw error;
  }
}

const runnerMessage = ({ id, uuid, name, version, labels, is_ephemeral }: RunnerRow): MessageInitShape<typeof RunnerSchema> => ({
  id: BigInt(id),
  uuid,
  name,
  version,
  labels,
  ephemeral: is_ephemeral,
});
