import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { BotConfig, ConfigProblem, UpdateEntry } from '#resources/security/dependency-bot/index.ts';

/** The configuration file of a repository, as it was read last. */
export type ConfigRow = Omit<Selectable<DB['dependency_configs']>, 'config' | 'problems'> & {
  /** Null if the file can't be read. */
  readonly config: BotConfig | null;
  readonly problems: readonly ConfigProblem[];
};

type ScheduleRow = Selectable<DB['dependency_schedules']>;

export async function loadConfigs(
  db: Db,
  repositories: readonly Id<'repositories'>[],
): Promise<Map<Id<'repositories'>, ConfigRow>> {
  if (repositories.length === 0) return new Map();
  const rows = await db.selectFrom('dependency_configs').selectAll().where('repository_id', 'in', repositories).execute();
  return keyed(rows as ConfigRow[], ({ repository_id }) => repository_id);
}

/** What is known of a repository: its configuration file, and whether the bot has open pull requests there. */
type State = {
  readonly repository_id: Id<'repositories'>;
  readonly path: string | null;
  readonly oid: string | null;
  readonly has_open: boolean;
};

export async function loadStates(db: Db, repositories: readonly Id<'repositories'>[]): Promise<Map<Id<'repositories'>, State>> {
  const { rows } = await sql<State>`select wanted.id as repository_id, c.path, c.oid,
      exists (select from dependency_pulls p where p.repository_id = wanted.id and p.is_open) as has_open
    from unnest(${[...repositories]}::bigint[]) as wanted(id)
    left join dependency_configs c on c.repository_id = wanted.id`.execute(db);
  return keyed(rows, ({ repository_id }) => repository_id);
}

export async function putConfig(tx: Tx, { config, problems, ...row }: ConfigRow): Promise<void> {
  const values = {
    ...row,
    config: config === null ? null : JSON.stringify(config),
    problems: JSON.stringify(problems),
  };
  await tx
    .insertInto('dependency_configs')
    .values(values)
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(values))
    .execute();
}

export const removeConfig = (tx: Tx, repository: Id<'repositories'>) =>
  tx.deleteFrom('dependency_configs').where('repository_id', '=', repository).execute();

export const listSchedules = (db: Db, repository: Id<'repositories'>): Promise<ScheduleRow[]> =>
  db.selectFrom('dependency_schedules').selectAll().where('repository_id', '=', repository).execute();

/** Replaces the times of a repository's entries. */
export async function replaceSchedules(
  tx: Tx,
  repository: Id<'repositories'>,
  rows: readonly Omit<ScheduleRow, 'repository_id'>[],
): Promise<void> {
  await tx.deleteFrom('dependency_schedules').where('repository_id', '=', repository).execute();
  if (rows.length === 0) return;
  await tx
    .insertInto('dependency_schedules')
    .values(rows.map((row) => ({ ...row, repository_id: repository })))
    .execute();
}

/** An entry whose time has come. `times` is null where the file has no such entry any more. */
type DueRow = ScheduleRow & { readonly times: UpdateEntry['schedule'] | null };

/** The entries whose time has come, the longest waiting first. Of the files, which may be long, it reads the schedules alone. */
export const listDue = (db: Db, { until, limit }: { until: Date; limit: number }): Promise<DueRow[]> =>
  db
    .selectFrom('dependency_schedules')
    .selectAll()
    .select(
      sql<DueRow['times']>`(select c.config -> 'updates' -> dependency_schedules.entry -> 'schedule' from dependency_configs c
        where c.repository_id = dependency_schedules.repository_id)`.as('times'),
    )
    .where('next_at', '<=', until)
    .orderBy('next_at')
    .orderBy('repository_id')
    .orderBy('entry')
    .limit(limit)
    .execute();

/** Moves an entry to its next time; null: it has none. @returns false if another process has already done so */
export async function passSchedule(
  tx: Tx,
  { repository_id, entry, next_at }: Pick<ScheduleRow, 'repository_id' | 'entry' | 'next_at'>,
  next: Date | null,
): Promise<boolean> {
  const passed = await tx
    .updateTable('dependency_schedules')
    .set({ next_at: next })
    .where('repository_id', '=', repository_id)
    .where('entry', '=', entry)
    .where('next_at', '=', next_at)
    .returning('entry')
    .execute();
  return passed.length > 0;
}

/** Has entries looked at now, unless they have no further time. */
export const hastenSchedules = async (
  tx: Tx,
  repository: Id<'repositories'>,
  entries: readonly number[],
  now: Date,
): Promise<void> => {
  if (entries.length === 0) return;
  await tx
    .updateTable('dependency_schedules')
    .set({ next_at: now })
    .where('repository_id', '=', repository)
    .where('entry', 'in', entries)
    .where('next_at', '>', now)
    .execute();
};

/** Sets the directories of an entry for which too many searches are running. */
export const setWaiting = (tx: Tx, repository: Id<'repositories'>, entry: number, waiting: readonly string[]) =>
  tx
    .updateTable('dependency_schedules')
    .set({ waiting: [...waiting] })
    .where('repository_id', '=', repository)
    .where('entry', '=', entry)
    .execute();

/** The entries of repositories with directories that wait. */
export const listWaiting = (db: Db, repositories: readonly Id<'repositories'>[]): Promise<ScheduleRow[]> =>
  db
    .selectFrom('dependency_schedules')
    .selectAll()
    .where('repository_id', 'in', repositories)
    .where(sql<boolean>`waiting <> '{}'`)
    .orderBy('repository_id')
    .orderBy('entry')
    .execute();
