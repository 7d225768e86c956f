import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Database, Db } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';

export type OperationParts = {
  database: Database;
  services: Pick<Services, 'git' | 'objects'>;
  log: Logger;
  clock: () => Date;
  /** The folder of the embedded PostgreSQL, if that is used. */
  databaseFolder?: string | undefined;
};

/** Figures are read at most once in this time, regardless of the number of requests. */
const cachedMs = 5_000;
/** Rows are counted up to this number, so that a scrape stays cheap if much is waiting. */
const maxCounted = 100_000;
const failedWithinMs = 3_600_000;

type Figure = { name: string; value: number };
type Rows = {
  jobs: Figure[];
  oldest_jobs: Figure[];
  deliveries: Figure[];
  assistant_reviews: Figure[];
  events: Figure[];
  oldest_events: Figure[];
  backup_age: number | null;
};
type Figures = Rows & { volumes: Figure[] };

/**
 * Adds metrics for operators: jobs, deliveries, reviews by the assistant, events that wait for their subscriptions (such as
 * indexes), free space, Git processes, and the age of the last backup. A scrape takes at most one statement.
 */
export function addOperationMetrics(registry: Registry, parts: OperationParts): void {
  const figures = cachedFigures(parts);
  // Several processes report the same value for shared resources.
  const shared = (name: string, help: string, label: string, select: (found: Figures) => readonly Figure[]) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const found = await figures();
        this.reset();
        for (const figure of found ? select(found) : []) this.set({ [label]: figure.name }, figure.value);
      },
    });
  shared('hearth_jobs', 'Background jobs: due or running, waiting for their time, and given up', 'state', ({ jobs }) => jobs);
  shared('hearth_job_oldest_seconds', 'Since when the oldest due job of a task waits', 'task', ({ oldest_jobs }) => oldest_jobs);
  shared(
    'hearth_webhook_deliveries',
    'Webhook deliveries that wait, and those of the last hour that failed',
    'state',
    ({ deliveries }) => deliveries,
  );
  shared(
    'hearth_assistant_reviews',
    'Reviews by the assistant that wait or are under way, and those of the last hour that were posted or failed',
    'state',
    ({ assistant_reviews }) => assistant_reviews,
  );
  shared('hearth_events_waiting', 'Events that wait for a subscription, as that of an index', 'lane', ({ events }) => events);
  shared('hearth_event_oldest_seconds', 'Since when the oldest of them waits', 'lane', ({ oldest_events }) => oldest_events);
  shared('hearth_storage_free_bytes', 'Free space of a volume', 'volume', ({ volumes }) => volumes);
  // It has a label, since a gauge without one is 0 before it is set.
  shared('hearth_last_backup_age_seconds', 'Since when the last backup is complete; absent without one', 'command', (found) =>
    found.backup_age === null ? [] : [{ name: 'hearth backup', value: found.backup_age }],
  );
  addGitMetrics(registry, parts.services.git);
}

/** Each process has its own git processes, so the values of several processes are added. */
function addGitMetrics(registry: Registry, { commands, transfers, readers }: Services['git']): void {
  new Gauge({
    name: 'hearth_git_processes',
    help: 'Git processes that run, requests that wait for one, and open readers of objects',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'running' }, commands.running + transfers.running);
      this.set({ state: 'waiting' }, commands.waiting + transfers.waiting);
      this.set({ state: 'reader' }, readers.open());
    },
  });
}

/** Reads the figures; undefined if the database doesn't respond, which other metrics show. */
function cachedFigures({ database, databaseFolder, services, log, clock }: OperationParts): () => Promise<Figures | undefined> {
  let found: Promise<Figures | undefined> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<Figures | undefined> => {
    try {
      const [rows, volumes] = await Promise.all([readRows(database.db, clock()), readVolumes(services.git.root, databaseFolder)]);
      return { ...rows, volumes };
    } catch (error) {
      log.warn({ err: error }, 'some metrics could not be read');
      return undefined;
    }
  };
  return () => {
    if (performance.now() - readAt > cachedMs) {
      readAt = performance.now();
      found = read();
    }
    return found ?? Promise.resolve(undefined);
  };
}

async function readVolumes(repositories: string, database: string | undefined): Promise<Figure[]> {
  const folders = { repositories, objects: join(dirname(repositories), 'objects'), ...(database ? { database } : {}) };
  const volumes = await Promise.all(
    Object.entries(folders).map(async ([name, folder]) => {
      // Without files, their folder may not exist.
      const stats = await statfs(folder).catch(() => undefined);
      return stats ? [{ name, value: stats.bavail * stats.bsize }] : [];
    }),
  );
  return volumes.flat();
}

/** Converts rows of `name` and `value` to a JSON array. */
const figuresOf = (rows: ReturnType<typeof sql>) => sql`(select coalesce(json_agg(f), '[]') from (${rows}) f)`;

async function readRows(db: Db, now: Date): Promise<Rows> {
  const jobs = sql`select case when attempts >= max_attempts and locked_at is null then 'failed'
      when locked_at is not null then 'running' when run_at <= now() then 'due' else 'scheduled' end as state
    from jobs._private_jobs limit ${maxCounted}`;
  const events = sql`select lane, count(*) as value, min(event_id) as oldest from (
      (select 'dispatch' as lane, event_id from undispatched_events limit ${maxCounted})
      union all (select split_part(lane, '/', 1) as lane, event_id from event_deliveries limit ${maxCounted})) e group by lane`;
  const { rows } = await sql<Rows>`
    with waiting_events as materialized (${events})
    select
      ${figuresOf(sql`select state as name, count(j.state) as value
        from unnest(array['due', 'running', 'scheduled', 'failed']) as s (state)
        left join (${jobs}) j using (state) group by state`)} as jobs,
      ${figuresOf(sql`select t.identifier as name, greatest(0, extract(epoch from now() - min(j.run_at))) as value
        from (select * from jobs._private_jobs limit ${maxCounted}) j join jobs._private_tasks t on t.id = j.task_id
        where j.run_at <= now() and j.locked_at is null and j.attempts < j.max_attempts group by t.identifier`)} as oldest_jobs,
      ${figuresOf(sql`select 'waiting' as name, count(*) as value from (
          select from webhook_deliveries where due_at is not null limit ${maxCounted}) d
        union all select 'failed', count(*) from (select from webhook_deliveries
          where created_at > ${new Date(now.getTime() - failedWithinMs)}
            and status_code >= 400 limit ${maxCounted}) d`)} as deliveries,
      ${figuresOf(sql`select 'queued' as name, count(*) as value from (
          select from assistant_reviews where state = 'queued' limit ${maxCounted}) r
        union all select s.state, count(r.state) from unnest(array['done', 'failed']) as s (state)
          left join (select state from assistant_reviews
            where completed_at > ${new Date(now.getTime() - failedWithinMs)} limit ${maxCounted}) r using (state)
          group by s.state`)} as assistant_reviews,
      ${figuresOf(sql`select lane as name, value from waiting_events`)} as events,
      ${figuresOf(sql`select lane as name, greatest(0, extract(epoch from ${now}::timestamptz - e.created_at)) as value
        from waiting_events w join events e on e.id = w.oldest`)} as oldest_events,
      (select extract(epoch from now() - last_backup_at)::float from installation) as backup_age`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The figures have no row');
  return row;
}
