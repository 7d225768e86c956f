import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSignatureOf, parseSshSignature } from '#git/signatures/ssh-signature.ts';
import { computing } from '#test/support/time.ts';
import { armored, byEd25519, ed25519Blob, field, sshKeygen, sshSign, sshSignature } from './support.ts';

const payload = Buffer.from('tree \xff\xfe\n\nnot UTF-8 \xe9\n', 'latin1');
const isValid = (text: string, bytes = payload): boolean => {
  const signature = parseSshSignature(text);
  return signature !== undefined && isSignatureOf(signature, bytes);
};

test.each([
  ['ed25519', []],
  ['ecdsa', ['-b', '256']],
  ['ecdsa', ['-b', '384']],
  ['ecdsa', ['-b', '521']],
  ['rsa', ['-b', '2048']],
  ['rsa', ['-b', '3072']],
])('what OpenSSH signs by a key of the type %s %j is verified, and nothing else', async (type, more) => {
  const key = await sshKeygen(type, ...more);
  for (const hash of ['sha256', 'sha512']) {
    const text = await sshSign(key, payload, 'git', '-O', `hashalg=${hash}`);
    expect(parseSshSignature(text)).toMatchObject({ hash, fingerprint: expect.stringMatching(/^SHA256:/) });
    expect(isValid(text)).toBe(true);
    expect(isValid(text, Buffer.concat([payload, Buffer.from('\n')]))).toBe(false);
    expect(isValid(text, Buffer.from(payload.toString('utf8')))).toBe(false);
  }
  expect(isValid(await sshSign(key, payload, 'file'))).toBe(false);
});

const pair = generateKeyPairSync('ed25519');
const by = (more: object = {}) =>
  sshSignature(payload, {
    key: ed25519Blob(pair.publicKey),
    algorithm: 'ssh-ed25519',
    make: byEd25519(pair.privateKey),
    ...more,
  });

test('the parts of a signature have to fit each other', () => {
  expect(isValid(by())).toBe(true);
  expect(isValid(by({ hash: 'sha256' }))).toBe(true);
  expect(isValid(by({ namespace: '' }))).toBe(false);
  expect(isValid(by({ namespace: 'git\0' }))).toBe(false);
  expect(parseSshSignature(by({ version: 2 }))).toBeUndefined();
  for (const hash of ['sha1', 'md5', 'SHA512', '']) expect(parseSshSignature(by({ hash }))).toBeUndefined();
  for (const algorithm of ['rsa-sha2-512', 'ecdsa-sha2-nistp256', 'ssh-rsa', 'ssh-ed25519-cert-v01@openssh.com', 'none', ''])
    expect(isValid(by({ algorithm }))).toBe(false);
  const other = generateKeyPairSync('ed25519');
  expect(isValid(by({ key: ed25519Blob(other.publicKey) }))).toBe(false);
  for (const value of [Buffer.alloc(0), Buffer.alloc(64), randomBytes(64), Buffer.alloc(1_000)])
    expect(isValid(by({ make: () => ({ value }) }))).toBe(false);
  expect(parseSshSignature(by({ make: () => ({ value: Buffer.alloc(64), device: Buffer.alloc(5) }) }))).toBeUndefined();
});

test('a signature of a key that no account can have is read, and not valid', () => {
  const unknown = by({ key: Buffer.concat([field('ssh-dss'), field('x')]) });
  expect(parseSshSignature(unknown)).toBeDefined();
  expect(isValid(unknown)).toBe(false);
});

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** What a security key signs for the application `ssh:`, with these flags and this counter. */
const onDevice = (device: Buffer, signed: Buffer): Buffer => Buffer.concat([sha256(Buffer.from('ssh:')), device, sha256(signed)]);

