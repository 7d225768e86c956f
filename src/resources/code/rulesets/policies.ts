import { readsMetadata } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';

/** Rulesets of a repository are read by all who may read it (the public API's rule). */
export const readsRepositoryRulesets = readsMetadata;

/** Document 3 requires the right to change a repository even for reading the history of its rulesets. */
export const writesRepositoryRulesets = {
  scopes: ['repo'],
  role: 'admin',
  permission: 'administration:write',
} as const satisfies Policy;

/** Document 3 requires the right to change an organization even for reading its rulesets. */
export const writesOrganizationRulesets = {
  scopes: ['admin:org'],
  role: 'owner',
  permission: 'organization_administration:write',
} as const satisfies Policy;
