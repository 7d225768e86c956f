import { generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseSshKey } from '#lib/ssh-key.ts';

const bytes = (text = ''): Buffer => Buffer.from(text, 'base64url');
const field = (content: Buffer | string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(content));
  return Buffer.concat([length, Buffer.from(content)]);
};
/** A positive number of RFC 4251. */
const number = (content: Buffer): Buffer =>
  field((content[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), content]) : content);
const jwk = ({ publicKey }: { publicKey: KeyObject }): webcrypto.JsonWebKey => publicKey.export({ format: 'jwk' });

const ed25519 = () => field(bytes(jwk(generateKeyPairSync('ed25519')).x));
const rsa = (modulusLength: number) => {
  const { e, n } = jwk(generateKeyPairSync('rsa', { modulusLength }));
  return Buffer.concat([number(bytes(e)), number(bytes(n))]);
};
const ecdsa = (namedCurve: string, name: string) => {
  const { x, y } = jwk(generateKeyPairSync('ec', { namedCurve }));
  return Buffer.concat([field(name), field(Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]))]);
};
const app = field('ssh:');

const keys: [type: string, blob: Buffer][] = [
  ['ssh-ed25519', ed25519()],
  ['ssh-rsa', rsa(2048)],
  ['ecdsa-sha2-nistp256', ecdsa('P-256', 'nistp256')],
  ['ecdsa-sha2-nistp384', ecdsa('P-384', 'nistp384')],
  ['ecdsa-sha2-nistp521', ecdsa('P-521', 'nistp521')],
  ['sk-ssh-ed25519@openssh.com', Buffer.concat([ed25519(), app])],
  ['sk-ecdsa-sha2-nistp256@openssh.com', Buffer.concat([ecdsa('P-256', 'nistp256'), app])],
];
const line = (type: string, blob: Buffer): string => `${type} ${blob.toString('base64')}`;
const whole = (type: string, rest: Buffer): Buffer => Buffer.concat([field(type), rest]);

test.each(keys)('%s: a whole key is read, with or without a comment', (type, rest) => {
  const text = line(type, whole(type, rest));
  const read = { key: text, fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/) };
  expect(parseSshKey(text)).toEqual(read);
  expect(parseSshKey(` ${text} ada@example.org its laptop\n`)).toEqual(read);
});

test.each(keys)('%s: no part of a key is one, nor a key with something behind it or under another type', (type, rest) => {
  const blob = whole(type, rest);
  for (let length = 0; length < blob.length; length++)
    expect([length, parseSshKey(line(type, blob.subarray(0, length)))]).toEqual([length, undefined]);
  expect(parseSshKey(line(type, Buffer.concat([blob, Buffer.alloc(1)])))).toBeUndefined();
  expect(parseSshKey(line(type, Buffer.concat([blob, field('more')])))).toBeUndefined();
  for (const [other] of keys.filter(([name]) => name !== type)) expect(parseSshKey(line(other, blob))).toBeUndefined();
  expect(parseSshKey(`${type} ${blob.toString('base64').slice(0, -5)}`)).toBeUndefined();
});

test('a short modulus, a point beside its curve, and other texts are no keys', () => {
  const beside = Buffer.concat([field('nistp256'), field(Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]))]);
  expect(parseSshKey(line('ecdsa-sha2-nistp256', whole('ecdsa-sha2-nistp256', beside)))).toBeUndefined();
  expect(parseSshKey(line('ssh-rsa', whole('ssh-rsa', rsa(768))))).toBeUndefined();
  for (const text of ['', 'ssh-ed25519', 'ssh-dss AAAA', '-----BEGIN PUBLIC KEY-----', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA'])
    expect(parseSshKey(text)).toBeUndefined();
});