test('security keys sign with their flags and their counter', () => {
  const device = Buffer.from([1, 0, 0, 0, 9]);
  const type = 'sk-ssh-ed25519@openssh.com';
  const key = Buffer.concat([ed25519Blob(pair.publicKey, type), field('ssh:')]);
  const make = (signed: Buffer) => ({ value: sign(null, onDevice(device, signed), pair.privateKey), device });
  expect(isValid(sshSignature(payload, { key, algorithm: type, make }))).toBe(true);
  const counted = (signed: Buffer) => ({ ...make(signed), device: Buffer.from([1, 0, 0, 0, 10]) });
  expect(isValid(sshSignature(payload, { key, algorithm: type, make: counted }))).toBe(false);
  const flagged = (signed: Buffer) => ({ ...make(signed), device: Buffer.from([5, 0, 0, 0, 9]) });
  expect(isValid(sshSignature(payload, { key, algorithm: type, make: flagged }))).toBe(false);
  const elsewhere = Buffer.concat([ed25519Blob(pair.publicKey, type), field('ssh:other')]);
  expect(isValid(sshSignature(payload, { key: elsewhere, algorithm: type, make }))).toBe(false);
  const cut = (signed: Buffer) => ({ ...make(signed), device: device.subarray(1) });
  expect(parseSshSignature(sshSignature(payload, { key, algorithm: type, make: cut }))).toBeUndefined();
});

test('security keys with curves sign, too', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const type = 'sk-ecdsa-sha2-nistp256@openssh.com';
  const key = Buffer.concat([field(type), field('nistp256'), field(point), field('ssh:')]);
  const device = Buffer.from([1, 0, 0, 1, 0]);
  /** A number of RFC 4251. */
  const number = (bytes: Buffer): Buffer => {
    let start = 0;
    while (start < bytes.length - 1 && bytes[start] === 0) start++;
    const digits = bytes.subarray(start);
    return field((digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), digits]) : digits);
  };
  const make = (signed: Buffer) => {
    const value = sign('sha256', onDevice(device, signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return { value: Buffer.concat([number(value.subarray(0, 32)), number(value.subarray(32))]), device };
  };
  for (let round = 0; round < 40; round++) expect(isValid(sshSignature(payload, { key, algorithm: type, make }))).toBe(true);
});

test('no part of a signature is one, nor one with anything behind it', () => {
  const bytes = Buffer.from(by().split('\n').slice(1, -1).join(''), 'base64');
  expect(isValid(armored(bytes))).toBe(true);
  for (let length = 0; length < bytes.length; length++)
    expect(parseSshSignature(armored(bytes.subarray(0, length)))).toBeUndefined();
  expect(parseSshSignature(armored(Buffer.concat([bytes, Buffer.alloc(1)])))).toBeUndefined();
  const lines = by().split('\n');
  for (let count = 0; count < lines.length; count++) expect(parseSshSignature(lines.slice(0, count).join('\n'))).toBeUndefined();
  expect(isValid(`${by()}\n`)).toBe(true);
  expect(isValid(by().replaceAll('\n', '\r\n'))).toBe(true);
  for (const text of [`${by()}\n${by()}`, `x${by()}`, `${by()}x`, by().replace('U1', 'U*'), by().replace('SSH SIG', 'PGP SIG')])
    expect(parseSshSignature(text)).toBeUndefined();
});

test('property: a signature with any bit changed is not valid', () => {
  const bytes = Buffer.from(by().split('\n').slice(1, -1).join(''), 'base64');
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      expect(isValid(armored(changed))).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test('property: any bytes and any fields are read without an error', () => {
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('git', 'sha512', 'ssh-ed25519', 'sk-ssh-ed25519@openssh.com', '').map(field),
    fc.uint8Array({ maxLength: 80 }).map((bytes) => field(Buffer.from(bytes))),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = armored(Buffer.concat([Buffer.from('SSHSIG'), Buffer.from([0, 0, 0, 1]), ...parts]));
      expect(isValid(text)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.string({ maxLength: 200, unit: 'binary' }), (text) => !isValid(text)));
});

test('a giant signature is refused unread', () => {
  const giant = armored(Buffer.alloc(10_000_000, 7));
  expect(computing(() => expect(parseSshSignature(giant)).toBeUndefined())).toBeLessThan(50);
});
