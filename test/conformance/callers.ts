import { levelsOf, type PermissionSet, permissionNames } from '#access/permissions.ts';
import { scopes } from '#access/scopes.ts';
import type { TokenKind } from '#access/tokens.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { wordSchemasOf } from '#endpoint/path-resource.ts';
import { allEndpoints } from '#resources/all.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import type { World } from '#test/support/world.ts';

/** A kind of caller that the documents distinguish. */
export type Caller = {
  name: string;
  kind: TokenKind | 'none' | 'malformed';
  /** Whether the token holds every scope or permission, or none at all. */
  holds: boolean;
  /** The role of its account in the organization. */
  role: 'owner' | 'member' | 'stranger';
  token?: string;
};

/** An organization with a private repository, and one caller of each kind. */
export type Stage = { owner: Account; org: Account; repo: RepositoryRow; callers: Caller[] };

/** Every permission, at its highest level. */
export const everyPermission: PermissionSet = Object.fromEntries(permissionNames.map((name) => [name, levelsOf(name).at(-1)]));

export async function makeStage(world: World): Promise<Stage> {
  const { user, org: makeOrg, member, repo: makeRepo, token, fineGrained } = world;
  const owner = await user('ada', { site_admin: true });
  const [colleague, stranger] = [await user('bob'), await user('eve')];
  const org = await makeOrg(owner, 'acme');
  await member(org, colleague);
  await member(org, await user('carl'));
  const repo = await makeRepo(org, { name: 'secret', visibility: 'private', by: owner });
  const strong = await installApp(world, { on: org, permissions: everyPermission });
  const weak = await installApp(world, { on: org, permissions: {} });
  const named = (kind: Caller['kind'], holds: boolean, token?: string, role: Caller['role'] = 'owner'): Caller => ({
    name: `${kind} ${holds ? 'with' : 'without'} the right, of ${role === 'owner' ? 'an owner' : `a ${role}`}`,
    kind,
    holds,
    role,
    ...(token === undefined ? {} : { token }),
  });
  return {
    owner,
    org,
    repo,
    callers: [
      named('classic_pat', true, await token(owner)),
      named('classic_pat', false, await token(owner, [])),
      named('oauth_app', true, await oauthToken(world, owner, scopes)),
      named('oauth_app', false, await oauthToken(world, owner, [])),
      named('fine_grained_pat', true, await fineGrained(owner, org, everyPermission)),
      named('fine_grained_pat', false, await fineGrained(owner, org, {})),
      named('app_user', true, await strong.userToken(owner)),
      named('app_user', false, await weak.userToken(owner)),
      named('installation', true, strong.token),
      named('installation', false, weak.token),
      named('none', false),
      named('malformed', false, 'hrp_no0such0token0is0well0formed0at0all0'),
      named('classic_pat', true, await token(colleague), 'member'),
      named('classic_pat', true, await token(stranger), 'stranger'),
    ],
  };
}

/** Path words that have a value on the stage. Every other word names a child that doesn't exist. */
const samples: Readonly<Record<string, string>> = {
  org: 'acme',
  owner: 'acme',
  repo: 'secret',
  template_owner: 'acme',
  template_repo: 'secret',
  username: 'carl',
  assignee: 'carl',
  license: 'mit',
  basehead: 'one...two',
  version: '9.9.9',
};

/** A text that matches the schema of a word and names nothing. */
export const absentWord = (schema: { type?: string; enum?: readonly string[] }): string =>
  schema.enum?.[0] ?? (schema.type === 'integer' ? '999999999' : 'a'.repeat(40));

/** The stage's path for a declared path. */
export function samplePath(path: string, other: Readonly<Record<string, string>> = {}): string {
  const endpoint = allEndpoints.find((declared) => declared.path === path);
  if (!endpoint) throw new Error(`No endpoint has the path ${path}`);
  return [...wordSchemasOf(endpoint)].reduce(
    (made, [word, schema]) => made.replace(`{${word}}`, other[word] ?? samples[word] ?? absentWord(schema)),
    path,
  );
}
