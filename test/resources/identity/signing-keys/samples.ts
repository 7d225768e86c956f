import { randomBytes } from 'node:crypto';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { ownGpgKey, ownSshSigningKey } from '#resources/identity/signing-keys/path-resources.ts';
import { newKey } from '#test/lib/openpgp/build.ts';
import type { Sample, Samples } from '#test/support/samples.ts';
import { sshKey } from '#test/support/ssh-key.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    ownGpgKey,
    async ({ client }) => {
      const { body } = await client.post('/user/gpg_keys', { armored_public_key: newKey() });
      return { gpg_key_id: String(body.id) };
    },
  ],
  [
    ownSshSigningKey,
    async ({ client }) => {
      const { body } = await client.post('/user/ssh_signing_keys', { title: 'laptop', key: sshKey(randomBytes(32)) });
      return { ssh_signing_key_id: String(body.id) };
    },
  ],
]);
