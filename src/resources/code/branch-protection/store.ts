import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id, RepositoryId } from '#lib/id.ts';

type Protection = Id<'branch_protections'>;

/**
 * The checks that must have succeeded. If a check has an app, it must come from that app. `strict`: the checked commit must
 * contain the latest commit of the branch.
 */
export type StatusChecks = {
  readonly strict: boolean;
  readonly checks: readonly { readonly context: string; readonly app_id: number | null }[];
};

/**
 * The requirements on reviews of pull requests. `restricts_dismissals`: only the actors of the list `dismissal` may dismiss them.
 */
export type ReviewRequirements = {
  readonly dismiss_stale_reviews: boolean;
  readonly require_code_owner_reviews: boolean;
  readonly require_last_push_approval: boolean;
  readonly required_approving_review_count: number;
  readonly restricts_dismissals: boolean;
};

type Actors = Selectable<DB['branch_protection_actors']>;
export type ActorList = Actors['list'];

/** An actor in a list. One of the three ids is set. */
export type Actor = Pick<Actors, 'user_id' | 'team_id' | 'app_id'>;

type Columns = Selectable<DB['branch_protections']>;

/** A protection with the actors of its lists. */
export type ProtectionRow = Omit<Columns, 'status_checks' | 'reviews'> & {
  readonly status_checks: StatusChecks | null;
  readonly reviews: ReviewRequirements | null;
  readonly actors: readonly (Actor & Pick<Actors, 'list'>)[];
};

/** The settings of a protection, without its lists of actors. */
export type Settings = Omit<ProtectionRow, 'id' | 'repository_id' | 'branch' | 'actors' | 'created_at' | 'updated_at'>;

/** Branch names are compared by bytes: `Main` and `main` are two branches. */
const withActors = (db: Db) =>
  db
    .selectFrom('branch_protections')
    .selectAll()
    .select(
      sql<
        ProtectionRow['actors']
      >`coalesce((select jsonb_agg(to_jsonb(a) - 'protection_id' order by a.user_id, a.team_id, a.app_id)
        from branch_protection_actors a where a.protection_id = branch_protections.id), '[]')`.as('actors'),
    )
    // `columnsOf` wrote the two columns.
    .$castTo<ProtectionRow>();

/** The protections of the given branches that have one, in one statement. Branch names have no `refs/heads/`. */
export const loadProtections = async (
  db: Db,
  repository: RepositoryId,
  branches: readonly string[],
): Promise<ReadonlyMap<string, ProtectionRow>> => {
  if (branches.length === 0) return new Map();
  const rows = await withActors(db)
    .where('repository_id', '=', repository)
    .where(sql<boolean>`branch = any (${[...branches]}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.branch, row]));
};

export const findProtection = (db: Db, repository: RepositoryId, branch: string): Promise<ProtectionRow | undefined> =>
  withActors(db).where('repository_id', '=', repository).where('branch', '=', branch).executeTakeFirst();

/** Reads the protection again and locks its row; undefined if it was deleted. Its actors are read after locking. */
export async function findProtectionForUpdate(tx: Tx, { id }: Pick<ProtectionRow, 'id'>): Promise<ProtectionRow | undefined> {
  const [, row] = await Promise.all([
    tx.selectFrom('branch_protections').select('id').where('id', '=', id).forUpdate().execute(),
    withActors(tx).where('id', '=', id).executeTakeFirst(),
  ]);
  return row;
}

/** All protections of a repository. Their number is limited. */
export const listProtections = (db: Db, repository: RepositoryId): Promise<ProtectionRow[]> =>
  withActors(db).where('repository_id', '=', repository).orderBy('id').execute();

/** The boolean settings. */
export const protectionSwitches = [
  'enforce_admins',
  'required_signatures',
  'required_linear_history',
  'required_conversation_resolution',
  'allow_force_pushes',
  'allow_deletions',
  'block_creations',
  'lock_branch',
  'allow_fork_syncing',
  'restricts_pushes',
] as const satisfies readonly (keyof Settings)[];

/** The protected branches of a repository, by name. Their number is limited. */
export const listProtectedNames = async (db: Db, repository: RepositoryId): Promise<string[]> =>
  (await db.selectFrom('branch_protections').select('branch').where('repository_id', '=', repository).execute()).map(
    ({ branch }) => branch,
  );

export const countProtections = async (db: Db, repository: RepositoryId): Promise<number> =>
  (
    await db
      .selectFrom('branch_protections')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('repository_id', '=', repository)
      .executeTakeFirstOrThrow()
  ).count;

const json = (value: object | null): string | null => value && JSON.stringify(value);

const columnsOf = ({ status_checks, reviews, ...others }: Partial<Settings>): Updateable<DB['branch_protections']> => ({
  ...others,
  ...(status_checks === undefined ? {} : { status_checks: json(status_checks) }),
  ...(reviews === undefined ? {} : { reviews: json(reviews) }),
});

export const insertProtection = async (
  tx: Tx,
  { repository_id, branch, now }: { repository_id: RepositoryId; branch: string; now: Date },
  settings: Settings,
): Promise<Protection> => {
  const row = { ...settings, ...columnsOf(settings), repository_id, branch, created_at: now, updated_at: now };
  const values = row as Insertable<DB['branch_protections']>; // columnsOf has converted the two columns to JSON
  return (await tx.insertInto('branch_protections').values(values).returning('id').executeTakeFirstOrThrow()).id;
};

export const updateProtection = (tx: Tx, id: Protection, settings: Partial<Settings>, now: Date) =>
  tx
    .updateTable('branch_protections')
    .set({ ...columnsOf(settings), updated_at: now })
    .where('id', '=', id)
    .execute();

/** The actors of lists. An omitted list stays unchanged. */
export type Lists = { readonly [L in ActorList]?: readonly Actor[] };

/** Replaces the actors of a protection's lists. */
export async function setActors(tx: Tx, id: Protection, lists: Lists): Promise<void> {
  const changed = Object.entries(lists) as [ActorList, readonly Actor[]][]; // the keys of Lists
  const names = changed.map(([list]) => list);
  if (names.length === 0) return;
  await tx.deleteFrom('branch_protection_actors').where('protection_id', '=', id).where('list', 'in', names).execute();
  const rows = changed.flatMap(([list, actors]) =>
    actors.map(({ user_id, team_id, app_id }) => ({ protection_id: id, list, user_id, team_id, app_id })),
  );
  if (rows.length > 0) await tx.insertInto('branch_protection_actors').values(rows).execute();
}

export const removeProtection = (tx: Tx, id: Protection) => tx.deleteFrom('branch_protections').where('id', '=', id).execute();

/** Moves the protection of a branch to its new name, unless that has one: a rename never weakens the protection of a name. */
export const renameProtection = (tx: Tx, repository: RepositoryId, { from, to }: { from: string; to: string }) =>
  sql`
    update branch_protections set branch = ${to} where repository_id = ${repository} and branch = ${from}
      and not exists (select from branch_protections other
        where other.repository_id = ${repository} and other.branch = ${to})`.execute(tx);
