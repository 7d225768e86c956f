import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import { change, type Db, type Tx } from '#database/connect.ts';

/** Counts refusals by limit and caller, and stores the counts for `hearth doctor`. */
export type LimitRefusals = {
  /** Counts a refusal of a request, or of a connection before its first request. */
  note(request: Pick<FastifyRequest, 'ip' | 'caller'>, limit: string | undefined): void;
  /** Stores the counts. */
  flush(): Promise<void>;
};

const flushMs = 5_000;
/** The maximum number of counts between two flushes, and of rows in an hour. Further callers are counted together as `others`. */
const maxCounts = 200;
const maxRows = 1_000;
const otherCallers = 'others';

type Count = { limit: string; caller: string; count: number };

/**
 * Opens the counts of a process.
 * @param count called for each refusal, for metrics
 */
export function openLimitRefusals(
  { db, log, clock }: { db: Db; log: Logger; clock: () => Date },
  count: (limit: string) => void,
): LimitRefusals {
  let counts = new Map<string, Count>();
  let timer: NodeJS.Timeout | undefined;
  const add = ({ limit, caller, count }: Count): void => {
    const key = JSON.stringify([limit, caller]);
    const known = counts.get(key);
    if (known) known.count += count;
    else if (counts.size < maxCounts || caller === otherCallers) counts.set(key, { limit, caller, count });
    else add({ limit, caller: otherCallers, count });
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batch = [...counts.values()];
    counts = new Map();
    if (batch.length === 0) return;
    try {
      await change(db, (tx) => addCounts(tx, batch, clock()));
    } catch (error) {
      log.warn({ err: error }, 'counting refusals by limits failed; trying again');
      batch.forEach(add);
      flushLater();
    }
  };
  const flushLater = (): void => {
    timer ??= setTimeout(flush, flushMs).unref();
  };
  return {
    note(request, limit) {
      if (limit === undefined) return;
      count(limit);
      add({ limit, caller: (request.caller ?? callerOf(anonymous, request.ip)).key, count: 1 });
      flushLater();
    },
    flush,
  };
}

/** Adds to the counts of this hour. If it already has `maxRows`, further callers are counted together. */
async function addCounts(tx: Tx, counts: readonly Count[], now: Date): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(counts)}::json) as g("limit" text, caller text, count integer)),
    named as (
      select g."limit", g.count, case
        when (select count(*) from limit_refusals where hour = ${hour}) < ${maxRows}
          or exists (select from limit_refusals r where r.hour = ${hour} and r.limit_name = g."limit" and r.caller = g.caller)
        then g.caller else ${otherCallers} end as caller
      from given g)
    insert into limit_refusals as r (hour, limit_name, caller, count)
    select ${hour}::timestamptz, "limit", caller, sum(count) from named group by "limit", caller order by "limit", caller
    on conflict (hour, limit_name, caller) do update set count = r.count + excluded.count`.execute(tx);
}
