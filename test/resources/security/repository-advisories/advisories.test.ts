import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const owner = await here.user();
const org = await here.org(owner);
const client = await here.as(owner);
const tables = [
  'repository_advisories',
  'repository_advisory_vulnerabilities',
  'repository_advisory_credits',
  'advisories',
  'events',
];

const draft = { summary: 'It breaks', description: 'Badly.', vulnerabilities: [] };
const product = (vulnerable_version_range: string | null, more: object = {}) => ({
  package: { ecosystem: 'npm', name: 'left' },
  vulnerable_version_range,
  ...more,
});

async function setting(visibility: 'public' | 'private' = 'public') {
  const repo = await here.repo(org, { name: fresh('engine'), by: owner, visibility });
  const path = `/repos/${org.login}/${repo.name}`;
  const list = `${path}/security-advisories`;
  const create = async (more: object = {}) => {
    const { status, body } = await client.post(list, { ...draft, ...more });
    expect(status).toBe(201);
    return { ...body, at: `${list}/${body.advisory_id}` };
  };
  return { repo, path, list, create };
}

const named = (body: { advisory_id: string }[]) => body.map(({ advisory_id }) => advisory_id);

test('who administers a repository drafts, and everything is kept as it was said', async () => {
  const { create } = await setting();
  const [finder, stranger] = [await here.user(), await here.user()];
  const made = await create({
    severity: 'low',
    cve_id: 'CVE-2026-1234',
    cwe_ids: ['CWE-79', 'CWE-79'],
    credits: [
      { login: finder.login, type: 'finder' },
      { login: owner.login, type: 'analyst' },
    ],
    vulnerabilities: [product('>= 1.0.0, < 1.2.3', { patched_versions: '1.2.3', vulnerable_functions: ['pad'] }), product(null)],
  });
  expect(made).toMatchObject({
    state: 'draft',
    severity: 'low',
    submission: null,
    cvss: { vector_string: null, score: null },
    cwe_ids: ['CWE-79'],
    credits_detailed: [
      { user: { login: owner.login }, state: 'accepted' },
      { user: { login: finder.login }, state: 'pending' },
    ],
    vulnerabilities: [{ patched_versions: '1.2.3', vulnerable_functions: ['pad'] }, { vulnerable_version_range: null }],
  });
  const vector = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
  expect((await client.patch(made.at, { cvss_vector_string: vector })).body).toMatchObject({
    severity: 'critical',
    cvss_severities: { cvss_v3: { score: null }, cvss_v4: { vector_string: vector, score: 9.3 } },
  });
  expect((await client.patch(made.at, { severity: 'medium' })).body).toMatchObject({
    severity: 'medium',
    cvss: { vector_string: null },
  });
  // Others see no credit that its holder didn't accept.
  expect((await client.patch(made.at, { state: 'published' })).status).toBe(200);
  expect((await (await here.as(stranger)).get(made.at)).body).toMatchObject({
    credits: [{ login: owner.login, type: 'analyst' }],
    author: { login: owner.login },
    collaborating_users: null,
    collaborating_teams: null,
  });
});

