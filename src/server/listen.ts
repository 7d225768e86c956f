import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '#lib/startup-error.ts';

/** The time for load balancers to notice that `/readyz` fails, and then for open connections to bring their next request. */
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
 * Ends serving without failing a request. First, `/readyz` fails. Then no new connection is accepted, and open ones are closed with
 * their next reply, so that no request on its way is lost. Last, the requests under way are finished.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  app.drainState.draining = true;
  await sleep(noticeMs);
  app.drainState.closing = true;
  // The close of the HTTP server would end idle connections at once; this one only stops listening.
  Server.prototype.close.call(app.server);
  await sleep(noticeMs);
  await app.close();
}
