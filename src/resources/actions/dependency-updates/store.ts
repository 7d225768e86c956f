import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { UpdateRequest, UpdateResponse } from '#resources/security/dependency-bot/index.ts';

/** A search for updates, which is a workflow run. */
export type UpdateRow = Omit<Selectable<DB['dependency_updates']>, 'request' | 'options'> & {
  readonly request: UpdateRequest;
  readonly options: PullOptions;
};

/** A pull request that proposes updates. */
export type ProposalRow = StoredProposal & {
  /** The branches that the pull request has now, since they can be renamed. */
  readonly branch: string;
  readonly target_branch: string;
};

type StoredProposal = Omit<Selectable<DB['dependency_pulls']>, 'dependencies' | 'options'> & {
  readonly dependencies: readonly UpdatedDependency[];
  readonly options: PullOptions;
};

export type UpdatedDependency = UpdateResponse['results'][number]['dependencies'][number];
export type IgnoreRow = Selectable<DB['dependency_ignores']>;

/** What the configuration file says of the pull requests for an ecosystem and a directory. */
export type PullOptions = {
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  readonly milestone?: number;
  readonly commitPrefix?: string;
  readonly commitPrefixDevelopment?: string;
  readonly hasScope?: boolean;
  readonly branchSeparator?: string;
  readonly rebases?: boolean;
  /** How many pull requests with version updates may be open in these directories, which may be patterns. */
  readonly limit?: number;
  readonly directories?: readonly string[];
};

/** The updates of one ecosystem in one directory of a branch, for one of the two reasons. */
export type Target = Pick<UpdateRow, 'repository_id' | 'ecosystem' | 'directory' | 'kind' | 'target_branch'>;

/** Whether a pull request is for an ecosystem and a directory of a branch. */
export const isFor = (
  row: ProposalRow,
  { ecosystem, directory, target_branch }: Pick<Target, 'ecosystem' | 'directory' | 'target_branch'>,
): boolean => row.ecosystem === ecosystem && row.directory === directory && row.target_branch === target_branch;

export type NewUpdate = Target &
  Pick<UpdateRow, 'base_sha' | 'request' | 'options' | 'recreates_id' | 'overwrites_sha' | 'run_id' | 'created_at'>;

export async function insertUpdate(
  tx: Tx,
  { request, options, ...row }: NewUpdate & Pick<UpdateRow, 'state' | 'problem' | 'ended_at'>,
): Promise<UpdateRow> {
  const inserted = await tx
    .insertInto('dependency_updates')
    .values({ ...row, request: JSON.stringify(request), options: JSON.stringify(options) })
    .returningAll()
    .executeTakeFirstOrThrow();
  return inserted as UpdateRow;
}

const updatesFor = (db: Db, { repository_id, ecosystem, directory, kind, target_branch }: Target) =>
  db
    .selectFrom('dependency_updates')
    .selectAll()
    .where('repository_id', '=', repository_id)
    .where('ecosystem', '=', ecosystem)
    .where('directory', '=', directory)
    .where('kind', '=', kind)
    .where('target_branch', '=', target_branch);

/** The last search that looked for new updates. */
export const findLastUpdate = async (db: Db, target: Target): Promise<UpdateRow | undefined> =>
  (await updatesFor(db, target).where('recreates_id', 'is', null).orderBy('id', 'desc').limit(1).executeTakeFirst()) as
    | UpdateRow
    | undefined;

/** The last search of a repository for each of its targets. */
export const listLatestUpdates = async (db: Db, repository: Id<'repositories'>): Promise<UpdateRow[]> =>
  (await db
    .selectFrom('dependency_updates')
    .selectAll()
    .distinctOn(['ecosystem', 'directory', 'kind', 'target_branch'])
    .where('repository_id', '=', repository)
    .orderBy('ecosystem')
    .orderBy('directory')
    .orderBy('kind')
    .orderBy('target_branch')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()) as UpdateRow[];

/** The last search that recreated a pull request. */
export const findLastRecreation = async (db: Db, issue: Id<'issues'>): Promise<UpdateRow | undefined> =>
  (await db
    .selectFrom('dependency_updates')
    .selectAll()
    .where('recreates_id', '=', issue)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()) as UpdateRow | undefined;

