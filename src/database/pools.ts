import type { ResourceLimits } from '#lib/limits.ts';
import { type Address, type Database, defaultConnections, openDatabase, type PoolOptions } from './connect.ts';

/** What a process does with its connections. Commands take as long as they take; requests and jobs have limits. */
export type Work = 'requests and jobs' | 'requests' | 'jobs' | 'command';

export type Pools = {
  requests: Database;
  /** The same one, where a process doesn't do both. */
  jobs: Database;
  close(): Promise<void>;
};

export type PoolsOptions = {
  connections?: number | undefined;
  connectionName?: string | undefined;
  work?: Work | undefined;
  limits: ResourceLimits['database'];
};

/** Jobs wait for a connection for as long as others may hold one. */
const patienceOfJobs = 60_000;
const fewestOfJobs = 4;
const shareOfJobs = 0.25;

/** How many of a process's connections its jobs keep, the rest being for requests. */
export const connectionsOfJobs = (connections: number): number =>
  Math.max(1, Math.min(Math.floor(connections / 2), Math.max(fewestOfJobs, Math.floor(connections * shareOfJobs))));

/** Opens the connections of a process. Requests and jobs have their own, so that neither waits for the other's. */
export function openPools(address: Address, options: PoolsOptions): Pools {
  const { connections = defaultConnections, connectionName: name, work = 'requests and jobs', limits } = options;
  const open = (kind: 'requests' | 'jobs' | 'command', max: number): Database =>
    openDatabase(address, { max, name, limits, ...optionsOf(kind, limits) });
  if (work !== 'requests and jobs') {
    const database = open(work, connections);
    return { requests: database, jobs: database, close: () => database.close() };
  }
  const own = connectionsOfJobs(connections);
  const [requests, jobs] = [open('requests', Math.max(1, connections - own)), open('jobs', own)];
  return {
    requests,
    jobs,
    async close() {
      await Promise.all([requests.close(), jobs.close()]);
    },
  };
}

function optionsOf(kind: 'requests' | 'jobs' | 'command', limits: ResourceLimits['database']): PoolOptions {
  if (kind === 'command') return {};
  if (kind === 'requests') return { timeouts: { statement: limits.statementTime, idle: limits.idleTime } };
  return { wait: patienceOfJobs, timeouts: { statement: limits.jobStatementTime, idle: limits.jobIdleTime } };
}
