import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { indexRepositoryCode } from '#search/code/index-repository.ts';
import { searchCode } from '#search/code/search.ts';
import { parse } from '#search/query/parser.ts';
import { startBudget } from '#search/result.ts';
import { type Files, newPlace, now, push } from '#test/search/support.ts';

const costly = [
  ['word', /^\s*select count\(\*\)/],
  ['"a word"', /get_bit/],
] as const;

test.each(costly)(
  '%s: what was counted or checked is kept until a file of the searched repositories changes',
  async (q, work) => {
    const { db, git, ...place } = await newPlace();
    const owner = await place.account('octo');
    const [one, other] = [await place.repository(owner, 'one'), await place.repository(owner, 'other')];
    const fill = async ({ id, repo }: typeof one, files: Files) => {
      await push(repo, files);
      await indexRepositoryCode({ db, git, repositoryId: id, now });
    };
    let visible = sql`(select id from repositories)`;
    const total = async () => {
      const asked = { query: parse('code', q), visible, page: { limit: 1, offset: 0, number: 1 }, budget: startBudget(60_000) };
      const { result, statements } = await countStatements(() => searchCode({ db, git }, asked));
      return [result.total_count, statements.some((text) => work.test(text)) ? 'counted' : 'kept'];
    };
    await fill(one, { 'a.ts': 'a word', 'b.ts': 'a word' });
    await fill(other, { 'c.ts': 'a word' });
    expect([await total(), await total()]).toEqual([
      [3, 'counted'],
      [3, 'kept'],
    ]);
    await fill(other, { 'c.ts': 'a word', 'd.ts': 'a word' });
    expect(await total()).toEqual([4, 'counted']);
    await fill(one, { 'a.ts': 'other', 'b.ts': 'a word' });
    expect(await total()).toEqual([3, 'counted']);
    visible = sql`(select id from repositories where name = 'other')`;
    expect(await total()).toEqual([2, 'counted']);
    visible = sql`(select id from repositories)`;
    expect(await total()).toEqual([3, 'kept']);
  },
);
