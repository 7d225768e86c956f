import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '#test/git/support.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { type RuleSetting, ruleSetting } from '#test/resources/code/ref-rules/setting.ts';
import { world } from '#test/support/world.ts';
import { cloudKey, ownToken } from '../setting.ts';

const w = await world();

async function protectedSetting() {
  const setting = await ruleSetting(w);
  const { client, base } = setting;
  const on = { status: 'enabled' };
  const turn = (switches: object) => client.patch(base, { security_and_analysis: switches });
  await turn({ secret_scanning: on, secret_scanning_push_protection: on });
  await w.settle();
  const alerts = async () => (await client.get(`${base}/secret-scanning/alerts`)).body;
  return {
    ...setting,
    turn,
    alerts,
  };
}

const placeholderIn = (message: unknown): string => /\(placeholder ([\w-]+)\)/.exec(String(message))?.[1] ?? 'none';

type Attempt = { status: number; message: string };

/** Each way in by which Bob's files come into the repository. */
const waysIn: Record<string, (setting: RuleSetting, text: string) => Promise<Attempt>> = {
  async 'contents of the API'({ api, base }, text) {
    const content = Buffer.from(text).toString('base64');
    const { status, body } = await api.put(`${base}/contents/deploy.env`, { message: 'Add', content, branch: 'main' });
    return { status, message: body.message };
  },
  async 'a new ref of the API'({ api, base, repo, first }, text) {
    const sha = await addCommit(diskOf(w, repo), { files: { 'deploy.env': text }, parents: [first] });
    const { status, body } = await api.post(`${base}/git/refs`, { ref: 'refs/tags/v1', sha });
    return { status, message: body.message };
  },
  async 'a ref that the API moves'({ api, base, repo, first }, text) {
    const sha = await addCommit(diskOf(w, repo), { files: { 'deploy.env': text }, parents: [first] });
    const { status, body } = await api.patch(`${base}/git/refs/heads/main`, { sha });
    return { status, message: body.message };
  },
  async 'git push'({ folder, push }, text) {
    await writeFile(join(folder, 'deploy.env'), text);
    await git(folder, 'add', '.');
    await git(folder, '-c', 'user.name=Bob', '-c', 'user.email=bob@example.org', 'commit', '-qm', 'Add');
    const problem = await push('HEAD:refs/heads/work');
    return { status: problem === undefined ? 200 : 422, message: problem ?? '' };
  },
};

test.each(Object.entries(waysIn))('%s is refused with a secret, and let in by a bypass', async (_name, attempt) => {
  const setting = await protectedSetting();
  const { client, api, base, alerts } = setting;
  const token = ownToken();
  const refs = async () => (await client.get(`${base}/git/matching-refs/`)).body;
  const before = await refs();
  const refused = await attempt(setting, `A=1\nTOKEN=${token}`);
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.message).toMatch(/Hearth Personal Access Token in commit [0-9a-f]{7}, deploy\.env:2/);
  expect(refused.message).not.toContain(token);
  expect(await refs()).toEqual(before);
  await w.settle();
  expect(await alerts()).toEqual([]);

  const at = `${base}/secret-scanning/push-protection-bypasses`;
  const wanted = { reason: 'will_fix_later', placeholder_id: placeholderIn(refused.message) };
  expect((await client.post(at, wanted)).status).toBe(404); // it isn't the owner's
  expect(await api.post(at, wanted)).toMatchObject({
    status: 200,
    body: { reason: 'will_fix_later', token_type: 'hearth_personal_access_token', expire_at: '2026-01-01T03:00:00Z' },
  });
  expect((await attempt(setting, `A=1\nTOKEN=${token}\n`)).status).toBeLessThan(300);
  await w.settle();
  expect(await alerts()).toMatchObject([
    { state: 'open', secret: token, push_protection_bypassed: true, push_protection_bypassed_by: { login: setting.bob.login } },
  ]);
});

test.each([
  ['false_positive', 'resolved'],
  ['used_in_tests', 'resolved'],
  ['will_fix_later', 'open'],
])('what was bypassed as %s is %s', async (reason, state) => {
  const setting = await protectedSetting();
  const key = cloudKey();
  const put = waysIn['contents of the API'];
  const placeholder_id = placeholderIn((await put?.(setting, key))?.message);
  await setting.api.post(`${setting.base}/secret-scanning/push-protection-bypasses`, { reason, placeholder_id });
  expect((await put?.(setting, key))?.status).toBe(201);
  await w.settle();
  const resolution = state === 'open' ? null : reason;
  expect(await setting.alerts()).toMatchObject([{ state, resolution, push_protection_bypassed: true }]);
});

