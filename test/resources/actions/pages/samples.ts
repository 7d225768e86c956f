import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { pageBuild, pageDeployment } from '#resources/actions/pages/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    pageBuild,
    async ({ client }, base) => {
      await client.put(`${base}/contents/index.html`, { message: 'Begin', content: 'YQ==' });
      // Another sample may have made a website of the repository that jobs deploy.
      await client.post(`${base}/pages`, { source: { branch: 'main' } });
      await client.put(`${base}/pages`, { build_type: 'legacy', source: { branch: 'main', path: '/' } });
      await client.post(`${base}/pages/builds`);
      const { body } = await client.get(`${base}/pages/builds/latest`);
      return { build_id: body.url.split('/').at(-1) };
    },
  ],
  [
    pageDeployment,
    // No job has asked for it.
    async ({ db, client, repo, clock: { now } }, base) => {
      await client.post(`${base}/pages`, { build_type: 'workflow' });
      const row = { repository_id: repo.id, kind: 'artifact', commit_sha: 'v1', created_at: now, updated_at: now } as const;
      const { id } = await db.insertInto('pages_builds').values(row).returning('id').executeTakeFirstOrThrow();
      return { pages_deployment_id: String(id) };
    },
  ],
]);
