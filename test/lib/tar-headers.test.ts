import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { withShortHeaders } from '#lib/tar-headers.ts';

async function tarOf(entries: readonly (Partial<Header> & { name: string; content?: string })[]): Promise<Buffer> {
  const tar = pack();
  for (const { content = '', ...header } of entries) tar.entry(header, content);
  tar.finalize();
  return Buffer.concat((await Array.fromAsync(tar)) as Buffer[]);
}

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const passed = async (bytes: Buffer, size = 1_000): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(withShortHeaders(inParts(bytes, size))));

test('the bytes of a tar are passed on, however they come', async () => {
  const tar = await tarOf([
    { name: `${'a/'.repeat(2_000)}b`, content: 'x'.repeat(700), pax: { comment: 'é'.repeat(1_000) } },
    { name: 'c' },
  ]);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3_000 }), fc.nat(tar.length), async (size, length) => {
      expect(await passed(tar.subarray(0, length), size)).toEqual(tar.subarray(0, length));
    }),
    { numRuns: 20 },
  );
});

test('what is too long before a file is refused, also behind what a reader counts otherwise', async () => {
  const long = await tarOf([{ name: 'a', pax: { comment: 'x'.repeat(70_000) } }]);
  const misleading = await tarOf([{ name: 'a', content: 'x'.repeat(512), pax: { size: '0' } }]);
  for (const tar of [long, Buffer.concat([misleading, long])])
    for (const size of [1, 512, 100_000].filter((one) => one > 1 || tar === long))
      await expect(passed(tar, size)).rejects.toThrow('Invalid tar header');
});