test('a bypass expires, is for one secret and one person, and ends with the protection', async () => {
  const { api, base, repo, turn, client } = await protectedSetting();
  const [first, second] = [ownToken(), ownToken()];
  const put = (by: typeof api, text: string) =>
    by.put(`${base}/contents/a.env`, { message: 'Add', content: Buffer.from(text).toString('base64'), branch: 'main' });
  const at = `${base}/secret-scanning/push-protection-bypasses`;
  const { body: refused } = await put(api, `${first}\n${second}`);
  const placeholders = [...refused.message.matchAll(/\(placeholder ([\w-]+)\)/g)].map(([, id]) => id);
  expect(new Set(placeholders).size).toBe(2);
  // The same refusal names the same placeholders.
  expect((await put(api, `${first}\n${second}`)).body.message).toContain(placeholders[0]);
  await api.post(at, { reason: 'will_fix_later', placeholder_id: placeholders[0] });
  expect((await put(api, `${first}\n${second}`)).body.message).not.toContain(placeholders[0]);
  expect((await put(client, first)).status).toBeGreaterThanOrEqual(400);
  const { now } = w.clock;
  w.clock.now = new Date(now.getTime() + 3 * 60 * 60 * 1000);
  expect((await put(api, first)).status).toBeGreaterThanOrEqual(400);
  w.clock.now = now;

  await w.unchanged(['secret_placeholders'], async () => {
    const known = { reason: 'will_fix_later', placeholder_id: placeholders[1] };
    expect((await api.post(at, { ...known, placeholder_id: 'unknown' })).status).toBe(404);
    expect((await api.post(at, { ...known, reason: 'why_not' })).status).toBe(422);
    expect((await api.post(at, { reason: 'will_fix_later' })).status).toBe(422);
    const reader = await w.user();
    await w.collaborator(repo, reader, 'read');
    expect((await (await w.as(reader)).post(at, known)).status).toBe(403);
    await turn({ secret_scanning_push_protection: { status: 'disabled' } });
    expect((await api.post(at, known)).status).toBe(404);
  });
  expect((await put(api, second)).status).toBe(201);
});

test('a secret that is in the repository already does not keep its file from being changed', async () => {
  const { api, base, turn, alerts } = await protectedSetting();
  const token = ownToken();
  const put = async (text: string, sha?: string) =>
    api.put(`${base}/contents/a.env`, { message: 'Add', content: Buffer.from(text).toString('base64'), branch: 'main', sha });
  await turn({ secret_scanning_push_protection: { status: 'disabled' } });
  const { body } = await put(token);
  await w.settle();
  expect(await alerts()).toHaveLength(1);
  await turn({ secret_scanning_push_protection: { status: 'enabled' } });
  expect((await put(`${token}\nB=2\n`, body.content.sha)).status).toBe(200);
});

test('a secret that stands in a comment alone is refused in files, and its alert tells who let it in', async () => {
  const { client, api, base, alerts } = await protectedSetting();
  const token = ownToken();
  const { body: issue } = await client.post(`${base}/issues`, { title: 'Help', body: `My key is ${token}` });
  await w.settle();
  expect(await alerts()).toMatchObject([{ number: 1, push_protection_bypassed: false }]);
  const put = () =>
    api.put(`${base}/contents/a.env`, { message: 'Add', content: Buffer.from(token).toString('base64'), branch: 'main' });
  const refused = await put();
  expect(refused.status).toBe(409);
  const bypass = { reason: 'will_fix_later', placeholder_id: placeholderIn(refused.body.message) };
  expect((await api.post(`${base}/secret-scanning/push-protection-bypasses`, bypass)).status).toBe(200);
  expect((await put()).status).toBe(201);
  await w.settle();
  const [alert, ...others] = await alerts();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ state: 'open', push_protection_bypassed: true, has_more_locations: true });
  expect(alert.push_protection_bypassed_by.login).toBe((await api.get('/user')).body.login);
  expect(alert.first_location_detected.issue_body_url).toBe(issue.url);
});

test('a refusal is recorded among the rules, without the secret; what passes is not', async () => {
  const { api, base, client } = await protectedSetting();
  const token = ownToken();
  const put = (file: string, text: string) =>
    api.put(`${base}/contents/${file}`, { message: 'Add', content: Buffer.from(text).toString('base64'), branch: 'main' });
  expect((await put('a.env', 'A=1')).status).toBe(201);
  expect((await put('b.env', token)).status).toBeGreaterThanOrEqual(400);
  const { body: suites } = await client.get(`${base}/rulesets/rule-suites`);
  expect(suites).toHaveLength(1);
  const { body: suite } = await client.get(`${base}/rulesets/rule-suites/${suites[0].id}`);
  expect(suite.rule_evaluations).toMatchObject([
    { rule_source: { type: 'push_protection', id: null }, result: 'fail', rule_type: 'secret_scanning_push_protection' },
  ]);
  expect(JSON.stringify(suite)).not.toContain(token);
});

test('who is blocked is shown the address of the organization, while it has one', async () => {
  const setting = await ruleSetting(w, { ownedBy: 'organization' });
  const { client, api, base, owner } = setting;
  const on = { status: 'enabled' };
  await client.patch(base, { security_and_analysis: { secret_scanning: on, secret_scanning_push_protection: on } });
  await w.settle();
  const link = 'https://intranet.example/secrets';
  const content = Buffer.from(ownToken()).toString('base64');
  const attempt = async (path: string) =>
    (await api.put(`${base}/contents/${path}`, { message: 'Add', content, branch: 'main' })).body.message;
  const show = (is: boolean) =>
    client.patch(`/orgs/${owner.login}`, {
      secret_scanning_push_protection_custom_link: link,
      secret_scanning_push_protection_custom_link_enabled: is,
    });
  await show(true);
  expect(await attempt('one.env')).toContain(`What the organization says about this: ${link}`);
  await show(false);
  expect(await attempt('two.env')).not.toContain(link);
});
