import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const resolution = 20;
const windowMs = 30_000;
const quantiles = [0.5, 0.99, 1];

/**
 * Adds a metric of the event loop's delay in the last 30 to 60 seconds, regardless of how often it is read. With several
 * processes, it shows the slowest one.
 * @returns a function that stops measuring
 */
export function watchEventLoop(registry: Registry): () => void {
  const windows = [monitorEventLoopDelay({ resolution }), monitorEventLoopDelay({ resolution })];
  for (const window of windows) window.enable();
  // The two are reset alternately, so that one of them always covers a whole window.
  let next = 0;
  const timer = setInterval(() => windows[next++ % windows.length]?.reset(), windowMs).unref();
  new Gauge({
    name: 'hearth_event_loop_delay_seconds',
    help: 'How late the event loop came to its timers in the last half minute or more',
    labelNames: ['quantile'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      const longest = windows.reduce((one, other) => (other.count > one.count ? other : one));
      for (const quantile of quantiles) {
        const seconds = longest.count === 0 ? 0 : longest.percentile(quantile * 100) / 1e9;
        this.set({ quantile }, Math.max(0, seconds - resolution / 1_000));
      }
    },
  });
  return () => {
    clearInterval(timer);
    for (const window of windows) window.disable();
  };
}
