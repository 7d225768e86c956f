import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { flushPacket, packet } from '#git/transport/pkt-line.ts';

/** What a client sends to clone a commit with all that it leads to. */
export const wantsOf = (tip: string): Buffer =>
  Buffer.concat([packet(`want ${tip} side-band-64k ofs-delta\n`), flushPacket, packet('done\n')]);

/** Sends the head of a request for a service of Git from an address of loopback; the caller sends its body. */
export function openGitRequest(
  address: string,
  service: string,
  localAddress: string,
): { sending: ClientRequest; response: Promise<IncomingMessage> } {
  const headers = { 'content-type': `application/x-git-${service}-request` };
  const sending = request(`${address}/git-${service}`, { method: 'POST', localAddress, headers, agent: false });
  const response = new Promise<IncomingMessage>((resolve, reject) => sending.once('response', resolve).once('error', reject));
  response.catch(() => undefined);
  sending.on('error', () => undefined);
  onTestFinished(() => void sending.destroy());
  return { sending, response };
}

// Only Linux has all of 127.0.0.0/8 as addresses of loopback.
export const loopbackAddresses: string[] = Array.from({ length: 16 }, (_, index) =>
  process.platform === 'linux' ? `127.0.0.${index + 10}` : '127.0.0.1',
);
