import type { Socket } from 'node:net';
import { periodicYield } from '#lib/turns.ts';

/**
 * Lets other work run between the parts that a socket receives. A part may hold thousands of small messages, which all take a
 * cipher and a reply, and the socket delivers many parts in one turn of the event loop. Must be called after the listener that
 * reads the parts was added.
 */
export function readInTurns(socket: Socket): void {
  let yieldTurn = periodicYield();
  socket.prependListener('data', () => {
    yieldTurn = periodicYield();
  });
  socket.on('data', () => {
    const turn = yieldTurn();
    if (!turn) return;
    socket.pause();
    void turn.then(() => socket.resume());
  });
}
