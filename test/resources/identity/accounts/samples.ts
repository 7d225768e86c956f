import { randomBytes } from 'node:crypto';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { accountById, ownKey } from '#resources/identity/accounts/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { sshKey } from '#test/support/ssh-key.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [accountById, async ({ owner }) => ({ account_id: String(owner.id) })],
  [
    ownKey,
    async ({ client }) => {
      const { body } = await client.post('/user/keys', { title: 'laptop', key: sshKey(randomBytes(32)) });
      return { key_id: String(body.id) };
    },
  ],
]);
