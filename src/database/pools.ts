import type { LimitValues } from '#lib/limits.ts';
import type { SlowStatement } from './client.ts';
import { type Address, type Database, defaultConnections, openDatabase, type PoolOptions } from './connect.ts';
import type { databaseLimits } from './limits.ts';

/** The work of a process, which determines the division and limits of its connections. Commands have no time limits. */
export type Work = 'requests and jobs' | 'requests' | 'jobs' | 'command';

type Pools = {
  requests: Database;
  /** The same pool, if a process does only one of both. */
  jobs: Database;
  close(): Promise<void>;
};

type PoolsOptions = {
  connections?: number | undefined;
  connectionName?: string | undefined;
  work?: Work | undefined;
  limits: LimitValues<typeof databaseLimits>;
  slowStatement?: SlowStatement;
};

/** Milliseconds that a job waits for a connection, since other jobs may hold connections for a long time. */
const jobConnectionWaitMs = 60_000;
const minJobConnections = 4;
const jobShare = 0.4;

/** The number of a process's connections that are reserved for jobs. */
export const jobConnections = (connections: number): number =>
  Math.max(1, Math.min(Math.floor(connections / 2), Math.max(minJobConnections, Math.floor(connections * jobShare))));

/** Opens the connections of a process. Requests and jobs have separate pools, so that neither waits for the other. */
export function openPools(address: Address, options: PoolsOptions): Pools {
  const { connections = defaultConnections, connectionName: name, work = 'requests and jobs', limits, slowStatement } = options;
  const open = (kind: 'requests' | 'jobs' | 'command', max: number): Database =>
    openDatabase(address, { max, name, limits, ...optionsOf(kind, limits), ...(slowStatement ? { slowStatement } : {}) });
  if (work !== 'requests and jobs') {
    const database = open(work, connections);
    return { requests: database, jobs: database, close: () => database.close() };
  }
  const forJobs = jobConnections(connections);
  const [requests, jobs] = [open('requests', Math.max(1, connections - forJobs)), open('jobs', forJobs)];
  return {
    requests,
    jobs,
    async close() {
      await Promise.all([requests.close(), jobs.close()]);
    },
  };
}

function optionsOf(kind: 'requests' | 'jobs' | 'command', limits: LimitValues<typeof databaseLimits>): PoolOptions {
  if (kind === 'command') return {};
  if (kind === 'requests') {
    const { statementTime: statement, idleTime: idle, resultBytes } = limits;
    return { pipelining: true, timeouts: { statement, idle }, resultBytes };
  }
  return { wait: jobConnectionWaitMs, timeouts: { statement: limits.jobStatementTime, idle: limits.jobIdleTime } };
}
