// Files and folders: read, write, remove; the README.
import { type Static, Type } from 'typebox';
import { readsContents, writesContents } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import type { SharedCall } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openObjects } from '#git/objects/objects.ts';
import { repoOf } from '#git/store.ts';
import { notFound, orNotFound } from '#lib/refusal.ts';
import { presentGitCommit, repositoryUrlsOf } from '#resources/commits/index.ts';
import { findEntry, followLink, getAt, isFile, plainPath } from '../entries.ts';
import { presentEntry } from '../present.ts';
import { bytesOf, readContent, showFile } from '../read.ts';
import { findReadme } from '../readme.ts';
import { Content, ContentFile, FileCommit, FileRemoval, FileWrite } from '../schemas.ts';
import { removeFile, writeFile } from '../write.ts';

const atRef = Type.Object({ ref: Type.Optional(Type.String({ maxLength: 1024 })) });
const sha = 'aa218f56b14c9653891f9e74264a383fa43fefbd';

type Asking = SharedCall<{ at: { repo: Repo }; query: Static<typeof atRef> }>;

/** What is read at, for the commit that the query names, or else for the default branch. */
async function readingOf({ at, query, media, links, services }: Asking) {
  const disk = repoOf(services.git, at.repo.id);
  return { disk, place: repositoryUrlsOf(links, at.repo), media, at: await getAt(disk, query.ref, at.repo.default_branch) };
}

export const getContent = endpoint({
  id: 'repos/get-content',
  method: 'GET',
  path: '/repos/{owner}/{repo}/contents/{path}',
  summary: 'Get repository content',
  access: readsContents,
  query: atRef,
  media: ['raw', 'object'],
  replies: { 200: Content },
  async handle(call) {
    return readContent(await readingOf(call), call.at.path);
  },
});

export const putFile = endpoint({
  id: 'repos/create-or-update-file-contents',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/contents/{path}',
  summary: 'Create or update file contents',
  access: writesContents,
  body: FileWrite,
  example: { message: 'Add a note', content: 'TXkgbmV3IGZpbGU=' },
  carries: 'file',
  refuses: [409],
  replies: { 200: FileCommit, 201: FileCommit },
  async handle({ db, change, at, body: wanted, action, now, links, reply, services: { git } }) {
    const writing = { ...action, links, path: at.path };
    const { isNew, file, at: written } = await writeFile({ db, change, git, now }, writing, wanted);
    const place = repositoryUrlsOf(links, at.repo);
    await using reader = await openObjects(repoOf(git, at.repo.id));
    const commit = presentGitCommit(place, await reader.getCommit(written.commit));
    const body = { content: file ? presentEntry(place, written, file) : null, commit };
    return isNew ? reply(201, body) : reply(200, body);
  },
});

export const deleteFile = endpoint({
  id: 'repos/delete-file',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/contents/{path}',
  summary: 'Delete a file',
  access: writesContents,
  body: FileRemoval,
  example: { message: 'Remove a note', sha },
  refuses: [409],
  replies: { 200: FileCommit },
  async handle({ db, change, at, body, action, now, links, services: { git } }) {
    const writing = { ...action, links, path: at.path };
    const { at: written } = await removeFile({ db, change, git, now }, writing, body);
    await using reader = await openObjects(repoOf(git, at.repo.id));
    return { content: null, commit: presentGitCommit(repositoryUrlsOf(links, at.repo), await reader.getCommit(written.commit)) };
  },
});

/** The README of the repository, or of one folder. */
async function readReadme(call: Asking, folder?: string) {
  const read = await readingOf(call);
  await using reader = await openObjects(read.disk);
  return showFile(read, reader, orNotFound(await findReadme(reader, read.at.commit, folder)));
}

const readme = { method: 'GET', access: readsContents, query: atRef, media: ['raw'], replies: { 200: ContentFile } } as const;

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
  handle: (call) => readReadme(call, plainPath(call.at.dir)),
});

/** What `download_url` leads to: the bytes of a file. Symbolic links are followed. */
export const downloadFile = endpoint({
  id: 'repos/download-file',
  method: 'GET',
  path: '/repos/{owner}/{repo}/raw/{path}',
  summary: 'Download a file',
  access: readsContents,
  query: atRef,
  replies: { 200: Type.String() },
  async handle({ at, query, services: { git } }) {
    const disk = repoOf(git, at.repo.id);
    const { commit } = await getAt(disk, query.ref, at.repo.default_branch);
    await using reader = await openObjects(disk);
    const entry = await findEntry(reader, commit, plainPath(at.path));
    const file = entry?.mode === '120000' ? ((await followLink(reader, commit, entry)) ?? entry) : entry;
    if (!file || !(isFile(file) || file.mode === '120000')) throw notFound();
    return bytesOf(disk, reader, file);
  },
});
