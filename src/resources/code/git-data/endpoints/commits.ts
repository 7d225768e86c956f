// Git's commit objects and tag objects.
import { readsContents, writesContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { GitCommit, presentGitCommit, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { createCommit, createTag } from '../objects.ts';
import { commit, tag } from '../path-resources.ts';
import { presentTag } from '../present.ts';
import { GitTag, NewCommit, NewTag } from '../schemas.ts';

export const getGitCommit = endpoint({
  id: 'git/get-commit',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/commits/{commit_sha}',
  resources: [commit],
  summary: 'Get a commit object',
  access: readsContents,
  refuses: [409],
  replies: { 200: GitCommit },
  async handle({ scope, at, links }) {
    return presentGitCommit(scope, repositoryUrlsOf(links, at.repo), at.commit);
  },
});

export const createGitCommit = endpoint({
  id: 'git/create-commit',
  method: 'POST',
  path: '/repos/{owner}/{repo}/git/commits',
  summary: 'Create a commit',
  access: writesContents,
  body: NewCommit,
  example: { message: 'Add an engine', tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', parents: [] },
  refuses: [409],
  replies: { 201: GitCommit },
  async handle({ scope, at, body, viewer, now, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const oid = await createCommit(gitRepository, body, { viewer, links, now });
    await using reader = await openObjects(gitRepository);
    const urls = repositoryUrlsOf(links, at.repo);
    return presentGitCommit(scope, urls, await reader.getCommit(oid));
  },
});

export const getTag = endpoint({
  id: 'git/get-tag',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/tags/{tag_sha}',
  resources: [tag],
  summary: 'Get a tag',
  access: readsContents,
  refuses: [409],
  replies: { 200: GitTag },
  async handle({ scope, at, links }) {
    return presentTag(scope, repositoryUrlsOf(links, at.repo), at.tag);
  },
});

export const createGitTag = endpoint({
  id: 'git/create-tag',
  method: 'POST',
  path: '/repos/{owner}/{repo}/git/tags',
  summary: 'Create a tag object',
  access: writesContents,
  body: NewTag,
  example: { tag: 'v1.0.0', message: 'First release', object: 'c3d0be41ecbe669545ee3e94d31ed9a4bc91ee3c', type: 'commit' },
  refuses: [409],
  replies: { 201: GitTag },
  async handle({ scope, at, body, viewer, now, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const oid = await createTag(gitRepository, body, { viewer, links, now });
    await using reader = await openObjects(gitRepository);
    return presentTag(scope, repositoryUrlsOf(links, at.repo), await reader.getTag(oid));
  },
});
