import { organizationInvitation } from '#resources/identity/organization-invitations/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    organizationInvitation,
    async ({ client, org }) => {
      const { body } = await client.post(`/orgs/${org.login}/invitations`, { email: `${fresh('guest')}@example.com` });
      return { invitation_id: String(body.id) };
    },
  ],
]);
