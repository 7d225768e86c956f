import type { Account } from '#access/viewer.ts';
import { type Publication, publishImage } from '#resources/actions/hosted-runners/index.ts';
import type { Provider } from '#runner-providers/provider.ts';
import { machinesInMemory } from '#test/support/machines.ts';
import { type World, world } from '#test/support/world.ts';

/** A provider that gives static addresses. */
export const addressProvider: Provider = {
  ...machinesInMemory(),
  name: 'test',
  givesPublicIps: true,
  provision: async ({ staticIp }) => ({ publicIps: staticIp ? ['203.0.113.16/28'] : [] }),
};

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

type Place = Pick<Awaited<ReturnType<typeof setting>>, 'here' | 'client' | 'group' | 'path'>;

/** A runner that is ready and generates images; its id. */
export async function generator({ here, client, group, path }: Place, more: object = {}) {
  const wanted = { name: 'maker', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core', image_gen: true };
  const { body } = await client.post(path, { ...wanted, runner_group_id: group, ...more });
  await here.settle();
  return body.id as number;
}

/** Publishes a version from a runner of an organization. */
export function publish({ here, org }: { here: World; org: Account }, more: Partial<Publication> = {}) {
  const publication = { organization: org.id, runner: 'maker', image: 'toolchain', sizeGb: 40, ...more };
  return publishImage(here.jobContext().scope, publication);
}