const wrong: [string, object][] = [
  ['severity', { severity: 'low', cvss_vector_string: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  ['severity', { severity: 'worst' }],
  ['cvss_vector_string', { cvss_vector_string: 'CVSS:3.1/AV:N' }],
  ['cvss_vector_string', { cvss_vector_string: 'AV:N/AC:L/Au:N/C:N/I:N/A:C' }],
  ['cve_id', { cve_id: 'CVE-1' }],
  ['cwe_ids', { cwe_ids: ['79'] }],
  ['credits', { credits: [{ login: 'nobody-at-all', type: 'finder' }] }],
  [
    'credits',
    {
      credits: [
        { login: owner.login, type: 'finder' },
        { login: owner.login, type: 'tool' },
      ],
    },
  ],
  ['vulnerabilities[0].vulnerable_version_range', { vulnerabilities: [product('1.2.3')] }],
  ['vulnerabilities[0].vulnerable_version_range', { vulnerabilities: [product('< 1.x')] }],
  ['vulnerabilities[1].patched_versions', { vulnerabilities: [product(null), product(null, { patched_versions: 'soon' })] }],
  ['vulnerabilities', { vulnerabilities: Array.from({ length: 101 }, () => product(null)) }],
  ['summary', { summary: '' }],
  ['summary', { summary: 'x'.repeat(1_025) }],
];

test('what is wrong is refused with its field, and nothing is written', async () => {
  const { list, create } = await setting();
  const { at } = await create();
  await here.unchanged(tables, async () => {
    for (const [field, more] of wrong)
      for (const { status, body } of [await client.post(list, { ...draft, ...more }), await client.patch(at, more)]) {
        expect([more, status]).toEqual([more, 422]);
        expect(body.errors[0]).toMatchObject({ field: expect.stringContaining(field) });
      }
    for (const more of [{ collaborating_users: ['nobody-at-all'] }, { collaborating_teams: ['none'] }, { state: 'triage' }])
      expect((await client.patch(at, more)).status).toBe(422);
    for (const query of ['before=x', 'after=%25', 'before=MTow&after=MTow'])
      expect((await client.get(`${list}?${query}`)).status).toBe(400);
    expect((await client.get(`${list}?state=gone`)).status).toBe(422);
    expect((await client.post(`${at}/cve`)).status).toBe(422);
  });
});

test('states follow one another', async () => {
  const { create } = await setting();
  const { at } = await create();
  const become = async (state: string) => {
    const { status, body } = await client.patch(at, { state });
    return status === 200 ? body.state : status;
  };
  expect(await become('draft')).toBe('draft');
  expect(await become('closed')).toBe('closed');
  expect((await client.get(at)).body.closed_at).not.toBeNull();
  expect(await become('published')).toBe(422);
  expect((await client.post(`${at}/forks`)).status).toBe(422);
  expect(await become('draft')).toBe('draft');
  expect((await client.get(at)).body.closed_at).toBeNull();
  expect(await become('published')).toBe('published');
  const { published_at } = (await client.get(at)).body;
  expect(await become('draft')).toBe(422);
  expect(await become('closed')).toBe('withdrawn');
  here.clock.now = new Date(here.clock.now.getTime() + 60_000);
  expect(await become('published')).toBe('published');
  expect((await client.get(at)).body).toMatchObject({ published_at, withdrawn_at: null });
  expect((await client.post(`${at}/forks`)).status).toBe(422);
});

test('collaborators, by name or by team, and security managers see drafts; others and weak tokens don’t', async () => {
  const { path, list, create, repo } = await setting('private');
  const [reader, friend, mate, manager] = [await here.user(), await here.user(), await here.user(), await here.user()];
  for (const person of [reader, friend]) await here.collaborator(repo, person, 'write');
  for (const person of [mate, manager]) await here.member(org, person);
  const { body: team } = await client.post(`/orgs/${org.login}/teams`, { name: fresh('team') });
  await client.put(`/orgs/${org.login}/teams/${team.slug}/memberships/${mate.login}`, { role: 'member' });
  const { body: managers } = await client.post(`/orgs/${org.login}/teams`, { name: fresh('team') });
  await client.put(`/orgs/${org.login}/teams/${managers.slug}/memberships/${manager.login}`, { role: 'member' });
  expect((await client.put(`/orgs/${org.login}/security-managers/teams/${managers.slug}`)).status).toBe(204);
  const { at, advisory_id } = await create();
  const collaborators = { collaborating_users: [friend.login], collaborating_teams: [team.slug] };
  expect((await client.patch(at, collaborators)).body).toMatchObject({
    collaborating_users: [{ login: friend.login }],
    collaborating_teams: [{ slug: team.slug }],
  });
  const sees = async (who: Client) => [(await who.get(at)).status, named((await who.get(list)).body).length];
  const clients = {
    reader: await here.as(reader),
    friend: await here.as(friend),
    mate: await here.as(mate),
    manager: await here.as(manager),
  };
  expect(await sees(clients.reader)).toEqual([404, 0]);
  for (const who of [clients.friend, clients.mate, clients.manager]) {
    expect(await sees(who)).toEqual([200, 1]);
    expect((await who.patch(at, { summary: 'It breaks soon' })).status).toBe(200);
  }
  for (const who of [clients.reader, clients.friend, clients.mate]) expect((await who.post(list, draft)).status).toBe(403);
  for (const who of [clients.friend, clients.mate]) {
    expect((await who.patch(at, { state: 'closed' })).status).toBe(403);
    expect((await who.post(`${at}/cve`)).status).toBe(403);
    expect((await who.get(`/orgs/${org.login}/security-advisories`)).status).toBe(404);
  }
  expect((await clients.manager.post(list, draft)).status).toBe(201);
  expect(named((await clients.manager.get(`/orgs/${org.login}/security-advisories?state=draft`)).body)).toContain(advisory_id);

  // Tokens need the permission, too.
  for (const [permissions, expected] of [
    [{ repository_advisories: 'read' }, 200],
    [{ metadata: 'read' }, 403],
  ] as const) {
    expect((await (await here.as(await here.fineGrained(owner, org, permissions))).get(at)).status).toBe(expected);
    const { token } = await installApp(here, { on: org, permissions });
    expect((await (await here.as(token)).get(at)).status).toBe(expected);
  }
  // Who leaves the organization doesn't work on it any more.
  const leaver = await here.user();
  await here.member(org, leaver);
  await client.patch(at, { collaborating_users: [leaver.login] });
  expect(await sees(await here.as(leaver))).toEqual([200, 1]);
  expect((await client.delete(`/orgs/${org.login}/members/${leaver.login}`)).status).toBe(204);
  await here.settle();
  expect((await client.get(at)).body.collaborating_users).toEqual([]);

  expect((await client.patch(at, { collaborating_users: [], collaborating_teams: [] })).status).toBe(200);
  for (const who of [clients.friend, clients.mate]) expect(await sees(who)).toEqual([404, 0]);
  expect((await client.patch(path, { archived: true })).status).toBe(200);
  expect((await client.post(`${at}/forks`)).status).toBe(403);
});

test('a private fork begins with the draft, nothing runs there, no app comes in, and it goes with its repository', async () => {
  const { repo, path, create } = await setting();
  await commitFiles(here, repo, {
    'README.md': 'Engine',
    '.github/workflows/build.yml': 'on: push\njobs: { build: { runs-on: self-hosted, steps: [{ run: "true" }] } }\n',
  });
  const friend = await here.user();
  const made = await create({ start_private_fork: true });
  const { name } = made.private_fork;
  const fork = `/repos/${org.login}/${name}`;
  expect(made.private_fork).toMatchObject({ private: true, fork: true });
  const outside = await here.as(friend);
  expect((await outside.get(fork)).status).toBe(404);
  expect((await client.patch(made.at, { collaborating_users: [friend.login] })).status).toBe(200);
  const content = Buffer.from('# Engine').toString('base64');
  expect((await outside.put(`${fork}/contents/NEWS.md`, { message: 'Tell', content })).status).toBe(201);
  await here.settle();
  expect((await client.get(`${fork}/actions/runs`)).body).toMatchObject({ total_count: 0 });
  expect((await client.get(`${fork}/actions/permissions`)).body).toMatchObject({ enabled: false });
  expect((await client.put(`${fork}/actions/permissions`, { enabled: true })).status).toBe(409);
  const { token } = await installApp(here, { on: org, permissions: { contents: 'write', administration: 'write' } });
  expect((await (await here.as(token)).get(fork)).status).toBe(404);
  expect((await client.patch(made.at, { collaborating_users: [] })).status).toBe(200);
  expect((await outside.get(fork)).status).toBe(404);
  // By its own name, it can be removed, and started again.
  expect((await client.delete(fork)).status).toBe(204);
  expect((await client.get(made.at)).body.private_fork).toBeNull();
  const again = await client.post(`${made.at}/forks`);
  expect(again.body).toMatchObject({ name });
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(fork)).status).toBe(404);
});

