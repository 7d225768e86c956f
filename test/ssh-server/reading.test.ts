import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readInTurns } from '#ssh-server/reading.ts';

/** The maximum number of parts that two connections of 4 MiB each deliver in one turn, if each part takes 12 ms. */
async function partsOfTurn(prepare: (socket: Socket) => void): Promise<number> {
  const size = 4 * 1024 * 1024;
  let [received, parts, most] = [0, 0, 0];
  const done = Promise.withResolvers<void>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('data', (data) => {
      received += data.length;
      most = Math.max(most, ++parts);
      for (const end = performance.now() + 12; performance.now() < end; );
      if (received === 2 * size) done.resolve();
    });
    prepare(socket);
    setTimeout(() => socket.resume(), 200);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = [1, 2].map(() => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  for (const client of clients) client.end(Buffer.alloc(size));
  let isDone = false;
  const nextTurn = (): void => {
    parts = 0;
    if (!isDone) setImmediate(nextTurn);
  };
  nextTurn();
  await done.promise;
  isDone = true;
  for (const client of clients) client.destroy();
  server.close();
  return most;
}

test('other work runs between the parts that connections by SSH receive', async () => {
  const paced = await partsOfTurn(readInTurns);
  expect(paced).toBeLessThan(4);
  // How many parts the system hands over together differs from machine to machine.
  expect(await partsOfTurn(() => undefined)).toBeGreaterThan(paced);
});
