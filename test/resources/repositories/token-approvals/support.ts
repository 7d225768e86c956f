import type { Account, RepositoryRow } from '#access/viewer.ts';
import { asId } from '#lib/id.ts';
import { addDays } from '#lib/time.ts';
import { changeTokenDemands, type TokenDemandsChange } from '#resources/identity/organizations/index.ts';
import { changeToken, createFineGrainedToken } from '#resources/identity/tokens/index.ts';
import { installApp } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';

export const everything = {
  organization_personal_access_token_requests: 'write',
  organization_personal_access_tokens: 'write',
};

export type Wish = {
  permissions?: Record<string, string>;
  repositories?: 'all' | 'public' | readonly RepositoryRow[];
  name?: string;
  reason?: string;
  days?: number;
};

const idsOf = (repositories: Wish['repositories']) =>
  typeof repositories === 'string' || repositories === undefined ? repositories : repositories.map(({ id }) => id);

export const demand = ({ change, clock }: World, org: Account, wanted: TokenDemandsChange) =>
  change((scope) => changeTokenDemands(scope, { org, actor: undefined, now: clock.now }, wanted));

/** A fine-grained token for an organization, made as users make it. */
export async function tokenFor({ change, clock }: World, user: Account, owner: Account, wish: Wish = {}) {
  const { permissions = { issues: 'write', metadata: 'read' }, repositories = 'all', name = 'mine', reason, days } = wish;
  const expiresAt = days === undefined ? undefined : addDays(clock.now, days);
  const wanted = {
    user,
    owner,
    permissions,
    repositories: idsOf(repositories) ?? 'all',
    name,
    reason,
    expiresAt,
    now: clock.now,
  };
  const { token, row } = await change((scope) => createFineGrainedToken(scope, wanted));
  return { token, row };
}

export const change = ({ change, clock }: World, token: string, { permissions, repositories, reason }: Wish) =>
  change((scope) => changeToken(scope, token, { permissions, repositories: idsOf(repositories), reason, now: clock.now }));

/** An organization that demands approval, with a private repository, and an app that may review. */
export async function demanding(world: World) {
  const owner = await world.user();
  const member = await world.user();
  const org = await world.org(owner);
  await world.member(org, member);
  const engine = await world.repo(org, { by: owner, visibility: 'private' });
  const other = await world.repo(org, { by: owner, visibility: 'private' });
  await demand(world, org, { token_approval_required: true });
  const app = await installApp(world, { on: org, permissions: everything });
  const reviewer = await world.as(app.token);
  return { owner, member, org, engine, other, app, reviewer, base: `/orgs/${org.login}` };
}

/** The one request that waits. */
export async function onlyRequest(reviewer: Client, base: string) {
  const { body } = await reviewer.get(`${base}/personal-access-token-requests`);
  if (body.length !== 1) throw new Error(`${body.length} requests wait`);
  return body[0];
}

export const idOf = (id: number) => asId<'token_requests'>(id);
