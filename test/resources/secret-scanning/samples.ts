import { newToken } from '#lib/token.ts';
import { secretAlert } from '#resources/secret-scanning/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    secretAlert,
    async ({ client, settle, place }, base) => {
      await client.patch(base, { security_and_analysis: { secret_scanning: { status: 'enabled' } } });
      // One more in one of the two, so that its number names nothing in the other.
      const count = place === 'here' ? 1 : 2;
      const text = Array.from({ length: count }, () => newToken('hrp_')).join('\n');
      await client.put(`${base}/contents/${fresh('secret')}.env`, {
        message: 'Add a secret',
        content: Buffer.from(text).toString('base64'),
      });
      await settle();
      const { body } = await client.get(`${base}/secret-scanning/alerts`);
      return { alert_number: String(body[0].number) };
    },
  ],
]);
