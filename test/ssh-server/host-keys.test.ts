import { expect, test } from 'vitest';
import { newHostKey, readHostKey } from '#ssh-server/host-keys.ts';

test('every new key can be read, those with a zero at their beginning too', () => {
  // One in 256 begins with one.
  const keys = Array.from({ length: 1_500 }, () => readHostKey(newHostKey('ed25519')).key);
  expect(new Set(keys).size).toBe(1_500);
  for (const kind of ['ecdsa', 'rsa'] as const) expect(readHostKey(newHostKey(kind)).fingerprint).toMatch(/^SHA256:/);
});
