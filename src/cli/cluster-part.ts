import cluster from 'node:cluster';
import type { Address } from '#database/connect.ts';
import type { PortsOff } from './default-ports.ts';

/** The environment variable that passes options from the primary process to the others. */
export const workerVariable = 'HEARTH_CLUSTER_PART';

/** The options that the primary process passes to a process that serves requests. */
export type ClusterPart = {
  address: Address;
  connections: number | undefined;
  installation: string | undefined;
  off: PortsOff;
};

/** The options of a process that serves requests for a primary process; undefined in any other process. */
export function clusterPart(env: NodeJS.ProcessEnv): ClusterPart | undefined {
  const text = env[workerVariable];
  return cluster.isWorker && text ? (JSON.parse(text) as ClusterPart) : undefined;
}
