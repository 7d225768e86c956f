import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommitMessage, readMarkdown, type TextReferences } from '#text/read.ts';

const readText = (text: string, options: { html?: string } = {}) => readMarkdown({ text, ...options });

const html = 'https://code.example';
const none: TextReferences = { mentions: [], teamMentions: [], issues: [], commits: [] };
const mentions = (...logins: string[]) => ({ ...none, mentions: logins });
const issue = (number: number, closes = false) => ({ number, closes });
const issues = (...some: TextReferences['issues']) => ({ ...none, issues: some });
const commits = (...some: TextReferences['commits']) => ({ ...none, commits: some });
const engine = { owner: 'acme', repo: 'engine' };
const sha = '5a1e2f3c4b5d6e7f8091a2b3c4d5e6f708192a3b';

test.each<[string, TextReferences]>([
  // people and teams
  ['@ada', mentions('ada')],
  ['Thanks @Ada, @grace-hopper: (@bob) @ada.', mentions('ada', 'grace-hopper', 'bob')],
  ['**@ada** _@bob_ ~~@eve~~ | "@kim"', mentions('ada', 'bob', 'eve', 'kim')],
  ['# @ada\n\n> - @bob\n\n|a|\n|-|\n|@eve|', mentions('ada', 'bob', 'eve')],
  ['@ada-', none],
  ['@-ada', none],
  ['@a--b', none],
  ['@ada/', mentions()],
  ['ada@example.com <ada@example.com> @ada.example @ada@example', none],
  [`@${'a'.repeat(39)} @${'b'.repeat(40)}`, mentions('a'.repeat(39))],
  ['@Acme/Core-Team and @acme', { ...mentions('acme'), teamMentions: [{ org: 'acme', team: 'core-team' }] }],
  ['node_modules/@types/node', none],
  // issues
  ['#12', issues(issue(12))],
  ['(#12), #13. #12-#14 GH-15', issues(issue(12), issue(13), issue(14), issue(15))],
  ['#0 #012 #1a #1.5 a#1 &#12; #2147483648 ##3 /#4 XGH-5', none],
  ['Acme/Engine#12 and a.b/c#1/d', issues({ ...engine, ...issue(12) })],
  ['x/acme/engine#12 acme/#12 /engine#12 acme#12', none],
  [`${html}/acme/engine/issues/12#issuecomment-3`, issues({ ...engine, ...issue(12) })],
  [`<${html}/acme/engine/pull/12>.`, issues({ ...engine, ...issue(12) })],
  [`${html}.evil/acme/engine/issues/12 https://other.example/acme/engine/issues/12 ${html}/acme/engine/issues/12x`, none],
  // closing keywords
  ['close #1 closes #2 closed #3', issues(issue(1, true), issue(2, true), issue(3, true))],
  ['Fix #1, FIXES: #2\nfixed\n#3', issues(issue(1, true), issue(2, true), issue(3, true))],
  ['resolve #1 resolves:#2 **resolved** #3', issues(issue(1, true), issue(2, true), issue(3, true))],
  ['fixes acme/engine#12', issues({ ...engine, ...issue(12, true) })],
  [`fixes ${html}/acme/engine/issues/12`, issues({ ...engine, ...issue(12, true) })],
  ['fixes #1, #2', issues(issue(1, true), issue(2))],
  ['#1, later: fixes #1', issues(issue(1, true))],
  ['prefix #1 hot-fix #2 fixing #3 fixes, #4 fixes `x` #5', issues(issue(1), issue(2), issue(3), issue(4), issue(5))],
  // commits
  [`${sha} 5a1e2f3 ${sha.slice(0, 12).toUpperCase()}`, commits({ sha }, { sha: '5a1e2f3' }, { sha: sha.slice(0, 12) })],
  [`acme/engine@${sha}`, commits({ ...engine, sha })],
  [`Ada@${sha}, a.b@5a1e2f3 @ada@5a1e2f3 -ada@5a1e2f3 ada@5a1e2f3.example /ada@5a1e2f3`, commits({ owner: 'ada', sha })],
  [`${html}/acme/engine/commit/${sha}`, commits({ ...engine, sha })],
  [`${sha}0 5a1e2f 5a1e2f3.txt a/5a1e2f3 x5a1e2f3 5a1e2f3-a feed-5a1e2f3 #5a1e2f3`, none],
  // what isn't read
  ['`@ada #1 5a1e2f3`', none],
  ['```\n@ada\n```\n\n    #1\n\n~~~ js @bob\n5a1e2f3', none],
  ['<!-- @ada #1 --> x <!-- fixes #2', none],
  ['[@ada #1](https://x.example/@bob#2 "@eve") ![@kim](#3) https://x.example/@bob#4', none],
  ['[a]: https://x.example/#1 "@ada"\n', none],
  ['<a href="#1">#2</a> <code>@ada</code> <b title="@bob">#3</b>', issues(issue(3))],
  ['<div title="> @eve" class=\'#4\'>\n#1 <pre>#2\n\n#3</pre>\n</div>', issues(issue(1))],
  ['<div><code>\n\n@ada\n\n</code></div>\n\n@bob', mentions('bob')],
  ['<code>@ada\n\n@bob', mentions('bob')],
  ['@<!-- -->ada \\`@bob\\`', mentions('bob')],
])('reads %j', (text, expected) => {
  expect(readText(text, { html })).toEqual(expected);
});

