import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Address } from '#database/connect.ts';
import { StartupError } from '#lib/startup-error.ts';
import type { Settings } from '#server/hearth.ts';
import { type Serving, serveHere, workHere } from './serving.ts';
import type { Config } from './settings.ts';

const partVariable = 'HEARTH_CLUSTER_PART';
const replacementPauseMs = 1_000;
const connectionsOfJobs = 10;

/** What a process that answers requests for another one is told by it. */
type ClusterPart = { address: Address; connections: number | undefined };

/** Where the database is, in a process that answers requests for another one; undefined in any other process. */
export function clusterPart(env: NodeJS.ProcessEnv): ClusterPart | undefined {
  const text = env[partVariable];
  return cluster.isWorker && text ? (JSON.parse(text) as ClusterPart) : undefined;
}

/** Answers requests in processes of their own, behind one port. This one does the jobs, and replaces a process that dies. */
export async function serveByProcesses(config: Config, settings: Settings): Promise<Serving> {
  // All processes listen on one socket. Handing out connections one by one would leave those hanging whose process dies.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const jobs = config.jobs
    ? await workHere({ ...settings, connections: Math.min(connectionsOfJobs, settings.connections ?? connectionsOfJobs) })
    : undefined;
  const processes = new Set<Worker>();
  let stopping = false;
  const start = (): Worker => {
    const { address, connections } = settings;
    const worker = cluster.fork({ [partVariable]: JSON.stringify({ address, connections } satisfies ClusterPart) });
    processes.add(worker);
    worker.once('exit', async (code, signal) => {
      processes.delete(worker);
      if (stopping) return;
      settings.log.error(
        { process: worker.process.pid, code, signal },
        'a process that answered requests ended; another takes its place',
      );
      await sleep(replacementPauseMs);
      if (!stopping) start();
    });
    return worker;
  };
  const stop = async (): Promise<void> => {
    stopping = true;
    const ended = [...processes].map((worker) => once(worker, 'exit'));
    for (const worker of processes) worker.process.kill('SIGTERM');
    await Promise.all([...ended, jobs?.stop()]);
  };
  answerMetrics();
  const ports = await Promise.allSettled(Array.from({ length: config.workers }, () => untilListening(start())));
  const failed = ports.find((port) => port.status === 'rejected');
  const [first] = ports;
  if (failed || first?.status !== 'fulfilled') {
    await stop();
    throw failed?.reason;
  }
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return { url: `${config.tlsCert ? 'https' : 'http'}://${host}:${first.value}`, stop };
}

async function untilListening(worker: Worker): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  worker.once('listening', ({ port }) => resolve(port));
  // It has said why, on its own standard error.
  worker.once('exit', () => reject(new StartupError('A process that answers requests could not start')));
  return promise;
}

/** Answers requests in this process for the one that started it. */
export function serveForCluster(config: Config, settings: Settings): Promise<Serving> {
  return serveHere(config, { ...settings, readMetrics: readFromAll }, { jobs: false });
}

type MetricsAnswer = { hearthMetrics: string };

const isMetricsAnswer = (message: unknown): message is MetricsAnswer =>
  typeof message === 'object' && message !== null && 'hearthMetrics' in message;

/** In a process among several: the sum over all, which only the first process can gather. */
function readFromAll(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  new AggregatorRegistry(); // from here on it answers when the first process asks
  return async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const take = (message: unknown): void => {
      if (isMetricsAnswer(message)) resolve(message.hearthMetrics);
    };
    process.on('message', take);
    process.send?.('hearth metrics');
    return promise.finally(() => process.off('message', take));
  };
}

function answerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (message !== 'hearth metrics') return;
    const hearthMetrics = await all.clusterMetrics().catch((error: unknown) => `# ${error}\n`);
    if (worker.isConnected()) worker.send({ hearthMetrics } satisfies MetricsAnswer);
  });
}
