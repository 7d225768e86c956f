import { advisories } from './limits/advisories.ts';
import { assistant } from './limits/assistant.ts';
import { billing } from './limits/billing.ts';
import { codeScanning } from './limits/code-scanning.ts';
import { secrets, variables } from './limits/configuration.ts';
import { database } from './limits/database.ts';
import { dependencies } from './limits/dependencies.ts';
import { git } from './limits/git.ts';
import { interpreters } from './limits/interpreters.ts';
import type { Limit } from './limits/limit.ts';
import {
  accounts,
  actionsSettings,
  checks,
  deployments,
  environments,
  issues,
  lists,
  notifications,
  repositories,
  reviewers,
  rules,
} from './limits/lists.ts';
import { migrations } from './limits/migrations.ts';
import { oauth } from './limits/oauth.ts';
import { pages } from './limits/pages.ts';
import { releases } from './limits/releases.ts';
import { requests } from './limits/requests.ts';
import { results } from './limits/results.ts';
import { reviews } from './limits/reviews.ts';
import { search } from './limits/search.ts';
import { secretScanning } from './limits/secret-scanning.ts';
import { ssh } from './limits/ssh.ts';
import { texts } from './limits/texts.ts';
import { threads } from './limits/threads.ts';
import { names, webhooks } from './limits/webhooks.ts';
import { workflows } from './limits/workflows.ts';

export { fixedValue, type Limit } from './limits/limit.ts';

/**
 * All limits on size, memory, time and number. `docs/limits.md` is made from this table. Code reads the values from
 * `Services.resourceLimits` and `GitStore.limits`, so that tests can open a server with small ones.
 */
export const limitTable = {
  requests,
  git,
  ssh,
  oauth,
  database,
  lists,
  accounts,
  issues,
  reviews,
  texts,
  interpreters,
  repositories,
  rules,
  checks,
  environments,
  deployments,
  secrets,
  variables,
  reviewers,
  actionsSettings,
  notifications,
  search,
  webhooks,
  names,
  migrations,
  releases,
  pages,
  billing,
  assistant,
  workflows,
  results,
  secretScanning,
  codeScanning,
  dependencies,
  advisories,
  threads,
};

type Table = typeof limitTable;

/** The effective values, by group and name. */
export type ResourceLimits = { readonly [Group in keyof Table]: { readonly [Name in keyof Table[Group]]: number } };

/** Values that replace those in the table, for tests and for operators' settings. */
export type LimitOverrides = { readonly [Group in keyof Table]?: Partial<ResourceLimits[Group]> };

const valuesOf = (group: Record<string, Limit>): Record<string, number> =>
  Object.fromEntries(Object.entries(group).map(([name, { value }]) => [name, value]));

/** The values of the table, replaced by those in `overrides`. */
export const resourceLimits = (overrides: LimitOverrides = {}): ResourceLimits =>
  Object.fromEntries(
    Object.entries(limitTable).map(([group, limits]) => [group, { ...valuesOf(limits), ...overrides[group as keyof Table] }]),
  ) as ResourceLimits; // built from the table's own keys
