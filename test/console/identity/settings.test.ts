import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { allPages } from '#console/all.ts';
import { jsonBeginning } from '#console/components/json.ts';
import { ruleSentence } from '#console/pages/identity/settings/rule-sentences.ts';
import { hashToken, newToken } from '#lib/token.ts';
import type { Rule } from '#resources/code/rulesets/rule-types.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { sshKey } from '#test/support/ssh-key.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const attack = '<script>alert(1)</script>';
const raw = '<script>alert(1)';

/** The settings of an organization that only its owners may read. */
const ofOrganization = [
  ...['', '/interaction_limits', '/hooks', '/rules', '/security_products', '/actions', '/secrets/actions', '/variables/actions'],
  ...['/actions/runners', '/actions/runner-groups', '/actions/hosted-runners', '/private-registries', '/installations'],
  '/personal-access-tokens',
];
/** The settings of a repository that only administrators may read. */
const ofRepository = [
  ...['', '/installations', '/branches', '/keys', '/key_links', '/security_analysis', '/interaction_limits', '/actions'],
  ...['/actions/runners', '/hooks'],
];
/** Those that people who may push read as well. */
const ofWriters = ['/access', '/secrets/actions', '/variables/actions'];
const ofPeople = ['tokens', 'applications', 'keys', 'emails', 'organizations', 'installations'].map(
  (name) => `/settings/${name}`,
);

const statusesOf = async (who: Account | undefined, paths: readonly string[]): Promise<number[]> => {
  const pages = await pagesAs(w, who);
  return Promise.all(paths.map(async (path) => (await pages.get(path)).status));
};
const each = (paths: readonly string[], status: number): number[] => paths.map(() => status);

test('owners read the settings of an organization; for everybody else they do not exist', async () => {
  const [owner, member, eve] = [await w.user(), await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, member);
  const paths = ofOrganization.map((path) => `/organizations/${org.login}/settings${path}`);
  expect(await statusesOf(owner, paths)).toEqual(each(paths, 200));
  for (const who of [member, eve, undefined]) expect(await statusesOf(who, paths)).toEqual(each(paths, 404));
  const shared = ['custom-properties', 'issue-fields'].map((path) => `/organizations/${org.login}/settings/${path}`);
  expect(await statusesOf(member, shared)).toEqual(each(shared, 200));
  expect(await statusesOf(eve, shared)).toEqual(each(shared, 404));
});

test('administrators read the settings of a repository; those who may push read some; for others they do not exist', async () => {
  const [ada, writer, reader] = [await w.user(), await w.user(), await w.user()];
  const repo = await w.repo(ada);
  await w.collaborator(repo, writer, 'write');
  await w.collaborator(repo, reader, 'read');
  const base = `/${ada.login}/${repo.name}`;
  const [administered, written] = [ofRepository, ofWriters].map((paths) => paths.map((path) => `${base}/settings${path}`)) as [
    string[],
    string[],
  ];
  expect(await statusesOf(ada, [...administered, ...written])).toEqual(each([...administered, ...written], 200));
  expect(await statusesOf(writer, administered)).toEqual(each(administered, 404));
  expect(await statusesOf(writer, written)).toEqual(each(written, 200));
  for (const who of [reader, undefined]) {
    expect(await statusesOf(who, [...administered, ...written])).toEqual(each([...administered, ...written], 404));
    expect(await statusesOf(who, [`${base}/rules`, `${base}/settings/environments`])).toEqual([200, 200]);
  }
});

test('each page of settings is among those that are tried here', () => {
  const tried = [
    ...[...ofOrganization, '/custom-properties', '/issue-fields'].map((path) => `/organizations/{org}/settings${path}`),
    ...[...ofRepository, ...ofWriters, '/environments', '/custom-properties', '/rules'].map(
      (path) => `/{owner}/{repo}/settings${path}`,
    ),
    ...ofPeople,
  ];
  const whole = allPages
    .map(({ path }) => path)
    .filter((path) => /settings/.test(path) && !/_id\}|configurations|^\/settings$/.test(path));
  const others = ['/settings/sessions', '/settings/password', '/settings/confirm'];
  expect(whole.filter((path) => !tried.includes(path) && !others.includes(path))).toEqual([]);
});

test('webhooks are shown with what was sent and what came back, as text', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const api = await w.as(ada);
  const hook = await api.post(`/repos/${ada.login}/${repo.name}/hooks`, {
    config: { url: 'https://hooks.example/', secret: 'very secret', content_type: 'json' },
    events: ['push'],
  });
  await w.db
    .updateTable('webhooks')
    .set({ url: `https://hooks.example/${attack}` })
    .where('id', '=', hook.body.id)
    .execute();
  const { id } = await w.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('hook_id', '=', hook.body.id)
    .executeTakeFirstOrThrow();
  await w.db
    .updateTable('webhook_deliveries')
    .set({ response_body: attack, status: attack, status_code: 500, delivered_at: w.clock.now, url: attack, duration_ms: 5 })
    .where('id', '=', id)
    .execute();
  const pages = await pagesAs(w, ada);
  const base = `/${ada.login}/${repo.name}/settings/hooks`;

  for (const path of [base, `${base}/${hook.body.id}`, `${base}/${hook.body.id}/deliveries/${id}`]) {
    const { status, text } = await pages.get(path);
    expect(status, path).toBe(200);
    expect(text, path).not.toContain(raw);
    expect(text, path).not.toContain('very secret');
  }
  const delivery = await pages.get(`${base}/${hook.body.id}/deliveries/${id}`);
  expect(delivery.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(delivery.text).toContain('ping');
  const other = await w.repo(ada);
  expect((await pages.get(`/${ada.login}/${other.name}/settings/hooks/${hook.body.id}`)).status).toBe(404);
});

