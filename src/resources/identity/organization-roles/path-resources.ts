import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { selectRole } from './store.ts';

/** A role that an organization can assign, predefined or its own. Roles never change, so they need no lock. */
export const organizationRole = pathResource({
  name: 'role',
  words: { role_id: idOf('organization_roles') },
  below: 'org',
  query: ({ db, at }, { role_id }) => selectRole(db, at.org.id, role_id),
});
