import { Type } from 'typebox';
import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { findGroupForUpdate, selectGroup } from './group-store.ts';
import { findRunnerForUpdate, selectRunner } from './store.ts';

/** A runner of an organization. */
export const orgRunner = pathResource({
  name: 'selfHostedRunner',
  words: { runner_id: idOf('runners') },
  below: 'org',
  query: ({ db, at }, { runner_id }) => selectRunner(db, { organization: at.org.id }, runner_id),
  lock: (tx, at) => findRunnerForUpdate(tx, at.selfHostedRunner),
});

/** A runner group of an organization. Changes lock the organization first, since they depend on its other groups. */
export const runnerGroup = pathResource({
  name: 'runnerGroup',
  words: { runner_group_id: idOf('runner_groups') },
  below: 'org',
  query: ({ db, at }, { runner_group_id }) => selectGroup(db, at.org.id, runner_group_id),
  async lock(tx, at) {
    await lockOrganization(tx, at.org.id);
    return findGroupForUpdate(tx, at.runnerGroup);
  },
});

/** A runner in a group. */
export const groupRunner = pathResource({
  name: 'selfHostedRunner',
  words: { runner_id: idOf('runners') },
  below: runnerGroup,
  find: ({ db, at }, { runner_id }) =>
    selectRunner(db, { organization: at.runnerGroup.organization_id, group: at.runnerGroup.id }, runner_id).executeTakeFirst(),
  lock: (tx, at) => findRunnerForUpdate(tx, at.selfHostedRunner),
});

/** A runner of a repository. */
export const repoRunner = pathResource({
  name: 'selfHostedRunner',
  words: { runner_id: idOf('runners') },
  below: 'repo',
  query: ({ db, at }, { runner_id }) => selectRunner(db, { repository: at.repo.id }, runner_id),
  lock: (tx, at) => findRunnerForUpdate(tx, at.selfHostedRunner),
});

/** A custom label of a runner. */
const label = { name: 'runnerLabel', words: { name: Type.String({ minLength: 1, maxLength: 256 }) } } as const;

const findLabel = ({ custom_labels }: { custom_labels: string[] }, name: string) =>
  custom_labels.find((one) => one === name.toLowerCase());

export const orgRunnerLabel = pathResource({
  ...label,
  below: orgRunner,
  find: async ({ at }, { name }) => findLabel(at.selfHostedRunner, name),
});

export const repoRunnerLabel = pathResource({
  ...label,
  below: repoRunner,
  find: async ({ at }, { name }) => findLabel(at.selfHostedRunner, name),
});
