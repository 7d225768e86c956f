import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, statements } = w;
const html = { headers: { accept: 'application/vnd.service.html+json' } };

async function setting() {
  const ada = await user();
  const { name } = await repo(ada, { visibility: 'private' });
  const client = await as(ada);
  const base = `/repos/${ada.login}/${name}`;
  const link = (key_prefix: string, url_template: string, is_alphanumeric = true) =>
    client.post(`${base}/autolinks`, { key_prefix, url_template, is_alphanumeric });
  return { ada, name, client, base, link };
}

const anchor = (text: string, href: string): string => `<a class="autolink" href="${href}" rel="nofollow">${text}</a>`;

test('references of autolinks are links in bodies of issues and comments, and in previews of that repository', async () => {
  const { ada, name, client, base, link } = await setting();
  await link('TICKET-', 'https://tickets.example/<num>');
  await link('BUG-', 'https://bugs.example/?id=<num>', false);
  const text = 'See TICKET-12a, BUG-3, BUG-x and `TICKET-1`.';
  const expected =
    `<p>See ${anchor('TICKET-12a', 'https://tickets.example/12a')}, ${anchor('BUG-3', 'https://bugs.example/?id=3')}, ` +
    'BUG-x and <code>TICKET-1</code>.</p>';
  const { body: issue } = await client.post(`${base}/issues`, { title: 'x', body: text }, html);
  expect(issue.body_html.trim()).toBe(expected);
  const { body: comment } = await client.post(`${base}/issues/1/comments`, { body: text }, html);
  expect(comment.body_html.trim()).toBe(expected);
  const preview = (context: string) => client.post('/markdown', { text, mode: 'gfm', context });
  expect((await preview(`${ada.login}/${name}`)).text.trim()).toBe(expected);
  expect((await preview(`${ada.login}/none`)).text).not.toContain('<a');
  expect((await client.post('/markdown', { text })).text).not.toContain('<a');
});

test('a stranger who names a private repository learns nothing of its autolinks', async () => {
  const { ada, name, link } = await setting();
  await link('TICKET-', 'https://secret.example/<num>');
  for (const other of [await as(await user()), await as(undefined)]) {
    const { text } = await other.post('/markdown', { text: 'TICKET-1', mode: 'gfm', context: `${ada.login}/${name}` });
    expect(text).toBe('<p>TICKET-1</p>\n');
  }
});

test('an autolink that is deleted is a link no longer, and those of another repository never are', async () => {
  const { ada, client, base, link } = await setting();
  const { body } = await link('TICKET-', 'https://tickets.example/<num>');
  const { name: other } = await repo(ada);
  const shown = async (at: string) => (await client.get(`${at}/issues/1`, html)).body.body_html;
  for (const at of [base, `/repos/${ada.login}/${other}`]) await client.post(`${at}/issues`, { title: 'x', body: 'TICKET-1' });
  expect(await shown(base)).toContain('https://tickets.example/1');
  expect(await shown(`/repos/${ada.login}/${other}`)).not.toContain('<a');
  await client.delete(`${base}/autolinks/${body.id}`);
  expect(await shown(base)).not.toContain('<a');
});

test('a page of many texts reads autolinks by one statement', async () => {
  const { ada, client, base, link } = await setting();
  await link('TICKET-', 'https://tickets.example/<num>');
  const add = (at: number) => client.post(`${base}/issues`, { title: 'x', body: `TICKET-${at}` });
  await add(1);
  const counted = () => statements(ada, `${base}/issues`, html);
  await counted();
  const forOne = await counted();
  for (let at = 2; at < 12; at++) await add(at);
  expect(await counted()).toBe(forOne);
});
