import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { environmentSecret, orgSecret, repoSecret } from '#resources/actions/actions-secrets/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { fresh } from '#test/support/world.ts';

/** Makes a secret at a path below its owner. */
export const secretAt =
  (folder: string): Sample =>
  async ({ client }, base) => {
    const [path, name] = [`${base}${folder}`, fresh('token').replace('-', '_').toUpperCase()];
    const value = await sealedFor(client, `${path}/public-key`, 'horse');
    await client.put(`${path}/${name}`, base.startsWith('/orgs/') ? { ...value, visibility: 'selected' } : value);
    return { secret_name: name };
  };

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgSecret, secretAt('/actions/secrets')],
  [repoSecret, secretAt('/actions/secrets')],
  [environmentSecret, secretAt('/secrets')],
]);
