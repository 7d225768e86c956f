// Every kind of caller in every kind of location, as plain values, for the table of all decisions.
import type { Facts } from './naive.ts';
import type { Requirement } from './requirements.ts';

/** The callers, in the organization of the path. Collaborators only belong to its repository. */
export const people = [
  'owner',
  'member',
  'security_manager',
  'outsider',
  'read',
  'triage',
  'write',
  'maintain',
  'admin',
  'site_admin',
] as const;
export type Person = (typeof people)[number];

export const visibilities = ['public', 'internal', 'private'] as const;
export type Visibility = (typeof visibilities)[number];

export type Place = { readonly repo: boolean; readonly org: boolean };

/** A team's id also identifies its organization. */
export const placeOf = (path: string): Place => ({
  repo: path.includes('repo}') || path.startsWith('/repositories/{repository_id}'),
  org: path.includes('{org}') || path.startsWith('/teams/{team_id}'),
});

/** The credential of a caller. `elsewhere`: it was made for another account than the path's. */
export type Credential = {
  readonly kind: string;
  readonly holds: string;
  readonly scopes: readonly string[];
  readonly permissions: Readonly<Record<string, string>>;
  readonly elsewhere: boolean;
};

const everyScope = [
  'repo admin:org admin:public_key admin:repo_hook admin:org_hook workflow gist notifications user delete_repo write:packages',
  'delete:packages admin:gpg_key admin:ssh_signing_key project site_admin',
].flatMap((line) => line.split(' '));

/** Values for several of these, in parts: a token may hold all parts except the required one. */
const partsOfScopes = [
  'repo:status repo_deployment public_repo repo:invite security_events write:org read:org manage_runners:org write:public_key',
  'read:public_key write:repo_hook read:repo_hook read:user user:email user:follow read:packages write:gpg_key read:gpg_key',
  'write:ssh_signing_key read:ssh_signing_key read:project',
].flatMap((line) => line.split(' '));

const everyPermission: readonly string[] = [
  'actions administration artifact_metadata attestations checks code_quality contents deployments discussions ' +
    'environments issues',
  'pages pull_requests repository_custom_properties repository_webhooks secrets security_events statuses workflows members',
  'issue_fields organization_administration organization_custom_org_roles organization_custom_properties organization_events',
  'organization_hosted_runner_custom_images organization_private_registries organization_secrets organization_webhooks',
  'organization_self_hosted_runners organization_personal_access_tokens organization_personal_access_token_requests',
  'email_addresses followers git_signing_ssh_public_keys git_ssh_keys gpg_keys interaction_limits profile starring',
].flatMap((line) => line.split(' '));

export const namedPermissions = ({ permission = {} }: Requirement): string[] =>
  typeof permission === 'string' ? [permission] : [...(permission.anyOf ?? []), ...(permission.allOf ?? [])];

const nameOf = (permission: string): string => permission.split(':')[0] ?? '';
const all = (names: readonly string[], level: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, level]));
const unique = <T>(many: readonly T[]): T[] => [...new Set(many)];

/** Named sets of scopes. */
function scopeSets({ scopes = [], alsoScopes = [] }: Requirement): [string, string[]][] {
  const named = unique([...scopes, ...alsoScopes]);
  const others = [...everyScope, ...partsOfScopes];
  return [
    ['nothing', []],
    ['everything', everyScope],
    ...named.map((scope): [string, string[]] => [`${scope} alone`, [scope]]),
    ...scopes.map((scope): [string, string[]] => [`${scope} and what else is needed`, [scope, ...alsoScopes]]),
    ...named.map((scope): [string, string[]] => [`all but ${scope}`, others.filter((one) => one !== scope)]),
    ['all but the needed', others.filter((scope) => !named.includes(scope))],
    ['all parts but the needed', partsOfScopes.filter((scope) => !named.includes(scope))],
    ['repo alone', ['repo']],
    ['public_repo and what else is needed', ['public_repo', ...alsoScopes]],
    ['the needed and site_admin', [...named, 'site_admin']],
  ];
}

/** Named sets of permissions. */
function permissionSets(needs: Requirement): [string, Record<string, string>][] {
  const names = unique(namedPermissions(needs).map(nameOf));
  const others = everyPermission.filter((name) => !names.includes(name));
  return [
    ['nothing', {}],
    ...['read', 'write', 'admin'].map((level): [string, Record<string, string>] => [level, all(names, level)]),
    ...(names.length > 1 ? names : []).flatMap((name) =>
      ['read', 'write'].flatMap((level): [string, Record<string, string>][] => [
        [`${name}:${level} alone`, { [name]: level }],
        [`${name}:${level} and the others`, { ...all(names, 'write'), [name]: level }],
      ]),
    ),
    ['all but the needed', all(others, 'write')],
    ['everything', { ...all(others, 'write'), ...all(names, 'admin') }],
  ];
}

