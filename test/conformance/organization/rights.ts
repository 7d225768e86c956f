import { isScope, type Scope } from '#access/scopes.ts';
import { type DocumentedEndpoint, documented, permissionNamed } from '../matrix.ts';

/** The requirements of an endpoint, according to the documents or the public API. */
export type Right = {
  route: string;
  permission: string;
  level: 'read' | 'write';
  scopes: readonly Scope[];
  /** `anyone`: any holder of such a token, member or not, who sees the public part. The others are roles in a repository. */
  role: 'owner' | 'anyone' | 'read' | 'write' | 'admin';
  success: number;
};

/** Document 2 has no role here, but a visibility: outsiders also see public fields. */
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

const hooks = '/repos/{owner}/{repo}/hooks';
const values = '/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values';

const ofHooks = { permission: 'repository_webhooks', role: 'admin' } as const;
const readsHooks = { ...ofHooks, level: 'read', scopes: ['repo', 'read:repo_hook'] } as const;
const writesHooks = { ...ofHooks, level: 'write', scopes: ['repo', 'write:repo_hook'] } as const;
const removesHooks = { ...ofHooks, level: 'write', scopes: ['repo', 'admin:repo_hook'] } as const;
const readsValues = { permission: 'issues', level: 'read', scopes: ['repo'], role: 'read' } as const;
const writesValues = { permission: 'issues', level: 'write', scopes: ['repo'], role: 'write' } as const;

/** The public API's endpoints for the same resources in a repository: webhooks, and the values of issue fields. */
export const rightsInRepositories: readonly Right[] = [
  { route: `GET ${hooks}`, ...readsHooks, success: 200 },
  { route: `POST ${hooks}`, ...writesHooks, success: 201 },
  { route: `GET ${hooks}/{hook_id}`, ...readsHooks, success: 200 },
  { route: `PATCH ${hooks}/{hook_id}`, ...writesHooks, success: 200 },
  { route: `DELETE ${hooks}/{hook_id}`, ...removesHooks, success: 204 },
  { route: `GET ${hooks}/{hook_id}/config`, ...readsHooks, success: 200 },
  { route: `PATCH ${hooks}/{hook_id}/config`, ...writesHooks, success: 200 },
  { route: `GET ${hooks}/{hook_id}/deliveries`, ...readsHooks, success: 200 },
  { route: `GET ${hooks}/{hook_id}/deliveries/{delivery_id}`, ...readsHooks, success: 200 },
  { route: `POST ${hooks}/{hook_id}/deliveries/{delivery_id}/attempts`, ...writesHooks, success: 202 },
  { route: `POST ${hooks}/{hook_id}/pings`, ...writesHooks, success: 204 },
  { route: `POST ${hooks}/{hook_id}/tests`, ...writesHooks, success: 204 },
  { route: `GET ${values}`, ...readsValues, success: 200 },
  { route: `POST ${values}`, ...writesValues, success: 200 },
  { route: `DELETE ${values}/{issue_field_id}`, ...writesValues, success: 204 },
];
