// Document 3 against the running server, without a look at the declarations: each row's permission alone opens its operation to the
// kinds of tokens that the row names. A lower level doesn't, nor do all other permissions together.
import { expect, test } from 'vitest';
import { levelsOf, type PermissionSet, permissionNames } from '#access/permissions.ts';
import type { Account } from '#access/viewer.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';
import { makeStage, samplePath } from './callers.ts';
import { type MatrixRow, matrix, permissionNamed } from './matrix.ts';

const routeOf = ({ method, path }: MatrixRow): string => `${method} ${path}`;
const routes = [...Map.groupBy(matrix, routeOf)];

/** Document 1, Authentication 6: what is public is read without a permission. */
const publicReads = new Set(
  ['members', 'members/{username}', 'public_members', 'public_members/{username}'].map((path) => `GET /orgs/{org}/${path}`),
);

const opened = await world();
const { owner, org } = await makeStage(opened);

const everything: PermissionSet = Object.fromEntries(permissionNames.map((name) => [name, levelsOf(name).at(-1)]));

const kinds = ['personal', 'UAT', 'IAT'] as const;
type Kind = (typeof kinds)[number];
type Tokens = Readonly<Record<Kind, string>>;
const made = new Map<string, Promise<Tokens>>();

/** A token of each kind that holds these permissions in an organization, for an owner of it. */
function tokensFor(held: PermissionSet, on: Account): Promise<Tokens> {
  const key = `${on.id} ${JSON.stringify(held)}`;
  const make = async (): Promise<Tokens> => {
    const { token, userToken } = await installApp(opened, { on, permissions: held });
    return { personal: await opened.fineGrained(owner, on, held), UAT: await userToken(owner), IAT: token };
  };
  const tokens = made.get(key) ?? make();
  made.set(key, tokens);
  return tokens;
}

/** Where the stage's own words won't do: the call would take them away, or may name the caller alone. */
async function wordsOf(route: string): Promise<{ on: Account; words: Record<string, string> }> {
  if (route.includes('/public_members/{')) return { on: org, words: { username: owner.login } };
  if (route === 'DELETE /repos/{owner}/{repo}') {
    const { name } = await opened.repo(org, { visibility: 'private', by: owner });
    return { on: org, words: { repo: name } };
  }
  if (route.includes('/teams/{team_id}')) {
    const { body } = await (await opened.as(owner)).post(`/orgs/${org.login}/teams`, { name: fresh('team') });
    return { on: org, words: { team_id: String(body.id) } };
  }
  if (route !== 'DELETE /orgs/{org}') return { on: org, words: {} };
  const gone = await opened.org(owner, fresh('gone'));
  return { on: gone, words: { org: gone.login } };
}

/** Whether a token gets further than its refusal. A body that is no JSON shows it, and changes nothing. */
async function passes(row: MatrixRow, held: PermissionSet, kind: Kind): Promise<boolean> {
  const { on, words } = await wordsOf(routeOf(row));
  const reply = await opened.hearth.app.inject({
    method: row.method as 'GET',
    url: `/api/v3${samplePath(row.path, words)}`,
    headers: { authorization: `Bearer ${(await tokensFor(held, on))[kind]}` },
    ...(row.method === 'GET' || row.method === 'DELETE' ? {} : { body: '{' }),
  });
  expect(reply.statusCode, `${routeOf(row)} by ${kind}`).toBeLessThan(500);
  return reply.statusCode !== 401 && reply.statusCode !== 403;
}

test.each(routes)('%s', async (route, rows) => {
  const [row] = rows;
  if (!row) throw new Error('A group has a member');
  const name = permissionNamed(row.permission, row.scope);
  const { [name]: _, ...others } = everything;
  for (const kind of kinds) {
    const named = kind === 'personal' ? row.matrices.includes('personal') : row.app_tokens.includes(kind);
    const open = publicReads.has(route);
    expect(await passes(row, others, kind), `${kind} with all others`).toBe(open);
    expect(await passes(row, everything, kind), `${kind} with everything`).toBe(named || open);
    if (row.multiple) continue;
    expect(await passes(row, { [name]: row.access }, kind), `${kind} with ${name}:${row.access}`).toBe(named || open);
    if (row.access === 'write') expect(await passes(row, { [name]: 'read' }, kind), `${kind} with ${name}:read`).toBe(open);
  }
});

test('rows of every kind were tried', () => {
  expect(routes.length).toBeGreaterThan(45);
  expect(routes.flatMap(([, rows]) => rows).filter(({ multiple }) => multiple).length).toBeGreaterThan(0);
});
