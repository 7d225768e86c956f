import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';

const readyTimeoutMs = 2_000;

/**
 * Adds `/healthz`, which is 200 as long as the process runs, and `/readyz`, which is 503 while the database doesn't respond, the
 * storage is lost or the process is shutting down, so that load balancers use other processes.
 */
export function addHealth(app: FastifyInstance, { database, services, log }: HealthParts, state: { draining: boolean }): void {
  app.get('/healthz', (_request, reply) => reply.type('text/plain').send('ok\n'));
  app.get('/readyz', async (_request, reply) => {
    const problem = state.draining ? 'draining' : ((await databaseProblem(database)) ?? (await storageProblem(services, log)));
    return reply
      .code(problem === undefined ? 200 : 503)
      .type('text/plain')
      .send(`${problem ?? 'ok'}\n`);
  });
}

type HealthParts = { database: Database; services: Pick<Services, 'git' | 'objects'>; log: Logger };

async function storageProblem({ git, objects }: HealthParts['services'], log: Logger): Promise<string | undefined> {
  const problem = (check: () => Promise<void>, message: string) =>
    inTime(
      check().then(
        () => undefined,
        (error: unknown) => {
          log.error({ err: error }, message);
          return message;
        },
      ),
      message,
    );
  const problems = await Promise.all([
    problem(git.checkStorage, 'the folder of the repositories cannot be read'),
    problem(objects.check, 'the store of files cannot be read'),
  ]);
  return problems.find((one) => one !== undefined);
}

async function databaseProblem({ db }: Database): Promise<string | undefined> {
  try {
    return await inTime(
      sql`select 1`.execute(db).then(() => undefined),
      'the database answers too slowly',
    );
  } catch {
    return 'the database does not answer';
  }
}

/** The result of a check, or `late` if it takes too long. */
async function inTime(check: Promise<string | undefined>, late: string): Promise<string | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, readyTimeoutMs, late);
  return Promise.race([check, timeout]).finally(() => clearTimeout(timer));
}
