import type { AnyPathResource } from '#endpoint/path-resource.ts';
import {
  archived,
  lockedRepository,
  migration,
  orgLockedRepository,
  orgMigration,
} from '#resources/platform/migrations/path-resources.ts';
import type { Client } from '#test/support/client.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

/** An account keeps a few archives: the older ones are deleted. */
async function makeRoom(client: Client, base: string): Promise<void> {
  const { body } = await client.get(base);
  for (const { id, archive_url } of body.slice(4)) if (archive_url) await client.delete(`${base}/${id}/archive`);
}

/** A migration of a repository of its own, since a repository can be locked once. */
const start = async ({ world, owner, client, settle }: Parameters<Sample>[0], of = owner, base = '/user/migrations') => {
  await makeRoom(client, base);
  const { name } = await world.repo(of, { name: fresh('moving'), by: owner });
  const wanted = { repositories: [`${of.login}/${name}`], lock_repositories: true };
  const { body } = await client.post(base, wanted);
  await settle();
  return { id: String(body.id), name };
};

const locked: Sample = async ({ client }, base) => {
  const { body } = await client.get(base);
  return { repo_name: body.repositories[0].name };
};

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [migration, async (stage) => ({ migration_id: (await start(stage)).id })],
  [orgMigration, async (stage, base) => ({ migration_id: (await start(stage, stage.org, `${base}/migrations`)).id })],
  [lockedRepository, locked],
  [orgLockedRepository, locked],
  [
    archived,
    async (stage) => {
      const { id } = await start(stage);
      const { headers } = await stage.client.get(`/user/migrations/${id}/archive`);
      return { archive_key: (headers.location ?? '').replace(/^.*\//, '') };
    },
  ],
]);
