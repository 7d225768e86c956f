// Custom images, published by an organization's own runners (document 2).
import { everyCredential } from '#access/tokens.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { deleteImage, deleteVersion } from '../image-rules.ts';
import { listImages, listVersions } from '../image-store.ts';
import { image, version } from '../path-resources.ts';
import { presentImage, presentVersion } from '../present.ts';
import { CustomImage, CustomImageVersion } from '../schemas.ts';

const images = { scopes: ['manage_runners:org'], credentials: everyCredential, role: 'owner' } as const;
const reads = { ...images, permission: 'organization_hosted_runner_custom_images:read' } as const;
const writes = { ...images, permission: 'organization_hosted_runner_custom_images:write' } as const;

export const listCustomImages = endpoint({
  id: 'actions/list-custom-images-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/images/custom',
  summary: 'List custom images for an organization',
  access: reads,
  paging: pages(),
  replies: { 200: enveloped('image_versions', CustomImage) },
  handle: async ({ db, at, page }) => mapEach(await listImages(db, at.org.id, page), presentImage),
});

export const getCustomImage = endpoint({
  id: 'actions/get-custom-image-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}',
  resources: [image],
  summary: 'Get a custom image definition for an organization',
  access: reads,
  replies: { 200: CustomImage },
  handle: async ({ at }) => presentImage(at.image),
});

export const deleteCustomImage = endpoint({
  id: 'actions/delete-custom-image-from-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}',
  resources: [image],
  summary: 'Delete a custom image from an organization',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { image }) => deleteImage(scope, action, image));
  },
});

export const listCustomImageVersions = endpoint({
  id: 'actions/list-custom-image-versions-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions',
  resources: [image],
  summary: 'List versions of a custom image for an organization',
  access: reads,
  paging: pages(),
  replies: { 200: enveloped('image_versions', CustomImageVersion) },
  handle: async ({ db, at, page }) => mapEach(await listVersions(db, at.image.id, page), presentVersion),
});

export const getCustomImageVersion = endpoint({
  id: 'actions/get-custom-image-version-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions/{version}',
  resources: [version],
  summary: 'Get a version of a custom image for an organization',
  access: reads,
  replies: { 200: CustomImageVersion },
  handle: async ({ at }) => presentVersion(at.version),
});

export const deleteCustomImageVersion = endpoint({
  id: 'actions/delete-custom-image-version-from-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions/{version}',
  resources: [version],
  summary: 'Delete a version of a custom image from an organization',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, at) => deleteVersion(scope, action, at));
  },
});