test('secrets are shown by name, and never with a value', async () => {
  const owner = await w.user();
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  const api = await w.as(owner);
  await api.post(`/orgs/${org.login}/actions/variables`, { name: 'SHARED', value: attack, visibility: 'all' });
  await api.post(`/repos/${org.login}/${repo.name}/actions/variables`, { name: 'OWN', value: attack });
  const pages = await pagesAs(w, owner);
  const variables = await pages.get(`/${org.login}/${repo.name}/settings/variables/actions`);
  expect(variables.text).toContain('SHARED');
  expect(variables.text).toContain('OWN');
  expect(variables.text).not.toContain(raw);
  expect((await pages.get(`/organizations/${org.login}/settings/variables/actions`)).text).toContain('SHARED');
});

test('rulesets and protections say in sentences what they demand', async () => {
  const owner = await w.user();
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  const api = await w.as(owner);
  const path = `/repos/${org.login}/${repo.name}`;
  await api.put(`${path}/contents/a.md`, { message: 'a', content: 'YQ==' });
  const made = await api.post(`${path}/rulesets`, {
    name: `Reviewed ${attack}`,
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [
      { type: 'non_fast_forward' },
      { type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: attack } },
    ],
  });
  const ofOrg = await api.post(`/orgs/${org.login}/rulesets`, {
    name: 'Kept',
    target: 'tag',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] }, repository_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'deletion' }],
  });
  await api.put(`${path}/branches/main/protection`, {
    required_status_checks: { strict: true, checks: [{ context: attack }] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 2 },
    restrictions: { users: [owner.login], teams: [], apps: [] },
  });
  const reader = await pagesAs(w);
  const one = await reader.get(new URL(made.body._links.html.href).pathname);
  expect(one.text).toContain('Nobody may force a push to it.');
  expect(one.text).toContain('the default branch');
  expect(one.text).not.toContain(raw);
  expect((await reader.get(`/${org.login}/${repo.name}/rules/${ofOrg.body.id}`)).text).toContain('Nobody may delete it.');
  const pages = await pagesAs(w, owner);
  expect((await pages.get(new URL(ofOrg.body._links.html.href).pathname)).text).toContain('Nobody may delete it.');
  const branches = await pages.get(`/${org.login}/${repo.name}/settings/branches`);
  expect(branches.text).toContain('with 2 approving reviews');
  expect(branches.text).toContain(`These may push: ${owner.login}.`);
  expect(branches.text).not.toContain(raw);

  const before = await pages.statements(`/${org.login}/${repo.name}/settings/branches`);
  const main = await api.get(`${path}/git/ref/heads/main`);
  for (const name of ['one', 'two', 'three']) {
    await api.post(`${path}/git/refs`, { ref: `refs/heads/${name}`, sha: main.body.object.sha });
    await api.put(`${path}/branches/${name}/protection`, {
      required_status_checks: null,
      enforce_admins: null,
      required_pull_request_reviews: null,
      restrictions: { users: [owner.login], teams: [], apps: [] },
    });
  }
  expect(await pages.statements(`/${org.login}/${repo.name}/settings/branches`)).toBe(before);
});

test('a rule with few parameters has a sentence', () => {
  const rules: Rule[] = [
    { type: 'creation' },
    { type: 'merge_queue' },
    { type: 'max_file_size', parameters: { max_file_size: 5 } },
    { type: 'branch_name_pattern', parameters: { operator: 'starts_with', pattern: 'wip/', negate: true } },
  ];
  expect(rules.map(ruleSentence)).toEqual([
    'Nobody may create it.',
    'Pull requests are merged by the merge queue.',
    'Files have at most 5 MB.',
    'Names of branches must not start with “wip/”.',
  ]);
});

