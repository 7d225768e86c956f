import { startWorker } from '#jobs/worker.ts';
import { openHearth, type Settings } from '#server/hearth.ts';
import { drain, listen } from '#server/listen.ts';
import type { Config } from './settings.ts';
import { readTls } from './tls.ts';

/** A running server; `url` is its address. */
export type Serving = { url: string; stop(): Promise<void> };

/** Serves requests in this process, and runs background jobs where `jobs` is set. */
export async function serveHere(config: Config, settings: Settings, { jobs }: { jobs: boolean }): Promise<Serving> {
  const hearth = await openHearth({ ...settings, tls: await readTls(config), work: jobs ? 'requests and jobs' : 'requests' });
  try {
    const url = await listen(hearth.app, config);
    const worker = jobs ? await startWorker(hearth.worker) : undefined;
    return {
      url,
      async stop() {
        await Promise.all([drain(hearth.app), worker?.stop()]);
        await hearth[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await hearth[Symbol.asyncDispose]();
    throw error;
  }
}

/** Runs background jobs only. */
export async function workHere(settings: Settings): Promise<{ stop(): Promise<void> }> {
  const hearth = await openHearth({ ...settings, work: 'jobs' });
  const worker = await startWorker(hearth.worker);
  return {
    async stop() {
      await worker.stop();
      await hearth[Symbol.asyncDispose]();
    },
  };
}
