import type { Account } from '#access/viewer.ts';
import { type Db, isUnavailable } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { isGitError } from '#git/errors.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile, stepsOf } from '#jobs/repeat.ts';
import type { Id } from '#lib/id.ts';
import { addDays, addMinutes, addSeconds } from '#lib/time.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { beginArchive, listArchiveFiles, removeArchive, removeFile } from './archive/folder.ts';
import { FilesChanged } from './archive/releases.ts';
import { writeArchive } from './archive/write.ts';
import { migrationLimits } from './limits.ts';
import { endLostLocks, recordOf } from './rules.ts';
import {
  beginAttempt,
  endAttempt,
  expireArchives,
  keepRepositories,
  listUnfinished,
  loadKept,
  type MigrationRow,
} from './store.ts';
import { askToExport, exporting } from './work.ts';

/** Document 2: an archive can be downloaded for seven days. */
const keptDays = 7;

/**
 * Writes the archive of a migration. If its process dies, the job starts again with another file, so that only complete archives
 * are served. If writing fails, for example on a full disk, the migration has failed; the row and the log have the reason.
 */
export const exportMigration = job<{ migration: Id<'migrations'> }, JobContext>({
  ...exporting,
  async run({ migration: id }, context) {
    const { change, now, log, stopping } = context;
    const timeOfEnd = stopwatch(now);
    const migration = await change((scope) => beginAttempt(scope.tx, id, now));
    if (!migration) return;
    try {
      await exportAttempt(migration, context, timeOfEnd);
    } catch (error) {
      if (isUnavailable(error) || error instanceof FilesChanged || stopping?.aborted) throw error; // The queue retries it.
      log.error({ err: error, migration: id }, 'a migration failed');
      await change(async (scope) => {
        const end = timeOfEnd();
        const failed = await endAttempt(scope.tx, migration, { state: 'failed', failure: reasonOf(error), updated_at: end });
        if (failed) await recordOf(scope, 'migration.failed', failed, { now: end });
      });
    }
  },
});

/**
 * A clock for the end of work that began at `start`. It has whole seconds and rounds up, since `Last-Modified` must be later
 * than the start.
 */
function stopwatch(start: Date): () => Date {
  const begun = performance.now();
  return () => addSeconds(start, Math.ceil((performance.now() - begun) / 1_000));
}

async function exportAttempt(
  migration: MigrationRow,
  { db, change, services, now }: JobContext,
  timeOfEnd: () => Date,
): Promise<void> {
  await using partial = await beginArchive(services.migrations, migration.id);
  const { git, objects, resourceLimits } = services;
  const most = resourceLimits.of(migrationLimits).repositories;
  const account = await accountOf(db, migration);
  const archived = await writeArchive({ db, git, objects, account, migration, file: partial.path, most, now });
  await partial.finish();
  await change(async (scope) => {
    const end = timeOfEnd();
    const until = { state: 'exported', available_until: addDays(now, keptDays), updated_at: end } as const;
    const exported = await endAttempt(scope.tx, migration, until);
    if (!exported) return;
    // Whoever asks for the archive later must administer what is in it.
    await keepRepositories(scope.tx, migration.id, archived);
    await recordOf(scope, 'migration.exported', exported, { now: end });
  });
}

/** The person or organization whose migration it is. */
async function accountOf(db: Db, { account_id }: MigrationRow): Promise<Account> {
  const account = await findAccountById(db, account_id);
  if (!account) throw new Error(`There is no account ${account_id}`);
  return account;
}

function reasonOf(error: unknown): string {
  if (isGitError(error)) return [error.message, error.detail].filter((text) => text !== '').join(': ');
  return error instanceof Error ? error.message : String(error);
}

/** The events by which people may lose the administration of repositories. */
const losses = [
  'collaborator.changed',
  'collaborator.removed',
  'member.changed',
  'member.removed',
  'migration.started',
  'organization.updated',
  'organization_role.revoked',
  'repository.transferred',
  'team.deleted',
  'team.edited',
  'team.member_removed',
  'team.repository_changed',
  'team.repository_removed',
  'user.suspended',
] as const;

const locksPerBatch = 100;

/** Unlocks repositories that people have locked who no longer administer them. There are few locks, so all are looked at. */
export const unlockLost = batchSubscription<(typeof losses)[number], JobContext>({
  name: 'migrations.unlock-lost',
  on: losses,
  attempts: 25,
  async runAll(_events, { change, stopping }) {
    await repeatWhile({ stopping }, async () => (await change((scope) => endLostLocks(scope, locksPerBatch))) === locksPerBatch);
  },
});

const batchSize = 1_000;
const patienceMinutes = 60;

/**
 * Removes expired archives, and files without a migration, for example after an account was deleted. It also enqueues archives
 * again that the queue gave up.
 */
export const tidyArchives = job<Record<string, never>, JobContext>({
  name: 'migrations.tidy',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { db, change, services, now, stopping }) {
    const { migrations: folder } = services;
    await repeatWhile({ stopping }, async () => {
      const expired = await change((scope) => expireArchives(scope.tx, now, batchSize));
      for (const id of expired) await removeArchive(folder, id);
      return expired.length === batchSize;
    });
    const files = await listArchiveFiles(folder);
    const kept = await loadKept(
      db,
      files.map(({ migration }) => migration),
    );
    for (const { migration, name } of stepsOf({ stopping }, files)) if (!kept.has(migration)) await removeFile(folder, name);
    await change(async (scope) =>
      askToExport(scope.tx, await listUnfinished(scope.tx, addMinutes(now, -patienceMinutes), batchSize)),
    );
  },
});
