import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '#lib/refusal.ts';
import { fromBase64, utf8Of } from '#resources/code/git-data/index.ts';

const place = { resource: 'Blob', field: 'content' };
const decode = (text: string): Promise<Buffer | 'refused'> =>
  fromBase64(text, place).catch((error) => {
    if (error instanceof Refusal) return 'refused';
    throw error;
  });

/** As it is defined: digits in fours, blanks left out, the last two of four perhaps padding. */
function defined(text: string): Buffer | 'refused' {
  const plain = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.replace(/=+$/, '').length % 4 === 1) return 'refused';
  return Buffer.from(plain, 'base64');
}

test('base64 is decoded as it is defined, and what is none is refused', async () => {
  const texts = fc.array(fc.constantFrom('QUJD', 'YQ', 'Y', '=', '==', '\n', ' ', '-', '\u2028', '/+'), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, async (parts) => {
      const text = parts.join('');
      expect(await decode(text)).toEqual(defined(text));
    }),
    { numRuns: 2_000 },
  );
});

test('long texts are decoded in steps that fit together', async () => {
  const bytes = Buffer.from(Array.from({ length: 4_000_000 }, (_, at) => (at * 7) % 251));
  const plain = bytes.toString('base64');
  for (const text of [plain, plain.replace(/.{59}/g, '$&\n'), `${plain}\n `.repeat(1)]) {
    const decoded = await decode(text);
    expect(decoded !== 'refused' && decoded.equals(bytes)).toBe(true);
  }
  expect(await decode(`${plain.slice(0, -1)}*`)).toBe('refused');
  expect(await decode(`${plain}==${plain}`)).toBe('refused');
});

test('long texts become UTF-8 in steps that split no letter', async () => {
  for (const first of ['', 'a', 'aé']) {
    const text = `${first}${'💩'.repeat(1_200_000)}`;
    expect((await utf8Of(text)).equals(Buffer.from(text))).toBe(true);
  }
  expect(await utf8Of('')).toEqual(Buffer.alloc(0));
});
