import { beforeAll, describe, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world({ embeddings: { provider: 'builtin' } });
const { as, user, org, repo, token, fineGrained, settle } = w;

type Repository = RepositoryRow & { owner: Account };
let ada: Account;
let bob: Account;
let acme: Account;
let hidden: Repository;
let other: Repository;

beforeAll(async () => {
  [ada, bob] = [await user('ada'), await user('bob')];
  acme = await org(ada, 'acme');
  const client = await as(ada);
  const fill = async (name: string, visibility: Repository['visibility'], what: string): Promise<Repository> => {
    const made = await repo(acme, { name, visibility, by: ada });
    await client.patch(`/repos/acme/${name}`, { description: `${what} the treasure` });
    await client.post(`/repos/acme/${name}/issues`, { title: `${what} the treasure`, body: 'A chest of gold' });
    await commitFiles(w, made, { 'a.ts': `const treasure = '${name}';\n` }, `${what} the treasure`);
    return made;
  };
  await fill('engine', 'public', 'Find');
  hidden = await fill('secrets', 'private', 'Hide');
  other = await fill('vault', 'private', 'Bury');
  await settle();
});

/** Every kind of search, with what a token needs for it beside the repository itself. */
const kinds = [
  ['code', 'code?', 'contents'],
  ['commits', 'commits?', 'contents'],
  ['issues', 'issues?', 'issues'],
  ['issues, advanced', 'issues?advanced_search=true&', 'issues'],
  ['semantic', 'issues?search_type=semantic&', 'issues'],
  ['hybrid', 'issues?search_type=hybrid&', 'issues'],
  ['repositories', 'repositories?', undefined],
] as const;

const textMatch = { headers: { accept: 'application/vnd.service.text-match+json' } };
type Hit = { name?: string; repository?: { name: string }; repository_url?: string };

describe.each(kinds)('%s: what a credential reaches is found and counted, and nothing else', (_kind, target, permission) => {
  // An app that acts for a user says that it looks for issues; the others may.
  const narrow = target.startsWith('issues') ? ' is:issue' : '';
  const ask = async (credential: string | undefined, q = 'treasure') =>
    (await as(credential)).get(`/search/${target}q=${encodeURIComponent(q + narrow)}`, textMatch);
  const found = async (credential: string, q?: string): Promise<string[]> => {
    const { body, text } = await ask(credential, q);
    const items: Hit[] = body.items;
    expect(body.total_count).toBe(items.length);
    const names = items.map((item) => item.repository?.name ?? item.repository_url?.split('/').at(-1) ?? item.name ?? '');
    for (const name of ['secrets', 'vault']) if (!names.includes(name)) expect(text).not.toContain(name);
    return names.sort();
  };
  const grants = permission ? { [permission]: 'read' } : { metadata: 'read' };

  test('roles: members, collaborators and teams, and nobody else', async () => {
    const [member, guest, mate, stranger] = [await user(), await user(), await user(), await user()];
    await w.member(acme, member);
    await w.collaborator(hidden, guest, 'read');
    const client = await as(ada);
    await w.member(acme, mate);
    const writers = await team(w, acme);
    const actor = { team: writers, by: ada.id, now: w.clock.now };
    await w.change((scope) => setTeamMember(scope, { ...actor, user: mate, role: 'member' }));
    await w.change((scope) => setTeamRole(scope, { ...actor, repository: other, role: 'read' }));
    await client.patch('/orgs/acme', { default_repository_permission: 'none' });
    expect(await found(await token(member))).toEqual(['engine']);
    expect(await found(await token(mate))).toEqual(['engine', 'vault']);
    await client.patch('/orgs/acme', { default_repository_permission: 'read' });
    expect(await found(await token(member))).toEqual(['engine', 'secrets', 'vault']);
    expect(await found(await token(guest))).toEqual(['engine', 'secrets']);
    expect(await found(await token(stranger))).toEqual(['engine']);
    await client.delete(`/orgs/acme/members/${member.login}`);
    await client.delete(`/orgs/acme/members/${mate.login}`);
    expect(await found(await token(mate))).toEqual(['engine']);
    expect(await found(await token(member))).toEqual(['engine']);
  });

  test('classic tokens and those of OAuth apps', async () => {
    expect(await found(await token(ada, ['repo']))).toEqual(['engine', 'secrets', 'vault']);
    expect(await found(await token(ada, ['read:org']))).toEqual(['engine']);
    expect(await found(await token(ada, ['public_repo']))).toEqual(['engine']);
    expect(await found(await token(bob, ['repo']))).toEqual(['engine']);
    expect(await found(await oauthToken(w, ada, ['repo']))).toEqual(['engine', 'secrets', 'vault']);
    expect(await found(await oauthToken(w, ada, []))).toEqual(['engine']);
  });

  test('fine-grained tokens: the repositories they name, if they may read there what is searched', async () => {
    expect(await found(await fineGrained(ada, acme, grants, [hidden]))).toEqual(['engine', 'secrets']);
    expect(await found(await fineGrained(ada, acme, grants))).toEqual(['engine', 'secrets', 'vault']);
    expect(await found(await fineGrained(ada, acme, grants, []))).toEqual(['engine']);
    expect(await found(await fineGrained(ada, ada, grants))).toEqual(['engine']);
    expect(await found(await fineGrained(bob, acme, grants))).toEqual(['engine']);
    const beside = await fineGrained(ada, acme, { administration: 'write' }, [hidden]);
    expect(await found(beside)).toEqual(permission ? ['engine'] : ['engine', 'secrets']);
    if (permission) expect((await ask(beside, 'treasure repo:acme/secrets')).status).toBe(422);
  });

  test('an installation of an app, and the app in the name of a user', async () => {
    const app = await installApp(w, { on: acme, permissions: grants, repositories: [hidden] });
    expect(await found(app.token)).toEqual(['engine', 'secrets']);
    expect(await found(await app.userToken(ada))).toEqual(['engine', 'secrets']);
    expect(await found(await app.userToken(bob))).toEqual(['engine']);
    await w.db.updateTable('installations').set({ suspended_at: w.clock.now }).execute();
    expect(await found(await app.userToken(ada))).toEqual(['engine']);
  });

  test('exclusions and alternatives tell nothing of what is hidden', async () => {
    const credential = await token(bob, ['repo']);
    expect(await found(credential, 'treasure user:acme -repo:acme/secrets')).toEqual(['engine']);
    expect(await found(credential, 'treasure user:acme -repo:acme/absent')).toEqual(['engine']);
    expect(await found(credential, 'treasure NOT repo:acme/engine')).toEqual([]);
    expect(await found(credential, 'treasure is:private')).toEqual([]);
    expect(await found(credential, 'treasure -is:public')).toEqual([]);
    expect(await found(credential, 'treasure repo:acme/secrets repo:acme/engine')).toEqual(
      target.includes('advanced') ? [] : ['engine'],
    );
    if (!target.includes('advanced')) return;
    expect(await found(credential, 'treasure AND (repo:acme/secrets OR repo:acme/engine)')).toEqual(['engine']);
    expect(await found(credential, 'treasure AND (is:private OR repo:acme/engine)')).toEqual(['engine']);
  });

  test('revoked access is gone at the next request, a conditional one too', async () => {
    const guest = await user();
    await w.collaborator(hidden, guest, 'read');
    const credential = await token(guest);
    expect(await found(credential)).toEqual(['engine', 'secrets']);
    const client = await as(credential);
    const path = `/search/${target}q=${encodeURIComponent(`treasure${narrow}`)}`;
    const { etag } = (await client.get(path)).headers;
    const again = () => client.get(path, { headers: { 'if-none-match': etag ?? '' } });
    expect((await again()).status).toBe(304);
    await w.db.deleteFrom('collaborators').where('user_id', '=', guest.id).execute();
    const { status, body } = await again();
    expect([status, body.total_count]).toEqual([200, 1]);
    expect((await ask(credential, 'treasure repo:acme/secrets')).status).toBe(422);
    await w.db.deleteFrom('tokens').where('account_id', '=', guest.id).execute();
    expect((await ask(credential)).status).toBe(401);
  });

  test('an internal repository is for everybody who signs in', async () => {
    await w.db.updateTable('repositories').set({ visibility: 'internal' }).where('id', '=', other.id).execute();
    expect(await found(await token(bob, ['repo']))).toEqual(['engine', 'vault']);
    expect(await found(await token(bob, ['public_repo']))).toEqual(['engine']);
    expect(await found(await token(bob, ['repo']), 'treasure is:internal')).toEqual(['vault']);
    expect(await found(await token(bob, ['repo']), 'treasure -is:internal')).toEqual(['engine']);
    const anonymous = await ask(undefined);
    if (anonymous.status === 200) expect(anonymous.body.total_count).toBe(1);
    await w.db.updateTable('repositories').set({ visibility: 'private' }).where('id', '=', other.id).execute();
    expect(await found(await token(bob, ['repo']))).toEqual(['engine']);
  });
});

/** What a request sent to the database, whatever names it held. When the token was first used is noted before, at any moment. */
async function sent(path: string): Promise<{ status: number; statements: string[]; reply: unknown }> {
  const headers = { authorization: `Bearer ${await token(bob)}` };
  await w.hearth.app.inject({ url: '/api/v3/user', headers });
  await expect
    .poll(
      async () => (await w.db.selectFrom('tokens').select('last_used_at').orderBy('id', 'desc').executeTakeFirst())?.last_used_at,
    )
    .toBeTruthy();
  const { result, statements } = await countStatements(() => w.hearth.app.inject({ url: `/api/v3${path}`, headers }));
  return { status: result.statusCode, statements, reply: result.json() };
}

describe.each(kinds)('%s: a hidden name and one that does not exist take the same way', (_kind, target) => {
  test.each([
    ['repo:acme/secrets', 'repo:acme/absent'],
    ['repo:acme/secrets -user:go', 'repo:nobody/absent -user:go'],
    ['repo:acme/secrets repo:acme/vault', 'repo:acme/none repo:acme/absent'],
    ['repo:acme/secrets repo:acme/engine', 'repo:acme/absent repo:acme/engine'],
    ['-repo:acme/secrets', '-repo:acme/absent'],
    ['NOT repo:acme/secrets NOT user:nobody', 'NOT repo:acme/absent NOT user:none'],
  ])('%s, and %s', async (secret, absent) => {
    const ask = (scope: string) => sent(`/search/${target}q=${encodeURIComponent(`treasure ${scope}`)}`);
    const [one, two] = [await ask(secret), await ask(absent)];
    expect(one).toEqual(two);
    expect(one.status).toBe(/engine/.test(secret) ? 200 : 422);
    expect(one.statements.length).toBeGreaterThan(1);
  });
});

test('how long a refusal takes tells nothing of how much a hidden repository holds', async () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}.ts`, `const treasure = ${i};\n`]));
  await commitFiles(w, other, many, 'Fill the vault');
  await settle();
  const client = await as(bob);
  const time = async (name: string): Promise<number> => {
    const start = performance.now();
    expect((await client.get(`/search/code?q=treasure+repo:acme/${name}`)).status).toBe(422);
    return performance.now() - start;
  };
  // What the machine does besides only adds, now to the one and now to the other: the shortest time of each is its own.
  const shortest = { vault: Number.POSITIVE_INFINITY, absent: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 40; round++)
    for (const name of round % 2 ? (['vault', 'absent'] as const) : (['absent', 'vault'] as const))
      shortest[name] = Math.min(shortest[name], await time(name));
  // Counting the hits, or reading a row for each, would take several times as long.
  expect(shortest.vault).toBeLessThan(1.5 * shortest.absent + 2);
});
