import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseOpenPgpKey } from '#lib/openpgp/key.ts';
import { checksumOf, dearmor, OpenPgpError, readPackets, writePacket } from '#lib/openpgp/packets.ts';
import {
  armor,
  armored,
  created,
  keyPacket,
  newKey,
  numbersPacket,
  rsaPacket,
  signaturePacket,
  u32,
  userIdPacket,
} from './build.ts';
import { changedKey, keyOfVersion6, plainKey, revokedKey } from './keys.ts';

const date = (text: string): Date => new Date(`${text}T00:00:00Z`);
const none = { canSign: false, canEncryptComms: false, canEncryptStorage: false, canCertify: false };
const encrypts = { ...none, canEncryptComms: true, canEncryptStorage: true };

describe('a key says what it is for, and how long', () => {
  test('one with a subkey', () => {
    expect(parseOpenPgpKey(plainKey)).toMatchObject({
      primary: {
        ...none,
        keyId: 'FBFA81119817EAE1',
        fingerprint: '5485FABAF2E55E590E653A24FBFA81119817EAE1',
        publicKey: expect.stringMatching(/^xjME/),
        canSign: true,
        canCertify: true,
        expiresAt: date('2030-01-01'),
        revoked: false,
      },
      subkeys: [{ ...encrypts, keyId: '6B2EDE742C74E33D', publicKey: expect.stringMatching(/^zjgE/), revoked: false }],
      emails: ['ada@example.org'],
    });
  });

  test('by its newest signatures; revoked user ids and the certifications of others are left out', () => {
    const { primary, subkeys, emails } = parseOpenPgpKey(changedKey);
    expect(primary).toMatchObject({ canSign: true, canCertify: true, expiresAt: date('2045-01-29'), revoked: false });
    expect(subkeys).toMatchObject([
      { ...encrypts, keyId: '6B2EDE742C74E33D', revoked: true },
      { ...none, canSign: true, keyId: '6114B8D64B51EB13', expiresAt: date('2027-02-03'), revoked: false },
    ]);
    expect(emails.toSorted()).toEqual(['ada@example.org', 'countess@example.org']);
  });

  test('one that is revoked', () => {
    expect(parseOpenPgpKey(revokedKey)).toMatchObject({
      primary: { ...none, canCertify: true, keyId: '9B319B5BA8C47539', expiresAt: undefined, revoked: true },
      subkeys: [{ ...none, canSign: true, keyId: '5583DD5200DBFD3D' }],
      emails: ['grace@example.org'],
    });
  });

  test('one of version 6', () => {
    expect(parseOpenPgpKey(keyOfVersion6)).toMatchObject({
      primary: {
        keyId: 'CB186C4F0609A697',
        fingerprint: 'CB186C4F0609A697E4D52DFA6C722B0C1F1E27C18A56708F6525EC27BAD9ACC9',
        canSign: true,
        canCertify: true,
      },
      subkeys: [{ ...encrypts, keyId: '12C83F1E706F6308' }],
      emails: [],
    });
  });

  test('one without flags is for what its algorithm can do', () => {
    const key = keyPacket();
    const { primary } = parseOpenPgpKey(armored([key, userIdPacket('Ada'), signaturePacket(0x13, key)]));
    expect(primary).toMatchObject({ ...none, canSign: true, canCertify: true });
  });
});

test.each([
  ['Ada Lovelace <ada@example.org>', ['ada@example.org']],
  ['ada@example.org', ['ada@example.org']],
  ['Ada (of <London>) <ada@example.org> ', ['ada@example.org']],
  ['<ada@example.org> Ada', []],
  ['Ada', []],
  ['Ada <not an address>', []],
  ['Ada <ada@example.org\0>', []],
])('the user id %j has the addresses %j', (userId, emails) => {
  expect(parseOpenPgpKey(newKey([userId])).emails).toEqual(emails);
});

test('what the key did not sign itself is left out: user ids, subkeys and revocations of others', () => {
  const [key, stranger] = [keyPacket(), keyPacket()];
  const text = armored([
    key,
    signaturePacket(0x20, stranger),
    userIdPacket('ada@example.org'),
    signaturePacket(0x13, key),
    signaturePacket(0x30, stranger),
    userIdPacket('grace@example.org'),
    signaturePacket(0x13, stranger),
    keyPacket(14),
    signaturePacket(0x18, stranger),
  ]);
  expect(parseOpenPgpKey(text)).toMatchObject({ primary: { revoked: false }, subkeys: [], emails: ['ada@example.org'] });
});

test('a user id that was claimed again after its revocation is valid', () => {
  const key = keyPacket();
  const later = { 2: u32(created + 60) };
  const emailsWith = (again: readonly [number, typeof later][]) =>
    parseOpenPgpKey(
      armored([
        key,
        userIdPacket('ada@example.org'),
        signaturePacket(0x13, key),
        signaturePacket(0x30, key),
        ...again.map(([type, hashed]) => signaturePacket(type, key, hashed)),
      ]),
    ).emails;
  expect(emailsWith([])).toEqual([]);
  expect(emailsWith([[0x13, later]])).toEqual(['ada@example.org']);
});

const damaged = 'damaged';
const [first, second] = [keyPacket(), keyPacket()];
const certified = [userIdPacket('Ada'), signaturePacket(0x13, first)];
const packetsOf = (text: string) => readPackets(dearmor(text));

