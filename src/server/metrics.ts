import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '#database/connect.ts';

/** Makes the reader of the metrics' text; with several processes, it reads those of all (see `src/cli/cluster.ts`). */
export type MetricsReader = (own: Registry) => () => Promise<string>;

/** `/metrics` for Prometheus: requests by route, method and status, connections to the database, and Node's own. */
export function addMetrics(app: FastifyInstance, database: Database, reader: MetricsReader = (own) => () => own.metrics()): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const seconds = new Histogram({
    name: 'hearth_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its reply',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  new Gauge({
    name: 'hearth_database_connections',
    help: 'Connections to PostgreSQL, and callers waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount, idleCount, waitingCount } = database.pool;
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'waiting' }, waitingCount);
    },
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    // The declared path, not the requested one, so that the number of labels is bounded.
    seconds.observe({ method, route: routeOptions.url ?? 'unknown', status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  const read = reader(registry);
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await read()));
}
