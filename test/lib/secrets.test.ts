import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSecrets } from '#lib/secrets.ts';

const secrets = openSecrets(Buffer.alloc(32, 7));
const context = 'webhooks.secret:1';

test('what was sealed opens in its own context', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, place) => {
      expect(secrets.open(secrets.seal(Buffer.from(bytes), place), place)).toEqual(Buffer.from(bytes));
    }),
  );
  expect(secrets.openText(secrets.seal('pässwörd', context), context)).toBe('pässwörd');
});

test('the same secret is sealed differently each time, and never holds its own text', () => {
  const one = secrets.seal('canary-canary', context);
  expect(one.equals(secrets.seal('canary-canary', context))).toBe(false);
  expect(one.includes('canary')).toBe(false);
});

test('another context, another key and any changed byte are refused', () => {
  const sealed = secrets.seal('secret', context);
  expect(() => secrets.open(sealed, 'webhooks.secret:2')).toThrow();
  expect(() => openSecrets(Buffer.alloc(32, 8)).open(sealed, context)).toThrow('sealed under another secret key');
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(() => secrets.open(changed, context), `byte ${index}`).toThrow();
  }
  expect(() => secrets.open(sealed.subarray(0, 20), context)).toThrow('not a sealed value');
});

test('a key of another length is refused', () => {
  expect(() => openSecrets(Buffer.alloc(16))).toThrow('32 bytes');
});

test('a digest tells equal secrets of a context, and needs the key', () => {
  const digest = secrets.digest('canary', context);
  expect(secrets.digest('canary', context).equals(digest)).toBe(true);
  expect(digest).toHaveLength(32);
  const others = [
    secrets.digest('canary.', context),
    secrets.digest('canary', 'webhooks.secret:2'),
    secrets.digest('1canary', context.slice(0, -1)),
    openSecrets(Buffer.alloc(32, 8)).digest('canary', context),
  ];
  for (const other of others) expect(other.equals(digest)).toBe(false);
});
