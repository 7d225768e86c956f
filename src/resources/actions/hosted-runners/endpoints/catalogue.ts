// Images, machine sizes and platforms for hosted runners, and limits of an organization (document 2).
import { Type } from 'typebox';
import { everyCredential } from '#access/tokens.ts';
import type { Call } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped } from '#endpoint/paging.ts';
import { presentImages, presentSizes } from '../present.ts';
import { MachineSize, RunnerImage, RunnerLimits } from '../schemas.ts';
import { countStaticIps } from '../store.ts';

const reads = {
  permission: 'organization_administration:read',
  scopes: ['manage_runners:org'],
  credentials: everyCredential,
  role: 'owner',
} as const;

const imagesFrom = (source: 'service' | 'partner') =>
  ({
    method: 'GET',
    access: reads,
    replies: { 200: enveloped('images', RunnerImage) },
    async handle({ services }: Pick<Call, 'services'>) {
      const images = presentImages(services.runners.catalogue, source);
      return { total_count: images.length, images };
    },
  }) as const;

export const listServiceOwnedImages = endpoint({
  ...imagesFrom('service'),
  id: 'actions/get-hosted-runners-github-owned-images-for-org',
  path: '/orgs/{org}/actions/hosted-runners/images/service-owned',
  summary: 'Get service-owned images for hosted runners in an organization',
});

export const listPartnerImages = endpoint({
  ...imagesFrom('partner'),
  id: 'actions/get-hosted-runners-partner-images-for-org',
  path: '/orgs/{org}/actions/hosted-runners/images/partner',
  summary: 'Get partner images for hosted runners in an organization',
});

export const getRunnerLimits = endpoint({
  id: 'actions/get-hosted-runners-limits-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/limits',
  summary: 'Get limits on hosted runners for an organization',
  access: reads,
  replies: { 200: RunnerLimits },
  async handle({ db, at, services }) {
    const { catalogue, provider } = services.runners;
    const maximum = provider.givesPublicIps ? catalogue.limits.public_ips : 0;
    return { public_ips: { current_usage: await countStaticIps(db, at.org.id), maximum } };
  },
});

export const listMachineSizes = endpoint({
  id: 'actions/get-hosted-runners-machine-specs-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/machine-sizes',
  summary: 'Get machine sizes for hosted runners in an organization',
  access: reads,
  replies: { 200: enveloped('machine_specs', MachineSize) },
  async handle({ services }) {
    const sizes = presentSizes(services.runners.catalogue);
    return { total_count: sizes.length, machine_specs: sizes };
  },
});

export const listRunnerPlatforms = endpoint({
  id: 'actions/get-hosted-runners-platforms-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/platforms',
  summary: 'Get platforms for hosted runners in an organization',
  access: reads,
  replies: { 200: enveloped('platforms', Type.String()) },
  async handle({ services }) {
    const { platforms } = services.runners.catalogue;
    return { total_count: platforms.length, platforms };
  },
});
