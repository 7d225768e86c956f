import 'fastify';
import type { Caller } from '#lib/caller.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import type { LoggedCredential } from './request-log.ts';
import type { Match } from './router.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The login of the viewer, for the log. */
    actor?: string | undefined;
    /** The credential of the viewer, for the log. */
    credential?: LoggedCredential;
    /** The id of the polling runner, for the log. */
    runner?: number;
    /** `owner/name` of the repository that was found, for the log. */
    repository?: string;
    /** The error behind the reply, for the log. */
    cause?: unknown;
    /** The endpoint of an API address; null if no endpoint has the address, and undefined for other addresses. */
    match?: Match | null;
    /** Whether an endpoint has signed in the viewer, or tried to. */
    signedIn?: boolean;
    /** The caller that the request counts against; undefined before it is signed in. */
    caller?: Caller | undefined;
  }
  interface FastifyInstance {
    /** Set at shutdown: `draining` makes `/readyz` fail, then `closing` closes connections with their next reply. */
    drainState: { draining: boolean; closing: boolean };
    /** Counts refusals by limits. */
    limitRefusals: LimitRefusals;
  }
}
