import { randomUUID } from 'node:crypto';
import type { ActionContext } from '#access/action.ts';
import { loadRoleLevels } from '#access/lookup.ts';
import { roleLevel } from '#access/roles.ts';
import type { Account, Org, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { LimitValues } from '#lib/limits.ts';
import { invalid, notFound } from '#lib/refusal.ts';
import { findByFullNames, lockForMigration, lockOwner, unlockRepository } from '#resources/repositories/repositories/index.ts';
import type { migrationLimits } from './limits.ts';
import type { NewMigration } from './schemas.ts';
import {
  countKept,
  insertMigration,
  insertRepositories,
  listLostLocksForUpdate,
  type MigrationRow,
  updateMigration,
} from './store.ts';
import { askToExport } from './work.ts';

type Limits = LimitValues<typeof migrationLimits>;

/** The actor of a change to migrations: of the organization, if there is one, or else of the actor. */
type MigrationAction = ActionContext & { readonly org?: Org | undefined };

/** The account that owns the migrations. */
export const ownerOf = ({ org, by }: MigrationAction): Account => org ?? by.account;

/** Starts a migration. `base_url` is the address of this server, which the archive uses in its URLs. */
export async function startMigration(
  scope: WriteScope,
  action: MigrationAction & { limits: Limits; base_url: string },
  { repositories: names, exclude, ...flags }: NewMigration,
): Promise<MigrationRow> {
  const { by, now, limits, base_url } = action;
  const owner = ownerOf(action);
  checkNames(names, flags, limits);
  const repositories = flags.org_metadata_only ? [] : await findAdministered(scope.tx, action, names);
  await lockOwner(scope.tx, owner.id);
  if ((await countKept(scope.tx, owner.id)) >= limits.archives)
    throw invalid(
      'Migration',
      'repositories',
      'unprocessable',
      `An account can have at most ${limits.archives} migrations under way or with an archive (migrations.archives): ` +
        'delete an archive first',
    );
  const row = await insertMigration(scope.tx, {
    ...flags,
    exclude: unique(exclude),
    account_id: owner.id,
    creator_id: by.account.id,
    guid: randomUUID(),
    base_url,
    created_at: now,
    updated_at: now,
  });
  const ids = gather(repositories, 'id');
  await insertRepositories(scope.tx, row.id, ids);
  if (flags.lock_repositories) await lockAll(scope, row.id, repositories);
  await askToExport(scope.tx, [row]);
  await recordOf(scope, 'migration.started', row, { actor: by.account.id, now });
  return row;
}

function checkNames(
  names: readonly string[],
  { org_metadata_only }: Pick<NewMigration, 'org_metadata_only'>,
  limits: Limits,
): void {
  if (org_metadata_only && names.length > 0)
    throw invalid('Migration', 'repositories', 'invalid', 'repositories must be empty where org_metadata_only is true');
  if (!org_metadata_only && names.length === 0)
    throw invalid('Migration', 'repositories', 'missing_field', 'repositories must name at least one repository');
  if (names.length > limits.repositories)
    throw invalid(
      'Migration',
      'repositories',
      'unprocessable',
      `A migration can have at most ${limits.repositories} repositories (migrations.repositories)`,
    );
}

/**
 * The repositories with these names. All must belong to the organization, or the viewer must administer them. A repository that
 * doesn't exist gets the same refusal.
 */
async function findAdministered(db: Db, action: MigrationAction, names: readonly string[]): Promise<RepositoryRow[]> {
  const found = await findByFullNames(db, action.by, names);
  const administered = new Set(gather(await keepAdministered(db, ownerOf(action), [...found.values()]), 'id'));
  const missing = unique(names).filter((name) => {
    const row = found.get(name.toLowerCase());
    return !row || !administered.has(row.id);
  });
  if (missing.length > 0) {
    const wanted = action.org ? `repositories of ${action.org.login}` : 'repositories that you administer';
    const message = `These are not ${wanted}: ${missing.join(', ')}`;
    throw invalid('Migration', 'repositories', 'invalid', message);
  }
  return [...found.values()];
}

/** The repositories that a person administers, or that belong to an organization. */
export async function keepAdministered(db: Db, account: Account, rows: readonly RepositoryRow[]): Promise<RepositoryRow[]> {
  if (account.kind === 'organization') return rows.filter(({ owner_id }) => owner_id === account.id);
  const levels = await loadRoleLevels(db, account.id, gather(rows, 'id'));
  return rows.filter(({ id }) => (levels.get(id) ?? 0) >= roleLevel('admin'));
}

async function lockAll(scope: WriteScope, migration: Id<'migrations'>, repositories: readonly RepositoryRow[]): Promise<void> {
  const locked = new Set(await lockForMigration(scope, migration, gather(repositories, 'id')));
  const others = repositories.filter(({ id }) => !locked.has(id)).map(({ name }) => name);
  if (others.length === 0) return;
  const message = `These repositories are locked for a migration already: ${others.join(', ')}`;
  throw invalid('Migration', 'lock_repositories', 'invalid', message);
}

/** Marks the archive of a migration as deleted. Its file is removed afterwards. */
export async function deleteArchive(scope: WriteScope, { by, now }: ActionContext, migration: MigrationRow): Promise<void> {
  if (migration.available_until === null || migration.available_until <= now) throw notFound();
  await updateMigration(scope.tx, migration.id, { available_until: null, updated_at: now });
  await recordOf(scope, 'migration.archive_deleted', migration, { actor: by.account.id, now });
}

/** Unlocks a repository that a migration has locked. Nobody has unlocked it where the lock was lost. */
export async function unlock(
  scope: WriteScope,
  { by, now }: Pick<ActionContext, 'now'> & { by?: ActionContext['by'] },
  migration: Pick<MigrationRow, 'id'>,
  repository: RepositoryRow,
): Promise<void> {
  await unlockRepository(scope, migration.id, repository.id);
  await record(scope.tx, {
    kind: 'migration.repository_unlocked',
    owner: repository.owner_id,
    repository: repository.id,
    actor: by?.account.id,
    at: now,
    data: { migration: migration.id },
  });
}

/** Ends locks of people who no longer administer the repositories. Returns how many. */
export async function endLostLocks(scope: WriteScope, limit: number): Promise<number> {
  const lost = await listLostLocksForUpdate(scope.tx, limit);
  for (const { repository, migration } of lost) await unlock(scope, { now: scope.now }, { id: migration }, repository);
  return lost.length;
}

/**
 * Records an event of a migration. An event without an actor is attributed to the user who started the migration, if the account
 * still exists.
 */
export const recordOf = (
  scope: WriteScope,
  kind: 'migration.started' | 'migration.exported' | 'migration.failed' | 'migration.archive_deleted',
  { id, account_id, creator_id }: MigrationRow,
  { actor = creator_id ?? undefined, now }: { actor?: Id<'accounts'>; now: Date },
): Promise<void> => record(scope.tx, { kind, owner: account_id, actor, at: now, data: { migration: id } });
