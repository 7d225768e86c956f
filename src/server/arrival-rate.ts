import type { EndableWork } from '#lib/concurrency-limiter.ts';
import { recentRate } from '#lib/recent-rate.ts';
import { Refusal } from '#lib/refusal.ts';
import type { ReceiveLimits } from './receive-body.ts';

/** Milliseconds over which the rate of a body is measured. */
const measuredOver = 1_000;

/** A body whose arrival is measured after it has begun. */
type MeasuredArrival = {
  /** Refuses the body if others wait and it arrives slowly. */
  readonly work: EndableWork;
  begin(): Pick<ReceiveLimits, 'signal' | 'onProgress'>;
  /** The body has arrived: the client can't delay it any more. */
  end(): void;
};

/** Measures how fast a body arrives, so that a slow one can make room for others. */
export function measureArrival(): MeasuredArrival {
  const recent = recentRate(measuredOver);
  const refused = new AbortController();
  let isArriving = false;
  let [received, noted, since] = [0, 0, 0];
  const note = (): void => {
    const now = performance.now();
    recent.moved(received - noted, now - since);
    [noted, since] = [received, now];
  };
  return {
    work: {
      rate() {
        if (!isArriving) return undefined;
        note();
        return recent.during(0);
      },
      end: () => refused.abort(tooSlow()),
    },
    begin() {
      isArriving = true;
      since = performance.now();
      return {
        signal: refused.signal,
        onProgress(bytes) {
          received = bytes;
          note();
        },
      };
    },
    end() {
      isArriving = false;
    },
  };
}

const tooSlow = (): Refusal =>
  new Refusal('timed_out', 'The body arrived too slowly while other callers waited for their turn', [], {
    limit: 'requests.bodiesContendedRate',
  });
