import type { Tx } from '#database/connect.ts';
import { type Lookup, pathResource } from '#endpoint/path-resource.ts';
import { idOf, nameWord } from '#endpoint/path-words.ts';
import { migrationOfKey } from './archive-address.ts';
import { isAvailable } from './present.ts';
import {
  findLockedRepository,
  findMigration,
  findMigrationById,
  findMigrationForUpdate,
  isLost,
  type MigrationRow,
} from './store.ts';

/** A migration of an account. Other accounts' migrations aren't found. */
const ofAccount = {
  name: 'migration',
  words: { migration_id: idOf('migrations') },
  lock: (tx: Tx, at: { migration: MigrationRow }) => findMigrationForUpdate(tx, at.migration),
} as const;

/** A migration of the caller's. */
export const migration = pathResource({
  ...ofAccount,
  below: undefined,
  find: async ({ db, viewer }, { migration_id }) => viewer.account && (await findMigration(db, viewer.account.id, migration_id)),
});

/** A migration of an organization. */
export const orgMigration = pathResource({
  ...ofAccount,
  below: 'org',
  find: ({ db, at }, { migration_id }) => findMigration(db, at.org.id, migration_id),
});

/** A repository that a migration has locked. */
const locked = {
  name: 'lockedRepository',
  words: { repo_name: nameWord },
  find: ({ db, at }: Omit<Lookup, 'at'> & { at: { migration: MigrationRow } }, { repo_name }: { repo_name: string }) =>
    findLockedRepository(db, at.migration.id, repo_name),
} as const;

export const lockedRepository = pathResource({ ...locked, below: migration });
export const orgLockedRepository = pathResource({ ...locked, below: orgMigration });

/** A migration with an archive, by the key in a download address. */
export const archived = pathResource({
  name: 'archived',
  words: { archive_key: nameWord },
  below: undefined,
  async find({ db, services: { secrets }, now }, { archive_key }) {
    const id = migrationOfKey(secrets, archive_key, now);
    const row = id === undefined ? undefined : await findMigrationById(db, id);
    return row && isAvailable(row, now) && !(await isLost(db, row.id)) ? row : undefined;
  },
});
