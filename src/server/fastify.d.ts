import 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The login behind the credential, for the log line alone. */
    actor?: string | undefined;
  }
}
