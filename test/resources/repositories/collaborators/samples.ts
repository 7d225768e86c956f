import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { ownInvitation, repoInvitation } from '#resources/repositories/collaborators/path-resources.ts';
import type { Sample, Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    repoInvitation,
    async ({ client, user }, base) => {
      const { body } = await client.put(`${base}/collaborators/${(await user()).login}`, { permission: 'push' });
      return { invitation_id: String(body.id) };
    },
  ],
  [
    ownInvitation,
    async ({ as, user, owner }) => {
      const inviter = await user();
      const client = await as(inviter);
      await client.post('/user/repos', { name: 'shared', private: true });
      const { body } = await client.put(`/repos/${inviter.login}/shared/collaborators/${owner.login}`, {});
      return { invitation_id: String(body.id) };
    },
  ],
]);
