import { type Lookup, pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import type { Id } from '#lib/id.ts';
import { lockOwner } from './rules.ts';
import { findRulesetAt, findRulesetForUpdate, findVersion, type RulesetRow, selectRuleset } from './store.ts';

const words = { ruleset_id: idOf('rulesets') };

// Changes lock the owner before the row, since names and the number of rulesets depend on its other rulesets.

/** A ruleset of a repository. */
export const repositoryRuleset = pathResource({
  name: 'ruleset',
  words,
  below: 'repo',
  query: ({ db, at }, { ruleset_id }) => selectRuleset(db, { column: 'repository_id', id: at.repo.id }, ruleset_id),
  async lock(tx, { repo, ruleset }) {
    await lockOwner(tx, { column: 'repository_id', id: repo.id });
    return findRulesetForUpdate(tx, ruleset);
  },
});

/** A ruleset of an organization. */
export const organizationRuleset = pathResource({
  name: 'ruleset',
  words,
  below: 'org',
  query: ({ db, at }, { ruleset_id }) => selectRuleset(db, { column: 'organization_id', id: at.org.id }, ruleset_id),
  async lock(tx, { org, ruleset }) {
    await lockOwner(tx, { column: 'organization_id', id: org.id });
    return findRulesetForUpdate(tx, ruleset);
  },
});

/** A ruleset of a repository, or a ruleset of its organization that is in force there. */
export const rulesetAt = pathResource({
  name: 'ruleset',
  words,
  below: 'repo',
  find: ({ db, at }, { ruleset_id }) => findRulesetAt(db, at.repo, ruleset_id),
});

/** A former or the current state of a ruleset. Nothing changes it. */
const version = {
  name: 'version',
  words: { version_id: idOf('ruleset_versions') },
  find: (
    { db, at }: Omit<Lookup, 'at'> & { readonly at: { readonly ruleset: RulesetRow } },
    { version_id }: { version_id: Id<'ruleset_versions'> },
  ) => findVersion(db, at.ruleset.id, version_id),
} as const;

export const repositoryVersion = pathResource({ ...version, below: repositoryRuleset });
export const organizationVersion = pathResource({ ...version, below: organizationRuleset });
