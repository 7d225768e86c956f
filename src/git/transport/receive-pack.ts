import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asError, GitError } from '../errors.ts';
import { runnableHooks } from '../maintenance/hooks.ts';
import { gunzip } from '../objects/inflate.ts';
import { type ByteSource, byteSource } from '../process/byte-source.ts';
import type { GitProcess } from '../process/process.ts';
import { limitReached } from '../process/process-limits.ts';
import { canMoveTogether, packMany } from '../refs/many-refs.ts';
import { hiddenRefProblem, misleadingRefProblem, refNameProblem } from '../refs/ref-name.ts';
import { findRefOids } from '../refs/refs.ts';
import type { Repo } from '../repo.ts';
import { flushPacket, packet, takePacket } from './pkt-line.ts';
import { type Inspect, inspectPush, type Refused } from './push-inspection.ts';
import { formatReport, type PushReport, type PushResult, parseReport } from './push-report.ts';
import { formatPushRequest, type PushCommand, type PushRequest, readPushRequest, reportOf } from './receive-request.ts';
import { type ExchangeOptions, startService } from './smart-http.ts';

const bandSize = 65_000;

export type { Inspect, Refused } from './push-inspection.ts';

/** The caller's part in a push. */
export type PushHandlers = {
  /** Judges the commands before any object is taken. An error that it throws ends the push with no reply begun. */
  before?: (commands: readonly PushCommand[]) => Promise<Refused | undefined>;
  /** Judges the push again once its objects are there, before any ref moves. An error that it throws refuses everything. */
  inspect?: Inspect;
  /** Records what happened. The client hears of success only after it, and never if it throws. */
  after?: (results: readonly PushResult[]) => Promise<void>;
  /** Called instead, when `before` was done and the push broke off with nothing to report, or when `after` threw. */
  failed?: (error: Error) => Promise<void>;
};

export type ReceiveOptions = ExchangeOptions & PushHandlers & { maxSize?: number };

/**
 * The reply to `POST git-receive-pack`: takes a push. The pack streams through to git; progress streams back; the report is
 * held until `after` is done. A client that goes away before its pack is complete changes nothing; one that goes away
 * later misses the report only: `after` still runs.
 */
export async function receivePack(repo: Repo, body: Readable, options: ReceiveOptions = {}): Promise<Readable> {
  const most = options.maxSize ?? repo.store.limits.push;
  const source = byteSource(options.gzip ? gunzip(body) : body, { most, limits: repo.store.limits });
  const request = await readPushRequest(source, repo.store.limits);
  if (!request) return Readable.from([]);
  const refused = refuseAll(request, await refusals(request, options));
  const kept = request.commands.filter(({ ref }) => !refused.has(ref));
  const reply = new PassThrough();
  const push = { repo, request, kept, refused, source, reply, most, options };
  void (kept.length === 0 ? drain(push) : take(push)).catch((error: unknown) => fail(push, asError(error)));
  return reply;
}

type Push = {
  repo: Repo;
  request: PushRequest;
  kept: PushCommand[];
  refused: Refused;
  source: ByteSource;
  reply: PassThrough;
  most: number;
  options: ReceiveOptions;
};

async function refusals({ commands, overflow }: PushRequest, { before }: ReceiveOptions): Promise<Map<string, string>> {
  if (overflow !== undefined) return new Map(commands.map(({ ref }) => [ref, overflow]));
  const refused = new Map<string, string>();
  for (const { ref, to } of commands) {
    const problem = refNameProblem(ref) ?? hiddenRefProblem(ref) ?? (to === null ? undefined : misleadingRefProblem(ref));
    if (problem) refused.set(ref, `the name ${problem}`);
  }
  const fine = commands.filter(({ ref }) => !refused.has(ref));
  for (const [ref, reason] of (fine.length > 0 && (await before?.(fine))) || []) refused.set(ref, reason);
  return refused;
}

/** Refuses all commands of an atomic push if one of them is refused. */
function refuseAll({ commands, capabilities }: PushRequest, refused: Map<string, string>): Refused {
  if (refused.size === 0 || !capabilities.includes('atomic')) return refused;
  return new Map(commands.map(({ ref }) => [ref, refused.get(ref) ?? 'atomic push failed']));
}

