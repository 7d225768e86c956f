// A small process that starts programs for a large one. Node starts programs with fork(), which copies the page tables of the
// whole process and blocks its event loop meanwhile. See docs/decisions/0058-spawn-server.md.
//
// Programs inherit Unix socket connections as their standard streams. Their data never passes through this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { FromSpawnServer, ToSpawnServer } from './spawn-messages.ts';
import { socketName, socketsOfSlot } from './spawn-messages.ts';
import { lowerPriority, stopGroup } from './spawned.ts';

const [folder = '', slots = ''] = process.argv.slice(2);
const running = new Map<number, ChildProcess>();
/** The processes whose connections are awaited, and which of them are no longer needed. */
const waiting = new Set<number>();
const unwanted = new Set<number>();

/** It ends with the process that it serves. */
function end(): void {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

/** Sends a message to the process that it serves, unless that process has ended. */
const send = (message: FromSpawnServer): void =>
  void process.send?.(message, undefined, undefined, (error) => {
    if (error) end();
  });

/**
 * The connections of a slot that nobody has taken yet, by stream index. Each stream has its own socket, and a slot is used for
 * one process at a time, so connections are identified without reading.
 */
const connections = Array.from({ length: Number(slots) }, () =>
  Array.from({ length: socketsOfSlot }, () => Promise.withResolvers<Socket>()),
);

function listen(slot: number, index: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  createServer({ pauseOnConnect: true }, (socket) => connections[slot]?.[index]?.resolve(socket))
    .once('error', reject)
    .listen(join(folder, socketName(slot, index)), resolve);
  return promise;
}

/** Waits for the connections of a slot, and frees the slot for the next process. */
async function takeConnections(slot: number, count: number): Promise<Socket[]> {
  const sockets = connections[slot] ?? [];
  const taken = await Promise.all(sockets.slice(0, count).map(({ promise }) => promise));
  for (let index = 0; index < count; index += 1) sockets[index] = Promise.withResolvers<Socket>();
  return taken;
}

async function start({ id, slot, order }: Extract<ToSpawnServer, { kind: 'start' }>): Promise<void> {
  waiting.add(id);
  const count = order.channel ? socketsOfSlot : socketsOfSlot - 1;
  const [stdin, stdout, stderr, channel] = await takeConnections(slot, count);
  waiting.delete(id);
  send({ kind: 'taken', slot });
  if (!stdin || !stdout || !stderr) return;
  const streams = [stdin, stdout, stderr];
  const child = spawn(order.file, order.args, {
    cwd: order.cwd,
    env: order.env,
    // The channel is relayed: an inherited file descriptor above 2 would be non-blocking, which shells can't read.
    stdio: [...streams, ...(channel ? (['pipe'] as const) : [])],
    detached: true,
  });
  for (const stream of streams) stream.destroy();
  if (channel) relay(channel, child.stdio[3] as Duplex | undefined);
  child.once('error', (error: NodeJS.ErrnoException) => {
    if (child.pid === undefined) send({ kind: 'failed', id, code: error.code, message: error.message });
  });
  if (child.pid === undefined) return;
  lowerPriority(child, order.niceness);
  running.set(id, child);
  child.once('exit', (code, signal) => {
    running.delete(id);
    send({ kind: 'ended', id, code, signal });
  });
  if (unwanted.delete(id)) stopGroup(child);
}

function relay(channel: Socket, pipe: Duplex | undefined): void {
  channel.on('error', () => pipe?.destroy());
  if (!pipe) return void channel.destroy();
  pipe.on('error', () => channel.destroy());
  channel.pipe(pipe);
  pipe.pipe(channel);
}

process.on('message', (message: ToSpawnServer) => {
  if (message.kind === 'start') return void start(message);
  const child = running.get(message.id);
  if (child) stopGroup(child);
  else if (waiting.has(message.id)) unwanted.add(message.id);
});
process.once('disconnect', end);
// Signals from the terminal or the service manager to the whole group don't end it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

await Promise.all(connections.flatMap((sockets, slot) => sockets.map((_, index) => listen(slot, index))));
// The other process may have ended before this one could detect it.
if (process.connected) send({ kind: 'ready' });
else end();
