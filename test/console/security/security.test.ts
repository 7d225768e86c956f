import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ownToken } from '#test/resources/code/secret-scanning/setting.ts';
import { codeql, type Problem, upload } from '#test/resources/security/code-scanning/setting.ts';
import {
  advisoryFolder,
  advisoryOf,
  loadFolder,
  lockOf,
  writeAdvisory,
} from '#test/resources/security/dependency-alerts/setting.ts';
import { expectAccessible, openTab, visit } from '#test/support/browser.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { pagesAs } from '#test/support/page-client.ts';
import { fresh, world } from '#test/support/world.ts';

const attack = '<img src=x onerror=alert(1)>';
const escaped = '&lt;img src=x onerror=alert(1)&gt;';

const folder = await advisoryFolder();
atEndOfFile(() => rm(folder, { recursive: true }));
const w = await world({ advisories: folder });
const id = 'GHSA-2345-6789-cfgh';
await writeAdvisory(folder, advisoryOf(id, 'left', '1.2.0', { summary: `left ${attack}`, details: `It breaks ${attack}` }));
await loadFolder(w);

const owner = await w.user();
const org = await w.org(owner);
const client = await w.as(owner);
const [reader, writer] = [await w.user(), await w.user()];

/** A repository with an alert of each kind. */
async function setting(visibility: 'public' | 'private' = 'public') {
  const repo = await w.repo(org, { name: fresh('engine'), by: owner, visibility });
  await w.collaborator(repo, reader, 'read');
  await w.collaborator(repo, writer, 'write');
  const api = `/repos/${org.login}/${repo.name}`;
  const put = (file: string, text: string) =>
    client.put(`${api}/contents/${file}`, { message: `Add ${file}`, content: Buffer.from(text).toString('base64') });
  return { repo, api, put, base: `/${org.login}/${repo.name}/security`, pages: await pagesAs(w, owner) };
}

const injection: Problem = {
  rule: 'js/command-line-injection',
  path: 'src/run.js',
  line: 2,
  hash: 'aaaa:1',
  text: `Danger ${attack}`,
};
const unused: Problem = { rule: 'js/unused-local-variable', path: 'src/run.js', line: 3, hash: 'bbbb:1' };

test('what tools found in code is shown to those who may write, with its lines', async () => {
  const { api, put, base, pages, repo } = await setting();
  await put('src/run.js', '// run\nexec(input)\nlet a = 1\n');
  expect((await upload(client, api, codeql([injection]))).status).toBe(202);
  await w.settle();
  const one = await pages.statements(`${base}/code-scanning`);
  await upload(client, api, codeql([injection, unused]));
  await w.settle();
  const list = await pages.get(`${base}/code-scanning`);
  expect(list.text).toContain('Uncontrolled command line');
  expect(list.text).toContain('Unused variable');
  expect(await pages.statements(`${base}/code-scanning`)).toBe(one);
  expect(one).toBeLessThanOrEqual(10);
  const { body } = await client.get(`${api}/code-scanning/alerts`);
  for (const alert of body) expect((await pages.get(new URL(alert.html_url).pathname)).status).toBe(200);
  const shown = await pages.get(`${base}/code-scanning/1`);
  expect(shown.text).toContain(`/${org.login}/${repo.name}/blob/`);
  expect(shown.text).toContain('src/run.js#L2');
  expect(shown.text).toContain(`Danger ${escaped}`);
  expect(shown.text).not.toContain(attack);
  for (const [who, status] of [
    [writer, 200],
    [reader, 404],
    [undefined, 404],
  ] as const)
    for (const path of [`${base}/code-scanning`, `${base}/code-scanning/1`])
      expect((await (await pagesAs(w, who)).get(path)).status).toBe(status);
});

test('vulnerable dependencies lead to what repairs them, and to the advisory', async () => {
  const { api, put, base, pages } = await setting();
  expect((await pages.get(`${base}/dependency-alerts`)).text).toContain('disabled for this repository');
  await client.put(`${api}/vulnerability-alerts`);
  await put('web/package-lock.json', lockOf({ left: '1.1.0' }));
  await w.settle();
  const list = await pages.get(`${base}/dependency-alerts`);
  expect(list.text).toContain(`left ${escaped}`);
  const { body } = await client.get(`${api}/dependency-bot/alerts`);
  const { status, text } = await pages.get(new URL(body[0].html_url).pathname);
  expect(status).toBe(200);
  expect(text).toContain('Use version <code>1.2.0</code>');
  expect(text).toContain(`href="/advisories/${id}"`);
  expect(text).not.toContain(attack);
  expect((await (await pagesAs(w, reader)).get(`${base}/dependency-alerts`)).status).toBe(404);
  expect((await (await pagesAs(w, reader)).get(`${base}/dependency-alerts/1`)).status).toBe(404);
});

