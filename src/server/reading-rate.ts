import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { EndableWork } from '#lib/concurrency-limiter.ts';
import type { LimitValues } from '#lib/limits.ts';
import { recentRate } from '#lib/recent-rate.ts';
import type { transferLimits } from '#objects/limits.ts';

const sampleMs = 250;

/** A reply whose reading is measured after it has begun. */
export type MeasuredReply = EndableWork & { begin(): void };

/**
 * Measures how fast a client reads a long reply, while bytes wait to be sent. If the client is too slow, its connection is
 * closed: as soon as other callers wait for its slot, and otherwise after `releases.transferRateTime`.
 */
export function measureReading(reply: FastifyReply, limits: LimitValues<typeof transferLimits>): MeasuredReply {
  const [recent, long] = [recentRate(limits.transferContendedTime), recentRate(limits.transferRateTime)];
  const { raw } = reply;
  const sample = (bytes: number, milliseconds: number): void => {
    const waited = isWaiting(raw) ? milliseconds : 0;
    recent.moved(bytes, waited);
    long.moved(bytes, waited);
    const rate = long.during(0);
    if (waited > 0 && rate !== undefined && rate < limits.transferRate) close(reply, 'releases.transferRate');
  };
  return {
    rate: () => (isWaiting(raw) ? recent.during(0) : undefined),
    end: () => close(reply, 'releases.transferContendedRate'),
    begin() {
      if (raw.destroyed || raw.writableFinished) return;
      let [bytes, time] = [sentBytes(raw), performance.now()];
      const timer = setInterval(() => {
        const [sent, now] = [sentBytes(raw), performance.now()];
        sample(sent - bytes, now - time);
        [bytes, time] = [sent, now];
      }, sampleMs).unref();
      raw.once('close', () => clearInterval(timer));
    },
  };
}

/**
 * Measures how fast a client reads a reply in memory. It measures only while another caller waits for the slot, so other replies
 * have no overhead.
 */
export function measureUnread(reply: FastifyReply): EndableWork {
  const { raw } = reply;
  let before: { bytes: number; time: number } | undefined;
  return {
    rate() {
      const now = { bytes: sentBytes(raw), time: performance.now() };
      if (!raw.headersSent || !isWaiting(raw)) before = undefined;
      else if (before === undefined) before = now;
      else if (now.time - before.time >= sampleMs) {
        const rate = ((now.bytes - before.bytes) / (now.time - before.time)) * 1_000;
        before = now;
        return rate;
      }
      return undefined;
    },
    end: () => close(reply, 'requests.contendedRate'),
  };
}

const sentBytes = ({ socket }: ServerResponse): number => (socket ? socket.bytesWritten - socket.writableLength : 0);

const isWaiting = ({ socket, writableNeedDrain }: ServerResponse): boolean =>
  writableNeedDrain || (socket?.writableLength ?? 0) > 0;

function close(reply: FastifyReply, limit: string): void {
  if (reply.raw.destroyed) return;
  reply.server.limitRefusals.note(reply.request, limit);
  reply.raw.destroy();
}
