import { isScope, type Scope } from '#access/scopes.ts';
import { type DocumentedEndpoint, documented, permissionNamed } from '../matrix.ts';

/** What an endpoint of document 2's organization part asks of its caller, as the documents say it. */
export type Right = {
  route: string;
  permission: string;
  level: 'read' | 'write';
  scopes: readonly Scope[];
  /** `anyone`: whoever holds such a token, member or not, and is shown what is for all. */
  role: 'owner' | 'anyone';
  success: number;
};

/** Document 2 names no role here, and a visibility of its own: fields for all are shown to outsiders too. */
const forAnyone = new Set(['GET /orgs/{org}/issue-fields']);

function rightOf({ method, path, permission, classic_scopes, success }: DocumentedEndpoint): Right {
  const route = `${method} ${path}`;
  if (!permission || !classic_scopes || success.length !== 1) throw new Error(`${route} is described otherwise`);
  return {
    route,
    permission: permissionNamed(permission.category, permission.scope),
    level: permission.level,
    scopes: classic_scopes.filter(isScope),
    role: forAnyone.has(route) ? 'anyone' : 'owner',
    success: success[0] ?? 0,
  };
}

/** The organization part of document 2. */
export const rights: readonly Right[] = documented.filter(({ path }) => path.startsWith('/orgs/{org}/')).map(rightOf);
