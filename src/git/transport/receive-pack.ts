import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asError, GitError } from '../errors.ts';
import { openPushHooks, type PushHooks } from '../maintenance/hooks.ts';
import { gunzip } from '../objects/inflate.ts';
import { type ByteSource, byteSource } from '../process/byte-source.ts';
import type { GitProcess } from '../process/process.ts';
import { limitReached } from '../process/process-limits.ts';
import { areSyncedTogether, canUpdateAtomically, persistRefs, withoutRefSync } from '../refs/many-refs.ts';
import { hiddenRefProblem, misleadingRefProblem, refNameProblem } from '../refs/ref-name.ts';
import { findRefOids } from '../refs/refs.ts';
import type { GitRepository } from '../repo.ts';
import { flushPacket, packet, takePacket } from './pkt-line.ts';
import { type Inspect, inspectPush, type Refused, type Verdict } from './push-inspection.ts';
import { formatReport, type PushReport, type PushResult, parseReport } from './push-report.ts';
import { formatPushRequest, type PushCommand, type PushRequest, readPushRequest, reportOf } from './receive-request.ts';
import { type ExchangeOptions, startService } from './smart-http.ts';

const maxBandData = 65_000;

export type { Inspect, Verdict } from './push-inspection.ts';

/** The callbacks of a push. */
export type PushHandlers = {
  /**
   * Checks the commands before any object is received. If it throws, the push ends before the reply begins. `inspect` checks the
   * push again after its objects were received and before any ref moves. If it throws, all commands are refused.
   */
  before?: (commands: readonly PushCommand[]) => Promise<Verdict & { readonly inspect?: Inspect }>;
  /** Records the results. Success is reported to the client afterwards, unless it throws. */
  after?: (results: readonly PushResult[]) => Promise<void>;
  /** Called instead of `after` if the push fails after `before` without results, and also if `after` throws. */
  failed?: (error: Error) => Promise<void>;
};

export type ReceiveOptions = ExchangeOptions &
  PushHandlers & {
    maxSize?: number;
    /**
     * Whether the client may keep the stream open after its request, as over SSH. The reply then doesn't wait for the stream's
     * end, and the caller reads the rest.
     */
    connected?: boolean;
  };

/**
 * Handles `POST git-receive-pack`. The pack is streamed to git and progress to the client. The report is sent after `after` is
 * done. If the client disconnects before its pack is complete, nothing changes. If it disconnects later, the push is completed
 * and `after` runs.
 * @returns the body of the reply
 */
export async function receivePack(repo: GitRepository, body: Readable, options: ReceiveOptions = {}): Promise<Readable> {
  const maxSize = options.maxSize ?? repo.store.limits.push;
  const source = byteSource(options.gzip ? gunzip(body) : body, { maxBytes: maxSize, limits: repo.store.limits });
  const request = await readPushRequest(source, repo.store.limits);
  if (!request) return Readable.from([]);
  // A pack follows only if a ref is created or moved.
  if (options.connected && request.commands.every(({ to }) => to === null)) source.finish();
  const { messages, inspect, ...first } = await firstVerdict(request, options);
  const refused = expandAtomic(request, first.refused);
  const accepted = request.commands.filter(({ ref }) => !refused.has(ref));
  const reply = new PassThrough();
  const push = { repo, request, accepted, refused, inspect, messages, source, reply, maxSize, options };
  void (accepted.length === 0 ? discardRequest(push) : runReceivePack(push)).catch((error: unknown) =>
    fail(push, asError(error)),
  );
  return reply;
}

type Push = {
  repo: GitRepository;
  request: PushRequest;
  accepted: PushCommand[];
  refused: Refused;
  inspect: Inspect | undefined;
  /** Lines for the user. */
  messages: readonly string[];
  source: ByteSource;
  reply: PassThrough;
  maxSize: number;
  options: ReceiveOptions;
};

type FirstVerdict = { refused: Map<string, string>; messages: readonly string[]; inspect: Inspect | undefined };

async function firstVerdict({ commands, overflow }: PushRequest, { before }: ReceiveOptions): Promise<FirstVerdict> {
  const rest = { messages: [], inspect: undefined };
  if (overflow !== undefined) return { refused: new Map(commands.map(({ ref }) => [ref, overflow])), ...rest };
  const refused = new Map<string, string>();
  for (const { ref, to } of commands) {
    const problem = refNameProblem(ref) ?? hiddenRefProblem(ref) ?? (to === null ? undefined : misleadingRefProblem(ref));
    if (problem) refused.set(ref, `the name ${problem}`);
  }
  const valid = commands.filter(({ ref }) => !refused.has(ref));
  const verdict = (valid.length > 0 && (await before?.(valid))) || {};
  for (const [ref, reason] of verdict.refused ?? []) refused.set(ref, reason);
  return { refused, messages: verdict.messages ?? [], inspect: verdict.inspect };
}

