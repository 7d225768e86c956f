import { family } from '#resources/family.ts';
import { makeRepositoryRules } from './evaluate.ts';

/**
 * Rules of organizations about repositories themselves: their names and visibility, and who creates, transfers and deletes them.
 * The family `repositories` has each such change evaluated here; rulesets and the results of rules have families of their own.
 */
export const repositoryRules = family({
  name: 'repository-rules',
  services: { repositoryRules: makeRepositoryRules },
  interpreters: [
    {
      reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
      runs: 'steps',
      modules: ['evaluators.ts'],
      bounds: [],
    },
  ],
});
