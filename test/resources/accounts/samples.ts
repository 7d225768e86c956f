import { randomBytes } from 'node:crypto';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { accountById, ownKey } from '#resources/accounts/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';

/** A field of an SSH key: its length, and its bytes. */
const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [accountById, async ({ owner }) => ({ account_id: String(owner.id) })],
  [
    ownKey,
    async ({ client }) => {
      const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(randomBytes(32))]);
      const { body } = await client.post('/user/keys', { title: 'laptop', key: `ssh-ed25519 ${blob.toString('base64')}` });
      return { key_id: String(body.id) };
    },
  ],
]);
