import type { Account } from '#access/viewer.ts';
import { receiver } from '#test/support/receiver.ts';
import { type World, world } from '#test/support/world.ts';

/** An organization with its owner and a member, and a receiver. */
export async function setting() {
  const here: World = await world();
  const owner = await here.user();
  const org = await here.org(owner);
  const member = await here.user();
  await here.member(org, member);
  return { here, owner, org, member, target: await receiver() };
}

/** A hook of an organization, made through the API; its ping has been sent. */
export async function hookOf(here: World, org: Account, owner: Account, url: string, more: object = {}): Promise<number> {
  const client = await here.as(owner);
  const { config = {}, ...rest } = more as { config?: object };
  const { body } = await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url, ...config }, ...rest });
  await here.settle();
  return body.id;
}