/** Nothing is left to do: reads the rest of the request, since the client listens only after it has sent everything. */
async function drain(push: Push): Promise<void> {
  await push.source.discard();
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

/** Gives the push to git and passes its progress on. */
async function take(push: Push): Promise<void> {
  const { repo, request, kept, reply, source, options } = push;
  const together = options.inspect === undefined && (await canMoveTogether(repo, kept));
  const git = await startReceiving(push);
  const sending = send(git, { ...request, commands: kept, together }, source);
  const leave = () => {
    if (!source.ended()) git.stop(new GitError('aborted', 'The client went away'));
  };
  reply.once('close', leave);
  options.signal?.addEventListener('abort', leave, { once: true });
  const { inspect } = options;
  const inspecting = inspect ? Promise.allSettled([inspectPush(git, { repo, commands: kept, inspect })]) : undefined;
  const { report, said } = usesBands(request)
    ? await readBands(git, reply)
    : { report: Buffer.concat(await Array.fromAsync(git.stdout)), said: '' };
  const broken = await sending;
  const { cause } = await git.ended;
  const [inspected] = (await inspecting) ?? [];
  if (inspected?.status === 'rejected') throw inspected.reason;
  const outcome = (report.length > 0 && tryParse(report, kept)) || (await outcomeInRefs(push, git, broken ?? cause));
  // A request that broke off is an error, unless something was done all the same.
  if (broken && !outcome.results.some(({ ok }) => ok)) throw broken;
  await packMany(repo, outcome.results);
  const limit = limitReached(repo.store.limits, 'transfer', { signal: null, stderr: `${said}\n${git.stderr()}` });
  await finish(push, withReasons(limit ? withLimit(outcome, limit) : outcome, inspected?.value));
}

/** git reports `unpacker error`, or that objects are missing, where one of its processes came to a limit; the client is told which. */
const withLimit = ({ unpack, results }: PushReport, { message }: GitError): PushReport => ({
  unpack: unpack === 'ok' ? unpack : message,
  results: results.map((result) => (result.ok ? result : { ...result, reason: message })),
});

async function startReceiving({ repo, most, options }: Push): Promise<GitProcess> {
  const size: [string, string] = ['receive.maxInputSize', String(most)];
  const common = { protocol: undefined, waitSignal: options.signal };
  if (!options.inspect) return startService(repo, 'git-receive-pack', [], { ...common, config: [size] });
  const hooks: [string, string] = ['core.hooksPath', await runnableHooks(repo.store.root)];
  return startService(repo, 'git-receive-pack', [], { ...common, config: [size, hooks], extraPipes: 1 });
}

/** git says `hook declined` of what `inspect` refused; the client is told why. */
function withReasons({ unpack, results }: PushReport, refused: Refused = new Map()): PushReport {
  const explain = (result: PushResult): PushResult => {
    const reason = refused.get(result.ref);
    return reason === undefined || result.ok ? result : { ...result, reason };
  };
  return { unpack, results: results.map(explain) };
}

/** Sends git the request. Gives the error of a body that broke off; git ending early isn't one. */
async function send(
  git: GitProcess,
  request: Parameters<typeof formatPushRequest>[0],
  source: ByteSource,
): Promise<GitError | undefined> {
  let broken: GitError | undefined;
  const note = (error: unknown) => {
    broken = error instanceof GitError ? error : new GitError('aborted', 'The request broke off', String(error));
  };
  async function* bytes() {
    yield formatPushRequest(request);
    try {
      for await (const chunk of source.rest()) {
        git.touch();
        yield chunk;
      }
    } catch (error) {
      note(error);
      throw error;
    }
  }
  const fed = pipeline(bytes, git.stdin).then(
    () => true,
    () => false,
  );
  // Not `fed` alone: while the client is silent, a pipeline doesn't notice that git has ended.
  if (await Promise.race([fed, git.ended.then(() => false)])) return undefined;
  if (broken) git.stop(broken);
  const { cause } = await git.ended;
  // git ended early: the client listens only after it has sent everything, unless git was stopped for its silence.
  if (!cause) await source.discard().catch(note);
  return broken ?? cause;
}

function usesBands({ capabilities }: PushRequest): boolean {
  return capabilities.includes('side-band-64k');
}

/** Characters of progress that are kept. */
const maxReportBytes = 16_384;

/** Passes progress (band 2) and errors (band 3) on at once; collects the report (band 1), and what was said at last. */
async function readBands(git: GitProcess, reply: PassThrough): Promise<{ report: Buffer; said: string }> {
  const report: Buffer[] = [];
  let said = '';
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of git.stdout) {
    git.touch();
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    for (let taken = takePacket(held); taken; taken = takePacket(held)) {
      held = held.subarray(taken.used);
      if (taken.packet.kind !== 'data') continue;
      const { data } = taken.packet;
      if (data[0] === 1) {
        report.push(data.subarray(1));
        continue;
      }
      said = (said + data.toString('utf8', 1)).slice(-maxReportBytes);
      if (reply.writable && !reply.write(packet(data))) await drained(reply);
    }
  }
  return { report: Buffer.concat(report), said };
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
    // git was stopped while it wrote its report. The refs tell what it did.
    return undefined;
  }
}

/**
 * The results of a push, read from the present refs: for a push that ended without a report, or whose recording was interrupted
 * by a crash.
 */
export async function resultsInRefs(repo: Repo, commands: readonly PushCommand[], reason: string): Promise<PushResult[]> {
  const now = await findRefOids(
    repo,
    commands.map(({ ref }) => ref),
  );
  return commands.map((command): PushResult => {
    const done = (now.get(command.ref) ?? null) === command.to && command.to !== command.from;
    return done ? { ...command, ok: true } : { ...command, ok: false, reason };
  });
}

async function outcomeInRefs({ repo, kept }: Push, git: GitProcess, cause: GitError | undefined): Promise<PushReport> {
  const results = await resultsInRefs(repo, kept, cause?.message ?? 'git failed');
  if (results.some(({ ok }) => ok)) return { unpack: 'ok', results };
  throw cause ?? new GitError('failed', 'The push failed', git.stderr().trim());
}

/** Lets the caller record the results, then tells the client. */
async function finish({ request, refused, reply, options }: Push, { unpack, results }: PushReport): Promise<void> {
  const done = new Map(results.map((result) => [result.ref, result]));
  const all = request.commands.map((command): PushResult => {
    const reason = refused.get(command.ref) ?? 'not reported';
    return done.get(command.ref) ?? { ...command, ok: false, reason };
  });
  await options.after?.(all);
  if (!reportOf(request.capabilities)) return void reply.end();
  const report = formatReport({ unpack, results: all });
  reply.end(usesBands(request) ? inBands(report) : report);
}

/** The report in packets of band 1. */
function inBands(report: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < report.length; at += bandSize) {
    parts.push(packet(Buffer.concat([Buffer.from([1]), report.subarray(at, at + bandSize)])));
  }
  return Buffer.concat([...parts, flushPacket]);
}