/** How many searches of a repository haven't ended. */
export async function countRunning(db: Db, repository: Id<'repositories'>): Promise<number> {
  const { count } = await db
    .selectFrom('dependency_updates')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('repository_id', '=', repository)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The same without what may be long: where to queue the results of these runs. */
export const listUndoneKeys = (
  db: Db,
  runs: readonly Id<'workflow_runs'>[],
): Promise<Pick<UpdateRow, 'repository_id' | 'run_id'>[]> =>
  db
    .selectFrom('dependency_updates')
    .select(['repository_id', 'run_id'])
    .where('run_id', 'in', runs)
    .where('state', '<>', 'done')
    .execute();

/** The searches of these runs that weren't done. One that failed may be run again. */
export const listUndone = async (db: Db, runs: readonly Id<'workflow_runs'>[]): Promise<UpdateRow[]> =>
  (await db
    .selectFrom('dependency_updates')
    .selectAll()
    .where('run_id', 'in', runs)
    .where('state', '<>', 'done')
    .execute()) as UpdateRow[];

/** Ends a search. @returns false if it was done already */
export async function endUpdate(
  tx: Tx,
  id: UpdateRow['id'],
  change: Pick<UpdateRow, 'problem' | 'ended_at'> & { readonly state: 'done' | 'failed' },
): Promise<boolean> {
  const ended = await tx
    .updateTable('dependency_updates')
    .set(change)
    .where('id', '=', id)
    .where('state', '<>', 'done')
    .returning('id')
    .execute();
  return ended.length > 0;
}

/** Searches whose runs were deleted, or never ended. */
export const listLostUpdates = async (db: Db, before: Date): Promise<UpdateRow[]> =>
  (await db
    .selectFrom('dependency_updates')
    .selectAll()
    .where('state', '=', 'running')
    .where('created_at', '<', before)
    .orderBy('id')
    .limit(100)
    .execute()) as UpdateRow[];

/** Old searches, of which nothing follows any more. */
export const removeOldUpdates = (tx: Tx, before: Date) =>
  tx
    .deleteFrom('dependency_updates')
    .where('ended_at', '<', before)
    .where(sql<boolean>`exists (select from dependency_updates later where later.repository_id = dependency_updates.repository_id
      and later.ecosystem = dependency_updates.ecosystem and later.directory = dependency_updates.directory
      and later.kind = dependency_updates.kind and later.target_branch = dependency_updates.target_branch
      and later.recreates_id is null and later.id > dependency_updates.id)`)
    .execute();

const proposals = (db: Db) =>
  db
    .selectFrom('dependency_pulls as d')
    .innerJoin('pull_requests as p', 'p.issue_id', 'd.issue_id')
    .selectAll('d')
    .select(['p.head_ref as branch', 'p.base_ref as target_branch']);

/** The open pull requests of the bot in a repository. */
export const listOpenProposals = async (db: Db, repository: Id<'repositories'>): Promise<ProposalRow[]> =>
  (await proposals(db)
    .where('d.repository_id', '=', repository)
    .where('d.is_open', '=', true)
    .orderBy('d.issue_id')
    .execute()) as ProposalRow[];

export const findProposal = async (db: Db, issue: Id<'issues'>): Promise<ProposalRow | undefined> =>
  (await proposals(db).where('d.issue_id', '=', issue).executeTakeFirst()) as ProposalRow | undefined;

/** The pull requests of the bot among issues. */
export const loadProposals = async (db: Db, issues: readonly Id<'issues'>[]): Promise<Map<Id<'issues'>, ProposalRow>> =>
  issues.length === 0
    ? new Map()
    : keyed((await proposals(db).where('d.issue_id', 'in', issues).execute()) as ProposalRow[], (row) => row.issue_id);

export async function insertProposal(tx: Tx, { dependencies, options, ...row }: StoredProposal): Promise<void> {
  await tx
    .insertInto('dependency_pulls')
    .values({ ...row, dependencies: JSON.stringify(dependencies), options: JSON.stringify(options) } satisfies Insertable<
      DB['dependency_pulls']
    >)
    .execute();
}

export const updateProposal = (tx: Tx, issue: Id<'issues'>, change: Updateable<DB['dependency_pulls']>) =>
  tx.updateTable('dependency_pulls').set(change).where('issue_id', '=', issue).execute();

export const listIgnores = (db: Db, repository: Id<'repositories'>, ecosystem: IgnoreRow['ecosystem']): Promise<IgnoreRow[]> =>
  db
    .selectFrom('dependency_ignores')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('ecosystem', '=', ecosystem)
    .orderBy('id')
    .execute();

export const insertIgnores = async (tx: Tx, rows: readonly Omit<IgnoreRow, 'id'>[]): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('dependency_ignores').values(rows).execute();
};

export const removeIgnores = (tx: Tx, ids: readonly IgnoreRow['id'][]) =>
  tx.deleteFrom('dependency_ignores').where('id', 'in', ids).execute();

/** Removes single versions from those that aren't proposed. */
export async function removeIgnoredVersions(
  tx: Tx,
  { repository_id, ecosystem }: Pick<IgnoreRow, 'repository_id' | 'ecosystem'>,
  dependencies: readonly Pick<UpdatedDependency, 'name' | 'to'>[],
): Promise<void> {
  await tx
    .deleteFrom('dependency_ignores')
    .where('repository_id', '=', repository_id)
    .where('ecosystem', '=', ecosystem)
    .where(({ tuple, refTuple, eb }) =>
      eb(
        refTuple('package', 'version'),
        'in',
        dependencies.map(({ name, to }) => tuple(name, to)),
      ),
    )
    .execute();
}
