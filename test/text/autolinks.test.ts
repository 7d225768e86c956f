import fc from 'fast-check';
import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { computing } from '#test/support/time.ts';
import { type Autolink, findAutolinks } from '#text/autolinks.ts';
import { renderText } from '#text/render.ts';

const ticket: Autolink = { prefix: 'TICKET-', urlTemplate: 'https://tickets.example/<num>?all=<num>', isAlphanumeric: true };
const bug: Autolink = { prefix: 'bug:', urlTemplate: 'https://bugs.example/<num>', isAlphanumeric: false };
const both = [ticket, bug];

test.each([
  ['TICKET-123', ['TICKET-123']],
  ['See ticket-ab1, (Ticket-7) and TICKET-a-b.', ['ticket-ab1', 'Ticket-7', 'TICKET-a-b']],
  ['TICKET-1- TICKET- TICKET-_ TICKET-1_2', ['TICKET-1']],
  ['xTICKET-1 x-TICKET-1 /TICKET-1 #TICKET-1 @TICKET-1', []],
  ['bug:12 bug:x bug:12x bug:12.', ['bug:12', 'bug:12']],
  ['https://x.example/?TICKET-1 then TICKET-2', ['TICKET-2']],
])('in %j are %j', (text, expected) => {
  expect(findAutolinks(text, both).map(({ start, end }) => text.slice(start, end))).toEqual(expected);
});

test('every place of the template holds the number', () => {
  expect(findAutolinks('TICKET-a1', both)).toMatchObject([{ href: 'https://tickets.example/a1?all=a1' }]);
});

test('of several prefixes the longest counts, and a shorter one where that has no number', () => {
  const nested = [
    { ...bug, prefix: 'A-' },
    { ...bug, prefix: 'A-B-', urlTemplate: 'https://longer.example/<num>' },
    { ...ticket, prefix: 'A-B' },
  ];
  const hrefs = (text: string) => findAutolinks(text, nested).map(({ href }) => href);
  for (const order of [nested, nested.toReversed()])
    expect(findAutolinks('A-B-1', order).map(({ href }) => href)).toEqual(['https://longer.example/1']);
  expect(hrefs('A-1')).toEqual(['https://bugs.example/1']);
  expect(hrefs('A-B-x A-Bx')).toEqual(['https://tickets.example/x?all=x']);
});

test('whatever the text, what is found is in order, apart, and begins with a prefix', () => {
  const piece = fc.constantFrom('TICKET-', 'ticket-1', 'bug:', 'bug:3', '-', '_', ' ', '1', 'é', 'https://a/', '\n', 'İ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('');
      let past = 0;
      for (const { start, end } of findAutolinks(text, both)) {
        expect(start).toBeGreaterThanOrEqual(past);
        expect(text.slice(start, end)).toMatch(/^(?:ticket-[a-z\d-]+|bug:\d+)$/i);
        past = end;
      }
    }),
  );
});

const many = Array.from({ length: 500 }, (_, at) => ({
  ...ticket,
  prefix: `${'x'.repeat(20)}${at.toString(36).padStart(3, 'a')}-`,
}));

test.each([
  ['words that are nearly prefixes', `${'x'.repeat(20)}aa `],
  ['prefixes without a number', `${'x'.repeat(20)}aaa- `],
  ['numbers without an end', `${many[0]?.prefix}${'1-'.repeat(20)}_ `],
  ['beginnings alone', 'x '],
  ['one long word', 'x'],
])('the time for %s is linear, however many autolinks there are', (_, unit) => {
  const text = unit.repeat(Math.ceil(400_000 / unit.length));
  expect(computing(() => findAutolinks(text, many))).toBeLessThan(1_000);
});

const html = 'https://code.example';
const context = {
  html,
  repository: { owner: 'Acme', repo: 'Engine' },
  known: {
    logins: new Map(),
    teams: new Map(),
    issues: new Map([['acme/engine#12', `${html}/Acme/Engine/issues/12`]]),
    commits: new Map(),
  },
  autolinks: [...both, { ...bug, prefix: 'GH-' }, { ...ticket, prefix: 'Q=', urlTemplate: 'https://q.example/"><b>?<num>' }],
  caller: system,
};
const linked = (text: string, href: string) => `<a class="autolink" href="${href}" rel="nofollow">${text}</a>`;
const one = linked('TICKET-1', 'https://tickets.example/1?all=1');

test.each([
  ['Fixed by TICKET-1 & bug:2', `<p>Fixed by ${one} &amp; ${linked('bug:2', 'https://bugs.example/2')}</p>`],
  ['**TICKET-1** and `TICKET-1`', `<p><strong>${one}</strong> and <code>TICKET-1</code></p>`],
  ['    TICKET-1', '<pre><code>TICKET-1\n</code></pre>'],
  ['[TICKET-1](https://x.example)', '<p><a href="https://x.example" rel="nofollow">TICKET-1</a></p>'],
  ['<div>TICKET-1</div>', `<div>${one}</div>`],
  // A reference of this server counts before an autolink.
  [
    'GH-12, GH-13',
    `<p><a class="issue-link" href="${html}/Acme/Engine/issues/12">GH-12</a>, ${linked('GH-13', 'https://bugs.example/13')}</p>`,
  ],
  ['Q=1', `<p>${linked('Q=1', 'https://q.example/&quot;&gt;&lt;b&gt;?1')}</p>`],
])('renders %j', async (text, expected) => {
  expect((await renderText(text, context)).trim()).toBe(expected);
});

test('a text is rendered for each set of autolinks', async () => {
  expect(await renderText('TICKET-1', { ...context, autolinks: [] })).toBe('<p>TICKET-1</p>\n');
  expect(await renderText('TICKET-1', context)).toBe(`<p>${one}</p>\n`);
});

test('an autolink around a reference counts where the reference leads nowhere', async () => {
  const issues = { ...ticket, prefix: 'acme/engine#', urlTemplate: 'https://tickets.example/<num>' };
  const shown = (text: string) => renderText(text, { ...context, autolinks: [issues] });
  expect(await shown('acme/engine#12')).toBe(
    `<p><a class="issue-link" href="${html}/Acme/Engine/issues/12">acme/engine#12</a></p>\n`,
  );
  expect(await shown('acme/engine#13')).toBe(`<p>${linked('acme/engine#13', 'https://tickets.example/13')}</p>\n`);
});
