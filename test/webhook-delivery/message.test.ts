import { verify } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encode, type Message } from '#webhook-delivery/message.ts';

const base: Message = {
  guid: 'b6b1f4a0-0000-4000-8000-000000000000',
  event: 'push',
  payload: '{"a":1}',
  hook: { id: 7, target: 'repository', targetId: 9, contentType: 'json' },
  secret: undefined,
  credentials: undefined,
};

test('the headers in both vocabularies', () => {
  expect(encode({ ...base, secret: 's' }, { vocabulary: 'service', version: '1.2.3' }).headers).toEqual({
    Accept: '*/*',
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Hookshot/1.2.3',
    'X-Service-Delivery': base.guid,
    'X-Service-Event': 'push',
    'X-Service-Hook-ID': '7',
    'X-Service-Hook-Installation-Target-ID': '9',
    'X-Service-Hook-Installation-Target-Type': 'repository',
    'X-Hub-Signature': 'sha1=fa90bbb46547f7bc6b4cad1f3b475ba08facfea6',
    'X-Hub-Signature-256': 'sha256=37beaf650f70b40ec9706929c2e9d835cbd63729988f48781e6383a147215f07',
  });
});

test('the vendor’s words, and the documented example of a signature', () => {
  const hook = { ...base.hook, contentType: 'json' } as const;
  const example = { ...base, hook, payload: 'Hello, World!', secret: "It's a Secret to Everybody" };
  const { headers } = encode(example, { vocabulary: 'github', version: '1' });
  expect(headers).toMatchObject({
    'User-Agent': 'GitHub-Hookshot/1',
    'X-GitHub-Event': 'push',
    'X-GitHub-Hook-Installation-Target-Type': 'repository',
    'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  });
  expect(Object.keys(headers).join()).not.toContain('Service');
});

test('every payload and secret verifies as receivers verify, in both encodings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.string({ minLength: 1, unit: 'binary' }), async (payload, secret) => {
      for (const contentType of ['json', 'form'] as const) {
        const { body, headers } = encode(
          { ...base, payload, secret, hook: { ...base.hook, contentType } },
          { vocabulary: 'github', version: '1' },
        );
        const text = body.toString();
        expect(await verify(secret, text, headers['X-Hub-Signature-256'] ?? '')).toBe(true);
        if (contentType === 'form') expect(new URLSearchParams(text).get('payload')).toBe(payload);
        else expect(text).toBe(payload);
      }
    }),
    { numRuns: 200 },
  );
});
