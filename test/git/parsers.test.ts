import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isGitError } from '#git/errors.ts';
import { formatIdentity, parseIdentity } from '#git/objects/identity.ts';
import { parseCommit, parseTag } from '#git/objects/parse-commit.ts';
import { parseTree } from '#git/objects/parse-tree.ts';
import { unquotePath } from '#git/objects/quoted-path.ts';
import { progressReader } from '#git/process/progress.ts';
import { packet, parsePackets } from '#git/transport/pkt-line.ts';
import { formatReport, parseReport } from '#git/transport/push-report.ts';
import { computing } from '#test/support/time.ts';

const oid = 'a'.repeat(40);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  // Nearly right input gets further into a parser than noise does.
  fc
    .array(
      fc.constantFrom(
        'tree ',
        'parent ',
        'object ',
        oid,
        '\n',
        ' ',
        '\0',
        'author ',
        'A <b> 1 +0000',
        'encoding ',
        'gpgsig ',
        '0000',
        '0009',
        'unpack ok',
        'ok r',
        'ng r no',
        '100644 a',
        'ÿ',
        '<>',
        '9'.repeat(20),
        '-9999',
      ),
      { maxLength: 20 },
    )
    .map((parts) => Buffer.from(parts.join(''))),
);

test.each<[string, (data: Buffer) => unknown]>([
  ['packets', parsePackets],
  ['commit', (data) => parseCommit(oid, data)],
  ['tag', (data) => parseTag(oid, data)],
  ['tree', parseTree],
  ['push report', (data) => parseReport(data, [{ ref: 'r', from: null, to: oid }])],
  ['identity', (data) => formatIdentity(parseIdentity(data.toString('latin1')))],
  ['quoted path', (data) => unquotePath(data.toString('latin1'))],
  ['progress', (data) => progressReader(() => undefined)(data.toString('latin1'))],
])('no input makes the %s parser throw anything but the typed error', (_name, parse) => {
  fc.assert(
    fc.property(bytes, (data) => {
      try {
        parse(data);
      } catch (error) {
        if (!isGitError(error, 'invalid')) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

test('packets come back as they were made', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (parts) => {
      const made = Buffer.concat(parts.map((part) => packet(Buffer.from(part))));
      const read = parsePackets(made).map((one) => (one.kind === 'data' ? one.data.toString('hex') : one.kind));
      expect(read).toEqual(parts.map((part) => Buffer.from(part).toString('hex')));
    }),
  );
});

test.each(['zzzz', '0003', 'fff5', '000', '00-1', '+00a', '0x0a'])('the malformed packet %s is refused', (text) => {
  expect(() => parsePackets(Buffer.from(text))).toThrow(/protocol|break off/);
});

test('a report comes back as it was made, on one line each', () => {
  const results = [
    { ref: 'refs/heads/a', from: null, to: oid, ok: true as const, options: ['refname refs/heads/b'] },
    { ref: 'refs/heads/c', from: null, to: oid, ok: false as const, reason: 'no\nok refs/heads/d' },
  ];
  const read = parseReport(formatReport({ unpack: 'ok', results }), results);
  expect(read.results).toEqual([results[0], { ...results[1], reason: 'no ok refs/heads/d' }]);
});

test.each([
  ['Ada <a@b> 1714979289 +0200', { name: 'Ada', email: 'a@b', seconds: 1714979289, zone: 120 }],
  ['Ada <a@b> 1714979289 -0330', { name: 'Ada', email: 'a@b', seconds: 1714979289, zone: -210 }],
  ['<> 0 +0000', { name: '', email: '', seconds: 0, zone: 0 }],
  ['Ada <a@b>', { name: 'Ada', email: 'a@b', seconds: 0, zone: 0 }],
  ['Ada', { name: 'Ada', email: '', seconds: 0, zone: 0 }],
  ['Ada <a@b> 99999999999999999999 +0000', { name: 'Ada', email: 'a@b', zone: 0 }],
  ['Ada <a@b> -5 +0000', { name: 'Ada', email: 'a@b', seconds: -5, zone: 0 }],
])('the identity %j is read', (text, { seconds, ...rest }: { seconds?: number; name: string; email: string; zone: number }) => {
  const { date, ...read } = parseIdentity(text);
  expect(read).toEqual(rest);
  expect(Number.isNaN(date.getTime())).toBe(false);
  if (seconds !== undefined) expect(date.getTime()).toBe(seconds * 1000);
});

const armor = (kind: string) => `-----BEGIN ${kind}-----\nx\n-----END ${kind}-----\n`;
const tagHead = `object ${oid}\ntype commit\ntag v1\ntagger A <a@x> 1 +0000\n`;

test.each([
  ['one of SSH', `First\n${armor('SSH SIGNATURE')}`, `First\n`, armor('SSH SIGNATURE')],
  ['the last of several', `${armor('PGP SIGNATURE')}${armor('SSH SIGNATURE')}`, armor('PGP SIGNATURE'), armor('SSH SIGNATURE')],
  ['one without a message', armor('PGP MESSAGE'), '', armor('PGP MESSAGE')],
  ['none in a line', `See -----BEGIN SSH SIGNATURE-----\n`, undefined, undefined],
  ['none of another kind', armor('CERTIFICATE'), undefined, undefined],
])('the signature of a tag is found at its end: %s', (_, message, rest, signature) => {
  const tag = parseTag(oid, Buffer.from(`${tagHead}\n${message}`));
  expect([tag.signature, tag.payload?.toString()]).toEqual([signature, rest === undefined ? undefined : `${tagHead}\n${rest}`]);
  const headed = Buffer.from(`${tagHead}gpgsig-sha256 x\n y\n\n${message}`);
  expect(parseTag(oid, headed).payload?.toString()).toBe(tag.payload?.toString());
});

test('what a commit’s signature signs are the bytes around its headers of signatures', () => {
  const [before, after] = [
    Buffer.from(`tree ${oid}\nauthor J\xfc <j@x> 1 +0000\n`, 'latin1'),
    Buffer.from('encoding x\n\n\xff\n', 'latin1'),
  ];
  const of = (...headers: string[]) => parseCommit(oid, Buffer.concat([before, Buffer.from(headers.join('')), after]));
  expect(of()).not.toHaveProperty('payload');
  expect(of('gpgsig-sha256 a\n b\n')).not.toHaveProperty('payload');
  const payload = Buffer.concat([before, after]);
  expect(of('gpgsig a\n \n b\n')).toMatchObject({ signature: 'a\n\nb', payload });
  expect(of('gpgsig a\n', 'gpgsig-sha256 b\n c\n')).toMatchObject({ signature: 'a', payload });
  expect(of('gpgsig a\n', 'gpgsig b\n')).toMatchObject({ signature: 'a\nb', payload });
  expect(of('gpgsig a\n', 'gpgsigs b\n').payload).toEqual(Buffer.concat([before, Buffer.from('gpgsigs b\n'), after]));
});

test('a commit in an old encoding is read as text', () => {
  const data = Buffer.from(
    `tree ${oid}\nauthor J\xfcrgen <j@x> 1 +0000\ncommitter C <c@x> 1 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n`,
    'latin1',
  );
  expect(parseCommit(oid, data)).toMatchObject({ author: { name: 'Jürgen' }, message: 'Grüße\n' });
  const unknown = Buffer.from(data.toString('latin1').replace('ISO-8859-1', 'x-none'), 'latin1');
  expect(parseCommit(oid, unknown)).toMatchObject({ committer: { name: 'C' }, message: 'Gr\ufffd\ufffde\n' });
});

test('what a hostile push makes enormous is read to a bound, and in time that grows with its length alone', () => {
  const people = 'author A <a@x> 1 +0000\ncommitter C <c@x> 1 +0000\n';
  const of = (parents: number, message: string, author = people) =>
    parseCommit(oid, Buffer.from(`tree ${oid}\n${`parent ${oid}\n`.repeat(parents)}${author}\n${message}`));
  expect(of(2, 'é'.repeat(100)).message).toBe('é'.repeat(100));
  const long = of(100_000, `x${'é'.repeat(5_000_000)}`);
  expect([long.parents.length, long.message]).toEqual([1_000, `x${'é'.repeat(32_767)}`]);
  const signed = `${people}gpgsig ${'x'.repeat(2_000_000)}\n`;
  expect(of(1, 'a', signed)).not.toHaveProperty('signature');
  expect(of(1, 'a', `${people}gpgsig xyz\n`)).toHaveProperty('signature', 'xyz');
  const readNames = (): void => {
    const { author } = of(1, 'a', people.replace('A', `A${' '.repeat(2_000_000)}B`));
    expect(author.name.length).toBeLessThanOrEqual(1_000);
    for (const text of [
      ' '.repeat(1_000_000),
      `a${' '.repeat(1_000_000)}b<`,
      '<'.repeat(1_000_000),
      `<>${'1 '.repeat(1_000_000)}`,
    ])
      parseIdentity(text);
  };
  expect(computing(readNames)).toBeLessThan(1_000);
});

test.each([
  ['plain', 'plain'],
  ['"a\\tb"', 'a\tb'],
  ['"\\303\\274 \\"x\\" \\\\"', 'ü "x" \\'],
])('the quoted path %s is read', (text, path) => {
  expect(unquotePath(text)).toBe(path);
});
