import type { Db } from '#database/connect.ts';
import { gather } from '#lib/collections.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { kindLabels } from './rules.ts';
import type { Runner, RunnerLabel } from './schemas.ts';
import { listBusy, type RunnerRow } from './store.ts';

const offlineAfter = fixedValue(limitTable.workflows.offline);

export async function presentRunners({ db, now }: { db: Db; now: Date }, rows: readonly RunnerRow[]): Promise<Runner[]> {
  const busy = new Set(await listBusy(db, gather(rows, 'id')));
  return rows.map((row) => ({
    id: row.id,
    ...(row.runner_group_id === null ? {} : { runner_group_id: row.runner_group_id }),
    name: row.name,
    os: row.os,
    status: row.seen_at !== null && now.getTime() - row.seen_at.getTime() <= offlineAfter ? 'online' : 'offline',
    busy: busy.has(row.id),
    ephemeral: row.is_ephemeral,
    version: row.version,
    labels: presentLabels(row),
  }));
}

/** The labels of a runner: those of its kind, those that it tells of itself, and those that people gave it. */
export function presentLabels(row: Pick<RunnerRow, 'os' | 'labels' | 'custom_labels'>): RunnerLabel[] {
  const own = new Set([...kindLabels(row), ...row.labels]);
  const custom = row.custom_labels.filter((name) => !own.has(name));
  return [
    ...[...own].map((name) => ({ name, type: 'read-only' as const })),
    ...custom.map((name) => ({ name, type: 'custom' as const })),
  ];
}
