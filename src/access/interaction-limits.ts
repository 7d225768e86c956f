// Limits on interactions: for a time, an owner lets only some accounts open issues, comment and react.
import { type RawBuilder, sql } from 'kysely';
import { addDays, timestamp } from '#lib/time.ts';
import type { Account } from './viewer.ts';

/** Whom a limit lets interact, the widest group first. */
export const interactionGroups = ['existing_users', 'contributors_only', 'collaborators_only'] as const;
export type InteractionGroup = (typeof interactionGroups)[number];

/** A limit that holds in a repository, and what decides whether it excludes the viewer. */
export type InteractionLimit = {
  group: InteractionGroup;
  expiresAt: Date;
  /** The viewer has a role in the repository. That everybody may read it isn't one. */
  hasRole: boolean;
  /** The viewer wrote a commit of the default branch. */
  hasCommits: boolean;
  /** The viewer's account is younger than a day. */
  isNew: boolean;
};

/** With what the limit of a repository is looked up. */
export type LimitLookup = {
  now: Date;
  /** Whether the viewer wrote a commit of the default branch of the repository `r`. */
  hasCommits: RawBuilder<boolean>;
};

type Place = { organization: RawBuilder<unknown>; repository: RawBuilder<unknown> };

/** The limit in force in a place, as a table of at most one row: an organization's holds in all of its repositories. */
export const limitInForce = ({ organization, repository }: Place, now: Date): RawBuilder<unknown> => sql`(
  select * from interaction_limits
  where expires_at > ${now} and (organization_id = ${organization} or repository_id = ${repository})
  order by organization_id nulls last limit 1)`;

/** What is known of a limit before the age of the account is looked at. Times are text in JSON. */
type LimitJson = { group: InteractionGroup; expires_at: string; has_role: boolean; has_commits: boolean };

/** The limit in force in the repository `r`, for the account that interacts; null where there is none. */
export const limitOf = (account: Account | undefined, { now, hasCommits }: LimitLookup): RawBuilder<LimitJson | null> => {
  const hasRole = sql`exists (select from repository_roles role
    where role.repository_id = r.id and role.account_id = ${account?.id ?? null} and role.level > 0)`;
  // Commits are looked for where they decide, since somebody may have written thousands.
  return sql<LimitJson | null>`(
    select jsonb_build_object('group', l.interaction_group, 'expires_at', l.expires_at, 'has_role', ${hasRole},
      'has_commits', case when l.interaction_group = 'collaborators_only' then false when ${hasRole} then false else ${hasCommits} end)
    from ${limitInForce({ organization: sql`r.owner_id`, repository: sql`r.id` }, now)} l)`;
};

/** A limit from its JSON, as it meets an account. Nobody's account counts as new. */
export const reviveLimit = (json: LimitJson, account: Account | undefined, now: Date): InteractionLimit => ({
  group: json.group,
  expiresAt: new Date(json.expires_at),
  hasRole: json.has_role,
  hasCommits: json.has_commits,
  isNew: account === undefined || addDays(account.created_at, 1) > now,
});

/** Whether a limit lets the viewer interact. */
export function mayInteract({ group, hasRole, hasCommits, isNew }: InteractionLimit): boolean {
  switch (group) {
    case 'existing_users':
      return hasRole || hasCommits || !isNew;
    case 'contributors_only':
      return hasRole || hasCommits;
    case 'collaborators_only':
      return hasRole;
  }
}

const groupNames: Readonly<Record<InteractionGroup, string>> = {
  existing_users: 'accounts that are older than a day, contributors and collaborators',
  contributors_only: 'contributors and collaborators',
  collaborators_only: 'collaborators',
};

/** A limit in words, for those whom it excludes. */
export const limitMessage = ({ group, expiresAt }: InteractionLimit): string =>
  `Interactions in this repository are limited to ${groupNames[group]} until ${timestamp(expiresAt)}.`;
