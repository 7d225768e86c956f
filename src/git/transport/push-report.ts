import { GitError } from '../errors.ts';
import { flushPacket, packet, parsePackets } from './pkt-line.ts';
import type { PushCommand } from './receive-request.ts';

/** The result of one command. `options` are git's further lines about it (report-status-v2). */
export type PushResult = PushCommand & ({ ok: true } | { ok: false; reason: string }) & { options?: string[] };

/** The report of `git receive-pack`: whether the objects were accepted, and the result of each command. */
export type PushReport = { unpack: string; results: PushResult[] };

/** Parses the report of `git receive-pack`. Commands that are missing in it have failed. @throws GitError `invalid` */
export function parseReport(bytes: Buffer, commands: readonly PushCommand[]): PushReport {
  let unpack = '';
  const statuses = new Map<string, { ok: true } | { ok: false; reason: string }>();
  const options = new Map<string, string[]>();
  let last = '';
  for (const next of parsePackets(bytes)) {
    if (next.kind !== 'data') continue;
    const line = next.data.toString('utf8').replace(/\n$/, '');
    const [word = '', rest = ''] = splitAtSpace(line);
    if (word === 'unpack') unpack = rest;
    if (word === 'option') options.set(last, [...(options.get(last) ?? []), rest]);
    if (word !== 'ok' && word !== 'ng') continue;
    const [ref, reason] = word === 'ok' ? [rest, ''] : splitAtSpace(rest);
    statuses.set(ref, word === 'ok' ? { ok: true } : { ok: false, reason });
    last = ref;
  }
  if (unpack === '') throw new GitError('invalid', 'git gave no report');
  const results = commands.map((command): PushResult => {
    const status = statuses.get(command.ref) ?? { ok: false, reason: 'not reported' };
    const own = options.get(command.ref);
    return { ...command, ...status, ...(own && { options: own }) };
  });
  return { unpack, results };
}

function splitAtSpace(text: string): [string, string] {
  const space = text.indexOf(' ');
  return space < 0 ? [text, ''] : [text.slice(0, space), text.slice(space + 1)];
}

/** Encodes a report for the client. */
export function formatReport({ unpack, results }: PushReport): Buffer {
  const lines = results.flatMap((result) => [
    packet(result.ok ? `ok ${result.ref}\n` : `ng ${result.ref} ${oneLine(result.reason)}\n`),
    ...(result.options ?? []).map((option) => packet(`option ${option}\n`)),
  ]);
  return Buffer.concat([packet(`unpack ${oneLine(unpack)}\n`), ...lines, flushPacket]);
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 500);
