import 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The login behind the credential, for the log line. */
    actor?: string | undefined;
  }
  interface FastifyInstance {
    /** Set when the process is about to end: new requests should go elsewhere, then connections end with their next reply. */
    drainState: { draining: boolean; closing: boolean };
  }
}
