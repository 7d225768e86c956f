import { pathResource } from '#endpoint/path-resource.ts';
import { idOf, nameWord } from '#endpoint/path-words.ts';
import { findSuite } from './store.ts';

/** The results of rules for a move, in an organization or a repository. Nothing changes them, so they need no lock. */
const words = { rule_suite_id: idOf('rule_suites') };

export const orgRuleSuite = pathResource({
  name: 'suite',
  words,
  below: 'org',
  find: ({ db, at }, { rule_suite_id }) => findSuite(db, { owner: at.org.id }, rule_suite_id),
});

export const repoRuleSuite = pathResource({
  name: 'suite',
  words,
  below: 'repo',
  find: ({ db, at }, { rule_suite_id }) => findSuite(db, { repository: at.repo.id, owner: at.repo.owner_id }, rule_suite_id),
});

/** The name of a branch, which may not exist yet. */
export const branchName = pathResource({
  name: 'ruledBranch',
  words: { branch: nameWord },
  below: 'repo',
  find: async (_lookup, { branch }) => ({ ref: `refs/heads/${branch.replace(/^refs\/heads\//, '')}` }),
});
