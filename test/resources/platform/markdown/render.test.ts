import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, url, token, unchanged } = w;
const nobody = await as(undefined);

const plain = { headers: { 'content-type': 'text/plain; charset=utf-8' } };

test('anybody may have a text rendered', async () => {
  const reply = await nobody.post('/markdown', { text: 'a **b**\nc @ada' });
  expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([
    200,
    'text/html; charset=utf-8',
    '<p>a <strong>b</strong>\nc @ada</p>\n',
  ]);
  expect((await nobody.post('/markdown', { text: 'a\nb', mode: 'gfm' })).text).toBe('<p>a<br />\nb</p>\n');
  expect((await nobody.post('/markdown/raw', '{"text": *1*}', plain)).text).toBe('<p>{"text": <em>1</em>}</p>\n');
  expect((await nobody.post('/markdown/raw', '*a*', { headers: { 'content-type': 'text/x-markdown' } })).text).toBe(
    '<p><em>a</em></p>\n',
  );
});

test('Octokit renders', async () => {
  const { rest } = new Octokit({ baseUrl: `${url}/api/v3`, auth: await token(await user()), throttle: { enabled: false } });
  expect((await rest.markdown.render({ text: '*a*' })).data).toBe('<p><em>a</em></p>\n');
  const { data } = await rest.markdown.renderRaw({ data: '*a*', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(data).toBe('<p><em>a</em></p>\n');
});

test.each([
  [{}, 'text', 'missing_field'],
  [{ text: 1 }, 'text', 'invalid'],
  [{ text: 'a', mode: 'html' }, 'mode', 'invalid'],
])('refuses %o', async (body, field, code) => {
  expect(await nobody.post('/markdown', body)).toMatchObject({
    status: 422,
    body: { errors: [{ resource: 'Markdown', field, code }] },
  });
});

test('a text that is too long, or no text, is refused', async () => {
  const longest = 'a'.repeat(409_600);
  expect((await nobody.post('/markdown', { text: longest })).status).toBe(200);
  expect((await nobody.post('/markdown/raw', longest, plain)).status).toBe(200);
  const said = expect.stringContaining('texts.rendered');
  expect(await nobody.post('/markdown', { text: `é${longest.slice(1)}` })).toMatchObject({
    status: 413,
    body: { message: said },
  });
  expect(await nobody.post('/markdown/raw', `é${longest.slice(1)}`, plain)).toMatchObject({
    status: 413,
    body: { message: said },
  });
  expect((await nobody.post('/markdown', { text: `a${longest}` })).status).toBe(422);
  expect((await nobody.post('/markdown/raw', { text: 'a' })).status).toBe(415);
});

test('references are linked for those who may read what they lead to', async () => {
  const [owner, stranger] = [await user(), await user()];
  const [open, secret] = [await repo(owner), await repo(owner, { visibility: 'private' })];
  for (const { name } of [open, secret])
    await (await as(owner)).post(`/repos/${owner.login}/${name}/issues`, { title: 'It stalls' });
  const full = `${owner.login}/${secret.name}#1`;
  const rendered = async (who: typeof owner | undefined, text: string, context?: string): Promise<string> =>
    (await (await as(who)).post('/markdown', { text, mode: 'gfm', ...(context === undefined ? {} : { context }) })).text;
  const link = (name: string, text: string): string =>
    `<a class="issue-link" href="${url}/${owner.login}/${name}/issues/1">${text}</a>`;

  const mention = `<a class="user-mention" href="${url}/${stranger.login}">@${stranger.login.toUpperCase()}</a>`;
  expect(await rendered(undefined, `@${stranger.login.toUpperCase()} @nobody-${stranger.login}`)).toBe(
    `<p>${mention} @nobody-${stranger.login}</p>\n`,
  );
  expect(await rendered(stranger, '#1 #2', `${owner.login}/${open.name}`)).toBe(`<p>${link(open.name, '#1')} #2</p>\n`);
  expect(await rendered(stranger, '#1')).toBe('<p>#1</p>\n');
  expect(await rendered(owner, `#1 ${full}`, `${owner.login}/${secret.name}`)).toBe(
    `<p>${link(secret.name, '#1')} ${link(secret.name, full)}</p>\n`,
  );
  // As if it weren't there.
  for (const who of [stranger, undefined]) {
    const absent = await rendered(who, `#1 ${full}`, `${owner.login}/absent`);
    expect(absent).toBe(`<p>#1 ${full}</p>\n`);
    expect(await rendered(who, `#1 ${full}`, `${owner.login}/${secret.name}`)).toBe(absent);
  }
  // A credential that doesn't reach issues links none of private repositories.
  const { fineGrained } = w;
  const withoutIssues = await as(await fineGrained(owner, owner, { contents: 'read' }));
  expect((await withoutIssues.post('/markdown', { text: full, mode: 'gfm' })).text).toBe(`<p>${full}</p>\n`);
  const withIssues = await as(await fineGrained(owner, owner, { issues: 'read' }));
  expect((await withIssues.post('/markdown', { text: full, mode: 'gfm' })).text).toBe(`<p>${link(secret.name, full)}</p>\n`);
});

test('nothing is stored', async () => {
  await unchanged(['issues', 'accounts', 'events'], () => nobody.post('/markdown', { text: '@ada #1', mode: 'gfm' }));
});

const harmless = 'p|div|a|img|b|i|em|strong|code|pre|br|ul|li|table|thead|tbody|tr|th|td|details|summary|h\\d|blockquote|input';
const element = new RegExp(`<(?!/?(?:${harmless})\\b)`, 'i');
const attribute = /<[^>]*\s(?:on\w+|style|id|name|srcdoc|action|formaction|xlink:href|srcset|background)\s*=/i;
const address = /(?:href|src)="\s*(?!https?:|mailto:)[\w.+-]*:/i;
const formElement = /<input(?! type="checkbox" [^>]*disabled)/i;

/** What HTML holds that would do something on a page. Text in the values of attributes is none of that. */
const dangersOf = (html: string): string[] =>
  [element, attribute, formElement]
    .flatMap((danger) => html.replace(/="(?!checkbox")[^"]*"/g, '=').match(danger) ?? [])
    .concat(html.match(address) ?? []);

test.each([
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<SCRIPT SRC=//x.example/a.js></SCRIPT>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" OnErRoR = "alert(1)">',
  '<img/src=x/onerror=alert(1)>',
  '<img src="javascript:alert(1)">',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" &#106;avascript&colon;alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="vbscript:x">x</a> <a href="data:text/html,x">y</a> <a href="file:///etc/passwd">z</a>',
  '[x](javascript:alert(1)) [y](<java&#10;script:alert(1)>) [z](&#x6A;avascript:alert(1))',
  '![x](javascript:alert(1)) ![y](data:text/html,x) <javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x] [a](https://x.example "\\" onmouseover=alert(1)")',
  '[a](https://x.example/"onmouseover="alert(1))',
  '<iframe src="https://x.example"></iframe><object data=x></object><embed src=x>',
  '<form action="/x"><input type=text name=q><button>x</button></form><textarea>y</textarea><select><option>z</select>',
  '<input type="image" src=x onerror=alert(1)><input type=checkbox onclick=alert(1) disabled>',
  '<style>@import "x"</style><link rel=stylesheet href=x><meta http-equiv=refresh content="0;url=x"><base href="//x">',
  '<div style="background:url(javascript:alert(1))" id="x" name="y">z</div>',
  '<details ontoggle=alert(1) open>x</details>',
  '<p <script>alert(1)</script> onclick=alert(1)>',
  '<<img src=x onerror=alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?php <img src=x onerror=alert(1)> ?>',
  '```"onmouseover="alert(1)\nx\n```',
  '|a|\n|-|\n|<img src=x onerror=alert(1)>|',
  '- [x] <img src=x onerror=alert(1)>',
  '@ada<img src=x onerror=alert(1)> #1"><script>alert(1)</script>',
  '<template><img src=x onerror=alert(1)></template><xmp><img src=x onerror=alert(1)></xmp><plaintext><b>',
])('nothing that could run is left of %j', async (text) => {
  for (const body of [{ text }, { text: `<div>\n${text}\n</div>` }, { text, mode: 'gfm', context: 'a/b' }])
    expect(dangersOf((await nobody.post('/markdown', body)).text)).toEqual([]);
});

test.each([
  '<script>',
  '<svg>',
  '<img src="x" onerror="y">',
  '<a href="javascript:x">',
  '<p style="x">',
  '<input type="text">',
  '<p id="x">',
])('the test sees the danger of %s', (one) => {
  expect(dangersOf(one)).not.toEqual([]);
});
