import { cache } from '#resources/actions/caches/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    cache,
    async ({ db, repo, world }) => {
      const { now } = world.clock;
      const values = {
        repository_id: repo.id,
        ref: 'refs/heads/main',
        key: fresh('key'),
        version: 'v',
        object_key: `caches-${repo.id}/${fresh('object')}`,
        size: 1,
        digest: `sha256:${'0'.repeat(64)}`,
        created_at: now,
        last_accessed_at: now,
      };
      const { id } = await db.insertInto('caches').values(values).returning('id').executeTakeFirstOrThrow();
      return { cache_id: String(id) };
    },
  ],
]);
