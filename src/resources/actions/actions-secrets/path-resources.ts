import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { environment } from '#resources/actions/environments/index.ts';
import { actionsStore, type SecretStore } from './secret-store.ts';
import { secretReads } from './store.ts';

const words = { secret_name: slugWord };

/** The path resources of a store's secrets, in organizations and repositories. Names are looked up regardless of case. */
export const secretResources = ({ name }: SecretStore) => {
  const { select, findForUpdate } = secretReads(name);
  return {
    orgSecret: pathResource({
      name: 'secret',
      words,
      below: 'org',
      query: ({ db, at }, { secret_name }) => select(db, { column: 'organization_id', id: at.org.id }, secret_name),
      lock: (tx, at) => findForUpdate(tx, at.secret),
    }),
    repoSecret: pathResource({
      name: 'secret',
      words,
      below: 'repo',
      query: ({ db, at }, { secret_name }) => select(db, { column: 'repository_id', id: at.repo.id }, secret_name),
      lock: (tx, at) => findForUpdate(tx, at.secret),
    }),
  };
};

export const { orgSecret, repoSecret } = secretResources(actionsStore);

const { select, findForUpdate } = secretReads(actionsStore.name);

/** A secret of an environment. */
export const environmentSecret = pathResource({
  name: 'secret',
  words,
  below: environment,
  find: ({ db, at }, { secret_name }) =>
    select(db, { column: 'environment_id', id: at.environment.id }, secret_name).executeTakeFirst(),
  lock: (tx, at) => findForUpdate(tx, at.secret),
});
