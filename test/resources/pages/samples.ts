import { pageBuild } from '#resources/pages/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map([
  [
    pageBuild,
    async ({ client }, base) => {
      await client.put(`${base}/contents/index.html`, { message: 'Begin', content: 'YQ==' });
      await client.post(`${base}/pages`, { source: { branch: 'main' } });
      const { body } = await client.get(`${base}/pages/builds/latest`);
      return { build_id: body.url.split('/').at(-1) };
    },
  ],
]);
