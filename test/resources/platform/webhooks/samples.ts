import type { AnyPathResource } from '#endpoint/path-resource.ts';
import {
  appDelivery,
  appHook,
  orgDelivery,
  orgHook,
  repoDelivery,
  repoHook,
} from '#resources/platform/webhooks/path-resources.ts';
import { receiver } from '#test/support/receiver.ts';
import type { Callers, Sample, Samples } from '#test/support/samples.ts';
import { install, ownAppOf } from '../../repositories/apps/client.ts';

/** A hook for no event: so it is another's twin nowhere, and there is room for any number. */
const hook: Sample = async ({ client }, base) => {
  const { url } = await receiver();
  const { body } = await client.post(`${base}/hooks`, { name: 'web', config: { url }, events: [] });
  return { hook_id: String(body.id) };
};

/** The ping that a new hook gets. */
const ping: Sample = async ({ client, settle }, base) => {
  await settle();
  const { body } = await client.get(`${base}/deliveries`);
  return { delivery_id: String(body[0].id) };
};

/** What the hook of an app hears of a new installation. */
const news: Sample = async (stage) => {
  await install(stage, stage.owner);
  await stage.settle();
  const { client } = await ownAppOf(stage, stage.owner);
  const { body } = await client.get('/app/hook/deliveries');
  return { delivery_id: String(body[0].id) };
};

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgHook, hook],
  [repoHook, hook],
  [
    appHook,
    async (stage) => {
      const { client } = await ownAppOf(stage, stage.owner);
      await client.patch('/app/hook/config', { url: (await receiver()).url });
      return {};
    },
  ],
  [orgDelivery, ping],
  [repoDelivery, ping],
  [appDelivery, news],
]);

export const callers: Callers = new Map([[appHook, async (stage) => (await ownAppOf(stage, stage.owner)).client]]);
