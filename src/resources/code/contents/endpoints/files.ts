// Files and folders: read, write, remove; the README.
import { type Static, Type } from 'typebox';
import { movesBranches, readsContents } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import type { SharedCall } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { notFound, orNotFound } from '#lib/refusal.ts';
import { presentGitCommit, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { findEntry, followLink, isFile, resolveCommit, trimSlashes } from '../entries.ts';
import { presentEntry } from '../present.ts';
import { rawFile, readContent, readFile } from '../read.ts';
import { findReadme } from '../readme.ts';
import { Content, ContentFile, FileCommit, FileRemoval, FileWrite } from '../schemas.ts';
import { removeFile, writeFile } from '../write.ts';

const atRef = Type.Object({ ref: Type.Optional(Type.String({ maxLength: 1024 })) });
const sha = 'aa218f56b14c9653891f9e74264a383fa43fefbd';

type ReadCall = SharedCall<{ at: { repo: Repo }; query: Static<typeof atRef> }>;

/** The context of a read at the commit of the query's ref, or at the tip of the default branch. */
async function readContextOf({ at, query, media, links, caller, services }: ReadCall) {
  const gitRepository = repoOf(services.git, at.repo.id);
  return {
    gitRepository,
    urls: repositoryUrlsOf(links, at.repo),
    media,
    html: links.html,
    caller,
    resolved: await resolveCommit(gitRepository, query.ref, at.repo.default_branch),
  };
}

export const getContent = endpoint({
  id: 'repos/get-content',
  method: 'GET',
  path: '/repos/{owner}/{repo}/contents/{path}',
  summary: 'Get repository content',
  access: readsContents,
  query: atRef,
  media: ['raw', 'html', 'object'],
  replies: { 200: Content },
  async handle(call) {
    return readContent(await readContextOf(call), call.at.path);
  },
});

export const putFile = endpoint({
  id: 'repos/create-or-update-file-contents',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/contents/{path}',
  summary: 'Create or update file contents',
  access: movesBranches,
  body: FileWrite,
  example: { message: 'Add a note', content: 'TXkgbmV3IGZpbGU=' },
  carries: 'file',
  refuses: [409],
  replies: { 200: FileCommit, 201: FileCommit },
  async handle({ scope, at, body: wanted, action, links, reply, services: { git } }) {
    const writeAction = { ...action, links, path: at.path };
    const { isNew, file, resolved: written } = await writeFile(scope, writeAction, wanted);
    const urls = repositoryUrlsOf(links, at.repo);
    await using reader = await openObjects(repoOf(git, at.repo.id));
    const commit = await presentGitCommit(scope, urls, await reader.getCommit(written.commit));
    const body = { content: file ? presentEntry(urls, written, file) : null, commit };
    return isNew ? reply(201, body) : reply(200, body);
  },
});

export const deleteFile = endpoint({
  id: 'repos/delete-file',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/contents/{path}',
  summary: 'Delete a file',
  access: movesBranches,
  body: FileRemoval,
  bodyInQuery: true,
  example: { message: 'Remove a note', sha },
  refuses: [409],
  replies: { 200: FileCommit },
  async handle({ scope, at, body, action, links, services: { git } }) {
    const writeAction = { ...action, links, path: at.path };
    const { resolved: written } = await removeFile(scope, writeAction, body);
    await using reader = await openObjects(repoOf(git, at.repo.id));
    return {
      content: null,
      commit: await presentGitCommit(scope, repositoryUrlsOf(links, at.repo), await reader.getCommit(written.commit)),
    };
  },
});

/** The README of the repository, or of one folder. */
async function readReadme(call: ReadCall, folder?: string) {
  const context = await readContextOf(call);
  await using reader = await openObjects(context.gitRepository);
  return readFile(context, reader, orNotFound(await findReadme(reader, context.resolved.commit, folder)));
}

const readme = {
  method: 'GET',
  access: readsContents,
  query: atRef,
  media: ['raw', 'html'],
  replies: { 200: ContentFile },
} as const;

export const getReadme = endpoint({
  ...readme,
  id: 'repos/get-readme',
  path: '/repos/{owner}/{repo}/readme',
  summary: 'Get a repository README',
  handle: (call) => readReadme(call),
});

export const getReadmeOfFolder = endpoint({
  ...readme,
  id: 'repos/get-readme-in-directory',
  path: '/repos/{owner}/{repo}/readme/{dir}',
  summary: 'Get a repository README for a directory',
  handle: (call) => readReadme(call, trimSlashes(call.at.dir)),
});

/** Browsers download this type and never run it as a page. */
const downloadType = 'application/octet-stream';

/** The bytes of a file, at its `download_url`. Symbolic links are followed. */
export const downloadFile = endpoint({
  id: 'repos/download-file',
  method: 'GET',
  path: '/repos/{owner}/{repo}/raw/{path}',
  summary: 'Download a file',
  access: readsContents,
  query: atRef,
  replies: { 200: Type.String({ contentMediaType: downloadType }) },
  async handle({ at, query, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const { commit } = await resolveCommit(gitRepository, query.ref, at.repo.default_branch);
    await using reader = await openObjects(gitRepository);
    const entry = await findEntry(reader, commit, trimSlashes(at.path));
    const file = entry?.mode === '120000' ? ((await followLink(reader, commit, entry)) ?? entry) : entry;
    if (!file || !(isFile(file) || file.mode === '120000')) throw notFound();
    return rawFile(gitRepository, reader, file, downloadType);
  },
});
