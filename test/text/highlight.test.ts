import fc from 'fast-check';
import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { highlightCode } from '#text/code-html.ts';
import { grammarOf } from '#text/code-languages.ts';
import { escapeHtml } from '#text/escape-html.ts';
import { highlightLines } from '#text/highlight.ts';

const allowed = /^(?:[^<>"]|<span class="h-[a-z]">|<\/span>)*$/;
const textOf = (lines: readonly string[]): string => lines.join('\n').replace(/<\/?span[^>]*>/g, '');

test('code has spans of known classes, each closed in its line', () => {
  expect(highlightCode({ text: '/* a\nb */ const x = "<b>";', grammar: 'typescript' })).toEqual([
    '<span class="h-c">/* a</span>',
    '<span class="h-c">b */</span> <span class="h-k">const</span> x = <span class="h-s">&quot;&lt;b&gt;&quot;</span>;',
  ]);
});

test('whatever the text is, the HTML holds it escaped, and nothing but spans', () => {
  const word = fc.constantFrom(
    '<',
    '>',
    '&',
    '"',
    "'",
    '`',
    '${',
    '}',
    '\n',
    '/*',
    '*/',
    '<script>',
    '</span>',
    '&lt;',
    'a',
    ' ',
    '=',
  );
  const texts = fc.array(word, { maxLength: 60 }).map((words) => words.join(''));
  const grammars = fc.constantFrom('typescript', 'xml', 'markdown', 'php', 'bash', 'python', 'css', 'yaml', 'diff');
  fc.assert(
    fc.property(texts, grammars, (text, grammar) => {
      const lines = highlightCode({ text, grammar });
      expect(lines.length).toBe(text.split('\n').length);
      for (const line of lines) {
        expect(line).toMatch(allowed);
        expect(line.split('<span').length).toBe(line.split('</span>').length);
      }
      expect(textOf(lines)).toBe(escapeHtml(text));
    }),
  );
});

test('a language has a grammar by its name', () => {
  expect([grammarOf('TypeScript'), grammarOf('TSX'), grammarOf('C++'), grammarOf('Shell')]).toEqual([
    'typescript',
    'typescript',
    'cpp',
    'bash',
  ]);
  expect([grammarOf('Nothing'), grammarOf('../core'), grammarOf('constructor'), grammarOf(undefined)]).toEqual(
    Array.from({ length: 4 }),
  );
});

test('code that is slow to highlight is shown as it is, while this thread goes on', async () => {
  const text = `${'<?php '.repeat(20)}${'{{"[(`'.repeat(40_000)}`;
  const before = process.threadCpuUsage();
  for (const grammar of ['php', 'markdown', 'perl', 'typescript', 'xml']) {
    const lines = await highlightLines({ text, grammar }, system);
    expect(textOf(lines)).toBe(escapeHtml(text));
  }
  const { user } = process.threadCpuUsage(before);
  expect(user / 1_000).toBeLessThan(1_500);
});