test.each([
  [1, [4_096, 17]],
  [1, [8_192, 64]],
  [17, [3_072, 256, 3_072, 3_072]],
])('keys of algorithm %i with numbers of %j bits are read', (algorithm, bits) => {
  const key = numbersPacket(algorithm, bits);
  const text = armored([key, userIdPacket('ada@example.org'), signaturePacket(0x13, key)]);
  expect(parseOpenPgpKey(text).emails).toEqual(['ada@example.org']);
});

test.each([
  ['no armor', 'ssh-ed25519 AAAA', 'not an armored OpenPGP public key'],
  ['nothing', '', 'not an armored OpenPGP public key'],
  ['two blocks', `${plainKey}\n${plainKey}`, damaged],
  ['armor without an end', plainKey.split('\n').slice(0, -1).join('\n'), 'not an armored OpenPGP public key'],
  ['a private key block', plainKey.replaceAll('PUBLIC', 'PRIVATE'), 'private key'],
  ['a private key called public', armored([{ ...first, tag: 5 }, ...certified]), 'private key'],
  ['a private subkey', armored([first, ...certified, { ...second, tag: 7 }]), 'private key'],
  ['a message', plainKey.replaceAll('PUBLIC KEY BLOCK', 'MESSAGE'), 'not an armored OpenPGP public key'],
  ['a wrong checksum', plainKey.replace(/^=..../m, '=AAAA'), damaged],
  ['a lost line', plainKey.split('\n').toSpliced(4, 1).join('\n'), damaged],
  ['two keys', armored([first, ...certified, second]), 'more than one key'],
  ['a user id first', armored([...certified, first]), 'does not begin with a public key'],
  ['no signature of its own', armored([first, userIdPacket('Ada'), signaturePacket(0x13, second)]), 'no signature of its own'],
  ['version 3', armored([{ tag: 6, body: Buffer.concat([Buffer.from([3]), first.body.subarray(1)]) }]), 'version'],
  ['an unknown algorithm', armored([{ tag: 6, body: Buffer.from([4, 0, 0, 0, 0, 99, 1]) }]), 'algorithm'],
  ['too much of a key', armored([{ tag: 6, body: Buffer.concat([first.body, Buffer.from([0])]) }, ...certified]), damaged],
  ['too many packets', armored([first, ...Array.from({ length: 1_000 }, () => userIdPacket('Ada'))]), 'more than 1000 packets'],
  ['too many subkeys', newKey(['Ada'], 51), 'more than 50 subkeys'],
  ['an exponent of RSA that makes each signature slow', armored([rsaPacket(4_096, 4_096), ...certified]), 'numbers'],
  ['a modulus of RSA larger than usual', armored([rsaPacket(16_384, 17), ...certified]), 'numbers'],
  ['a subkey with such numbers that it does not claim', armored([first, ...certified, rsaPacket(4_096, 65, 14)]), 'numbers'],
  ['large numbers of DSA', armored([numbersPacket(17, [3_072, 3_072, 3_072, 3_072]), ...certified]), 'numbers'],
  ['too many signatures', armored([first, ...Array.from({ length: 201 }, () => signaturePacket(0x13, first))]), '200 signatures'],
  ['packets in parts', armor(Buffer.from([0xc6, 0xe1, 1, 2])), 'in parts'],
  ['packets without a length', armor(Buffer.from([0x9b, 1, 2])), 'no length'],
  ['bytes that are no packets', armor(Buffer.from([1, 2, 3])), damaged],
])('%s is refused', (_what, text, message) => {
  expect(() => parseOpenPgpKey(text)).toThrow(OpenPgpError);
  expect(() => parseOpenPgpKey(text)).toThrow(message);
});

test('a key that is cut off anywhere is refused, or is the part of it that is whole', () => {
  const bytes = Buffer.concat(packetsOf(changedKey).map(writePacket));
  const sizes = packetsOf(changedKey).map((packet) => writePacket(packet).length);
  const ends = new Set(sizes.map((_, count) => sizes.slice(0, count + 1).reduce((sum, size) => sum + size, 0)));
  for (let length = 1; length < bytes.length; length++)
    if (!ends.has(length)) expect(() => parseOpenPgpKey(armor(bytes.subarray(0, length))), `${length}`).toThrow(OpenPgpError);
});

test('whatever comes is a key or an error that says why', () => {
  const bytes = dearmor(changedKey);
  const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
  const parses = (text: string): boolean => {
    try {
      parseOpenPgpKey(text);
      return true;
    } catch (error) {
      return error instanceof OpenPgpError;
    }
  };
  fc.assert(
    fc.property(changes, (changed) => {
      const copy = Buffer.from(bytes);
      for (const [at, value] of changed) copy[at] = value;
      return parses(armor(copy));
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (random) => parses(armor(Buffer.from(random)))));
  fc.assert(fc.property(fc.string(), parses));
});

test.each([0, 1, 191, 192, 8_383, 8_384, 70_000])('a packet of %i bytes is read as it is written', (length) => {
  const packet = { tag: 13, body: Buffer.alloc(length, 7) };
  const [read, ...more] = readPackets(writePacket(packet));
  expect([read?.tag, read?.body.equals(packet.body), more]).toEqual([13, true, []]);
});

test('the checksum is that of RFC 9580', () => {
  const text = plainKey.split('\n').find((line) => line.startsWith('='));
  expect(`=${checksumOf(dearmor(plainKey))}`).toBe(text);
});
