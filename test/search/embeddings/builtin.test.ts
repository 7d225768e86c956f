import { expect, test } from 'vitest';
import { builtinEmbedder } from '#search/embeddings/builtin.ts';
import { longestTurn } from '#test/support/time.ts';

test('a batch of texts of words that no model knows yields to other work', async () => {
  const embedder = builtinEmbedder();
  const letters = 'qxzjkv';
  // The words are as long as those that are looked up may be, and all different.
  const word = (from: number) => Array.from({ length: 100 }, (_, at) => letters[(from * 31 + at * at * 7 + at) % 6]).join('');
  const text = (from: number) => Array.from({ length: 20 }, (_, at) => word(from * 20 + at)).join(' ');
  await embedder.embed([text(0)], 'issues');
  const texts = Array.from({ length: 60 }, (_, from) => text(from));
  const { result, longest } = await longestTurn(() => embedder.embed(texts, 'issues'));
  expect(result).toHaveLength(60);
  expect(longest).toBeLessThan(200);
});
