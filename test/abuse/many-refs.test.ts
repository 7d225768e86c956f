// Pushes that name many refs, and push requests that no client would send.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RefMove } from '#events/ref-moves.ts';
import { zeroOid } from '#git/objects/oid.ts';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';
import { git } from '#test/git/support.ts';
import { diskOf, told, unfinished } from '#test/resources/code/pushes/support.ts';
import { change, complaint, head, owned, workTree } from '#test/server/git-http/support.ts';
import { world } from '#test/support/world.ts';

// So few may wait that a process for each ref would be refused.
const limits = { waiting: 3, pushRefs: 400, pushRefBytes: 100_000 };
await world({ resourceLimits: { git: limits } });

const names = (count: number): string[] => Array.from({ length: count }, (_, number) => `refs/heads/b/${number}`);

type Line = [from: string, to: string, ref: string];

function requestOf(lines: readonly Line[], capabilities: string, pack = Buffer.alloc(0)): Buffer {
  const packets = lines.map(([from, to, ref], at) => packet(`${from} ${to} ${ref}${at === 0 ? `\0 ${capabilities}` : ''}`));
  return Buffer.concat([...packets, flushPacket, pack]);
}

/** A pushed `main` of two commits, one aside of the second, and a way to send requests by hand. */
async function pushed() {
  const { here, repo, token, address, ada } = await owned();
  const folder = await workTree();
  const one = await head(folder);
  const two = await change(folder, { b: 'b' });
  await git(folder, 'checkout', '-q', '-b', 'aside', one);
  const aside = await change(folder, { c: 'c' });
  await git(folder, 'push', '-q', address, 'main', 'aside');
  const send = (body: Buffer): Promise<Response> =>
    fetch(`${here.url}/${ada.login}/${repo.name}/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-git-receive-pack-request' },
      body: new Uint8Array(body),
    });
  const gitRepository = diskOf(here, repo);
  const refs = async (prefix = 'refs/'): Promise<string[]> =>
    (await git(gitRepository.path, 'for-each-ref', '--format=%(objectname) %(refname)', prefix))
      .split('\n')
      .filter((line) => line !== '');
  return { here, repo, ada, address, folder, one, two, aside, send, refs, gitRepository };
}

const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');
const wanted = 'report-status delete-refs';

test('hundreds of refs are made, moved, forced and deleted in one push each, whose moves are told', async () => {
  const { here, repo, one, two, aside, send, refs, gitRepository } = await pushed();
  const all = names(300);
  const pushAll = async (from: string, to: string) => {
    const lines = all.map((ref): Line => [from, to, ref]);
    const text = await (await send(requestOf(lines, wanted, to === zeroOid ? undefined : emptyPack))).text();
    expect(text.split('ok refs/')).toHaveLength(301);
  };

  await pushAll(zeroOid, one);
  expect(await git(gitRepository.path, 'count-objects')).toContain('objects');
  expect(await refs('refs/heads/b')).toHaveLength(300);
  await pushAll(one, two);
  await pushAll(two, aside);
  await pushAll(aside, zeroOid);

  expect(await refs('refs/heads/b')).toEqual([]);
  const pushes = (await told(here, repo)).filter(({ kind }) => kind === 'push');
  const moves = pushes.flatMap(({ data }) => (data as { moves: RefMove[] }).moves).filter(({ ref }) => ref === 'refs/heads/b/7');
  expect(moves.map(({ before, after, forced }) => [before, after, forced])).toEqual([
    [null, one, false],
    [one, two, false],
    [two, aside, true],
    [aside, null, false],
  ]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a push of more refs than one may name is refused as a whole, and git says why', async () => {
  const { address, folder, refs, send, one } = await pushed();
  const before = await refs();
  for (const ref of names(401)) await git(folder, 'update-ref', ref, one);
  expect(await complaint(folder, 'push', '-q', address, '--all')).toMatch(
    /more than 400 refs in one push \(the limit git\.pushRefs\)/,
  );
  const long = Array.from({ length: 200 }, (_, number): Line => [zeroOid, one, `refs/heads/${number}/${'x'.repeat(600)}`]);
  const reply = await send(requestOf(long, wanted, emptyPack));
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('unpack more than 100000 bytes of refs')]);
  expect(await refs()).toEqual(before);
});

test('of many refs, those that cannot be moved are refused alone', async () => {
  const { send, refs, one, two, aside } = await pushed();
  const fine = names(100).map((ref): Line => [zeroOid, one, ref]);
  const bad: Line[] = [
    [zeroOid, one, 'refs/heads/main/below'],
    [zeroOid, two, 'refs/heads/aside'],
    [one, two, 'refs/heads/absent'],
    [two, zeroOid, 'refs/heads/main'],
    [zeroOid, one, `refs/heads/${'a/'.repeat(60)}b`],
  ];
  const text = await (await send(requestOf([...fine, ...bad], wanted, emptyPack))).text();
  expect(text.split('ok refs/heads/b/')).toHaveLength(101);
  for (const [, , ref] of bad) expect(text).toContain(`ng ${ref} `);
  expect(await refs('refs/heads/b')).toHaveLength(100);
  expect(await refs('refs/heads/aside')).toEqual([`${aside} refs/heads/aside`]);
});

test('an object format that is not kept here is refused with a word about it', async () => {
  const { send, one } = await pushed();
  const line: Line = [zeroOid, one, 'refs/heads/x'];
  const reply = await send(requestOf([line], `${wanted} object-format=sha256`, emptyPack));
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('SHA-1')]);
  expect((await send(requestOf([line], `${wanted} object-format=sha1`, emptyPack))).status).toBe(200);
});

test('whatever is sent in the place of a push, the answer is no fault of the server', { timeout: 120_000 }, async () => {
  const { send, refs, one, two, here, repo } = await pushed();
  const before = await refs();
  const oid = fc.constantFrom(one, two, zeroOid);
  const ref = fc.constantFrom(
    'refs/heads/main',
    'refs/heads/x',
    'refs/heads/x/y',
    'refs/tags/v1',
    'refs/notes/n',
    'refs/pull/1/head',
  );
  const oddOid = fc.constantFrom('e'.repeat(40), 'E'.repeat(40), 'e'.repeat(64), one.slice(1), '');
  const text = fc.string({ maxLength: 30, unit: 'binary' });
  const oddRef = fc.oneof(
    fc.constantFrom('HEAD', 'refs/heads/../x', 'refs/heads/\u0000x', 'refs/hearth/x', '-x', 'refs/heads', ''),
    text.map((name) => `refs/heads/${name}`),
  );
  const capability = fc.oneof(
    fc.constantFrom(...wanted.split(' '), 'report-status-v2', 'side-band-64k', 'side-band', 'atomic', 'quiet', 'ofs-delta'),
    fc.constantFrom(
      'object-format=sha1',
      'object-format=sha256',
      'object-format=',
      'push-options',
      'push-cert=x',
      'agent=\u0001',
    ),
    fc.string({ maxLength: 20, unit: 'binary' }),
  );
  const lines = fc.uniqueArray(fc.tuple(oid, oid, ref), { selector: ([, , name]) => name, minLength: 1, maxLength: 4 });
  const oddLine = fc.oneof(
    fc.tuple(oid, oid, oddRef).map((parts) => parts.join(' ')),
    fc.tuple(oddOid, oid, ref).map((parts) => parts.join(' ')),
    fc.constantFrom(`shallow ${one}`, `shallow ${'e'.repeat(40)}`, 'shallow ', 'shallow x', 'push-cert\0x', ''),
    text,
  );
  const head = fc
    .tuple(lines, fc.option(oddLine, { freq: 1 }), fc.array(capability, { maxLength: 4 }))
    .map(([fine, odd, words]) => {
      const all = [...(odd === null ? [] : [odd]), ...fine.map((parts) => parts.join(' '))];
      return Buffer.concat(all.map((line, at) => packet(at === 0 ? `${line}\0${words.join(' ')}` : line)));
    });
  const end = fc.oneof(
    { weight: 5, arbitrary: fc.constant(flushPacket) },
    fc.constantFrom(Buffer.from('0001'), Buffer.from('0002'), Buffer.from('0003'), Buffer.alloc(0)),
  );
  const pack = fc.oneof(fc.constantFrom(emptyPack, Buffer.alloc(0), emptyPack.subarray(0, 11)), fc.uint8Array({ maxLength: 40 }));
  const cut = fc.record({ at: fc.nat({ max: 400 }), away: fc.nat({ max: 3 }), put: fc.uint8Array({ maxLength: 3 }) });
  const request = fc.tuple(head, end, pack, fc.option(cut, { freq: 1 })).map(([...parts]) => {
    const bytes = Buffer.concat(parts.slice(0, 3) as Uint8Array[]);
    const change = parts[3];
    if (!change) return bytes;
    return Buffer.concat([bytes.subarray(0, change.at), change.put, bytes.subarray(change.at + change.away)]);
  });
  await fc.assert(
    fc.asyncProperty(request, async (bytes) => {
      const reply = await send(bytes);
      await reply.text();
      expect(reply.status).toBeLessThan(500);
      expect(await unfinished(here, repo)).toEqual([]);
    }),
    { numRuns: 300, examples: [[Buffer.alloc(0)], [flushPacket]] },
  );
  expect(await refs('refs/pull')).toEqual([]);
  expect((await refs()).length).toBeGreaterThanOrEqual(before.length - 1);
});
