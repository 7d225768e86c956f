import { autolink } from '#resources/repositories/autolinks/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    autolink,
    async ({ client }, base) => {
      const wanted = { key_prefix: `${fresh('t')}:`, url_template: 'https://tickets.example/<num>' };
      const { body } = await client.post(`${base}/autolinks`, wanted);
      return { autolink_id: String(body.id) };
    },
  ],
]);
