import type { SingleBar } from 'cli-progress';

/** Shows progress on standard error: a bar on a terminal, otherwise a line every few seconds. */
export type ProgressBar = {
  /** Updates the progress of a phase. A different name begins a new phase. */
  show(phase: string, done: number, total: number): void;
  end(): void;
};

const shape = {
  format: '{phase} {bar} {percentage}% {value}/{total}',
  stream: process.stderr,
  clearOnComplete: false,
  hideCursor: true,
};

/** The library is loaded on demand, since servers show no progress. */
export async function progressBar(): Promise<ProgressBar> {
  const { default: library } = await import('cli-progress');
  let bar: SingleBar | undefined;
  let current = '';
  const end = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    show(phase, done, total) {
      if (phase !== current || !bar) {
        end();
        current = phase;
        bar = new library.SingleBar({ ...shape, noTTYOutput: true, notTTYSchedule: 5_000 }, library.Presets.shades_classic);
        bar.start(total, done, { phase: phase.padEnd(24) });
      }
      bar.setTotal(total);
      bar.update(done);
    },
    end,
  };
}
