import type { Id } from '#lib/id.ts';
import { eventKinds } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'organization_role.assigned': RoleData;
    'organization_role.revoked': RoleData;
  }
}

type RoleData = { role: Id<'organization_roles'>; user?: Id<'accounts'>; team?: Id<'teams'> };

export const organizationRoleEvents = eventKinds({
  'organization_role.assigned': 'no webhook',
  'organization_role.revoked': 'no webhook',
});
