// The files of releases.
import { Type } from 'typebox';
import { readsContents, writesContents } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { fileReply } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { listAssets } from '../asset-store.ts';
import { changeAsset, deleteAsset, fileOf, uploadAsset } from '../assets.ts';
import { asset, release } from '../path-resources.ts';
import { presentAssets, presentOneAsset } from '../present.ts';
import { AssetChange, AssetQuery, ReleaseAsset } from '../schemas.ts';

export const listReleaseAssets = endpoint({
  id: 'repos/list-release-assets',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases/{release_id}/assets',
  resources: [release],
  summary: 'List release assets',
  access: readsContents,
  paging: pages(),
  replies: { 200: Type.Array(ReleaseAsset) },
  async handle({ scope, db, at, page }) {
    const found = await listAssets(db, at.release.id, page);
    return mapRows(found, (rows) => presentAssets(scope, at.repo, at.release, rows));
  },
});

export const uploadReleaseAsset = endpoint({
  id: 'repos/upload-release-asset',
  method: 'POST',
  path: '/repos/{owner}/{repo}/releases/{release_id}/assets',
  resources: [release],
  summary: 'Upload a release asset',
  access: writesContents,
  query: AssetQuery,
  carries: 'bytes',
  replies: { 201: ReleaseAsset },
  async handle({ scope, db, change, at, query, upload, action, services }) {
    const row = await uploadAsset({ db, change, services }, action, { release: at.release, query, upload });
    return firstOrNotFound(await presentAssets(scope, at.repo, at.release, [row]));
  },
});

export const getReleaseAsset = endpoint({
  id: 'repos/get-release-asset',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases/assets/{asset_id}',
  resources: [asset],
  summary: 'Get a release asset, or its bytes',
  access: readsContents,
  media: ['bytes'],
  replies: { 200: ReleaseAsset },
  async handle({ scope, db, at, media, services }) {
    if (media === 'bytes') return fileReply(at.asset.name, fileOf(db, services, at.asset));
    return presentOneAsset(scope, at.repo, at.asset);
  },
});

export const updateReleaseAsset = endpoint({
  id: 'repos/update-release-asset',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/releases/assets/{asset_id}',
  resources: [asset],
  summary: 'Update a release asset',
  access: writesContents,
  body: AssetChange,
  example: { name: 'engine-1.0.zip', label: 'The engine' },
  replies: { 200: ReleaseAsset },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope, { asset }) => changeAsset(scope, action, asset, body));
    return presentOneAsset(scope, at.repo, row);
  },
});

export const deleteReleaseAsset = endpoint({
  id: 'repos/delete-release-asset',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/releases/assets/{asset_id}',
  resources: [asset],
  summary: 'Delete a release asset',
  access: writesContents,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, at, action, services: { objects } }) {
    await change((scope, { asset }) => deleteAsset(scope, action, asset));
    await objects.remove(at.asset.object_key);
  },
});