/** If any command of an atomic push is refused, adds all its commands to the refused ones. */
function expandAtomic({ commands, capabilities }: PushRequest, refused: Map<string, string>): Refused {
  if (refused.size === 0 || !capabilities.includes('atomic')) return refused;
  return new Map(commands.map(({ ref }) => [ref, refused.get(ref) ?? 'atomic push failed']));
}

/**
 * For a push without accepted commands: reads the rest of the request, since an HTTP client reads the reply only after sending
 * everything.
 */
async function discardRequest(push: Push): Promise<void> {
  if (!push.options.connected) await push.source.discard();
  await finish(push, { unpack: push.request.overflow ?? 'ok', results: [] });
}

async function fail({ reply, options }: Push, error: Error): Promise<void> {
  try {
    await options.failed?.(error);
    reply.destroy(error);
  } catch (further) {
    reply.destroy(asError(further));
  }
}

/** Runs `git receive-pack` for the accepted commands, and forwards its progress. */
async function runReceivePack(push: Push): Promise<void> {
  const { repo, request, accepted, reply, source, options, inspect } = push;
  const atomic = inspect === undefined && (await canUpdateAtomically(repo, accepted));
  await using hooks = inspect && (await openPushHooks(repo.store.root));
  const git = await startReceiving(push, hooks);
  git.rates.push(source.rate);
  const sending = send(git, { ...request, commands: accepted, atomic }, push);
  const onDisconnect = () => {
    if (!source.ended()) git.stop(new GitError('aborted', 'The client went away'));
  };
  reply.once('close', onDisconnect);
  options.signal?.addEventListener('abort', onDisconnect, { once: true });
  const inspecting =
    inspect && hooks ? Promise.allSettled([inspectPush(git, { repo, commands: accepted, inspect, hooks })]) : undefined;
  const { report, messages } = usesSideBand(request)
    ? await demultiplex(git, reply)
    : { report: Buffer.concat(await Array.fromAsync(git.stdout)), messages: '' };
  const sendError = await sending;
  const { cause } = await git.ended;
  if (areSyncedTogether(accepted)) await persistRefs(repo, accepted);
  const [inspected] = (await inspecting) ?? [];
  if (inspected?.status === 'rejected') throw inspected.reason;
  const outcome = (report.length > 0 && tryParse(report, accepted)) || (await outcomeInRefs(push, git, sendError ?? cause));
  // A request that failed halfway is an error, unless some refs were updated nevertheless.
  if (sendError && !outcome.results.some(({ ok }) => ok)) throw sendError;
  const limit = limitReached(repo.store.limits, 'transfer', { signal: null, stderr: `${messages}\n${git.stderr()}` });
  const { refused, messages: shown = [] } = inspected?.value ?? {};
  const withMessages = { ...push, messages: [...push.messages, ...shown] };
  await finish(withMessages, withRefusalReasons(limit ? withLimit(outcome, limit) : outcome, refused));
}

/** Replaces git's messages (`unpacker error`, missing objects) with the message of the limit that a process has reached. */
const withLimit = ({ unpack, results }: PushReport, { message }: GitError): PushReport => ({
  unpack: unpack === 'ok' ? unpack : message,
  results: results.map((result) => (result.ok ? result : { ...result, reason: message })),
});

async function startReceiving({ repo, accepted, maxSize, options }: Push, hooks: PushHooks | undefined): Promise<GitProcess> {
  const size = ['receive.maxInputSize', String(maxSize)] as const;
  const config = areSyncedTogether(accepted) ? [size, withoutRefSync] : [size];
  const common = { protocol: undefined, waitSignal: options.signal, recheck: options.recheck };
  if (!hooks) return startService(repo, 'git-receive-pack', [], { ...common, config });
  return startService(repo, 'git-receive-pack', [], {
    ...common,
    config: [...config, ['core.hooksPath', hooks.folder]],
    channel: true,
  });
}

/** Replaces git's `hook declined` with the reasons from `inspect`. */
function withRefusalReasons({ unpack, results }: PushReport, refused: Refused = new Map()): PushReport {
  const explain = (result: PushResult): PushResult => {
    const reason = refused.get(result.ref);
    return reason === undefined || result.ok ? result : { ...result, reason };
  };
  return { unpack, results: results.map(explain) };
}

