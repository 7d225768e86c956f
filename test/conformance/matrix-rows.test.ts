// Document 3 against the running server, independent of the declarations: each row's permission alone grants access to its
// operation for the row's kinds of tokens. A lower level doesn't, nor do all other permissions together.
import { expect, test } from 'vitest';
import { levelsOf, type PermissionSet, permissionNames } from '#access/permissions.ts';
import type { Account } from '#access/viewer.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';
import { makeStage, samplePath } from './callers.ts';
import { type MatrixRow, matrix, permissionNamed } from './matrix.ts';

const routeOf = ({ method, path }: MatrixRow): string => `${method} ${path}`;
const routes = [...Map.groupBy(matrix, routeOf)];

/** Document 1, Authentication 6: reading public data needs no permission. */
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

/** A token of each kind with these permissions in an organization, for one of its owners. */
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

/** For calls that would remove the stage's own resources, or that may only name the caller. */
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

/** Whether a token gets past the access decision. A body that isn't JSON shows that, and changes nothing. */
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