test('reports of one account wait in a bounded number', async () => {
  const { path, list } = await setting();
  const outside = await here.as(await here.user());
  expect((await outside.post(`${list}/reports`, draft)).status).toBe(403);
  await client.put(`${path}/private-vulnerability-reporting`);
  expect((await outside.post(`${list}/reports`, { ...draft, start_private_fork: true })).status).toBe(422);
  for (let count = 0; count < 20; count++) expect((await outside.post(`${list}/reports`, draft)).status).toBe(201);
  expect((await outside.post(`${list}/reports`, draft)).status).toBe(422);
  expect((await (await here.as(undefined)).post(`${list}/reports`, draft)).status).toBe(401);
});

test('lists are walked in both directions, and cost the same for one and many', async () => {
  const { path, list, create } = await setting();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    // Two come at the same time.
    if (count !== 2) here.clock.now = new Date(here.clock.now.getTime() + 1_000);
    ids.unshift((await create({ credits: [{ login: owner.login, type: 'tool' }] })).advisory_id);
    if (count === 0) expect(await here.statements(owner, list)).toBeLessThanOrEqual(12);
  }
  const one = await here.statements(owner, `${list}?per_page=1`);
  expect(await here.statements(owner, list)).toBe(one);
  const linked = ({ headers }: { headers: Record<string, string> }, rel: string) =>
    new RegExp(`<[^>]*/api/v3([^>]*)>; rel="${rel}"`).exec(headers.link ?? '')?.[1];
  for (const [sort, order] of [
    ['created&direction=desc', ids],
    ['created&direction=asc', ids.toReversed()],
    ['updated', ids],
    ['published', ids],
  ] as const) {
    const seen: string[][] = [];
    let next: string | undefined = `${list}?per_page=2&sort=${sort}`;
    let last: string | undefined;
    while (next !== undefined) {
      const page = await client.get(next);
      seen.push(named(page.body));
      [last, next] = [next, linked(page, 'next')];
    }
    expect(seen.flat()).toEqual(order);
    expect(seen.length).toBe(3);
    const back: string[][] = [];
    let previous: string | undefined = last;
    while (previous !== undefined) {
      const page = await client.get(previous);
      back.unshift(named(page.body));
      previous = linked(page, 'prev');
    }
    expect(back).toEqual(seen);
  }
  expect(named((await client.get(`/orgs/${org.login}/security-advisories?per_page=5&state=draft`)).body)).toEqual(ids);
  expect(path).toContain(org.login);
});

test('the products of an advisory are refused beyond 64 KiB together', async () => {
  const { list, create } = await setting();
  const functions = (count: number) => Array.from({ length: count }, (_, at) => `${at}`.padEnd(500, 'f'));
  const vulnerabilities = [product(null, { vulnerable_functions: functions(100) }), product(null, { vulnerable_functions: [] })];
  const made = await create({ vulnerabilities });
  const more = [...vulnerabilities, product(null, { vulnerable_functions: functions(40) })];
  expect((await client.post(list, { ...draft, vulnerabilities: more })).status).toBe(422);
  expect((await client.patch(made.at, { vulnerabilities: more })).status).toBe(422);
});
