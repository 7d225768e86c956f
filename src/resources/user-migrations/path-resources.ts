import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, nameWord } from '#endpoint/path-words.ts';
import { migrationOfKey } from './archive-address.ts';
import { isAvailable } from './present.ts';
import { findLockedRepository, findMigration, findMigrationById, findMigrationForUpdate } from './store.ts';

/** A migration of the caller's. Those of others aren't there. */
export const migration = pathResource({
  name: 'migration',
  words: { migration_id: idOf('user_migrations') },
  below: undefined,
  find: async ({ db, viewer }, { migration_id }) => viewer.account && (await findMigration(db, viewer.account.id, migration_id)),
  lock: (tx, at) => findMigrationForUpdate(tx, at.migration),
});

/** A repository that a migration has locked. */
export const lockedRepository = pathResource({
  name: 'lockedRepository',
  words: { repo_name: nameWord },
  below: migration,
  find: ({ db, at }, { repo_name }) => findLockedRepository(db, at.migration.id, repo_name),
});

/** A migration whose archive is there, by the key of an address that was handed out for it. */
export const archived = pathResource({
  name: 'archived',
  words: { archive_key: nameWord },
  below: undefined,
  async find({ db, services: { secrets }, now }, { archive_key }) {
    const id = migrationOfKey(secrets, archive_key, now);
    const row = id === undefined ? undefined : await findMigrationById(db, id);
    return row && isAvailable(row, now) ? row : undefined;
  },
});