test('secrets are shown to administrators, and their values only when asked for', async () => {
  const { api, put, base, pages } = await setting('private');
  await client.patch(api, { security_and_analysis: { secret_scanning: { status: 'enabled' } } });
  const token = ownToken();
  await put('deploy.env', `TOKEN=${token}\n`);
  await w.settle();
  const list = await pages.get(`${base}/secret-scanning`);
  expect(list.text).toContain('Hearth Personal Access Token');
  const shown = await pages.get(`${base}/secret-scanning/1`);
  expect(shown.text).toContain('deploy.env:1');
  for (const { text } of [list, shown]) expect(text).not.toContain(token);
  expect((await pages.get(`${base}/secret-scanning/1?show=secret`)).text).toContain(token);
  for (const who of [writer, reader])
    for (const path of [`${base}/secret-scanning`, `${base}/secret-scanning/1?show=secret`])
      expect((await (await pagesAs(w, who)).get(path)).status).toBe(404);
});

const advisory = {
  summary: `Tokens are logged ${attack}`,
  description: `In full ${attack}`,
  severity: 'high',
  vulnerabilities: [
    { package: { ecosystem: 'npm', name: `engine${attack}` }, vulnerable_version_range: '< 1.2.3', patched_versions: '1.2.3' },
  ],
};

test('drafts of advisories are hidden, and published ones are shown to everybody who may read', async () => {
  const { api, base, pages } = await setting();
  const { body: made } = await client.post(`${api}/security-advisories`, advisory);
  const address = new URL(made.html_url).pathname;
  const visitor = await pagesAs(w);
  expect((await pages.get(address)).text).toContain(`Tokens are logged ${escaped}`);
  expect((await visitor.get(address)).status).toBe(404);
  expect((await visitor.get(`${base}/advisories?state=draft`)).text).not.toContain('Tokens are logged');
  await client.patch(`${api}/security-advisories/${made.advisory_id}`, { state: 'published' });
  await w.settle();
  const shown = await visitor.get(address);
  expect(shown.text).toContain(`In full ${escaped}`);
  expect(shown.text).toContain(`engine${escaped}`);
  expect(shown.text).not.toContain(attack);
  expect((await visitor.get(`${base}/advisories`)).text).toContain('Tokens are logged');
  const one = await pages.statements(`${base}/advisories`);
  for (let at = 0; at < 4; at++) {
    const { body } = await client.post(`${api}/security-advisories`, { ...advisory, summary: `Another ${at}` });
    await client.patch(`${api}/security-advisories/${body.advisory_id}`, { state: 'published' });
  }
  expect(await pages.statements(`${base}/advisories`)).toBe(one);
  expect(one).toBeLessThanOrEqual(12);
});

test('advisories about packages are listed and shown to everybody', async () => {
  const visitor = await pagesAs(w);
  const list = await visitor.get('/advisories?affects=left');
  expect(list.text).toContain(`href="/advisories/${id}"`);
  const { status, text } = await visitor.get(`/advisories/${id}`);
  expect(status).toBe(200);
  expect(text).toContain(`It breaks ${escaped}`);
  expect(text).toContain('href="https://advisories.example/1"');
  expect(text).not.toContain(attack);
  const wrong = await visitor.get(`/advisories?ecosystem=${encodeURIComponent(attack)}`);
  expect(wrong.status).toBe(200);
  expect(wrong.text).not.toContain(attack);
  expect((await visitor.get('/advisories/GHSA-9999-9999-9999')).status).toBe(404);
});

test('the overview counts only what the viewer may see', async () => {
  const { api, put, base, pages } = await setting();
  await put('src/run.js', '// run\nexec(input)\nlet a = 1\n');
  await upload(client, api, codeql([injection, unused]));
  await w.settle();
  const own = await pages.get(base);
  expect(own.text).toContain('problems that tools found in the code');
  expect(own.text).toMatch(/problems that tools found in the code<\/span><\/span>\s*<span class="count">2</);
  expect(own.text).toContain('Alerts of vulnerable dependencies');
  const others = await (await pagesAs(w, reader)).get(base);
  expect(others.status).toBe(200);
  expect(others.text).not.toContain('problems that tools found');
  expect(others.text).not.toContain('Alerts of vulnerable dependencies');
});

test('people look at what is open in a browser, with and without scripts', async () => {
  const { api, put, base } = await setting();
  await put('src/run.js', '// run\nexec(input)\nlet a = 1\n');
  await upload(client, api, codeql([injection]));
  await w.settle();
  for (const javaScriptEnabled of [true, false]) {
    const tab = await openTab(w, owner, { javaScriptEnabled });
    await visit(tab, base);
    if (javaScriptEnabled) await expectAccessible(tab);
    await tab.page.getByRole('main').getByRole('link', { name: 'Code scanning' }).first().click();
    await tab.page.getByRole('link', { name: 'Uncontrolled command line' }).click();
    await tab.page.getByText('Danger').waitFor();
    expect(tab.problems).toEqual([]);
    if (javaScriptEnabled) await expectAccessible(tab);
  }
});
