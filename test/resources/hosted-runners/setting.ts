import type { Account } from '#access/viewer.ts';
import { type World, world } from '#test/support/world.ts';

/** An organization with its owner, a member, and its default group of runners. */
export async function setting() {
  const here: World = await world();
  const owner = await here.user();
  const org = await here.org(owner);
  const member = await here.user();
  await here.member(org, member);
  const client = await here.as(owner);
  const group = await groupOf(here, org);
  return { here, owner, org, member, client, group, path: `/orgs/${org.login}/actions/hosted-runners` };
}

/** The id of an organization's default group of runners. */
export async function groupOf({ db }: World, org: Account): Promise<number> {
  const { id } = await db
    .selectFrom('runner_groups')
    .select('id')
    .where('organization_id', '=', org.id)
    .where('is_default', '=', true)
    .executeTakeFirstOrThrow();
  return id;
}
