import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { deployment, deploymentStatus } from '#resources/actions/deployments/path-resources.ts';
import { addFile } from '#test/resources/code/commits/setting.ts';
import type { Sample, Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    deployment,
    async ({ client }, base) => {
      const { commit } = await addFile(client, base);
      const { body } = await client.post(`${base}/deployments`, { ref: commit, environment: 'staging' });
      // An active one is deleted only if there is no other.
      await client.post(`${base}/deployments/${body.id}/statuses`, { state: 'inactive' });
      return { deployment_id: String(body.id) };
    },
  ],
  [
    deploymentStatus,
    async ({ client }, base) => ({
      status_id: String((await client.post(`${base}/statuses`, { state: 'pending' })).body.id),
    }),
  ],
]);
