import dgram from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { atEndOfFile } from './end-of-file.ts';

/** A DNS server's records for a name. */
export type Zone = { addresses?: readonly string[]; alias?: string; nameServers?: readonly string[]; mail?: readonly string[] };

const types = { a: 1, ns: 2, cname: 5, mx: 15 } as const;
const noSuchName = 3;

/** A DNS server on loopback that answers from a table, which tests can change. Closed after the last test of the file. */
export async function nameServer(zones: Map<string, Zone>): Promise<string> {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (question, from) => socket.send(replyTo(question, zones), from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  atEndOfFile(async () => void socket.close());
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`; // a UDP socket's address
}

/** A reply that repeats the question, with the records of the requested type (RFC 1035, section 4). */
function replyTo(question: Buffer, zones: Map<string, Zone>): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const zone = zones.get(nameIn(question));
  const records = zone ? recordsOf(zone, question.readUInt16BE(end - 4)) : [];
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180 | (zone ? 0 : noSuchName), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...records]);
}

function recordsOf({ addresses = [], alias, nameServers = [], mail = [] }: Zone, type: number): Buffer[] {
  switch (type) {
    case types.a:
      return addresses.map((address) => record(type, Buffer.from(address.split('.').map(Number))));
    case types.cname:
      return alias === undefined ? [] : [record(type, nameBytes(alias))];
    case types.ns:
      return nameServers.map((name) => record(type, nameBytes(name)));
    case types.mx:
      return mail.map((name) => record(type, Buffer.concat([Buffer.from([0, 10]), nameBytes(name)])));
    default:
      return [];
  }
}

/** A record for the name in the question. */
const record = (type: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 9, data.length >> 8, data.length & 255]), data]);

const nameBytes = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])), Buffer.from([0])]);

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1)
    labels.push(question.subarray(at + 1, at + 1 + (question[at] ?? 0)).toString());
  return labels.join('.').toLowerCase();
}
