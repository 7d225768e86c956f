import { expect } from 'vitest';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { asset, release, releaseReaction, taggedRelease } from '#resources/collaboration/releases/path-resources.ts';
import type { Client } from '#test/support/client.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { uploadTo } from './support.ts';

/** Publishes a release of a commit of its own, since the repository may be empty. */
async function publish(client: Client, base: string): Promise<{ id: number; tag_name: string }> {
  const put = await client.put(`${base}/contents/${fresh('released')}`, { message: 'Release', content: 'YQ==' });
  expect(put.status, put.text).toBe(201);
  const made = await client.post(`${base}/releases`, { tag_name: fresh('v'), draft: true });
  expect(made.status, made.text).toBe(201);
  const published = await client.patch(`${base}/releases/${made.body.id}`, { draft: false });
  expect(published.status, published.text).toBe(200);
  return made.body;
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    release,
    async ({ client }, base) => {
      const body = await publish(client, base);
      return { release_id: String(body.id) };
    },
  ],
  [
    taggedRelease,
    async ({ client }, base) => {
      const body = await publish(client, base);
      return { tag: String(body.tag_name) };
    },
  ],
  [
    asset,
    async ({ client, world, owner }, base) => {
      const { body } = await client.post(`${base}/releases`, { tag_name: fresh('v'), draft: true });
      const uploaded = await uploadTo(world, owner, `${base}/releases/${body.id}/assets?name=${fresh('file')}`, 'bytes');
      expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(201);
      return { asset_id: String(uploaded.body.id) };
    },
  ],
  [
    releaseReaction,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/reactions`, { content: 'heart' });
      return { reaction_id: String(body.id) };
    },
  ],
]);
