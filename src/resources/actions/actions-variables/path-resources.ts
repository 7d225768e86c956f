import { pathResource } from '#endpoint/path-resource.ts';
import { slugWord } from '#endpoint/path-words.ts';
import { environment } from '#resources/actions/environments/index.ts';
import { findVariableForUpdate, selectVariable } from './store.ts';

const words = { name: slugWord };

/** A variable of an organization, by its name, regardless of case. */
export const orgVariable = pathResource({
  name: 'variable',
  words,
  below: 'org',
  query: ({ db, at }, { name }) => selectVariable(db, { column: 'organization_id', id: at.org.id }, name),
  lock: (tx, at) => findVariableForUpdate(tx, at.variable),
});

/** A variable of a repository. */
export const repoVariable = pathResource({
  name: 'variable',
  words,
  below: 'repo',
  query: ({ db, at }, { name }) => selectVariable(db, { column: 'repository_id', id: at.repo.id }, name),
  lock: (tx, at) => findVariableForUpdate(tx, at.variable),
});

/** A variable of an environment. */
export const environmentVariable = pathResource({
  name: 'variable',
  words,
  below: environment,
  find: ({ db, at }, { name }) =>
    selectVariable(db, { column: 'environment_id', id: at.environment.id }, name).executeTakeFirst(),
  lock: (tx, at) => findVariableForUpdate(tx, at.variable),
});
