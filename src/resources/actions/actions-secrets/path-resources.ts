import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { environment } from '#resources/actions/environments/index.ts';
import { findSecretForUpdate, selectSecret } from './store.ts';

const words = { secret_name: slugWord };

/** A secret of an organization, by its name, regardless of case. */
export const orgSecret = pathResource({
  name: 'secret',
  words,
  below: 'org',
  query: ({ db, at }, { secret_name }) => selectSecret(db, { column: 'organization_id', id: at.org.id }, secret_name),
  lock: (tx, at) => findSecretForUpdate(tx, at.secret),
});

/** A secret of a repository. */
export const repoSecret = pathResource({
  name: 'secret',
  words,
  below: 'repo',
  query: ({ db, at }, { secret_name }) => selectSecret(db, { column: 'repository_id', id: at.repo.id }, secret_name),
  lock: (tx, at) => findSecretForUpdate(tx, at.secret),
});

/** A secret of an environment. */
export const environmentSecret = pathResource({
  name: 'secret',
  words,
  below: environment,
  find: ({ db, at }, { secret_name }) =>
    selectSecret(db, { column: 'environment_id', id: at.environment.id }, secret_name).executeTakeFirst(),
  lock: (tx, at) => findSecretForUpdate(tx, at.secret),
});
