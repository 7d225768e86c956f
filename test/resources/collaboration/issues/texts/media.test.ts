import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, repo, url, token, statements } = await world();

async function setting() {
  const owner = await user();
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  const body = `**It** stalls,\nsays @${owner.login}: #1`;
  await client.post(`${path}/issues`, { title: 'It stalls', body });
  const { body: comment } = await client.post(`${path}/issues/1/comments`, { body });
  const mention = `<a class="user-mention" href="${url}/${owner.login}">@${owner.login}</a>`;
  const link = `<a class="issue-link" href="${url}${path.slice('/repos'.length)}/issues/1">#1</a>`;
  const body_html = `<p><strong>It</strong> stalls,<br />\nsays ${mention}: ${link}</p>\n`;
  const body_text = `It stalls,\nsays @${owner.login}: #1`;
  return { owner, engine, path, client, comment, texts: { body, body_text, body_html } };
}

type Texts = { body?: string; body_text?: string; body_html?: string };
const textsOf = ({ body, body_text, body_html }: Texts): Texts => ({
  ...(body === undefined ? {} : { body }),
  ...(body_text === undefined ? {} : { body_text }),
  ...(body_html === undefined ? {} : { body_html }),
});
const accept = (type: string) => ({ headers: { accept: `application/vnd.${type}` } });

test('an issue and its comments tell their texts in the media type that is asked for', async () => {
  const { client, path, comment, texts } = await setting();
  const { body, body_text, body_html } = texts;
  const places = [`${path}/issues/1`, `${path}/issues/comments/${comment.id}`];
  const lists = [
    `${path}/issues`,
    '/user/issues?filter=created',
    `${path}/issues/1/comments`,
    `${path}/issues/comments`,
    `${path}/issues/1/timeline`,
  ];
  for (const [type, expected] of [
    ['service+json', { body }],
    ['service.raw+json', { body }],
    ['service.text+json', { body_text }],
    ['service.html+json', { body_html }],
    ['service.full+json', { body, body_text, body_html }],
    ['github.v3.raw+json', { body }],
    ['github.v3.text+json', { body_text }],
    ['github.html+json', { body_html }],
    ['github.v3.full+json', { body, body_text, body_html }],
  ] as const) {
    for (const at of places) expect(textsOf((await client.get(at, accept(type))).body), `${type} of ${at}`).toEqual(expected);
    for (const at of lists) {
      const { body: listed } = await client.get(at, accept(type));
      const first = listed.find(({ event = 'commented' }: { event?: string }) => event === 'commented');
      expect(textsOf(first), `${type} of ${at}`).toEqual(expected);
    }
  }
});

test('what is written is answered in the media type that is asked for', async () => {
  const { client, path, comment } = await setting();
  const body = 'Now `here`.';
  const html = '<p>Now <code>here</code>.</p>\n';
  const full = accept('service.full+json');
  const replies = [
    await client.post(`${path}/issues`, { title: 'a', body }, full),
    await client.patch(`${path}/issues/1`, { body }, full),
    await client.post(`${path}/issues/1/comments`, { body }, full),
    await client.patch(`${path}/issues/comments/${comment.id}`, { body }, full),
  ];
  for (const reply of replies) expect(textsOf(reply.body)).toEqual({ body, body_text: 'Now here.', body_html: html });
});

test('an issue without a text has no renderings', async () => {
  const { client, path } = await setting();
  const { body } = await client.post(`${path}/issues`, { title: 'a' }, accept('service.full+json'));
  expect([body.body, 'body_text' in body, 'body_html' in body]).toEqual([null, false, false]);
});

test('Octokit gets renderings by its media formats', async () => {
  const { owner, engine, texts } = await setting();
  const { rest } = new Octokit({ baseUrl: `${url}/api/v3`, auth: await token(owner), throttle: { enabled: false } });
  const place = { owner: owner.login, repo: engine.name };
  const { data } = await rest.issues.get({ ...place, issue_number: 1, mediaType: { format: 'full' } });
  expect(textsOf(data as Texts)).toEqual(texts);
  const { data: comments } = await rest.issues.listComments({ ...place, issue_number: 1, mediaType: { format: 'html' } });
  expect(comments.map(textsOf)).toEqual([{ body_html: texts.body_html }]);
});

test('issues that the reader may not know of are never linked', async () => {
  const { owner, client, path, engine } = await setting();
  const secret = await repo(owner, { visibility: 'private' });
  const there = `${owner.login}/${secret.name}`;
  await client.post(`/repos/${there}/issues`, { title: 'Hidden' });
  const { body } = await client.post(`${path}/issues/1/comments`, { body: `${there}#1 ${owner.login}/${engine.name}#1` });
  const seenBy = async (who: typeof owner | undefined): Promise<string> =>
    (await (await as(who)).get(`${path}/issues/comments/${body.id}`, accept('service.html+json'))).body.body_html;
  const link = (repo: string) => `<a class="issue-link" href="${url}/${repo}/issues/1">${repo}#1</a>`;
  const open = link(`${owner.login}/${engine.name}`);
  expect(await seenBy(owner)).toBe(`<p>${link(there)} ${open}</p>\n`);
  for (const who of [await user(), undefined]) expect(await seenBy(who)).toBe(`<p>${there}#1 ${open}</p>\n`);
});

test('of many long texts the first are rendered', async () => {
  const { client, path } = await setting();
  const long = '*a*'.padEnd(65_536);
  for (let n = 0; n < 16; n++) await client.post(`${path}/issues/1/comments`, { body: long });
  const { body } = await client.get(`${path}/issues/1/comments`, accept('service.full+json'));
  const texts = body.map(({ body_text, body_html }: Texts) => [body_text, body_html]).slice(1);
  expect(texts).toEqual([...Array(15).fill(['a', '<p><em>a</em></p>\n']), [long, `<pre>${long}</pre>\n`]]);
});

test('of many texts with much HTML the first are rendered', async () => {
  const { client, path } = await setting();
  const multiplied = `[a]: http://x/${'y'.repeat(1_000)}\n\n${'[a] '.repeat(1_500)}`;
  for (let n = 0; n < 6; n++) await client.post(`${path}/issues/1/comments`, { body: multiplied });
  await client.post(`${path}/issues/1/comments`, { body: '*a*' });
  const { body } = await client.get(`${path}/issues/1/comments`, accept('service.html+json'));
  const shown = body.slice(1).map(({ body_html }: Texts) => body_html?.slice(0, 5));
  expect(shown).toEqual(['<p><a', '<p><a', '<pre>', '<pre>', '<pre>', '<pre>', '<p><e']);
});

test('renderings of a page cost as many statements as those of one text, and plain replies none', async () => {
  const { owner, client, path } = await setting();
  const at = `${path}/issues/1/comments`;
  const html = accept('service.html+json');
  const [plain, one] = [await statements(owner, at), await statements(owner, at, html)];
  for (let n = 0; n < 5; n++) await client.post(at, { body: `@${(await user()).login} #1` });
  expect([await statements(owner, at), await statements(owner, at, html)]).toEqual([plain, one]);
  // Autolinks, and accounts with issues.
  expect(one).toBe(plain + 2);
});
