import { expect, test } from 'vitest';
import { termsOf } from '#search/analyse/analyse.ts';
import { lookThrough, timely } from '#search/look-through.ts';
import { startBudget } from '#search/result.ts';
import { phrasePattern } from '#search/text-match/pattern.ts';

test('everything is looked at where there is time, in its order', async () => {
  const found = await lookThrough([1, 2, 3, 4], startBudget(60_000), (item) => item % 2 === 0);
  expect(found).toEqual({ matching: [2, 4], looked: 4 });
});

test('rule 7: when the time is over, what matched until then is given, and others had their turn', async () => {
  // A phrase that nearly matches everywhere takes longest.
  const text = `${'数 '.repeat(118)}c `.repeat(130);
  const pattern = phrasePattern(termsOf(`${'数 '.repeat(118)}b`));
  const items = Array.from({ length: 100 }, () => [text, text, text]);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  // The time is over once others have had some turns, so it never is where they have none.
  const budget = { left: () => (turns < 5 ? 1_000 : 0) };
  let late = 0;
  const { matching, looked } = await lookThrough(items, budget, async (texts) => {
    for await (const one of timely(texts, budget)) {
      if (budget.left() === 0) late += 1;
      if (pattern.test(one)) return false;
    }
    return true;
  });
  clearInterval(timer);
  expect(matching).toHaveLength(looked);
  expect(looked).toBeLessThan(100);
  expect(late).toBe(0);
});

test('a failure that is none of time is one', async () => {
  const broken = lookThrough([1], startBudget(60_000), () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
});