/** Writes the request to git. Returns the error of an incomplete body. An early end of git isn't an error. */
async function send(
  git: GitProcess,
  request: Parameters<typeof formatPushRequest>[0],
  { source, options }: Pick<Push, 'source' | 'options'>,
): Promise<GitError | undefined> {
  let sendError: GitError | undefined;
  const onSendError = (error: unknown) => {
    sendError = error instanceof GitError ? error : new GitError('aborted', 'The request broke off', String(error));
  };
  async function* bytes() {
    yield formatPushRequest(request);
    try {
      for await (const chunk of source.rest()) {
        git.touch();
        yield chunk;
      }
    } catch (error) {
      onSendError(error);
      throw error;
    }
  }
  const written = pipeline(bytes, git.stdin).then(
    () => true,
    () => false,
  );
  // `git.ended` is awaited too, since a pipeline doesn't notice git's end while the client sends nothing.
  if (await Promise.race([written, git.ended.then(() => false)])) return undefined;
  if (sendError) git.stop(sendError);
  const { cause } = await git.ended;
  // git ended early. The client reads the reply only after sending everything, so the rest is read, unless git was stopped.
  if (!cause && !options.connected) await source.discard().catch(onSendError);
  return sendError ?? cause;
}

function usesSideBand({ capabilities }: PushRequest): boolean {
  return capabilities.includes('side-band-64k');
}

/** The maximum number of characters of kept messages. */
const maxReportBytes = 16_384;

/**
 * Splits git's side-band output: forwards progress (band 2) and errors (band 3), and collects the report (band 1) and the last
 * messages.
 */
async function demultiplex(git: GitProcess, reply: PassThrough): Promise<{ report: Buffer; messages: string }> {
  const report: Buffer[] = [];
  let messages = '';
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of git.stdout) {
    git.touch();
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let taken = takePacket(pending); taken; taken = takePacket(pending)) {
      pending = pending.subarray(taken.used);
      if (taken.packet.kind !== 'data') continue;
      const { data } = taken.packet;
      if (data[0] === 1) {
        report.push(data.subarray(1));
        continue;
      }
      messages = (messages + data.toString('utf8', 1)).slice(-maxReportBytes);
      if (reply.writable && !reply.write(packet(data))) await drained(reply);
    }
  }
  return { report: Buffer.concat(report), messages };
}

async function drained(reply: PassThrough): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      reply.off('drain', done).off('close', done);
      resolve();
    };
    reply.once('drain', done).once('close', done);
  });
}

function tryParse(report: Buffer, commands: readonly PushCommand[]): PushReport | undefined {
  try {
    return parseReport(report, commands);
  } catch {
    // git was stopped while it wrote its report. The results are read from the refs instead.
    return undefined;
  }
}

/**
 * The results of a push, from the current refs, for a push that ended without a report, or whose recording was interrupted by a
 * crash.
 */
export async function resultsInRefs(
  repo: GitRepository,
  commands: readonly PushCommand[],
  reason: string,
): Promise<PushResult[]> {
  const now = await findRefOids(
    repo,
    commands.map(({ ref }) => ref),
  );
  return commands.map((command): PushResult => {
    const done = (now.get(command.ref) ?? null) === command.to && command.to !== command.from;
    return done ? { ...command, ok: true } : { ...command, ok: false, reason };
  });
}

async function outcomeInRefs({ repo, accepted }: Push, git: GitProcess, cause: GitError | undefined): Promise<PushReport> {
  const results = await resultsInRefs(repo, accepted, cause?.message ?? 'git failed');
  if (results.some(({ ok }) => ok)) return { unpack: 'ok', results };
  throw cause ?? new GitError('failed', 'The push failed', git.stderr().trim());
}

/** Calls `after` with the results, then sends the report to the client. */
async function finish({ request, refused, messages, reply, options }: Push, { unpack, results }: PushReport): Promise<void> {
  const done = new Map(results.map((result) => [result.ref, result]));
  const all = request.commands.map((command): PushResult => {
    const reason = refused.get(command.ref) ?? 'not reported';
    return done.get(command.ref) ?? { ...command, ok: false, reason };
  });
  await options.after?.(all);
  if (messages.length > 0 && usesSideBand(request)) reply.write(sideBand(2, Buffer.from(`${messages.join('\n')}\n`)));
  if (!reportOf(request.capabilities)) return void reply.end();
  const report = formatReport({ unpack, results: all });
  reply.end(usesSideBand(request) ? Buffer.concat([sideBand(1, report), flushPacket]) : report);
}

/** Encodes bytes as side-band packets. Band 1 is the report, and band 2 is shown to the user. */
function sideBand(band: 1 | 2, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += maxBandData) {
    parts.push(packet(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + maxBandData)])));
  }
  return Buffer.concat(parts);
}
