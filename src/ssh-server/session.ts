import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { Session as ClientSession, ServerChannel } from 'ssh2';
import { callerOf } from '#access/rate-limits.ts';
import { findSshKey, type KnownSshKey } from '#access/ssh-keys.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { linksOf, sshUrl } from '#endpoint/links.ts';
import { GitError, isGitError } from '#git/errors.ts';
import { repoOf } from '#git/store.ts';
import { receivePackOver, uploadPackOver } from '#git/transport/connection.ts';
import type { Caller } from '#lib/caller.ts';
import { sshLimits } from '#lib/limits/ssh.ts';
import { forbidden, Refusal } from '#lib/refusal.ts';
import { keyUseMs, noteKeyUse } from '#resources/identity/accounts/index.ts';
import { type Exchange, failureOf, handlersOf, openExchange, recheckOf } from '#server/git-exchange.ts';
import { causeText, defaultSlowThresholds, loggedAgent, loggedCredential, loggedRepository } from '#server/request-log.ts';
import { Moved } from '#server/resolve.ts';
import { type GitCommand, parseCommand } from './command.ts';
import type { ConnectionParts } from './connection.ts';

/** A command that runs in a session. */
export type Command = { readonly channel: ServerChannel; readonly abort: () => void };

type Serving = {
  /** The fingerprint of the client's authenticated key. */
  fingerprint: string;
  /** The name that the client program gives itself. */
  agent: string | undefined;
  /** Called before a command runs; false if it may not. */
  begin(command: Command): boolean;
  /** Called when the command and its session have ended. */
  end(command: Command): void;
};

/** The maximum length of a variable's value that is read. */
const maxVariable = 255;

/** Serves one session: a Git command, or the greeting instead of a shell. The library refuses requests without a listener. */
export function serveSession(parts: ConnectionParts, session: ClientSession, serving: Serving): void {
  let protocol: string | undefined;
  session.on('env', (accept, reject, { key, val }) => {
    if (key !== 'GIT_PROTOCOL' || val.length > maxVariable) return void reject?.();
    protocol = val;
    accept?.();
  });
  const start = (accept: () => ServerChannel | undefined, work: Served['work']): void => {
    // A session has one command (RFC 4254, 6.5). For a further one, the library returns no channel, against its types.
    const channel = accept();
    if (channel) void serve(parts, { session, channel, serving, work });
  };
  session.on('shell', (accept) => start(accept, greet));
  session.on('exec', (accept, _reject, { command }) => start(accept, (running) => runGit(running, command, protocol)));
}

/** A running command. Each is one request, and its key is looked up again. */
type Running = {
  parts: ConnectionParts;
  channel: ServerChannel;
  known: KnownSshKey;
  signInAgain: () => Promise<Viewer>;
  caller: Caller;
  signal: AbortSignal;
  /** The fields for its log line. */
  fields: Record<string, unknown>;
};

type Served = {
  session: ClientSession;
  channel: ServerChannel;
  serving: Serving;
  /** Returns the exit status. */
  work: (running: Running) => Promise<number>;
};

async function serve(parts: ConnectionParts, { session, channel, serving, work }: Served): Promise<void> {
  const { log, database, clock, slow = defaultSlowThresholds } = parts;
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort(new GitError('aborted', 'The client went away'));
  const command: Command = { channel, abort };
  session.once('close', abort);
  channel.on('error', () => undefined);
  // The library ends it when the client closes the session, also while a message waits to be written.
  channel.stderr.on('error', () => undefined);
  if (!serving.begin(command)) return void (await finish(parts, channel, { status: 1, signal: disconnected.signal }));
  const since = performance.now();
  const fields: Record<string, unknown> = { id: randomUUID(), address: parts.address, agent: loggedAgent(serving.agent) };
  let caller: Caller | undefined;
  let status = 1;
  try {
    const signIn = () => signInByKey(database.db, serving.fingerprint);
    const known = await signIn();
    noteUse(parts, known, clock());
    caller = callerOf(known.viewer, parts.address);
    Object.assign(fields, { actor: known.name, ...loggedCredential(known.viewer) });
    const signInAgain = async () => (await signIn()).viewer;
    status = await work({ parts, channel, known, signInAgain, caller, signal: disconnected.signal, fields });
  } catch (error) {
    explain(parts, channel, { error, fields, caller });
  }
  const ms = Math.round(performance.now() - since);
  const isSlow = slow.request > 0 && ms >= slow.request;
  const level = isSlow || fields.cause !== undefined ? 'warn' : 'info';
  log[level]({ ...fields, status, ms, ...(isSlow ? { slow: true } : {}) }, `SSH ${fields.service ?? 'greeting'} ${status}`);
  await finish(parts, channel, { status, signal: disconnected.signal });
  serving.end(command);
}

/** @throws Refusal if the key was removed, or its account is suspended */
async function signInByKey(db: Db, fingerprint: string): Promise<KnownSshKey> {
  const known = await findSshKey(db, fingerprint);
  if (!known) throw forbidden('The key that you came with was removed');
  if (known.viewer.account?.suspended_at) throw forbidden('Sorry. Your account was suspended.');
  return known;
}

