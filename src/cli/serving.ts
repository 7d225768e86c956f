import type { SshAddress } from '#endpoint/links.ts';
import { startWorker } from '#jobs/worker.ts';
import { StartupError } from '#lib/startup-error.ts';
import type { PagesServer } from '#pages-server/server.ts';
import { noProvider } from '#runner-providers/provider.ts';
import { type Hearth, openHearth, type PagesSettings, type Settings } from '#server/hearth.ts';
import { drain, listen } from '#server/listen.ts';
import type { SshServer } from '#ssh-server/server.ts';
import type { Config } from './settings.ts';
import { readTls } from './tls.ts';

/** A running server. `url` is its address, `ssh` the address for Git over SSH, if any, and `pages` the address of websites. */
export type Serving = {
  url: string;
  ssh?: SshAddress | undefined;
  pages?: PagesSettings | undefined;
  stop(): Promise<void>;
};

/** Serves requests in this process, and also runs background jobs if `jobs` is set. */
export async function serveHere(config: Config, settings: Settings, { jobs }: { jobs: boolean }): Promise<Serving> {
  const tls = await readTls(config);
  const hearth = await openHearth({ ...settings, tls, work: jobs ? 'requests and jobs' : 'requests' });
  let ssh: SshServer | undefined;
  let pages: PagesServer | undefined;
  try {
    if (jobs) await checkRunners(hearth, settings);
    const url = await listen(hearth.app, config);
    if (settings.runners) settings.runners.address ??= url;
    ssh = await listenForSsh(config, settings, hearth);
    pages = await listenForPages(config, { ...settings, tls }, hearth);
    const worker = jobs ? await startWorker(hearth.worker) : undefined;
    const listeners = [
      { listener: 'web', port: portOf(hearth.app), purpose: 'the API, Git and the web' },
      { listener: 'ssh', port: ssh?.port, purpose: 'Git over SSH' },
      { listener: 'websites', port: pages?.port, purpose: 'websites' },
    ];
    for (const { listener, port, purpose } of listeners)
      if (port !== undefined) settings.log.info({ listener, host: config.host, port }, `listening for ${purpose}`);
    return {
      url,
      ssh: hearth.services.ssh,
      pages: settings.pages,
      async stop() {
        await Promise.all([drain(hearth.app), ssh?.drain(), pages?.drain(), worker?.stop()]);
        if (worker) await hearth.services.runners.provider.stopAll();
        await hearth[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await Promise.all([ssh?.close(), pages?.close()]);
    await hearth[Symbol.asyncDispose]();
    throw error;
  }
}

/** Logs how the jobs of hosted runners are isolated. @throws StartupError if the provider of their machines can't work here */
async function checkRunners({ services }: Hearth, { log }: Settings): Promise<void> {
  const { provider } = services.runners;
  const { detail, warning, problem } = await provider.check();
  if (problem !== undefined) throw new StartupError(problem);
  if (provider.name !== noProvider.name) log.info({ provider: provider.name }, detail);
  if (warning !== undefined) log.warn({ provider: provider.name }, warning);
}

function portOf({ server }: Hearth['app']): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : undefined;
}

async function listenForSsh(
  { host, sshPort: port }: Config,
  { log, clock, ssh, slow }: Settings,
  { database, services, app }: Hearth,
): Promise<SshServer | undefined> {
  if (port === 'off' || !ssh) return undefined;
  const { openSshServer } = await import('#ssh-server/server.ts');
  return openSshServer({ database, services, log, clock, refusals: app.limitRefusals, slow }, ssh, { host, port });
}

async function listenForPages({ host }: Config, settings: Settings, hearth: Hearth): Promise<PagesServer | undefined> {
  const { pages } = settings;
  if (!pages) return undefined;
  const { openPagesServer } = await import('#pages-server/server.ts');
  const parts = { ...settings, ...hearth, refusals: hearth.app.limitRefusals };
  const server = await openPagesServer(parts, { host, port: pages.port });
  pages.port = server.port;
  return server;
}

/** Runs background jobs only. */
export async function workHere(settings: Settings): Promise<{ stop(): Promise<void> }> {
  const hearth = await openHearth({ ...settings, work: 'jobs' });
  try {
    await checkRunners(hearth, settings);
  } catch (error) {
    await hearth[Symbol.asyncDispose]();
    throw error;
  }
  const worker = await startWorker(hearth.worker);
  return {
    async stop() {
      await worker.stop();
      await hearth.services.runners.provider.stopAll();
      await hearth[Symbol.asyncDispose]();
    },
  };
}
