import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Database } from '#database/connect.ts';

const readyTimeoutMs = 2_000;

/**
 * Adds `/healthz`, which is 200 as long as the process runs, and `/readyz`, which is 503 while the database doesn't answer or the
 * process shuts down, so that load balancers use other processes.
 */
export function addHealth(app: FastifyInstance, database: Database, state: { draining: boolean }): void {
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', async (_request, reply) => {
    const problem = state.draining ? 'draining' : await databaseProblem(database);
    return reply
      .code(problem === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${problem ?? 'ok'}\n`);
  });
}

async function databaseProblem({ db }: Database): Promise<string | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, readyTimeoutMs, 'the database answers too slowly');
  try {
    return await Promise.race([sql`select 1`.execute(db).then(() => undefined), timeout]);
  } catch {
    return 'the database does not answer';
  } finally {
    clearTimeout(timer);
  }
}
