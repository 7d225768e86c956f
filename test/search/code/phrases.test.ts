import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { mayContainPhrases } from '#search/code/phrases.ts';
import { requireTerms } from '#search/code/terms.ts';
import { parse } from '#search/query/parser.ts';
import { pairsOf } from '#search/word-pairs.ts';
import { newPlace, now, push } from '#test/search/support.ts';

const anywhere = { file: true, path: false };

test('a filter never denies a phrase that is there, and seldom admits one that is not', async () => {
  const { db, git, ...place } = await newPlace();
  const { id, repo } = await place.repository(await place.account('octo'), 'hello');
  const words = Array.from({ length: 400 }, (_, i) => `w${(i * 7919) % 401}`);
  words.push('CamelCase', 'snake_case', 'é', 'x'.repeat(200));
  await push(repo, { 'a.txt': words.join(' ') });
  await indexRepositoryCode({ db, git, repositoryId: id, now });
  const admits = async (phrase: string) => {
    const condition = mayContainPhrases(requireTerms(parse('code', `"${phrase}"`)), anywhere);
    const { rows } = await sql<{ admitted: boolean }>`select (${condition ?? sql`null`}) as admitted from code_files f`.execute(
      db,
    );
    return rows[0]?.admitted;
  };
  const there = words.slice(1).map((word, index) => `${words[index]} ${word.toUpperCase()}`);
  for (const phrase of there) expect(await admits(phrase), phrase).toBe(true);
  let wrong = 0;
  for (let i = 0; i < 200; i++) if (await admits(`w${i} absent${i}`)) wrong += 1;
  expect(wrong).toBeLessThan(25);
  expect(await admits('w1 absent w2 absent w3 absent w4')).toBe(false);
});

test('a filter takes six bits a word', () => {
  expect(pairsOf(Array.from({ length: 8_000 }, (_, hash) => ({ hash })))).toHaveLength(6_000);
  expect(pairsOf([])).toHaveLength(8);
});

test('what the filters cannot tell is not asked of them', () => {
  for (const q of ['word', 'word NOT "two words"', 'word OR "two words"', '"数据 库"']) {
    expect(mayContainPhrases(requireTerms(parse('code', q)), anywhere), q).toBeUndefined();
  }
  expect(mayContainPhrases(requireTerms(parse('code', '"two words"')), { file: false, path: true })).toBeUndefined();
});
