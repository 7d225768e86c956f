// Automatic watching of repositories with push access, and the end of watching when access is lost.

import { type RawBuilder, sql } from 'kysely';
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { asId, type Id } from '#lib/id.ts';
import { removeUnreadable, watchBatch, watchPushable } from './store.ts';

const gains = [
  'repository.created',
  'collaborator.added',
  'collaborator.changed',
  'team.member_added',
  'team.repository_added',
  'team.repository_changed',
  'member.added',
] as const;

/** Users who get push access to a repository watch it, and so does its creator (the public API's default). */
export const startWatching = subscription<(typeof gains)[number], JobContext>({
  name: 'watching.start',
  on: gains,
  attempts: 25,
  async run(event, { change, now, stopping }: JobContext) {
    const { owner, repository } = event;
    const where = gainedBy(event);
    if (!where) return;
    // A single repository is a batch of its own.
    let after = asId<'repositories'>(repository === undefined ? 0 : repository - 1);
    await repeatWhile({ stopping }, async () => {
      const next = await change((scope) => watchPushable(scope.tx, { owner, where, after, now }));
      after = next ?? after;
      return next !== undefined && repository === undefined;
    });
  },
});

type Gain = Parameters<typeof startWatching.run>[0];

/** The roles that an event may have given, as a condition on the row `role` of `repository_roles`. */
function gainedBy(event: Gain): RawBuilder<boolean> | undefined {
  const here = event.repository === undefined ? sql`true` : sql`r.id = ${event.repository}`;
  const whose = (account: Id<'accounts'> | undefined) =>
    account === undefined ? undefined : sql<boolean>`(${here} and role.account_id = ${account})`;
  switch (event.kind) {
    case 'repository.created':
      return whose(event.actor);
    case 'collaborator.added':
    case 'collaborator.changed':
      return whose(event.data.user);
    case 'member.added':
      return sql<boolean>`(role.source = 'membership' and role.account_id = ${event.data.user})`;
    case 'team.member_added':
      return sql<boolean>`(role.source = 'team' and role.account_id = ${event.data.user} and ${ofTeam(event.data.team)})`;
    case 'team.repository_added':
    case 'team.repository_changed':
      return sql<boolean>`(${here} and role.source = 'team' and exists (
        select from team_members tm join teams t on t.id = tm.team_id
        where tm.user_id = role.account_id and ${event.data.team} = any (t.ancestors)))`;
  }
}

/** Whether a team, or one of its parents, has a role in the repository `r`. */
const ofTeam = (team: Id<'teams'>): RawBuilder<unknown> => sql`exists (
  select from teams t join team_repositories tr on tr.team_id = any (t.ancestors)
  where t.id = ${team} and tr.repository_id = r.id)`;

/**
 * Events that may end the access of accounts to private repositories: the access of `user`, or of all accounts if the event names
 * nobody.
 */
export const lossesOfAccess = [
  'repository.privatized',
  'repository.transferred',
  'collaborator.removed',
  'member.removed',
  'team.member_removed',
  'team.repository_removed',
  'team.deleted',
  'organization_role.revoked',
] as const;

/** Ends the watching of private repositories by people who can no longer read them. Lists and counts hide it even before that. */
export const removeLostWatches = subscription<(typeof lossesOfAccess)[number], JobContext>({
  name: 'watching.remove-lost',
  on: lossesOfAccess,
  attempts: 25,
  async run({ owner, repository, data }, { change, stopping }: JobContext) {
    const account = 'user' in data ? data.user : undefined;
    const removeSome = () => change((scope) => removeUnreadable(scope.tx, { owner, repository, account }));
    await repeatWhile({ stopping }, async () => (await removeSome()) === watchBatch);
  },
});
