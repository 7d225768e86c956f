// Releases, and generated notes for new ones.
import { Type } from 'typebox';
import { readsContents, writesContents } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import type { Scope } from '#endpoint/scope.ts';
import { firstOrNotFound, orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { textMedia } from '#resources/collaboration/issues/index.ts';
import { generateNotes } from '../notes.ts';
import { release, taggedRelease } from '../path-resources.ts';
import { presentReleases } from '../present.ts';
import { changeRelease, createRelease, deleteRelease } from '../rules.ts';
import { NewRelease, NotesRequest, Release, ReleaseChange, ReleaseNotes } from '../schemas.ts';
import { findLatest, listReleases, type ReleaseRow } from '../store.ts';
import { visibilityOf } from '../visibility.ts';

const presentOne = async (scope: Scope, repo: Repo, row: ReleaseRow): Promise<Release> =>
  firstOrNotFound(await presentReleases(scope, repo, [row]));

export const listRepoReleases = endpoint({
  id: 'repos/list-releases',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases',
  summary: 'List releases',
  access: readsContents,
  paging: pages(),
  media: textMedia,
  replies: { 200: Type.Array(Release) },
  async handle({ scope, db, at, page, viewer }) {
    const found = await listReleases(db, at.repo.id, visibilityOf(viewer, at.repo), page);
    return mapRows(found, (rows) => presentReleases(scope, at.repo, rows));
  },
});

export const createRepoRelease = endpoint({
  id: 'repos/create-release',
  method: 'POST',
  path: '/repos/{owner}/{repo}/releases',
  summary: 'Create a release',
  access: writesContents,
  body: NewRelease,
  example: {
    tag_name: 'v1.0.0',
    target_commitish: 'main',
    name: 'v1.0.0',
    body: 'The first release',
    draft: true,
    prerelease: false,
    generate_release_notes: false,
  },
  media: textMedia,
  refuses: [409],
  replies: { 201: Release },
  async handle({ scope, at, body, action }) {
    const row = await createRelease(scope, action, body);
    return presentOne(scope, at.repo, row);
  },
});

export const generateReleaseNotes = endpoint({
  id: 'repos/generate-release-notes',
  method: 'POST',
  path: '/repos/{owner}/{repo}/releases/generate-notes',
  summary: 'Generate release notes content for a release',
  access: writesContents,
  body: NotesRequest,
  example: { tag_name: 'v1.0.0', target_commitish: 'main', previous_tag_name: 'v0.9.0' },
  replies: { 200: ReleaseNotes },
  async handle({ scope, body, action }) {
    return generateNotes(scope, action, body);
  },
});

export const getLatestRelease = endpoint({
  id: 'repos/get-latest-release',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases/latest',
  summary: 'Get the latest release',
  access: readsContents,
  media: textMedia,
  replies: { 200: Release },
  async handle({ scope, db, at }) {
    const row = orNotFound(await findLatest(db, at.repo.id));
    return presentOne(scope, at.repo, row);
  },
});

export const getReleaseByTag = endpoint({
  id: 'repos/get-release-by-tag',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases/tags/{tag}',
  resources: [taggedRelease],
  summary: 'Get a release by tag name',
  access: readsContents,
  media: textMedia,
  replies: { 200: Release },
  async handle({ scope, at }) {
    return presentOne(scope, at.repo, at.taggedRelease);
  },
});

export const getRelease = endpoint({
  id: 'repos/get-release',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases/{release_id}',
  resources: [release],
  summary: 'Get a release',
  access: readsContents,
  media: textMedia,
  replies: { 200: Release },
  async handle({ scope, at }) {
    return presentOne(scope, at.repo, at.release);
  },
});

export const updateRepoRelease = endpoint({
  id: 'repos/update-release',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/releases/{release_id}',
  resources: [release],
  summary: 'Update a release',
  access: writesContents,
  body: ReleaseChange,
  example: { name: 'The first release' },
  media: textMedia,
  refuses: [409],
  replies: { 200: Release },
  async handle({ scope, at, body, action }) {
    const row = await changeRelease(scope, action, at.release, body);
    return presentOne(scope, at.repo, row);
  },
});

export const deleteRepoRelease = endpoint({
  id: 'repos/delete-release',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/releases/{release_id}',
  resources: [release],
  summary: 'Delete a release',
  access: writesContents,
  replies: { 204: Nothing },
  async handle({ change, action, services: { objects } }) {
    const keys = await change((scope, { release }) => deleteRelease(scope, action, release));
    for (const key of keys) await objects.remove(key);
  },
});