function noteUse({ database: { db }, log }: ConnectionParts, { id, lastUsed }: KnownSshKey, now: Date): void {
  if (lastUsed && now.getTime() - lastUsed.getTime() < keyUseMs) return;
  noteKeyUse(db, id, now).catch((error) => log.warn({ err: error }, 'noting the use of a key failed'));
}

/** Greets the client by name, as other servers do, and says that there is no shell. */
async function greet({ channel, known: { name } }: Running): Promise<number> {
  channel.stderr.write(`Hi ${name}! You've successfully authenticated. Hearth gives no shell access.\n`);
  return 1;
}

async function runGit(running: Running, text: string, protocol: string | undefined): Promise<number> {
  const { parts, channel, signal, fields } = running;
  const command = parseCommand(text);
  if (!command) throw forbidden('Only Git can be used here, to fetch and to push');
  fields.service = command.service;
  fields.repository = loggedRepository(command.owner, command.name);
  const exchange = await open(running, command);
  fields.repository = `${exchange.repo.owner.login}/${exchange.repo.name}`;
  const gitRepository = repoOf(exchange.git, exchange.repo.id);
  const input = new PassThrough();
  channel.pipe(input);
  signal.addEventListener('abort', () => input.destroy(signal.reason as Error), { once: true });
  input.on('error', () => undefined);
  const options = { protocol, signal };
  try {
    const output =
      command.service === 'git-upload-pack'
        ? await uploadPackOver(input, gitRepository, { ...options, recheck: recheckOf(parts, exchange, exchange.openAgain) })
        : await receivePackOver(input, gitRepository, { ...options, ...handlersOf(parts, exchange) });
    await send(output, running);
  } finally {
    channel.unpipe(input);
  }
  return 0;
}

/** Opens the repository of a command. A former name leads to the current one, with a message to the user. */
async function open({ parts, channel, known: { viewer }, signInAgain, caller }: Running, command: GitCommand): Promise<Exchange> {
  try {
    return await openExchange(parts, { viewer, signInAgain, caller, ...command });
  } catch (error) {
    if (!(error instanceof Moved)) throw error;
    const { repo } = error;
    channel.stderr.write(`This repository has moved: ${addressOf(parts, repo)}\n`);
    const { service } = command;
    return openExchange(parts, { viewer, signInAgain, caller, service, owner: repo.owner.login, name: repo.name });
  }
}

function addressOf({ services: { url, ssh } }: ConnectionParts, repo: Moved['repo']): string {
  return url === undefined ? `${repo.owner.login}/${repo.name}` : sshUrl(linksOf(url, ssh), repo);
}

/** The maximum number of bytes that wait in the socket. A client's window may be larger than what it reads. */
const maxWaiting = 1024 * 1024;

/** Sends the output of Git as fast as the client reads it. */
async function send(output: Readable, { channel, parts: { socket }, signal }: Running): Promise<void> {
  try {
    for await (const chunk of output) {
      if (!channel.write(chunk)) await once(channel, 'drain', { signal });
      if (socket.writableLength > maxWaiting) await once(socket, 'drain', { signal });
    }
    await written(channel, signal);
  } catch (error) {
    throw signal.aborted && !isGitError(error) ? signal.reason : error;
  }
}

/** Waits until everything is sent, as fast as the client allows. */
async function written(channel: ServerChannel, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  channel.write(Buffer.alloc(0), () => resolve());
  await promise;
}

/** Sends the client the reason why a command failed, and logs it if the server is at fault. */
function explain(
  parts: ConnectionParts,
  channel: ServerChannel,
  { error, fields, caller }: { error: unknown; fields: Record<string, unknown>; caller: Caller | undefined },
): void {
  const failure = failureOf(parts, error, fields);
  if (!failure || failure.status >= 500) fields.cause = causeText(error);
  if (failure) parts.refusals.note({ ip: parts.address, caller }, failure.limit);
  else parts.log.error({ err: error, ...fields }, 'a command by SSH failed');
  const message = error instanceof Refusal && error.kind === 'not_found' ? 'Repository not found.' : failure?.message;
  channel.stderr.write(`ERROR: ${message ?? `Server Error (request ${fields.id})`}\n`);
}

/**
 * Ends a session. After the reply to a push, the client's remaining data is read and dropped: some clients read the reply only
 * after they have sent everything, and others close their side only after they have the reply.
 */
async function finish(
  { services }: ConnectionParts,
  channel: ServerChannel,
  { status, signal }: { status: number; signal: AbortSignal },
): Promise<void> {
  channel.exit(status);
  if (status === 0 && !channel.readableEnded && !signal.aborted) {
    channel.eof();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, services.resourceLimits.of(sshLimits).unreadTime);
    signal.addEventListener('abort', () => resolve(), { once: true });
    channel.once('end', resolve).on('data', () => void timer.refresh());
    channel.resume();
    await promise;
    clearTimeout(timer);
  }
  channel.end();
}
