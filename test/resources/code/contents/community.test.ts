import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { licenseText } from '#resources/repositories/licenses/index.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo } = w;

/** A repository, and its profile as it is shown after its files were committed. */
async function setting() {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner });
  const client = await as(owner);
  const path = `/repos/${acme.login}/${engine.name}`;
  const profile = async () => (await client.get(`${path}/community/profile`)).body;
  const after = async (files: Record<string, string>) => {
    await commitFiles(w, engine, files);
    return profile();
  };
  return { owner, acme, engine, client, path, profile, after };
}

const none = {
  code_of_conduct: null,
  code_of_conduct_file: null,
  contributing: null,
  issue_template: null,
  pull_request_template: null,
  license: null,
  readme: null,
};

test('a repository without files has an empty profile, before and after its first commit', async () => {
  const { profile, after } = await setting();
  const empty = { health_percentage: 0, description: null, documentation: null, files: none, content_reports_enabled: false };
  expect(await profile()).toEqual({ ...empty, updated_at: null });
  expect(await after({ 'main.c': 'int main;' })).toEqual({ ...empty, updated_at: expect.any(String) });
});

test('a profile shows the files of the default branch, and how many of the recommended ones there are', async () => {
  const { client, path, after } = await setting();
  await client.patch(path, { description: 'An engine', homepage: 'https://engine.example' });
  const shown = await after({
    'README.md': '# Engine',
    LICENSE: licenseText('mit', { owner: 'Ada', year: 2026 }),
    'docs/Contributing.md': 'Gladly.',
    '.github/CODE_OF_CONDUCT.md': '# Contributor Covenant Code of Conduct',
    '.github/ISSUE_TEMPLATE/bug.yml': 'name: Bug',
    'pull_request_template.md': 'What?',
  });
  expect(shown).toMatchObject({ health_percentage: 100, description: 'An engine', documentation: 'https://engine.example' });
  const { files } = shown;
  expect(files.license).toMatchObject({ key: 'mit' });
  expect(files.code_of_conduct).toMatchObject({ key: 'contributor_covenant', name: 'Contributor Covenant' });
  expect(files.code_of_conduct.html_url).toBe(files.code_of_conduct_file.html_url);
  expect(files.issue_template.html_url).toMatch(/\/tree\/main\/\.github\/ISSUE_TEMPLATE$/);
  expect(files.contributing.html_url).toMatch(/\/blob\/main\/docs\/Contributing\.md$/);
  for (const file of ['readme', 'contributing', 'issue_template', 'pull_request_template', 'code_of_conduct_file']) {
    const { pathname, search } = new URL(files[file].url);
    expect((await client.get(pathname.replace('/api/v3', '') + search)).status).toBe(200);
  }
});

test.each([
  ['contributing', 'CONTRIBUTING', true],
  ['contributing', 'contributing.RST', true],
  ['contributing', '.github/contributing.md', true],
  ['contributing', 'src/CONTRIBUTING.md', false],
  ['contributing', 'CONTRIBUTING/a.md', false],
  ['issue_template', 'ISSUE_TEMPLATE.md', true],
  ['issue_template', 'docs/issue_template.md', true],
  ['issue_template', 'docs/issue_template/bug.md', true],
  ['issue_template', '.github/Issue_Template/config.yml', false],
  ['issue_template', 'ISSUE_TEMPLATE/notes.txt', false],
  ['pull_request_template', '.github/PULL_REQUEST_TEMPLATE/one.md', true],
  ['pull_request_template', 'DOCS/pull_request_template.txt', true],
  ['pull_request_template', '.github/workflows/pull_request_template.md', false],
  ['code_of_conduct_file', 'code-of-conduct.md', true],
  ['code_of_conduct_file', 'docs/CODE_OF_CONDUCT', true],
  ['code_of_conduct_file', 'my-code-of-conduct.md', false],
])('%s from %s: %s', async (field, path, isFound) => {
  const { after } = await setting();
  const { files } = await after({ [path]: 'text' });
  expect(files[field] !== null).toBe(isFound);
  expect(Object.values(files).filter((file) => file !== null)).toHaveLength(
    isFound ? (field === 'code_of_conduct_file' ? 2 : 1) : 0,
  );
});

test('.github comes before the root, and that before docs', async () => {
  const { after } = await setting();
  const paths = ['docs/CONTRIBUTING.md', 'CONTRIBUTING.md', '.github/CONTRIBUTING.md'];
  for (const count of [1, 2, 3]) {
    const { files } = await after(Object.fromEntries(paths.slice(0, count).map((path) => [path, 'text'])));
    expect(files.contributing.html_url.endsWith(`/main/${paths[count - 1]}`)).toBe(true);
  }
});

test('what a repository lacks, the public repository .github of its owner has', async () => {
  const { owner, acme, client, after, profile } = await setting();
  await after({ 'CONTRIBUTING.md': 'Our own.' });
  const defaults = await repo(acme, { name: '.github', by: owner });
  await commitFiles(w, defaults, {
    'CONTRIBUTING.md': 'For all.',
    'CODE_OF_CONDUCT.md': 'Be kind.',
    '.github/ISSUE_TEMPLATE/bug.md': 'x',
    'README.md': 'x',
    LICENSE: licenseText('mit', { owner: 'Ada', year: 2026 }),
  });
  const { files, health_percentage } = await profile();
  expect(files.contributing.html_url).not.toContain('/.github/blob');
  expect(files.code_of_conduct).toMatchObject({ key: 'other' });
  expect(files.code_of_conduct_file.html_url).toContain(`/${acme.login}/.github/blob/main/CODE_OF_CONDUCT.md`);
  expect(files.issue_template.url).toContain(`/repos/${acme.login}/.github/contents/.github/ISSUE_TEMPLATE`);
  expect(files).toMatchObject({ readme: null, license: null });
  expect(health_percentage).toBe(42);
  expect((await client.get(`/repos/${acme.login}/.github/community/profile`)).body.files.readme).not.toBeNull();
  await client.patch(`/repos/${acme.login}/.github`, { visibility: 'private' });
  expect((await profile()).files.code_of_conduct).toBeNull();
});

test('a fork has no profile, and a private repository shows its own to those who read it', async () => {
  const { client, path, acme } = await setting();
  const name = fresh('fork');
  await client.post(`${path}/forks`, { name });
  const forks = (await client.get(`${path}/forks`)).body;
  expect((await client.get(`/repos/${forks[0].full_name}/community/profile`)).status).toBe(404);
  await client.patch(path, { visibility: 'private' });
  expect((await client.get(`${path}/community/profile`)).status).toBe(200);
  expect((await (await as(await user())).get(`${path}/community/profile`)).status).toBe(404);
  expect(acme.kind).toBe('organization');
});

test('Octokit gets it, by a fixed number of statements', async () => {
  const { owner, path, after } = await setting();
  await after({ 'README.md': 'x' });
  const [, , login = '', name = ''] = path.split('/');
  const { rest } = new Octokit({ baseUrl: `${w.url}/api/v3`, auth: await w.token(owner), throttle: { enabled: false } });
  const { data } = await rest.repos.getCommunityProfileMetrics({ owner: login, repo: name });
  expect(data.files.readme?.url).toContain('README.md');
  expect(await w.statements(owner, `${path}/community/profile`)).toBe(2);
});
