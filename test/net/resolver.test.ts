import dgram from 'node:dgram';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { initialValues } from '#lib/limits.ts';
import { parseHosts } from '#net/hosts-file.ts';
import { nameLimits } from '#net/limits.ts';
import { openOutbound } from '#net/outbound.ts';
import { openResolver } from '#net/resolver.ts';

const limits = { ...initialValues(nameLimits), lookupTime: 3_000, lookups: 2 };

type Answer = { code: number; addresses?: readonly number[][] };

/**
 * A DNS server on loopback. It answers questions for IPv4 addresses by `answer`, where that has one, and those for IPv6 with
 * none.
 */
async function dnsServer(answer: (name: string) => Answer | undefined) {
  const socket = dgram.createSocket('udp4');
  const asked: string[] = [];
  const held: ((what: Answer) => void)[] = [];
  socket.on('message', (question, from) => {
    const name = nameIn(question);
    asked.push(name);
    const reply = answer(name);
    const send = (what: Answer): void => socket.send(replyTo(question, what), from.port, from.address);
    if (reply) send(reply);
    else held.push(send);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return {
    servers: [`127.0.0.1:${(socket.address() as AddressInfo).port}`],
    asked,
    /** Answers the questions for which there was no answer. */
    answerHeld: (what: Answer) => {
      for (const send of held) send(what);
    },
  };
}

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1)
    labels.push(question.subarray(at + 1, at + 1 + (question[at] ?? 0)).toString());
  return labels.join('.').toLowerCase();
}

/** A reply with the question repeated, and addresses where it asked for those of IPv4 (RFC 1035, section 4). */
function replyTo(question: Buffer, { code, addresses = [] }: Answer): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const asksIpv4 = question.readUInt16BE(end - 4) === 1;
  const given = asksIpv4 ? addresses : [];
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(given.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...given.map((bytes) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...bytes]))]);
}

async function hostsFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-hosts-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'hosts'), text);
  return join(folder, 'hosts');
}

const never = (): never => {
  throw new Error('the system was asked');
};

test('names whose servers are silent keep no thread and no other name waiting', async () => {
  const { servers, answerHeld } = await dnsServer((name) =>
    name.endsWith('.quick.example') ? { code: 0, addresses: [[192, 0, 2, 7]] } : undefined,
  );
  const resolve = openResolver({ limits: { ...limits, lookupTime: 60_000 }, servers, systemLookup: never });
  const outbound = openOutbound({ allow: [], resolve });
  let ended = 0;
  const slow = Array.from({ length: 40 }, (_, i) =>
    outbound
      .post({ url: new URL(`http://n${i}.slow.example/`), headers: {}, body: Buffer.from(''), timeout: 60_000, maxBytes: 1 })
      .catch(String)
      .finally(() => ended++),
  );
  for (let i = 0; i < 20; i++) expect(await resolve(`n${i}.quick.example`)).toEqual(['192.0.2.7']);
  await stat(import.meta.filename); // any work on a thread
  expect(ended).toBe(0);
  answerHeld({ code: 0, addresses: [[127, 0, 0, 1]] });
  for (const outcome of await Promise.all(slow)) expect(outcome).toMatch(/not allowed/);
});

test('the hosts file comes before DNS, and DNS before the system', async () => {
  const { servers, asked } = await dnsServer((name) =>
    name === 'known.example'
      ? {
          code: 0,
          addresses: [
            [192, 0, 2, 1],
            [192, 0, 2, 2],
          ],
        }
      : { code: 3 },
  );
  const file = await hostsFile('192.0.2.9 pinned.example Other.Example # known.example\n::1 pinned.example\n');
  const resolve = openResolver({ limits, servers, hostsFile: file, systemLookup: async (name) => [`of the system: ${name}`] });
  expect(await resolve('pinned.example')).toEqual(['192.0.2.9', '::1']);
  expect(await resolve('OTHER.example.')).toEqual(['192.0.2.9']);
  expect(asked).toEqual([]);
  expect(await resolve('known.example')).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(await resolve('printer')).toEqual(['of the system: printer']);
});

test('the system is asked for few names at once, one of each domain, and not for names that DNS didn’t answer in time', async () => {
  const { servers } = await dnsServer((name) => (name.endsWith('.silent.example') ? undefined : { code: 3 }));
  const open: { name: string; answer: (addresses: string[]) => void }[] = [];
  const systemLookup = (name: string) => new Promise<string[]>((answer) => open.push({ name, answer }));
  const resolve = openResolver({ limits: { ...limits, lookupTime: 20_000 }, servers, systemLookup });
  const names = ['a.one.example', 'b.one.example', 'c.one.example', 'a.two.example', 'b.two.example'];
  const found = Promise.all(names.map((name) => resolve(name)));
  await expect.poll(() => open.map(({ name }) => name.slice(2)).sort()).toEqual(['one.example', 'two.example']);
  for (let done = 0; done < names.length; done++) {
    await expect.poll(() => open.length).toBeGreaterThan(done);
    expect(open.length).toBeLessThanOrEqual(done + 2);
    open[done]?.answer(['192.0.2.3']);
  }
  expect(await found).toEqual(names.map(() => ['192.0.2.3']));
  const quick = openResolver({ limits: { ...limits, lookupTime: 500 }, servers, systemLookup: never });
  await expect(quick('x.silent.example')).rejects.toThrow(/resolved/);
});

test('who asks for the same name at once shares one question, and all addresses of an answer are checked', async () => {
  const { servers, asked } = await dnsServer(() => ({
    code: 0,
    addresses: [
      [192, 0, 2, 1],
      [127, 0, 0, 1],
    ],
  }));
  const resolve = openResolver({ limits, servers, systemLookup: never });
  await Promise.all(Array.from({ length: 50 }, () => resolve('shared.example')));
  expect(asked).toHaveLength(2); // for IPv4 and for IPv6
  const outbound = openOutbound({ allow: ['192.0.2.0/24'], resolve });
  const posted = outbound.post({
    url: new URL('http://shared.example/'),
    headers: {},
    body: Buffer.from(''),
    timeout: 5_000,
    maxBytes: 1,
  });
  await expect(posted).rejects.toThrow('not allowed');
});

test('a hosts file is read whatever it holds', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const addresses of parseHosts(text).values()) expect(addresses.length).toBeGreaterThan(0);
    }),
  );
  expect(parseHosts('fe80::1%lo0 localhost\n127.0.0.1\tlocalhost  here # not there\nno-address name\n')).toEqual(
    new Map([
      ['localhost', ['127.0.0.1']],
      ['here', ['127.0.0.1']],
    ]),
  );
});
