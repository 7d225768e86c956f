import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '#lib/startup-error.ts';

/**
 * The time for load balancers to notice that `/readyz` fails, and then the maximum time for open connections to send their next
 * request.
 */
const drainStepMs = 500;

/**
 * Listens, and returns the address.
 * @throws StartupError with the reason, for the operator
 */
export async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new StartupError(`Port ${port} of ${host} is in use: stop what listens there, or choose another by --port`);
    if (code === 'EACCES')
      throw new StartupError(`Port ${port} may not be used by this account: choose one above 1023 by --port`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new StartupError(`${host} is not an address of this machine`);
    throw error;
  }
}

/**
 * Shuts down gracefully: `/readyz` fails, then new connections are refused and open ones are closed with their next reply, and
 * finally the requests in progress are completed.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  app.drainState.draining = true;
  await sleep(drainStepMs);
  app.drainState.closing = true;
  // The HTTP server's own `close` would also end idle connections, on which a request may be arriving. This one only stops
  // listening.
  const { promise: allEnded, resolve } = Promise.withResolvers<void>();
  Server.prototype.close.call(app.server, () => resolve());
  await Promise.race([allEnded, sleep(drainStepMs, undefined, { ref: false })]);
  await app.close();
}
