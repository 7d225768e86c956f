import { randomBytes } from 'node:crypto';
import { deployKey } from '#resources/repositories/deploy-keys/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { sshKey } from '#test/support/ssh-key.ts';

export const samples: Samples = new Map([
  [
    deployKey,
    async ({ client }, base) => {
      const { body } = await client.post(`${base}/keys`, { title: 'deployment', key: sshKey(randomBytes(32)) });
      return { key_id: String(body.id) };
    },
  ],
]);
