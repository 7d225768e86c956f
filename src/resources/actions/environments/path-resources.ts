import { pathResource } from '#endpoint/path-resource.ts';
import { escapedNameWord, idOf } from '#endpoint/path-words.ts';
import {
  findBranchPolicy,
  findBranchPolicyForUpdate,
  findCustomRule,
  findCustomRuleForUpdate,
  findEnvironmentForUpdate,
  selectEnvironment,
} from './store.ts';

/** An environment of a repository. */
export const environment = pathResource({
  name: 'environment',
  words: { environment_name: escapedNameWord },
  below: 'repo',
  query: ({ db, at }, { environment_name }) => selectEnvironment(db, at.repo.id, environment_name),
  lock: (tx, at) => findEnvironmentForUpdate(tx, at.environment),
});

/** A branch pattern of an environment. */
export const branchPolicy = pathResource({
  name: 'branchPolicy',
  words: { branch_policy_id: idOf('environment_branch_policies') },
  below: environment,
  find: ({ db, at }, { branch_policy_id }) => findBranchPolicy(db, at.environment.id, branch_policy_id),
  // The environment is always locked first.
  async lock(tx, at) {
    await findEnvironmentForUpdate(tx, at.environment);
    return findBranchPolicyForUpdate(tx, at.branchPolicy);
  },
});

/** A rule of an environment that consults an app. */
export const protectionRule = pathResource({
  name: 'protectionRule',
  words: { protection_rule_id: idOf('environment_rules') },
  below: environment,
  find: ({ db, at }, { protection_rule_id }) => findCustomRule(db, at.environment.id, protection_rule_id),
  async lock(tx, at) {
    await findEnvironmentForUpdate(tx, at.environment);
    return findCustomRuleForUpdate(tx, at.environment.id, at.protectionRule);
  },
});
