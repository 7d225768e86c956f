import { catalogue, type Level, type PermissionScope, parsePermission, permissionScope } from '#access/permissions.ts';
import { acceptedRoles, alternatives, type NoPermissionReason, type Policy } from '#access/policy.ts';
import { everyCredential, type TokenKind, tokensAmong } from '#access/tokens.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { permissionsText, permissionText, scopesText } from './needs.ts';

type Declared = Endpoint & { readonly family: string };

const introduction = `# Permissions

What is needed to call each endpoint: a token of the right kind, its permission or scope, and the role of its holder. To see
how the server decides about one request, run \`./hearth explain --token "$TOKEN" GET /orgs/acme/hooks\`.
[Tokens](tokens.md) says how to make them.

- **Permission** is what fine-grained personal tokens and tokens of apps need, with its level: \`a=read\`, \`a=write\` or
  \`a=admin\`. Each level includes the ones before it. \`a, b\` means both, \`a; b\` one of them.
  [All permissions](#all-permissions) are listed below.
- **Scopes** are for classic personal tokens and tokens of OAuth apps: they need one of these, or one that includes it. For a
  public repository, \`public_repo\` is enough where \`repo\` is named. If none is named, none is needed.
- **Role** is what the account behind the token must be in the repository or organization. \`security_manager\` is the role of an
  organization's [security managers](organizations.md#security-managers). An installation of an app has no role: only its
  permissions count.
- **Tokens** are the kinds that are accepted: C classic, F fine-grained, O of an OAuth app, U of an app for a user, I of an app's
  installation.
- **Public**: "yes" where public repositories and organizations can be read without any of this, and without a token.

This page is made from the declarations of the endpoints by \`npm run docs\`. A test fails when it is stale.`;

/** Makes the page with the requirements of all endpoints and the endpoints of all permissions, in neutral words. */
export function makePermissionsPage(endpoints: readonly Declared[]): string {
  const families = Map.groupBy(endpoints, ({ family }) => family);
  const tables = [...families].map(([family, members]) => `### ${family}\n\n${table(members)}`);
  return [
    introduction,
    '## Endpoints',
    ...tables,
    interactionsIn(endpoints),
    allPermissions,
    '## What each permission opens',
    ...byPermission(endpoints),
  ]
    .join('\n\n')
    .concat('\n');
}

const interactions = `## Limits on interactions

For a time, an organization or a repository may limit these to accounts that are older than a day, contributors or
collaborators. A contributor wrote a commit of the default branch, a collaborator has a role in the repository. Installations
of apps aren't limited. Commits count by the verified addresses of an account and its noreply address: nobody verified what
else an account states.`;

function interactionsIn(endpoints: readonly Declared[]): string {
  const limited = endpoints.filter(({ access }) => access.interaction === true).sort(byPath);
  return [interactions, limited.map((endpoint) => `- ${routeOf(endpoint)}`).join('\n')].join('\n\n');
}

const byPath = (a: Declared, b: Declared): number =>
  a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1;

const routeOf = ({ method, path }: Declared): string => `\`${method} ${path}\``;

function table(endpoints: readonly Declared[]): string {
  const rows = [...endpoints].sort(byPath).map((endpoint) => {
    const { access } = endpoint;
    return [
      routeOf(endpoint),
      permissionsText(access, 'service'),
      scopesText(access),
      acceptedRoles(access),
      tokensOf(access),
      access.public ? 'yes' : '',
    ];
  });
  return rowsOf(['Endpoint', 'Permission', 'Scopes', 'Role', 'Tokens', 'Public'], rows);
}

const rowsOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const letters: Record<TokenKind, string> = {
  classic_pat: 'C',
  fine_grained_pat: 'F',
  oauth_app: 'O',
  app_user: 'U',
  installation: 'I',
};

function tokensOf(access: Policy): string {
  const { permission, credentials } = access;
  const isWithoutToken = typeof permission === 'object' && 'none' in permission && withoutToken.has(permission.none);
  return isWithoutToken
    ? ''
    : tokensAmong(credentials ?? everyCredential)
        .map((kind) => letters[kind])
        .join(' ');
}

const withoutToken = new Set<NoPermissionReason>(['public', 'app_jwt', 'client_secret', 'token_exchange']);

const scopeTitles: Record<PermissionScope, string> = {
  repository: 'Repository permissions',
  organization: 'Organization permissions',
  account: 'Account permissions',
};

/** The catalogue, with the levels that each permission has. */
const allPermissions = `## All permissions

Fine-grained tokens and apps can have these, each at one of its levels. Permissions of an account are only for tokens for the
user's own resources.

${rowsOf(
  ['Permissions of', 'Levels', 'Names'],
  Object.entries(catalogue).flatMap(([scope, names]) => {
    const byLevels = Map.groupBy(Object.entries<readonly Level[]>(names), ([, levels]) => levels.join(', '));
    return [...byLevels].map(([levels, entries]) => [scope, levels, entries.map(([name]) => `\`${name}\``).join(' ')]);
  }),
)}`;

function byPermission(endpoints: readonly Declared[]): string[] {
  const uses = endpoints.flatMap((endpoint) => {
    const rule = alternatives(endpoint.access.permission);
    const isAlone = rule.length === 1 && rule[0]?.length === 1;
    return rule.flat().map((permission) => ({ endpoint, permission, isAlone, ...parsePermission(permission) }));
  });
  const scopes = Map.groupBy(uses, ({ name }) => permissionScope(name));
  return (Object.keys(scopeTitles) as PermissionScope[]).flatMap((scope) => {
    const permissions = [...Map.groupBy(scopes.get(scope) ?? [], ({ permission }) => permission)].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    if (permissions.length === 0) return [];
    const rows = permissions.map(([permission, uses]) => {
      const routes = uses
        .sort((a, b) => byPath(a.endpoint, b.endpoint))
        .map(({ endpoint, isAlone }) => routeOf(endpoint) + (isAlone ? '' : ' (*)'));
      return [permissionText(permission, 'service'), routes.join('<br>')];
    });
    return [`### ${scopeTitles[scope]}`, rowsOf(['Permission', 'Endpoints; (*): among other permissions'], rows)];
  });
}
