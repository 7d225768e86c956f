import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { createApp, offerManifest } from '#resources/repositories/apps/index.ts';
import { appByClientId, appBySlug, manifestCode, ownInstallation } from '#resources/repositories/apps/path-resources.ts';
import type { Caller, Callers, Sample, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { install, ownAppOf } from './client.ts';

const externalUrl = 'https://app.example';

// The API makes apps and installations nowhere but from manifests.
export const samples: Samples = new Map<AnyPathResource, Sample>([
  [
    appBySlug,
    async ({ change, owner, clock: { now } }) => {
      const { app } = await change((scope) => createApp(scope, { owner, kind: 'app', name: fresh('app'), externalUrl, now }));
      return { app_slug: app.slug };
    },
  ],
  [appByClientId, async (stage) => ({ client_id: (await ownAppOf(stage, stage.owner)).app.client_id })],
  [ownInstallation, async (stage) => ({ installation_id: String(await install(stage, stage.owner)) })],
  [
    manifestCode,
    async ({ change, owner, clock: { now } }) => {
      const manifest = { name: fresh('made'), url: externalUrl };
      return { code: await change((scope) => offerManifest(scope, { manifest, owner, by: owner, now })) };
    },
  ],
]);

export const callers: Callers = new Map<AnyPathResource, Caller>([
  [ownInstallation, async (stage) => (await ownAppOf(stage, stage.owner)).client],
  [appByClientId, async (stage) => (await ownAppOf(stage, stage.owner)).bySecret],
]);
