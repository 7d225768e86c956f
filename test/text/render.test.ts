import fc from 'fast-check';
import sanitizeHtml from 'sanitize-html';
import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { computing } from '#test/support/time.ts';
import type { Autolink } from '#text/autolinks.ts';
import { renderMarkdown, renderPlain } from '#text/markdown-html.ts';
import { plainText, renderText } from '#text/render.ts';
import { hostileTexts } from './hostile.ts';

const html = 'https://code.example';
const sha = '5a1e2f3'.padEnd(40, '0');
const context = {
  html,
  caller: system,
  repository: { owner: 'Acme', repo: 'Engine' },
  known: {
    logins: new Map([['ada', 'Ada']]),
    issues: new Map([
      ['acme/engine#12', `${html}/Acme/Engine/issues/12`],
      ['acme/other#3', `${html}/Acme/other/issues/3`],
    ]),
    teams: new Map([['acme/core', `${html}/orgs/Acme/teams/core`]]),
    commits: new Map([
      ['acme/engine@5a1e2f3', `${html}/Acme/Engine/commit/${sha}`],
      [`acme/engine@${sha}`, `${html}/Acme/Engine/commit/${sha}`],
      ['acme/other@5a1e2f3', `${html}/Acme/other/commit/${sha}`],
      ['ada/engine@5a1e2f3', `${html}/ada/Engine/commit/${sha}`],
    ]),
  },
};
const ada = `<a class="user-mention" href="${html}/Ada">@ada</a>`;
const twelve = `<a class="issue-link" href="${html}/Acme/Engine/issues/12">#12</a>`;
const core = `<a class="team-mention" href="${html}/orgs/Acme/teams/core">@Acme/Core</a>`;
const commit = (there: string, before = ''): string =>
  `<a class="commit-link" href="${html}/${there}/commit/${sha}">${before}<tt>5a1e2f3</tt></a>`;
const box = '<input type="checkbox" class="task-list-item-checkbox" disabled';

