import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '#lib/startup-error.ts';

/** How long load balancers have to see that `/readyz` fails, and then open connections to carry their next request. */
const noticeMs = 500;

/**
 * Listens, and gives the address.
 * @throws StartupError that says why not, in the operator's words.
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
 * Ends serving without failing a request. First `/readyz` says so; then no connection is taken any more, and each open one is
 * closed with its next reply, not under a request that is on its way; then what still runs is finished.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  app.drainState.draining = true;
  await sleep(noticeMs);
  app.drainState.closing = true;
  // The HTTP server's own close would end idle connections at once.
  Server.prototype.close.call(app.server);
  await sleep(noticeMs);
  await app.close();
}
