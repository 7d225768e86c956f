// Limits on interactions: for a time, an owner lets only some accounts open issues, comment and react.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Snapshot } from '#lib/snapshot.ts';
import { addDays, timestamp } from '#lib/time.ts';
import type { Account } from './viewer.ts';

/** The groups that a limit may admit, the widest first. */
export const interactionGroups = ['existing_users', 'contributors_only', 'collaborators_only'] as const;
export type InteractionGroup = (typeof interactionGroups)[number];

/** A limit that is in force in a repository, and the facts that decide whether it excludes the viewer. */
export type InteractionLimit = {
  group: InteractionGroup;
  expiresAt: Date;
  /** The viewer has a role in the repository. Public read access isn't a role. */
  hasRole: boolean;
  /** The viewer wrote a commit of the default branch. */
  hasCommits: boolean;
  /** The viewer's account is younger than a day. */
  isNew: boolean;
};

/** The account that a limit may exclude, and the repository. */
type LimitLookup = {
  repository: Id<'repositories'>;
  account: Account | undefined;
  now: Date;
  /** Whether the viewer wrote a commit of the default branch of the repository `r`. */
  hasCommits: RawBuilder<boolean>;
};

type LimitColumns = { organization: RawBuilder<unknown>; repository: RawBuilder<unknown> };

/**
 * The limit in force for a repository or an organization, as a table of at most one row. An organization's limit applies to all
 * of its repositories.
 */
export const limitInForce = ({ organization, repository }: LimitColumns, now: Date): RawBuilder<unknown> => sql`(
  select * from interaction_limits
  where expires_at > ${now} and (organization_id = ${organization} or repository_id = ${repository})
  order by organization_id nulls last limit 1)`;

/** A limit in force, regardless of the viewer. */
export type LimitInForce = { group: InteractionGroup; expiresAt: Date };

/** The limit in force in the repository `r`, as JSON; null if there is no limit, which is the usual case. */
export const limitOf = (now: Date): RawBuilder<Snapshot<LimitInForce> | null> => sql`(
  select jsonb_build_object('group', l.interaction_group, 'expiresAt', l.expires_at)
  from ${limitInForce({ organization: sql`r.owner_id`, repository: sql`r.id` }, now)} l)`;

/** Looks up the facts that decide whether a limit excludes an account. Anonymous viewers count as new. */
export async function findLimit(
  db: Db,
  { group, expiresAt }: LimitInForce,
  { repository, account, hasCommits, now }: LimitLookup,
): Promise<InteractionLimit> {
  const hasRole = sql`exists (select from repository_roles role
    where role.repository_id = r.id and role.account_id = ${account?.id ?? null} and role.level > 0)`;
  // Commits are looked up only if they decide, since an account may have written thousands.
  const { rows } = await sql<{ hasRole: boolean; hasCommits: boolean }>`
    select ${hasRole} as "hasRole",
      case when ${group} = 'collaborators_only' then false when ${hasRole} then false else ${hasCommits} end as "hasCommits"
    from repositories r where r.id = ${repository}`.execute(db);
  const [found = { hasRole: false, hasCommits: false }] = rows;
  return { group, expiresAt, ...found, isNew: account === undefined || addDays(account.created_at, 1) > now };
}

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

/** The message for people whom a limit excludes. */
export const limitMessage = ({ group, expiresAt }: InteractionLimit): string =>
  `Interactions in this repository are limited to ${groupNames[group]} until ${timestamp(expiresAt)}.`;