test.each([
  ['a **b** _c_ ~~d~~ `e`', '<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>'],
  ['a\nb', '<p>a\nb</p>'],
  ['|a|\n|:-:|\n|b|', /<th align="center">a<\/th>[\s\S]*<td align="center">b<\/td>/],
  ['```js\n@ada <b>\n```', '<pre><code class="language-js">@ada &lt;b&gt;\n</code></pre>'],
  [
    '- [ ] @ada\n- [x] b\n- [x]c',
    new RegExp(`<li class="task-list-item">${box} /> ${ada}</li>\n.*${box} checked /> b</li>\n<li>\\[x]c</li>`),
  ],
  [
    'https://x.example/a. www.x.example/b, x.example',
    '<p><a href="https://x.example/a" rel="nofollow">https://x.example/a</a>. <a href="http://www.x.example/b" ' +
      'rel="nofollow">www.x.example/b</a>, x.example</p>',
  ],
  [`[a](${html}/x)`, `<p><a href="${html}/x">a</a></p>`],
  [
    '<details open>\n<summary>@ada</summary>\n\n*b*\n\n</details>',
    `<details open>\n<summary>${ada}</summary>\n<p><em>b</em></p>\n</details>`,
  ],
  // references
  [
    '@ada @bob #12, **acme/other#3** #13',
    `<p>${ada} @bob ${twelve}, <strong><a class="issue-link" ` +
      `href="${html}/Acme/other/issues/3">acme/other#3</a></strong> #13</p>`,
  ],
  ['@Acme/Core @acme/secret', `<p>${core} @acme/secret</p>`],
  [
    `5a1e2f3 ${sha}, 5a1e2f4 *acme/other@5a1e2f3* ada@5a1e2f3 bob@5a1e2f3`,
    `<p>${commit('Acme/Engine')} ${commit('Acme/Engine')}, 5a1e2f4 <em>${commit('Acme/other', 'acme/other@')}</em> ` +
      `${commit('ada/Engine', 'ada@')} bob@5a1e2f3</p>`,
  ],
  [`<div>${sha}</div>`, `<div>${commit('Acme/Engine')}</div>`],
  ['- [x] 5a1e2f3', new RegExp(`${box} checked /> ${commit('Acme/Engine')}`)],
  [
    '`5a1e2f3` `@acme/core` [5a1e2f3](/x) x/5a1e2f3',
    /^<p><code>5a1e2f3<\/code> <code>@acme\/core<\/code> <a href="\/x"[^>]*>5a1e2f3<\/a> x\/5a1e2f3<\/p>$/,
  ],
  [
    '`@ada` [#12](https://x.example) <a href="/x">@ada</a>',
    '<p><code>@ada</code> <a href="https://x.example" rel="nofollow">#12</a> <a href="/x" rel="nofollow">@ada</a></p>',
  ],
  [
    `${html}/Acme/Engine/issues/12 <${html}/a/@ada>`,
    `<p><a href="${html}/Acme/Engine/issues/12">${html}/Acme/Engine/issues/12</a> <a ` +
      `href="${html}/a/@ada">${html}/a/@ada</a></p>`,
  ],
])('renders %j', async (text, expected) => {
  expect((await renderText(text, context)).trim()).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

test('ends of lines are kept where that is wanted, and nothing is linked where nothing is known', async () => {
  expect(await renderText('a\n@ada #12', { html, breaks: true, caller: system })).toBe('<p>a<br />\n@ada #12</p>\n');
});

test.each([
  ['# A\n\n**b** [c](https://x.example) `d`\ne', 'A\nb c d\ne'],
  ['- a\n- b\n\n```\n<c>\n```', 'a\nb\n\n<c>'],
  ['a &amp; "b" &lt;i> <b>c</b> <script>d</script><!-- e -->', 'a & "b" <i> c'],
  ['', ''],
])('the plain text of %j', async (text, expected) => {
  expect(await plainText(text, system)).toBe(expected);
});

test('raw HTML past the limit is shown as text', async () => {
  const rendered = await renderText('<b>a</b> '.repeat(2_501), context);
  expect(rendered.match(/<b>/g)).toHaveLength(2_500);
  expect(rendered).toContain('&lt;b&gt;a&lt;/b&gt;');
});

const multiplied = (times: number): string => `[a]: http://x/${'y'.repeat(1_000)}\n\n${'[a] '.repeat(times)}`;
const toTickets = [{ prefix: 'T-', urlTemplate: `https://tickets.example/${'z'.repeat(1_000)}/<num>`, isAlphanumeric: false }];

test.each<[string, string, Autolink[]]>([
  ['links to one address', multiplied(20_000), []],
  ['images of one address', multiplied(20_000).replaceAll('[a]', '![a]').replace('![a]:', '[a]:'), []],
  ['autolinks', 'T-1 '.repeat(9_000), toTickets],
  ['characters that HTML writes longer', '<&'.repeat(500_000), []],
])('a text of %s whose HTML would be too large is shown as it was written', async (_, text, autolinks) => {
  let parts: unknown;
  expect(computing(() => (parts = renderMarkdown({ text, html, breaks: true, autolinks })))).toBeLessThan(1_500);
  expect(parts).toBeUndefined();
  expect(await renderText(text, { ...context, autolinks })).toMatch(/^<pre>/);
});

test('an address may be that of many links', async () => {
  expect((await renderText(multiplied(1_000), context)).match(/<a /g)).toHaveLength(1_000);
});

const tags = (open: string, close: string): [string, string] => [
  `${open} and ${close}`,
  open.repeat(30_000) + close.repeat(30_000),
];

// The longest text that is rendered; a megabyte is refused.
test.each([...hostileTexts(409_600), tags('<b>', '</i>'), tags('<b>', '</b>'), tags('<p>\n', '</b>\n\n')])(
  'the longest text of %s is rendered in time',
  (_, text) => {
    expect(computing(() => renderMarkdown({ text, html, breaks: true }))).toBeLessThan(3_000);
    expect(computing(() => renderPlain(text))).toBeLessThan(3_000);
  },
);

const table = `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(300_000)}`;

test('a text that takes too long is shown as it was written, while this thread goes on', async () => {
  const before = process.threadCpuUsage();
  const rendered = await renderText(table, context);
  const { user, system: kernel } = process.threadCpuUsage(before);
  // A comparison of such texts, where they differ, would take minutes.
  expect(rendered === `<pre>${table}</pre>\n`).toBe(true);
  expect((user + kernel) / 1_000).toBeLessThan(1_000);
});

test('a text that was rendered is kept, for whoever asks', async () => {
  const long = `${'*a* '.repeat(20_000)}@ada`;
  const linked = await renderText(long, context);
  const before = process.threadCpuUsage();
  const unlinked = await renderText(long, { html, caller: { key: 'other', kind: 'anonymous' } });
  const { user } = process.threadCpuUsage(before);
  expect(linked.endsWith(`${ada}</p>\n`)).toBe(true);
  expect(unlinked.endsWith('@ada</p>\n')).toBe(true);
  expect(user / 1_000).toBeLessThan(50);
});

test('nobody can write the marks that stand for references', async () => {
  expect(await renderText('r0x0x @ada rx0x $1 $&', context)).toBe(`<p>r0x0x ${ada} rx0x $1 $&amp;</p>\n`);
});

test('links of references are elements of their own, however odd the quotes of tags are', async () => {
  const piece = fc.constantFrom(
    '<b',
    '<div',
    '</b',
    '>',
    '"',
    "'",
    '=',
    ' ',
    '\n',
    'title=',
    'a',
    '@ada',
    '/',
    '<!--',
    '-->',
    'x="y"',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      const rendered = await renderText(`<div>${pieces.join('')}\n`, context);
      const seen = { elements: 0, broken: 0 };
      sanitizeHtml(rendered, {
        allowedTags: false,
        allowVulnerableTags: true,
        allowedAttributes: false,
        transformTags: {
          '*': (tagName, attribs) => {
            if (tagName === 'a' && attribs.class === 'user-mention' && attribs.href === `${html}/Ada`) seen.elements++;
            if (Object.entries(attribs).some((attribute) => attribute.join().includes('<a'))) seen.broken++;
            return { tagName, attribs };
          },
        },
      });
      expect([seen, rendered]).toEqual([{ elements: rendered.split('user-mention').length - 1, broken: 0 }, rendered]);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['<b a"b title="x" y="> @ada">z', 0],
  ['<b title="\'" y=\'"\'>@ada', 1],
  ['<b =">" @ada', 1],
  ["<b title = '>@ada'>z", 0],
])('quotes in %s count only where a value begins', async (tag, mentions) => {
  const rendered = await renderText(`<div>${tag}</div>`, context);
  expect(rendered.split(ada)).toHaveLength(mentions + 1);
});

test('a text of many references is kept, with links for as many as a text may have', async () => {
  const text = '@ada '.repeat(20_000);
  const rendered = await renderText(text, context);
  expect(rendered.split(ada)).toHaveLength(10_001);
  const before = process.threadCpuUsage();
  await renderText(text, context);
  expect(process.threadCpuUsage(before).user / 1_000, 'milliseconds').toBeLessThan(200);
});