/** All credentials that a caller may have. */
export function credentialsFor(needs: Requirement): Credential[] {
  const bare = { holds: 'nothing', scopes: [], permissions: {}, elsewhere: false };
  return [
    ...['none', 'app_jwt', 'client'].map((kind) => ({ ...bare, kind })),
    ...['nothing', 'a recent sign-in'].map((holds) => ({ ...bare, kind: 'session', holds })),
    ...['classic_pat', 'oauth_app'].flatMap((kind) =>
      scopeSets(needs).map(([holds, scopes]) => ({ ...bare, kind, holds, scopes })),
    ),
    ...['fine_grained_pat', 'app_user', 'installation'].flatMap((kind) =>
      permissionSets(needs).flatMap(([holds, permissions]) =>
        [false, true].map((elsewhere) => ({ ...bare, kind, holds, permissions, elsewhere })),
      ),
    ),
  ];
}

const roleOfPerson: Readonly<Record<Person, string | undefined>> = {
  owner: 'admin',
  member: 'read',
  security_manager: 'read',
  outsider: undefined,
  read: 'read',
  triage: 'triage',
  write: 'write',
  maintain: 'maintain',
  admin: 'admin',
  site_admin: undefined,
};

const isWithoutAccount = (kind: string): boolean => ['none', 'app_jwt', 'client'].includes(kind);

const orgRoleOfPerson: { readonly [Who in Person]?: string } = {
  owner: 'owner',
  member: 'member',
  security_manager: 'member',
};

/** The role in a repository. Every signed-in user may read one that isn't private. */
function roleIn(person: Person, kind: string, visibility: Visibility): string | undefined {
  const own = kind === 'installation' || isWithoutAccount(kind) ? undefined : roleOfPerson[person];
  if (own !== undefined) return own;
  return visibility === 'public' || (visibility === 'internal' && !isWithoutAccount(kind)) ? 'read' : undefined;
}

function isReached({ kind, scopes, elsewhere }: Credential, visibility: Visibility | undefined): boolean {
  if (isWithoutAccount(kind)) return false;
  if (kind !== 'classic_pat' && kind !== 'oauth_app') return !elsewhere;
  return visibility === undefined || visibility === 'public' || scopes.includes('repo');
}

/** The state of a repository. Only the first one allows every change. */
export const states = ['open', 'archived', 'locked', 'limited'] as const;
export type State = (typeof states)[number];

export type Cell = {
  readonly person: Person;
  readonly visibility: Visibility;
  readonly state: State;
  readonly credential: Credential;
};

export function factsOf({ person, visibility, state, credential }: Cell, place: Place): Facts {
  const { kind, scopes, permissions } = credential;
  const isPerson = kind !== 'installation' && !isWithoutAccount(kind);
  const role = roleIn(person, kind, visibility);
  const managesSecurity = isPerson && person === 'security_manager';
  const inOrg = isPerson ? orgRoleOfPerson[person] : undefined;
  return {
    kind,
    scopes,
    permissions,
    siteAdmin: isPerson && person === 'site_admin',
    isRecent: credential.holds === 'a recent sign-in',
    ...(place.repo
      ? {
          repo: {
            visibility,
            archived: state === 'archived',
            locked: state === 'locked',
            role,
            managesSecurity,
            reached: isReached(credential, visibility),
            limit: state === 'limited' ? 'collaborators_only' : undefined,
            standing: roleOfPerson[person] ? ['role'] : [],
          },
        }
      : {}),
    ...(place.org ? { org: { role: inOrg, managesSecurity, reached: isReached(credential, undefined) } } : {}),
  };
}

/** All cells of an endpoint. Values that make no difference for its path occur once. */
export function cellsOf(needs: Requirement, place: Place, write: boolean): Cell[] {
  const inStates = place.repo && write ? states : states.slice(0, 1);
  const inVisibilities = place.repo ? visibilities : visibilities.slice(0, 1);
  return credentialsFor(needs).flatMap((credential) =>
    people
      .filter((person) => person === 'owner' || !isWithoutAccount(credential.kind))
      .flatMap((person) =>
        inVisibilities.flatMap((visibility) => inStates.map((state) => ({ person, visibility, state, credential }))),
      ),
  );
}
