// Images that an organization's own runners made (document 2).
import { everyToken } from '#access/tokens.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { deleteImage, deleteVersion, getVersion } from '../image-rules.ts';
import { findCountedImage, findCustomImage, listImages, listVersions } from '../image-store.ts';
import { presentImage, presentVersion } from '../present.ts';
import { CustomImage, CustomImageVersion } from '../schemas.ts';

const images = { scopes: ['manage_runners:org'], tokens: everyToken, role: 'owner' } as const;
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
  summary: 'Get a custom image definition for an organization',
  access: reads,
  replies: { 200: CustomImage },
  async handle({ db, at }) {
    return presentImage(orNotFound(await findCountedImage(db, at.org.id, at.image_definition_id)));
  },
});

export const deleteCustomImage = endpoint({
  id: 'actions/delete-custom-image-from-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}',
  summary: 'Delete a custom image from an organization',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((tx) => deleteImage(tx, action, at.image_definition_id));
  },
});

export const listCustomImageVersions = endpoint({
  id: 'actions/list-custom-image-versions-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions',
  summary: 'List versions of a custom image for an organization',
  access: reads,
  paging: pages(),
  replies: { 200: enveloped('image_versions', CustomImageVersion) },
  async handle({ db, at, page }) {
    const image = orNotFound(await findCustomImage(db, at.org.id, at.image_definition_id));
    return mapEach(await listVersions(db, image.id, page), presentVersion);
  },
});

export const getCustomImageVersion = endpoint({
  id: 'actions/get-custom-image-version-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions/{version}',
  summary: 'Get a version of a custom image for an organization',
  access: reads,
  replies: { 200: CustomImageVersion },
  async handle({ db, at }) {
    const { version } = await getVersion(db, at.org.id, { id: at.image_definition_id, version: at.version });
    return presentVersion(version);
  },
});

export const deleteCustomImageVersion = endpoint({
  id: 'actions/delete-custom-image-version-from-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions/{version}',
  summary: 'Delete a version of a custom image from an organization',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    const wanted = { id: at.image_definition_id, version: at.version };
    await change((tx) => deleteVersion(tx, action, wanted));
  },
});
