import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { workflowFolders } from '#workflow-files/file.ts';
import { nextRunOf } from '#workflow-files/schedule.ts';

export type WorkflowRow = Selectable<DB['workflows']>;

export const selectWorkflow = (db: Db, repository: RepositoryId, id: Id<'workflows'>) =>
  db.selectFrom('workflows').selectAll().where('repository_id', '=', repository).where('id', '=', id);

/** The workflow with this file name. If both folders have one, the one in the neutral folder is used. */
export const selectWorkflowNamed = (db: Db, repository: RepositoryId, file: string) =>
  db
    .selectFrom('workflows')
    .selectAll()
    .where('repository_id', '=', repository)
    .where(
      'path',
      'in',
      // Workflows of the server, and required ones, are elsewhere, and named by their whole path.
      [...workflowFolders.map((folder) => `${folder}/${file}`), file],
    )
    .orderBy('path', 'desc')
    .limit(1);

export const findWorkflowForUpdate = (tx: Tx, { id }: Pick<WorkflowRow, 'id'>): Promise<WorkflowRow | undefined> =>
  tx.selectFrom('workflows').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const loadWorkflows = async (db: Db, ids: readonly Id<'workflows'>[]): Promise<Map<Id<'workflows'>, WorkflowRow>> =>
  keyed(await db.selectFrom('workflows').selectAll().where('id', 'in', unique(ids)).execute(), ({ id }) => id);

/** The workflows of a repository, including workflows with deleted files, oldest first. */
export const listWorkflows = (db: Db, repository: RepositoryId, page: Page): Promise<Listed<WorkflowRow>> =>
  list(db, db.selectFrom('workflows').selectAll().where('repository_id', '=', repository).orderBy('id'), page);

export const updateWorkflow = (tx: Tx, id: Id<'workflows'>, change: Updateable<DB['workflows']>) =>
  tx.updateTable('workflows').set(change).where('id', '=', id).execute();

/** All workflows of a repository. The limit on files in a commit bounds their number. */
export const listAllWorkflows = (db: Db, repository: RepositoryId): Promise<WorkflowRow[]> =>
  db.selectFrom('workflows').selectAll().where('repository_id', '=', repository).orderBy('id').execute();

/** The workflows, by repository, whose file on the default branch has one of these events. */
export const listWaitingFor = (
  db: Db,
  repositories: readonly RepositoryId[],
  events: readonly string[],
): Promise<WorkflowRow[]> =>
  db
    .selectFrom('workflows')
    .selectAll()
    .where('repository_id', 'in', repositories)
    .where('state', '=', 'active')
    .where(sql<boolean>`events ?| ${events}`)
    .orderBy('id')
    .execute();

type WorkflowFileRow = Pick<Insertable<DB['workflows']>, 'repository_id' | 'path' | 'name'> & {
  /** The events of the file; null if it can't be read; undefined for a file that isn't on the default branch. */
  readonly events?: EventsConfig | null;
  readonly now: Date;
};

/** Adds a workflow, or updates it from the file on the default branch. A deleted workflow becomes active again. */
export async function putWorkflow(tx: Tx, { events, now, ...row }: WorkflowFileRow): Promise<WorkflowRow> {
  const next = events ? await nextRunOf(events, now) : undefined;
  return tx
    .insertInto('workflows')
    .values({
      ...row,
      state: 'active',
      events: events ? JSON.stringify(events) : null,
      next_run_at: next?.at ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'path']).doUpdateSet((row) =>
        events === undefined
          ? { path: row.ref('excluded.path') }
          : {
              name: row.ref('excluded.name'),
              events: row.ref('excluded.events'),
              next_run_at: row.ref('excluded.next_run_at'),
              state: sql`case when workflows.state = 'deleted' then 'active' else workflows.state end`,
              updated_at: sql`case when workflows.name = excluded.name and workflows.events is not distinct from excluded.events
                and workflows.state <> 'deleted' then workflows.updated_at else excluded.updated_at end`,
            },
      ),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Marks the workflows of a repository as deleted if their files are no longer on the default branch. */
export const markDeleted = (tx: Tx, repository: RepositoryId, { except, now }: { except: readonly string[]; now: Date }) =>
  tx
    .updateTable('workflows')
    .set({ state: 'deleted', events: null, next_run_at: null, updated_at: now })
    .where('repository_id', '=', repository)
    .where('events', 'is not', null)
    .where(sql<boolean>`path <> all(${except})`)
    .execute();

/** The number of a workflow's next run. Its row stays locked until the transaction ends. */
export async function takeRunNumber(tx: Tx, id: Id<'workflows'>): Promise<number> {
  const { last_run_number } = await tx
    .updateTable('workflows')
    .set({ last_run_number: sql<number>`last_run_number + 1` })
    .where('id', '=', id)
    .returning('last_run_number')
    .executeTakeFirstOrThrow();
  return last_run_number;
}

/** Workflows whose scheduled time has come, the longest waiting first. */
export const listScheduled = (db: Db, { until, limit }: { until: Date; limit: number }): Promise<WorkflowRow[]> =>
  db
    .selectFrom('workflows')
    .selectAll()
    .where('next_run_at', '<=', until)
    .where('state', '=', 'active')
    .orderBy('next_run_at')
    .orderBy('id')
    .limit(limit)
    .execute();

/** Moves a workflow to its next scheduled time. @returns false if another process has already done so, and runs it */
export async function passScheduled(tx: Tx, { id, next_run_at }: WorkflowRow, next: Date | null): Promise<boolean> {
  const passed = await tx
    .updateTable('workflows')
    .set({ next_run_at: next })
    .where('id', '=', id)
    .where('next_run_at', '=', next_run_at)
    .returning('id')
    .execute();
  return passed.length > 0;
}
