// Blobs and trees.

import { Type } from 'typebox';
import { readsContents, writesContents } from '#access/policies.ts';
import { raw } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { openBlob } from '#git/objects/archive.ts';
import { openObjects } from '#git/objects/objects.ts';
import { listTree } from '#git/objects/tree-list.ts';
import { writeBlob } from '#git/objects/write-objects.ts';
import { repoOf } from '#git/store.ts';
import { rawFileType } from '#lib/media.ts';
import { nextTurn } from '#lib/turns.ts';
import { emptyRepository, isEmpty, ObjectLink, objectUrl, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { maxBytesInMemory, maxRaw, rawContent, tooLarge } from '../content.ts';
import { fromBase64, utf8Of } from '../decode-content.ts';
import { blob, tree } from '../path-resources.ts';
import { presentBlob, presentTree, streamBlob, streamTree } from '../present.ts';
import { GitBlob, GitTree, NewBlob, NewTree } from '../schemas.ts';
import { createTree } from '../trees.ts';

export const getBlob = endpoint({
  id: 'git/get-blob',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/blobs/{file_sha}',
  resources: [blob],
  summary: 'Get a blob',
  access: readsContents,
  media: ['raw'],
  refuses: [409],
  replies: { 200: GitBlob },
  async handle({ at, media, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const { oid, size } = at.blob;
    await using reader = await openObjects(gitRepository);
    if (media === 'raw') {
      const headers = { etag: `"${oid}"` };
      return raw(rawFileType, await rawContent(gitRepository, reader, at.blob), headers);
    }
    if (size > maxRaw) throw tooLarge(maxRaw);
    const urls = repositoryUrlsOf(links, at.repo);
    if (size <= maxBytesInMemory) return presentBlob(urls, oid, (await reader.get(oid)).data);
    const body = streamBlob(urls, at.blob, await openBlob(gitRepository, oid));
    return raw('application/json; charset=utf-8', body, { etag: `"${oid}-json"` });
  },
});

export const createBlob = endpoint({
  id: 'git/create-blob',
  method: 'POST',
  path: '/repos/{owner}/{repo}/git/blobs',
  summary: 'Create a blob',
  access: writesContents,
  body: NewBlob,
  example: { content: 'Content of the blob', encoding: 'utf-8' },
  carries: 'file',
  refuses: [409],
  replies: { 201: ObjectLink },
  async handle({ at, body, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    if (await isEmpty(gitRepository)) throw emptyRepository();
    const { content, encoding } = body;
    const isText = encoding === 'utf-8';
    const data = isText ? await utf8Of(content) : await fromBase64(content, { resource: 'Blob', field: 'content' });
    await nextTurn(); // hashing and compressing a large blob is slow, too
    const sha = await writeBlob(gitRepository, data);
    return { sha, url: objectUrl(repositoryUrlsOf(links, at.repo), sha, 'blob') };
  },
});

/** The number of entries in one listing (the public API's limit). */
const maxEntries = 100_000;
/** Longer listings are streamed. */
const entriesInMemory = 2_000;

export const getTree = endpoint({
  id: 'git/get-tree',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/trees/{tree_sha}',
  resources: [tree],
  summary: 'Get a tree',
  access: readsContents,
  // As in the public API, the listing is recursive for any value, even `false`.
  query: Type.Object({ recursive: Type.Optional(Type.String()) }),
  refuses: [409],
  replies: { 200: GitTree },
  async handle({ at, query, links, services: { git } }) {
    const { oid, namedBy } = at.tree;
    const depth = query.recursive === undefined ? {} : ({ recursive: true, folders: true } as const);
    const listing = await listTree(repoOf(git, at.repo.id), oid, { ...depth, limit: maxEntries });
    const urls = repositoryUrlsOf(links, at.repo);
    const found = { oid: namedBy, ...listing };
    if (listing.entries.length <= entriesInMemory) return presentTree(urls, found);
    const etag = `"${namedBy}${query.recursive === undefined ? '' : '-recursive'}"`;
    return raw('application/json; charset=utf-8', streamTree(urls, found), { etag });
  },
});

export const createGitTree = endpoint({
  id: 'git/create-tree',
  method: 'POST',
  path: '/repos/{owner}/{repo}/git/trees',
  summary: 'Create a tree',
  access: writesContents,
  body: NewTree,
  example: { tree: [{ path: 'hello.txt', mode: '100644', type: 'blob', content: 'Hello' }] },
  carries: 'file',
  refuses: [409],
  replies: { 201: GitTree },
  async handle({ at, body, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const oid = await createTree(gitRepository, body);
    return presentTree(repositoryUrlsOf(links, at.repo), { oid, ...(await listTree(gitRepository, oid, { limit: maxEntries })) });
  },
});