test('people see what their tokens and applications may do, but no values', async () => {
  const [ada, eve] = [await w.user(), await w.user()];
  const org = await w.org(ada);
  const token = newToken('');
  await w.db
    .insertInto('tokens')
    .values({
      kind: 'classic_pat',
      name: `Laptop ${attack}`,
      hash: hashToken(token),
      last_eight: token.slice(-8),
      account_id: ada.id,
      scopes: ['repo', 'read:org'],
      created_at: w.clock.now,
      expires_at: new Date('2025-12-01T00:00:00Z'),
    })
    .execute();
  await w.fineGrained(ada, org, { issues: 'write' });
  const pages = await pagesAs(w, ada);
  const { text } = await pages.get('/settings/tokens');
  expect(text).toContain('Laptop');
  expect(text).toContain('<code>read:org</code>');
  expect(text).toContain('expired');
  expect(text).toContain('issues: read and write');
  expect(text).toContain(`href="/${org.login}"`);
  expect(text).not.toContain(raw);
  expect(text).not.toContain(token.slice(-8));
  expect((await (await pagesAs(w, eve)).get('/settings/tokens')).text).not.toContain('Laptop');
  const before = await pages.statements('/settings/tokens');
  for (let number = 0; number < 8; number++) await w.fineGrained(ada, org, { issues: 'read' });
  expect(await pages.statements('/settings/tokens')).toBe(before);
  expect(await statusesOf(ada, ofPeople)).toEqual(each(ofPeople, 200));
  expect(await statusesOf(undefined, ofPeople)).toEqual(each(ofPeople, 302));
  const approvals = await pages.get(`/organizations/${org.login}/settings/personal-access-tokens`);
  expect(approvals.text).toContain(ada.login);
  expect(approvals.text).toContain('issues: read and write');
});

test('keys are shown to who owns them', async () => {
  const ada = await w.user();
  const api = await w.as(ada);
  await api.post('/user/keys', { title: `Key ${attack}`, key: sshKey(Buffer.alloc(32, 5)) });
  const { text } = await (await pagesAs(w, ada)).get('/settings/keys');
  expect(text).toContain('Key &lt;script&gt;');
  expect(text).not.toContain(raw);
  expect((await (await pagesAs(w)).get(`/${ada.login}`)).text).not.toContain('ssh-ed25519');
});

test('lists take the same statements for one row and for many', async () => {
  const owner = await w.user();
  const org = await w.org(owner);
  const repo = await w.repo(org, { by: owner });
  const api = await w.as(owner);
  const fill = async (from: number, to: number) => {
    for (let number = from; number < to; number++) {
      const person = await w.user();
      await w.collaborator(repo, person, 'read');
      await api.post(`/orgs/${org.login}/teams`, { name: `Team ${number}` });
      await api.put(`/orgs/${org.login}/teams/team-${number}/repos/${org.login}/${repo.name}`, { permission: 'pull' });
      await api.post(`/repos/${org.login}/${repo.name}/hooks`, { config: { url: `https://hooks.example/${number}` } });
      await api.post(`/repos/${org.login}/${repo.name}/autolinks`, {
        key_prefix: `T${number}-`,
        url_template: 'https://t.example/<num>',
      });
      await api.put(`/repos/${org.login}/${repo.name}/environments/env-${number}`, {
        reviewers: [{ type: 'User', id: owner.id }],
      });
    }
  };
  const paths = [
    ...['access', 'hooks', 'key_links', 'environments'].map((path) => `/${org.login}/${repo.name}/settings/${path}`),
    `/orgs/${org.login}/teams`,
  ];
  const pages = await pagesAs(w, owner);
  const measure = async () => {
    const counts: Record<string, number> = {};
    for (const path of paths) counts[path] = await pages.statements(path);
    return counts;
  };
  await fill(0, 1);
  const before = await measure();
  await fill(1, 6);
  expect(await measure()).toEqual(before);
  for (const [path, count] of Object.entries(before)) expect(count, path).toBeLessThanOrEqual(14);
});

test('the beginning of JSON is cut without a visit of the rest', () => {
  expect(jsonBeginning({ a: [1, 'x'], b: {}, c: null }, 1_000)).toEqual({
    text: JSON.stringify({ a: [1, 'x'], b: {}, c: null }, null, 2),
    isWhole: true,
  });
  const never = {
    get rest(): never {
      throw new Error('It was visited');
    },
  };
  const { text, isWhole } = jsonBeginning(['x'.repeat(200), never], 100);
  expect([text.length, isWhole]).toEqual([100, false]);
});

test('settings are read in a browser, with and without scripts', async () => {
  const ada = await w.user();
  const org = await w.org(ada);
  const repo = await w.repo(org, { by: ada });
  const api = await w.as(ada);
  await api.post(`/repos/${org.login}/${repo.name}/hooks`, { config: { url: `https://hooks.example/${'long'.repeat(60)}` } });
  const paths = [
    `/organizations/${org.login}/settings`,
    `/organizations/${org.login}/settings/actions/runners`,
    `/${org.login}/${repo.name}/settings`,
    `/${org.login}/${repo.name}/settings/hooks`,
    `/${org.login}/${repo.name}/settings/access`,
    '/settings/tokens',
  ];
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, ada, { javaScriptEnabled });
    for (const path of paths) {
      await visit(tab, path);
      if (javaScriptEnabled && /hooks|tokens/.test(path)) await expectAccessible(tab);
    }
  }
  const narrow = await openTab(w, ada, { viewport: { width: 320, height: 640 } });
  for (const path of paths) {
    await visit(narrow, path);
    expect(await narrow.page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(320);
  }
});
