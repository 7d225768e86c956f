import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });
const ada = await w.user('ada');
const logins = ['ada', 'acme'];
await w.org(ada, 'acme');
for (let at = 0; at < 4; at++) {
  const user = await w.user(`user-${at}`);
  logins.push(user.login);
  await w.repo(user, { name: 'engine' });
}
const octokit = new Octokit({
  auth: await w.token(ada),
  baseUrl: `${w.url}/api/v3`,
  throttle: { enabled: false },
  retry: { enabled: false },
});
const { rest } = octokit;

test('an unmodified Octokit follows the lists of all that a server has to their ends', async () => {
  const users = await octokit.paginate(rest.users.list, { per_page: 2 });
  expect(users.map(({ login }) => login)).toEqual(logins);
  const organizations = await octokit.paginate(rest.orgs.list, { per_page: 1 });
  expect(organizations.map(({ login }) => login)).toEqual(['acme']);
  const repositories = await octokit.paginate(rest.repos.listPublic, { per_page: 3 } as { since?: number });
  expect(repositories.map(({ full_name }) => full_name)).toEqual([0, 1, 2, 3].map((at) => `user-${at}/engine`));
});

test('it finds a repository and an account by their ids', async () => {
  const { data: named } = await rest.repos.get({ owner: 'user-1', repo: 'engine' });
  const { data: found } = await octokit.request('GET /repositories/{repository_id}', { repository_id: named.id });
  expect(found).toEqual(named);
  const { data: user } = await rest.users.getById({ account_id: ada.id });
  expect(user).toMatchObject({ login: 'ada', id: ada.id });
});

test('it searches users, with the texts that match', async () => {
  const mediaType = { format: 'text-match' };
  const { data } = await rest.search.users({ q: 'user repos:>0', sort: 'joined', order: 'asc', per_page: 2, mediaType });
  expect(data.total_count).toBe(4);
  expect(data.items.map(({ login, text_matches }) => [login, text_matches?.[0]?.fragment])).toEqual([
    ['user-0', 'user-0'],
    ['user-1', 'user-1'],
  ]);
});

test('it reads emojis and templates of what Git ignores, and begins a repository with one', async () => {
  const { data: emojis } = await rest.emojis.get();
  expect((await fetch(emojis.rocket ?? '')).status).toBe(200);
  const { data: names } = await rest.gitignore.getAllTemplates();
  expect(names).toContain('Rust');
  const { data: template } = await rest.gitignore.getTemplate({ name: 'Rust' });
  const { data: text } = await rest.gitignore.getTemplate({ name: 'Rust', mediaType: { format: 'raw' } });
  expect(text).toBe(template.source);
  await rest.repos.createForAuthenticatedUser({ name: 'crate', gitignore_template: 'Rust' });
  const at = { owner: 'ada', repo: 'crate', path: '.gitignore', mediaType: { format: 'raw' } };
  expect((await rest.repos.getContent(at)).data).toBe(template.source);
});
