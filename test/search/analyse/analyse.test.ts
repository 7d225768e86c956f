import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { analyse, lexemesOf, termsOf, wordOf } from '#search/analyse/analyse.ts';
import { computing } from '#test/support/time.ts';

test.each([
  ['getUserName', ['getusername', 'get', 'user', 'name']],
  ['get_user_name', ['get_user_name', 'get', 'user', 'name']],
  ['HTTPServer2', ['httpserver2', 'http', 'server']],
  ['sha256sum', ['sha256sum', 'sha', '256', 'sum']],
  ['__init__', ['__init__', 'init']],
  ['MAX_SIZE', ['max_size', 'max', 'size']],
  ['x', ['x']],
  ['plain', ['plain']],
  ['ÉcoleDuNord', ['écoledunord', 'école', 'du', 'nord']],
  ['数据', ['数据', '数据', '数', '据']],
  ['ꀀ数', ['ꀀ数', 'ꀀ', '数', '数']],
])('%s is found whole and by its parts', (identifier, lexemes) => {
  expect(lexemesOf(identifier)).toEqual(lexemes);
});

test('an identifier in a query asks for the whole of it', () => {
  expect(termsOf('getUserName')).toEqual([{ written: 'getUserName', lexemes: ['getusername'] }]);
  expect(termsOf('foo-bar::baz')).toMatchObject([{ written: 'foo' }, { written: 'bar' }, { written: 'baz' }]);
  expect(termsOf('-> (){}')).toEqual([]);
});

test('words of scripts without blanks are found inside longer ones', () => {
  const { lexemes } = analyse('# 数据库管理系统');
  for (const part of ['数', '据库', '数据库', '管理系统']) {
    for (const lexeme of termsOf(part).flatMap((term) => term.lexemes)) expect(lexemes).toContain(lexeme);
  }
});

test('composed and decomposed letters are the same word', () => {
  expect(lexemesOf('cafe\u0301')).toEqual(lexemesOf('caf\u00e9'));
});

test('every identifier of a text is found by a query for it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      const { lexemes } = analyse(text);
      for (const { lexemes: wanted } of termsOf(text)) for (const lexeme of wanted) expect(lexemes).toContain(lexeme);
    }),
    { numRuns: 2_000 },
  );
});

test('lexemes hold no character that the index uses itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      for (const lexeme of analyse(text).lexemes) expect(lexeme).toMatch(/^[^\s'\\/=:.#@]+$/u);
    }),
    { numRuns: 2_000 },
  );
});

test('encoded data and generated texts stay within bounds', () => {
  const base64 = Buffer.alloc(300_000, 'hearth').toString('base64');
  expect(Math.max(...analyse(base64).lexemes.map(({ length }) => length))).toBeLessThanOrEqual(128);
  const many = Array.from({ length: 60_000 }, (_, i) => `word${i}`).join(' ');
  expect(analyse(many).lexemes.length).toBeLessThan(20_100);
});

test('analysed words are forgotten after a while', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  // The timer of what earlier tests have analysed is a real one; a cache that is full is emptied, too.
  const fillings = Array.from({ length: 200_001 }, (_, at) => `word${at}`);
  for (const filling of fillings) wordOf(filling);
  const word = wordOf('getUserName');
  vi.advanceTimersByTime(299_000);
  expect(wordOf('getUserName')).toBe(word);
  vi.advanceTimersByTime(2_000);
  const again = wordOf('getUserName');
  expect(again).not.toBe(word);
  expect(again.lexemes.map(({ text }) => text)).toEqual(['getusername', 'get', 'user', 'name']);
});

test('a long run of underscores takes no time', () => {
  const text = `a${'_'.repeat(380_000)}a数`;
  expect(computing(() => expect(analyse(text).lexemes).toHaveLength(2))).toBeLessThan(300);
});
