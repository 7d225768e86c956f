// Apps, and creating one from a manifest.
import { endpoint } from '#endpoint/endpoint.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import { orNotFound } from '#lib/refusal.ts';
import { convertManifest } from '../manifests.ts';
import { appBySlug, manifestCode } from '../path-resources.ts';
import { presentOwnedApp } from '../present.ts';
import { makeAppKeys } from '../rules.ts';
import { App, ConvertedApp } from '../schemas.ts';
import { countInstallations, findAppById } from '../store.ts';

export const getAuthenticatedApp = endpoint({
  id: 'apps/get-authenticated',
  method: 'GET',
  path: '/app',
  summary: 'Get the authenticated app',
  access: { permission: { none: 'app_jwt' } },
  replies: { 200: App },
  async handle({ scope, db, viewer }) {
    const app = orNotFound(await findAppById(db, viewer.grant.appId));
    return { ...(await presentOwnedApp(scope, app)), installations_count: await countInstallations(db, app.id) };
  },
});

export const getApp = endpoint({
  id: 'apps/get-by-slug',
  method: 'GET',
  path: '/apps/{app_slug}',
  resources: [appBySlug],
  summary: 'Get an app',
  access: { permission: { none: 'public' } },
  replies: { 200: App },
  async handle({ scope, at }) {
    return presentOwnedApp(scope, at.app);
  },
});

export const createAppFromManifest = endpoint({
  id: 'apps/create-from-manifest',
  method: 'POST',
  path: '/app-manifests/{code}/conversions',
  resources: [manifestCode],
  summary: 'Create an app from a manifest',
  access: { permission: { none: 'token_exchange' } },
  refuses: [422],
  replies: { 201: ConvertedApp },
  async handle({ scope, change, links, now, services, caller }) {
    const keys = await withSlot(services.appKeyLimiter, caller, makeAppKeys);
    const conversion = { keys, secrets: services.secrets, baseUrl: links.html, now };
    const converted = await change((scope, { manifestCode }) => convertManifest(scope, manifestCode, conversion));
    return {
      ...(await presentOwnedApp(scope, converted.app)),
      client_secret: converted.clientSecret,
      webhook_secret: converted.webhookSecret,
      pem: keys.privateKey,
    };
  },
});