test('full addresses are references only where the address of the server is known', () => {
  expect(readText(`${html}/acme/engine/issues/12`)).toEqual(none);
});

test('a message of a commit is plain text', () => {
  const message = 'Parser: `@ada` is read\n\n    Fixes #12\nSee acme/engine@5a1e2f3\n\nCo-authored-by: Bob <bob@example.com>\n';
  expect(readCommitMessage(message)).toEqual({
    ...none,
    mentions: ['ada'],
    issues: [issue(12, true)],
    commits: [{ ...engine, sha: '5a1e2f3' }],
  });
});

test('a thousand of each kind are read, and each is told once', () => {
  const many = Array.from({ length: 1_500 }, (_, at) => `@a${at} @o/t${at} #${at + 1} ${(at + 0x1000000).toString(16)} @a0`);
  const { mentions, teamMentions, issues, commits } = readText(many.join('\n'));
  expect([mentions, teamMentions, issues, commits].map(({ length }) => length)).toEqual([1_000, 1_000, 1_000, 1_000]);
  expect(readText(`${many.join('\n')}\nfixes #1`).issues[0]).toEqual(issue(1, true));
});

/** Pieces of Markdown that change how what follows is read. */
const pieces = fc.constantFrom(
  ...[
    '`',
    '```\n',
    '~~~\n',
    '\n',
    '\n\n',
    '    ',
    '> ',
    '- ',
    '1. ',
    '[',
    '](',
    ')',
    '<',
    '>',
    '<a>',
    '</a>',
    '<!--',
    '-->',
    '*',
  ],
  ...[
    '_',
    '~~',
    '\\',
    '|',
    '\n|-|\n',
    '@ada',
    '#12',
    'acme/engine#3',
    '5a1e2f3',
    'fixes ',
    '&',
    '"',
    "'",
    'é',
    '\u0000',
    '\uFFFC',
  ],
);
const anyText = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 60 })
  .map((all) => all.join(''));

test('any text can be read, and whatever is found is written in it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { mentions, issues, commits } = readText(text, { html });
      const written = text.toLowerCase();
      for (const login of mentions) expect(written).toContain(`@${login}`);
      for (const { number } of issues) expect(written).toContain(String(number));
      for (const { sha } of commits) expect(written).toContain(sha);
      readCommitMessage(text);
    }),
  );
});

test('nothing is found inside code', () => {
  const hidden = fc.string({
    unit: fc.constantFrom('@ada ', '#12 ', 'fixes #3 ', '5a1e2f3 ', '[', '*', '<', '> ', '\n', 'a'),
    maxLength: 30,
  });
  fc.assert(
    fc.property(hidden, (text) => {
      expect(readText(`\`\`\`\`\n${text}\n\`\`\`\``)).toEqual(none);
      expect(readText(text.replace(/^/gm, '    '))).toEqual(none);
      expect(readText(`a \`\`${text.replaceAll('\n', ' ')}\`\` b`)).toEqual(none);
    }),
  );
});
