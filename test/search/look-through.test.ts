import { expect, test } from 'vitest';
import { termsOf } from '#search/analyse/analyse.ts';
import { lookThrough, timely } from '#search/look-through.ts';
import { startBudget } from '#search/result.ts';
import { phrasePattern } from '#search/text-match/pattern.ts';
import { inGoodTime } from '#test/support/time.ts';

test('everything is looked at where there is time, in its order', async () => {
  const found = await lookThrough([1, 2, 3, 4], startBudget(60_000), (item) => item % 2 === 0);
  expect(found).toEqual({ matching: [2, 4], looked: 4 });
});

test('rule 7: when the time is over, what matched until then is given, and others had their turn', async () => {
  // A phrase that nearly matches everywhere takes longest.
  const text = `${'数 '.repeat(118)}c `.repeat(130);
  const pattern = phrasePattern(termsOf(`${'数 '.repeat(118)}b`));
  const items = Array.from({ length: 1_000 }, () => [text, text, text]);
  let turns = 0;
  const timer = setInterval(() => turns++, 10);
  const { matching, looked } = await inGoodTime(900, () => {
    const budget = startBudget(300);
    return lookThrough(items, budget, async (texts) => {
      for await (const one of timely(texts, budget)) if (pattern.test(one)) return false;
      return true;
    });
  });
  clearInterval(timer);
  expect(matching).toHaveLength(looked);
  expect(looked).toBeLessThan(1_000);
  expect(turns).toBeGreaterThan(0);
});

test('a failure that is none of time is one', async () => {
  const broken = lookThrough([1], startBudget(60_000), () => {
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
});
