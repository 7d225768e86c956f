import 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The login behind the credential, for the log line alone. */
    actor?: string | undefined;
  }
  interface FastifyInstance {
    /** Set when the process is about to end: clients are asked to go elsewhere. */
    drainState: { draining: boolean };
  }
}
