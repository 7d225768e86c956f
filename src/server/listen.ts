import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { StartupError } from '#lib/startup-error.ts';

/** How long clients are told to leave before connections are closed: a request that is on its way now still arrives. */
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
 * Ends serving without failing a request: `/readyz` says so, replies ask clients to close their connection, then nothing
 * new is taken and what runs is finished.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  app.drainState.draining = true;
  await sleep(noticeMs);
  await app.close();
}
