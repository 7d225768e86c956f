import { expect, test } from 'vitest';
import { newHostKey, readHostKey } from '#ssh-server/host-keys.ts';

test('every new key can be read, those with a zero at their beginning too', async () => {
  // One in 256 begins with one.
  const keys = await Promise.all(Array.from({ length: 1_500 }, async () => readHostKey(await newHostKey('ed25519')).key));
  expect(new Set(keys).size).toBe(1_500);
  for (const kind of ['ecdsa', 'rsa'] as const) expect(readHostKey(await newHostKey(kind)).fingerprint).toMatch(/^SHA256:/);
});
