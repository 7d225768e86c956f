import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { StartupError } from '#lib/startup-error.ts';
import type { Settings } from '#server/hearth.ts';
import { type ClusterPart, workerVariable } from './cluster-part.ts';
import type { PortsOff } from './default-ports.ts';
import { type Serving, serveHere, workHere } from './serving.ts';
import type { Config } from './settings.ts';

const replacementPauseMs = 1_000;
const maxJobConnections = 10;

/** Serves requests with several processes behind one port. This process runs the jobs, and replaces processes that die. */
export async function serveByProcesses(config: Config, settings: Settings, off: PortsOff): Promise<Serving> {
  // All processes accept from one socket. With round-robin, connections that were passed to a process would hang if it died.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const jobs = config.jobs
    ? await workHere({ ...settings, connections: Math.min(maxJobConnections, settings.connections ?? maxJobConnections) })
    : undefined;
  const processes = new Set<Worker>();
  let stopping = false;
  const startProcess = (): Worker => {
    const { address, connections, installation } = settings;
    const worker = cluster.fork({
      [workerVariable]: JSON.stringify({ address, connections, installation, off } satisfies ClusterPart),
    });
    processes.add(worker);
    worker.once('exit', async (code, signal) => {
      processes.delete(worker);
      if (stopping) return;
      settings.log.error(
        { process: worker.process.pid, code, signal },
        'a process that answers requests has ended; another one replaces it',
      );
      await sleep(replacementPauseMs);
      if (!stopping) startProcess();
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
  const { ssh, pages } = settings;
  const expected = 1 + (ssh ? 1 : 0) + (pages ? 1 : 0);
  const ports = await Promise.allSettled(
    Array.from({ length: config.workers }, () => waitUntilListening(startProcess(), expected)),
  );
  const failed = ports.find((port) => port.status === 'rejected');
  const [first] = ports;
  if (failed || first?.status !== 'fulfilled') {
    await stop();
    throw failed?.reason;
  }
  const [port, ...others] = first.value;
  const sshPort = ssh && others.shift();
  if (ssh && ssh.port === 0) ssh.port = sshPort ?? 0;
  if (pages) pages.port = others.shift() ?? pages.port;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `${config.tlsCert ? 'https' : 'http'}://${host}:${port}`;
  if (settings.runners) settings.runners.address ??= url;
  return { url, ssh, pages, stop };
}

/** The ports that a process listens on, in this order: HTTP, SSH, websites. */
async function waitUntilListening(worker: Worker, expected: number): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  const ports: number[] = [];
  worker.on('listening', ({ port }) => {
    ports.push(port);
    if (ports.length === expected) resolve(ports);
  });
  // The process has written the reason to standard error.
  worker.once('exit', () => reject(new StartupError('A process that answers requests could not start')));
  return promise;
}

/** Serves requests in this process for the primary process. */
export function serveForCluster(config: Config, settings: Settings): Promise<Serving> {
  return serveHere(config, { ...settings, readMetrics: readFromAllProcesses }, { jobs: false });
}

type MetricsMessage = { hearthMetrics: string };

const isMetricsMessage = (message: unknown): message is MetricsMessage =>
  typeof message === 'object' && message !== null && 'hearthMetrics' in message;

/** Makes the reader of the metrics of all processes, which the primary process aggregates. */
function readFromAllProcesses(own: Registry): () => Promise<string> {
  AggregatorRegistry.setRegistries(own);
  new AggregatorRegistry(); // from now on, answers requests of the primary process
  return async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const onMessage = (message: unknown): void => {
      if (isMetricsMessage(message)) resolve(message.hearthMetrics);
    };
    process.on('message', onMessage);
    process.send?.('hearth metrics');
    return promise.finally(() => process.off('message', onMessage));
  };
}

function answerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (message !== 'hearth metrics') return;
    const hearthMetrics = await all.clusterMetrics().catch((error: unknown) => `# ${error}\n`);
    if (worker.isConnected()) worker.send({ hearthMetrics } satisfies MetricsMessage);
  });
}
