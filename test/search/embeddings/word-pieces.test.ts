import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTable } from '#search/embeddings/table.ts';
import { wordPieces } from '#search/embeddings/word-pieces.ts';

type Fixture = { text: string; pieces: string[] };

const { vocabulary } = await readTable();
const fixtures: Fixture[] = JSON.parse(await readFile(new URL('./word-pieces.json', import.meta.url), 'utf8'));
const names = [...vocabulary.numbers.keys()];
const cut = (text: string): (string | undefined)[] => wordPieces(text, vocabulary).map((piece) => names[piece]);

test("texts are cut as the model's own tokenizer cuts them", () => {
  expect(fixtures.length).toBeGreaterThan(100);
  for (const { text, pieces } of fixtures) expect(cut(text), JSON.stringify(text)).toEqual(pieces);
});

test('any text is cut, and case makes no difference', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(cut(text)).not.toContain(undefined);
    }),
  );
  expect(cut('NullPointerException')).toEqual(cut('nullpointerexception'));
});
