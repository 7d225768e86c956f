import { expect, test } from 'vitest';
import { wordsOf } from '#endpoint/path-words.ts';
import { allEndpoints } from '#resources/all.ts';
import { createTeam, setTeamMember, setTeamRole } from '#resources/identity/teams/index.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { as, user, org: makeOrg, member, repo: makeRepo, collaborator, db } = here;

const shown = await user('ada');
const org = await makeOrg(shown, 'acme');
await db.updateTable('memberships').set({ public: true }).where('user_id', '=', shown.id).execute();
const repo = await makeRepo(org, { name: 'engine', by: shown });
await commitFiles(here, repo, { 'a.txt': 'a' });

// Each of these is in the organization by a concealed membership alone, and has a role in its repository in another way.
const [byDefault, owner, byTeam, byRole] = await Promise.all(
  ['ghost-base', 'ghost-owner', 'ghost-team', 'ghost-role'].map((name) => user(name)),
);
const ghosts = [byDefault, owner, byTeam, byRole].map((ghost) => {
  if (!ghost) throw new Error('There are four');
  return ghost;
});
for (const ghost of ghosts) await member(org, ghost, ghost === owner ? 'owner' : 'member');
const writer = await user('writer');
await collaborator(repo, writer, 'write');
const stranger = await user('eve');
const asOwner = await as(shown);
await asOwner.patch('/orgs/acme', { default_repository_permission: 'read' });
const actor = { by: shown.id, now: here.clock.now };
await here.change(async (scope) => {
  const team = await createTeam(scope, { ...actor, org, wanted: { name: 'crew' } });
  await setTeamMember(scope, { ...actor, team, user: ghosts[2] ?? shown, role: 'member' });
  await setTeamRole(scope, { ...actor, team, repository: repo, role: 'write' });
});
const { id: role_id } = await db
  .selectFrom('organization_roles')
  .select('id')
  .where('base_role', '=', 'write')
  .executeTakeFirstOrThrow();
await db
  .insertInto('organization_role_assignments')
  .values({ organization_id: org.id, role_id, user_id: ghosts[3]?.id, created_at: here.clock.now })
  .execute();
await asOwner.post('/repos/acme/engine/issues', { title: 'It stalls' });
await (await as(ghosts[0])).post('/repos/acme/engine/issues', { title: 'It stalls here, too' });
await asOwner.post('/repos/acme/engine/issues/2/comments', { body: 'A comment' });
await here.settle();

const outsiders = { anonymous: await as(undefined), stranger: await as(stranger), 'outside writer': await as(writer) };
const logins = (rows: readonly { login: string }[]): string[] => rows.map(({ login }) => login);

test('assignees: outsiders are told of no concealed member, members of all', async () => {
  for (const [name, client] of Object.entries(outsiders)) {
    const { body } = await client.get('/repos/acme/engine/assignees');
    expect([name, logins(body)]).toEqual([name, ['ada', 'writer']]);
    for (const { login } of ghosts)
      for (const path of ['/repos/acme/engine', '/repos/acme/engine/issues/1'])
        expect([name, path, (await client.get(`${path}/assignees/${login}`)).status]).toEqual([name, path, 404]);
    expect((await client.get('/repos/acme/engine/assignees/ada')).status).toBe(204);
  }
  const inside = await as(ghosts[0]);
  expect(logins((await inside.get('/repos/acme/engine/assignees')).body).sort()).toEqual([
    'ada',
    'ghost-base',
    'ghost-owner',
    'ghost-role',
    'ghost-team',
    'writer',
  ]);
  // A token without scopes reads what is public.
  const bare = await as(await here.token(ghosts[0] ?? shown, []));
  expect(logins((await bare.get('/repos/acme/engine/assignees')).body)).toEqual(['ada', 'writer']);
  // A credential for somewhere else doesn't tell that its holder is a member, and so not of the others either.
  const elsewhere = await as(await here.fineGrained(ghosts[0] ?? shown, ghosts[0] ?? shown, { issues: 'read' }));
  expect(logins((await elsewhere.get('/repos/acme/engine/assignees')).body)).toEqual(['ada', 'writer']);
});

test('an author is called a member by nobody who may not know it', async () => {
  const association = async (client: Awaited<ReturnType<typeof as>>): Promise<string> =>
    (await client.get('/repos/acme/engine/issues/2')).body.author_association;
  for (const client of Object.values(outsiders)) expect(await association(client)).toBe('NONE');
  expect(await association(await as(ghosts[1]))).toBe('MEMBER');
  const elsewhere = await as(await here.fineGrained(ghosts[0] ?? shown, ghosts[0] ?? shown, { issues: 'read' }));
  expect(await association(elsewhere)).toBe('NONE');
});

const samples: Readonly<Record<string, string>> = {
  org: 'acme',
  owner: 'acme',
  repo: 'engine',
  team_slug: 'crew',
  issue_number: '1',
  comment_id: '1',
  event_id: '1',
  ref: 'heads/main',
  branch: 'main',
  commit_sha: 'main',
};

/** The paths of all reads that name nobody, with the words of the stage. */
const paths = allEndpoints
  .filter(({ method, path }) => method === 'GET' && !wordsOf(path).some((word) => ['username', 'assignee'].includes(word)))
  .flatMap(({ path }) => {
    const words = wordsOf(path);
    return words.every((word) => samples[word] !== undefined)
      ? [path.replace(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(samples[word] ?? word))]
      : [];
  })
  // Who has an account, everybody may know.
  .filter((path) => path !== '/users')
  // Issue 2 is written by one of them, in public.
  .filter((path) => !/^\/repos\/acme\/engine\/issues(\/events|\/comments)?$/.test(path));

test('no read of any endpoint tells an outsider the name of a concealed member', async () => {
  expect(paths.length).toBeGreaterThan(60);
  const told: string[] = [];
  for (const [name, client] of Object.entries(outsiders))
    for (const path of paths) {
      const { text } = await client.get(path);
      if (/ghost-(base|owner|team|role)/.test(text)) told.push(`${name} ${path}`);
    }
  expect(told).toEqual([]);
});

test('reads that name a concealed member answer outsiders as for somebody who is none', async () => {
  const [ghost] = ghosts;
  const control = await user('nobody-here');
  const naming = allEndpoints
    .filter(({ method, path }) => method === 'GET' && wordsOf(path).includes('username'))
    .flatMap(({ path }) => (wordsOf(path).every((word) => word === 'username' || samples[word] !== undefined) ? [path] : []));
  expect(naming.length).toBeGreaterThan(8);
  const normal = (text: string, { id, login }: { id: number; login: string }): string =>
    text
      .replaceAll(login, 'LOGIN')
      .replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID')
      .replaceAll(/"node_id":"[^"]*"/g, '');
  for (const [name, client] of Object.entries(outsiders))
    for (const path of naming) {
      const ask = async (one: { id: number; login: string }) => {
        const to = path.replace(/\{(\w+)\}/g, (_, word: string) => (word === 'username' ? one.login : (samples[word] ?? word)));
        const { status, text, headers } = await client.get(to);
        return { status, text: normal(text, one), location: headers.location && normal(headers.location, one) };
      };
      expect([name, path, await ask(ghost ?? shown)]).toEqual([name, path, await ask(control)]);
    }
});
