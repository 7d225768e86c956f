import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import type { SampleStage } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';

/** An organization of `owner` with a member `carl` and a private repository that has a history. */
export async function makeSampleStage(world: World, owner: Account): Promise<SampleStage> {
  const org = await world.org(owner, 'acme');
  const repo = await world.repo(org, { name: 'secret', visibility: 'private', by: owner });
  await world.member(org, await world.user('carl'));
  await commitFiles(world, repo, { 'here.txt': 'here' });
  return { ...world, world, place: 'here', client: await world.as(owner), owner, org, repo };
}
