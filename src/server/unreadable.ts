import type { Socket } from 'node:net';
import { errorBody } from './refusals.ts';

const refusals: Record<string, { status: number; reason: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    message: 'The address and the headers of the request are too long',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', message: 'The request took too long to arrive' },
};

const unreadable = { status: 400, reason: 'Bad Request', message: 'The request could not be read' };

/** Replies with the usual error body to bytes that aren't a valid HTTP request, and closes the connection. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket, url: string | undefined): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, reason, message } = refusals[error.code ?? ''] ?? unreadable;
  const body = JSON.stringify(errorBody(status, message, `${url ?? ''}/docs`));
  if (socket.writable) {
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}
