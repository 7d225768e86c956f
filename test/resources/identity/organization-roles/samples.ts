import { organizationRole } from '#resources/identity/organization-roles/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

export const samples: Samples = new Map([
  [
    organizationRole,
    // The API has no endpoint that makes one.
    async ({ db, org }) => {
      const { id } = await db
        .insertInto('organization_roles')
        .values({ organization_id: org.id, name: fresh('role'), base_role: 'read' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { role_id: String(id) };
    },
  ],
]);
