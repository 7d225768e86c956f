import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ConcurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { watchEventLoop } from './event-loop.ts';
import { addOperationMetrics, type OperationParts } from './operation-metrics.ts';
import { routeOf } from './router.ts';

/**
 * Makes the function that returns the text of the metrics. With several processes, the text covers all of them (see
 * `src/cli/cluster.ts`).
 */
export type MetricsReader = (own: Registry) => () => Promise<string>;

type MetricsOptions = OperationParts & {
  limiters: readonly ConcurrencyLimiter[];
  objectMetric?: Histogram | undefined;
  readMetrics?: MetricsReader | undefined;
};

type Metrics = { countRefusal(limit: string): void };

/**
 * Adds `/metrics` for Prometheus: requests by route, method and status, database connections, slots by limiter, refusals by
 * limit, the delay of the event loop, waiting background work, free space, and Node's default metrics.
 */
export function addMetrics(app: FastifyInstance, options: MetricsOptions): Metrics {
  const { database, limiters, readMetrics: reader = (own: Registry) => () => own.metrics() } = options;
  const registry = new Registry();
  addProcessMetrics(registry);
  addOperationMetrics(registry, options);
  if (options.objectMetric) registry.registerMetric(options.objectMetric);
  const stopWatching = watchEventLoop(registry);
  app.addHook('onClose', async () => stopWatching());
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
      const { total, busy } = database.pipeline?.connections ?? { total: 0, busy: 0 };
      this.set({ state: 'busy' }, totalCount - idleCount + busy);
      this.set({ state: 'idle' }, idleCount + total - busy);
      this.set({ state: 'waiting' }, waitingCount);
    },
  });
  new Gauge({
    name: 'hearth_limiter_places',
    help: 'Places of each limiter that are taken, requests that wait for one, and the number of their callers',
    labelNames: ['limit', 'state'],
    registers: [registry],
    collect() {
      for (const { name: limit, running, waiting, callers } of limiters) {
        this.set({ limit, state: 'running' }, running);
        this.set({ limit, state: 'waiting' }, waiting);
        this.set({ limit, state: 'callers' }, callers().length);
      }
    },
  });
  const refusals = new Counter({
    name: 'hearth_limit_refusals_total',
    help: 'Requests that were refused because of a limit',
    labelNames: ['limit'],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    // The declared path, not the requested one, so that the number of label values is bounded.
    seconds.observe({ method, route: routeOf(request) ?? 'unknown', status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  const read = reader(registry);
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await read()));
  return { countRefusal: (limit) => refusals.inc({ limit }) };
}

let ofProcess: Registry | undefined;

/**
 * Node's own metrics for the process. Their timers of 10 ms and garbage collection observer never stop. They are started once, so
 * that they don't keep a closed application in memory.
 */
function addProcessMetrics(registry: Registry): void {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
}
