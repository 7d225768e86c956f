import 'fastify';
import type { Caller } from '#lib/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The login behind the credential, for the log line. */
    actor?: string | undefined;
    /** Whom the request counts against, as soon as it is known. */
    caller?: Caller | undefined;
  }
  interface FastifyInstance {
    /** Set when the process is about to end: new requests should go elsewhere, then connections end with their next reply. */
    drainState: { draining: boolean; closing: boolean };
  }
}
