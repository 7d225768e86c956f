// Keeps pages current by server-sent events. An event says that a subject changed, and nothing of it: the page asks for itself
// again, so that access is decided again.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous, type Viewer } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { openScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { GitError } from '#git/errors.ts';
import { storeFor } from '#git/store.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { forbidden, notFound, Refusal } from '#lib/refusal.ts';
import { mustChangePassword, presentSession, sessionOf } from '#resources/platform/oauth/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { consumePageLimit } from '#server/rate-limit.ts';
import { linksFor } from '#server/request-links.ts';
import { loggedCredential } from '#server/request-log.ts';
import { run } from '#server/run.ts';
import { type ChangeListener, openChangeListener } from './change-listener.ts';
import { type LiveSubject, liveSubjects } from './live-subjects.ts';

type Parts = {
  readonly database: Database;
  readonly services: Services;
  readonly clock: () => Date;
  readonly url?: string;
  readonly routeParts: RouteParts;
};
type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

type Live = {
  /** Answers a request for events. @throws Refusal if the subject isn't there for the viewer, or there are too many */
  answer(exchange: Exchange): Promise<FastifyReply>;
  /** Ends all events. */
  close(): Promise<void>;
};

/** The least time between two events of one page, in milliseconds. */
const eventEveryMs = 500;
/** Browsers connect again after this time, in milliseconds. */
const retryMs = 3_000;

/** Opens the events of a process. */
export function openLive(parts: Parts): Live {
  const changes = openChangeListener(parts.database);
  const open = new Set<() => void>();
  return {
    async answer({ request, reply }) {
      const { services, database } = parts;
      const subject = liveSubjects.get(queryOf(request).subject ?? '');
      if (!subject) throw notFound();
      const viewer = await viewerOf(parts, request);
      request.actor = viewer.account?.login;
      request.credential = loggedCredential(viewer);
      const caller = callerOf(viewer, request.ip);
      request.caller = caller;
      await consumePageLimit({ viewer, caller, db: database.db, services }, 'pages');
      const release = services.limiters.live.tryAcquire(caller);
      if (!release) throw new Refusal('unavailable', 'Too many pages are kept current.', [], { limit: 'requests.live' });
      reply.raw.once('close', release);
      const key = await keyFor(parts, request, subject, viewer);
      if (reply.raw.destroyed) {
        release();
        throw new GitError('aborted', 'The client went away');
      }
      const events = sendEvents(parts, changes, { key, isAllowed: () => isAllowed(parts, request, subject, { viewer, key }) });
      open.add(events.end);
      reply.raw.once('close', () => {
        open.delete(events.end);
        events.end();
      });
      return reply
        .type('text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no')
        .send(events.stream);
    },
    async close() {
      for (const end of [...open]) end();
      await changes.close();
    },
  };
}

/** The viewer of a request. @throws Refusal 403 if the password has to be changed first */
async function viewerOf(parts: Parts, request: FastifyRequest): Promise<Viewer> {
  const session = await sessionOf(parts.routeParts, request);
  if (mustChangePassword(session)) throw forbidden('The password has to be changed first.');
  return session?.viewer ?? anonymous;
}

const queryOf = ({ query }: FastifyRequest): Record<string, string | undefined> =>
  Object.fromEntries(
    // the query parser's own object
    Object.entries(query as Record<string, string | string[]>).map(([name, value]) => [name, [value].flat()[0]]),
  );

/** Runs the endpoint of a subject. @throws Refusal if the viewer may not read it */
async function keyFor(parts: Parts, request: FastifyRequest, { endpoint, keyOf }: LiveSubject, viewer: Viewer): Promise<string> {
  const { database, services, clock } = parts;
  const query = queryOf(request);
  const words = Object.fromEntries(wordsOf(endpoint.path).map((word) => [word, query[word] ?? '']));
  const caller = callerOf(viewer, request.ip);
  const git = storeFor(services.git, caller);
  const scope = openScope({ db: database.db, links: linksFor(parts, request), viewer, now: clock(), git });
  const { body } = await run(endpoint, { scope, services: { ...services, git }, caller, address: request.ip }, words);
  return keyOf(body);
}

type Known = { readonly viewer: Viewer; readonly key: string };

const sessionIdOf = ({ grant }: Viewer) => (grant.kind === 'session' ? grant.sessionId : undefined);

/** Whether the session is the same one, and may still read the subject. */
async function isAllowed(parts: Parts, request: FastifyRequest, subject: LiveSubject, known: Known): Promise<boolean> {
  try {
    // as it is now: it may have ended since the request
    const viewer = (await presentSession(parts.routeParts, request))?.viewer ?? anonymous;
    return sessionIdOf(viewer) === sessionIdOf(known.viewer) && (await keyFor(parts, request, subject, viewer)) === known.key;
  } catch {
    return false; // the browser connects again, and is answered as it is due
  }
}

type Watched = { readonly key: string; isAllowed(): Promise<boolean> };

/** The events of one page. They end when the viewer may not read the subject any more. */
function sendEvents(
  { services }: Parts,
  changes: ChangeListener,
  { key, isAllowed }: Watched,
): { stream: PassThrough; end(): void } {
  const { liveTime, liveCheck } = services.resourceLimits.of(requestLimits);
  const stream = new PassThrough();
  let isEnded = false;
  let isChanged = false;
  let isSending = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    stop();
    for (const timer of timers) clearTimeout(timer);
    stream.end();
  };
  /** Sends a text once access was decided again. */
  const send = async (text: string): Promise<void> => {
    const goesOn = await isAllowed();
    if (isEnded) return;
    // Nobody reads the events; the browser connects again if it lives.
    if (!goesOn || stream.writableNeedDrain) end();
    else stream.write(text);
  };
  const sendChanges = async (): Promise<void> => {
    isChanged = true;
    if (isSending) return;
    isSending = true;
    while (isChanged && !isEnded) {
      isChanged = false;
      await send(`data: ${key}\n\n`);
      await sleep(eventEveryMs, undefined, { ref: false });
    }
    isSending = false;
  };
  const timers = new Set<NodeJS.Timeout>([
    setInterval(() => void send(':\n\n'), liveCheck).unref(),
    setTimeout(end, liveTime).unref(),
  ]);
  const stop = changes.on(key, () => void sendChanges());
  // What changed since the page was read isn't known.
  stream.write(`retry: ${retryMs}\ndata: ${key}\n\n`);
  return { stream, end };
}
