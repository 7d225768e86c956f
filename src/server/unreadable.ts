import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from './refusals.ts';

const refusals: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The address and the headers of the request are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
};

/** Answers what can't be read as a request, in the shape of every other error, and ends the connection. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket, url: string | undefined): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, message } = refusals[error.code ?? ''] ?? { status: 400, message: 'The request could not be read' };
  const body = JSON.stringify(errorBody(status, message, `${url ?? ''}/docs`));
  if (socket.writable) {
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}
