// Folders, as pages show them.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { repoOf } from '#git/store.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { showFolder } from '../folder.ts';
import { getLocation, presentLocation } from '../location.ts';
import { showOverview } from '../overview.ts';
import { listRefNames } from '../ref-names.ts';
import { RefNames, RepositoryOverview, ShownFolder, ShownLocation } from '../schemas.ts';

export const getOverview = endpoint({
  id: 'source-pages/get-overview',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/overview',
  summary: 'Get what the front page of a repository shows',
  access: readsContents,
  replies: { 200: RepositoryOverview },
  handle: ({ scope, at, links, caller }) =>
    showOverview(scope, { links, caller, urls: repositoryUrlsOf(links, at.repo) }, at.repo),
});

export const getFolder = endpoint({
  id: 'source-pages/get-folder',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/folders/{path}',
  summary: 'Get a folder by a ref and a path',
  access: readsContents,
  replies: { 200: ShownFolder },
  async handle({ scope, at, links, caller }) {
    const location = await getLocation(scope.git, at.repo, at.path);
    return showFolder(scope, { links, caller, urls: repositoryUrlsOf(links, at.repo) }, location);
  },
});

export const getRefNames = endpoint({
  id: 'source-pages/get-ref-names',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/ref-names',
  summary: 'Get the names of branches and tags for a menu',
  access: readsContents,
  replies: { 200: RefNames },
  handle: ({ scope, at }) => listRefNames(repoOf(scope.git, at.repo.id)),
});

export const getSourceLocation = endpoint({
  id: 'source-pages/get-location',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/locations/{path}',
  summary: 'Get the ref, the commit and the path that the end of an address names',
  access: readsContents,
  replies: { 200: Type.Object(ShownLocation.properties) },
  async handle({ scope, at }) {
    return presentLocation(await getLocation(scope.git, at.repo, at.path));
  },
});
