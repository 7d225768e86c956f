// Refs: branches, tags and all others, by their full names.
import { Type } from 'typebox';
import { movesBranches, readsContents, writesContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { emptyRepository, isEmpty, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentRef } from '../present.ts';
import { createRef, deleteRef, findNamedRef, listMatching, updateRef } from '../refs.ts';
import { GitRef, NewRef, RefChange } from '../schemas.ts';

export const getRef = endpoint({
  id: 'git/get-ref',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/ref/{ref}',
  summary: 'Get a reference',
  access: readsContents,
  refuses: [409],
  replies: { 200: GitRef },
  async handle({ scope, at, links, services: { git } }) {
    const found = await findNamedRef(scope, at.repo, at.ref);
    if (!found) throw (await isEmpty(repoOf(git, at.repo.id))) ? emptyRepository() : notFound();
    return presentRef(repositoryUrlsOf(links, at.repo), found);
  },
});

export const listMatchingRefs = endpoint({
  id: 'git/list-matching-refs',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/matching-refs/{ref}',
  summary: 'List matching references',
  access: readsContents,
  refuses: [409],
  replies: { 200: Type.Array(GitRef) },
  async handle({ scope, at, links }) {
    const rows = await listMatching(scope, at.repo, at.ref);
    return rows.map((ref) => presentRef(repositoryUrlsOf(links, at.repo), ref));
  },
});

export const listRefs = endpoint({
  id: 'git/list-refs',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/refs',
  summary: 'List references',
  access: readsContents,
  refuses: [409],
  replies: { 200: Type.Array(GitRef) },
  async handle({ scope, at, links }) {
    const rows = await listMatching(scope, at.repo, '');
    return rows.map((ref) => presentRef(repositoryUrlsOf(links, at.repo), ref));
  },
});

/** The older form of the address, which every ref names as its `url`. */
export const getRefOrMatching = endpoint({
  id: 'git/get-ref-or-matching',
  method: 'GET',
  path: '/repos/{owner}/{repo}/git/refs/{ref}',
  summary: 'Get a reference, or those whose names begin so',
  access: readsContents,
  refuses: [409],
  replies: { 200: Type.Union([GitRef, Type.Array(GitRef)]) },
  async handle({ scope, at, links }) {
    const urls = repositoryUrlsOf(links, at.repo);
    const exact = await findNamedRef(scope, at.repo, at.ref);
    if (exact) return presentRef(urls, exact);
    const rows = await listMatching(scope, at.repo, at.ref);
    if (rows.length === 0) throw notFound();
    return rows.map((ref) => presentRef(urls, ref));
  },
});

export const createGitRef = endpoint({
  id: 'git/create-ref',
  method: 'POST',
  path: '/repos/{owner}/{repo}/git/refs',
  summary: 'Create a reference',
  access: writesContents,
  body: NewRef,
  example: { ref: 'refs/heads/feature', sha: 'aa218f56b14c9653891f9e74264a383fa43fefbd' },
  refuses: [409],
  replies: { 201: GitRef },
  async handle({ scope, at, body, action, links }) {
    const wanted = { ref: body.ref, sha: body.sha.toLowerCase() };
    const created = await createRef(scope, action, wanted);
    return presentRef(repositoryUrlsOf(links, at.repo), created);
  },
});

export const updateGitRef = endpoint({
  id: 'git/update-ref',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/git/refs/{ref}',
  summary: 'Update a reference',
  access: movesBranches,
  body: RefChange,
  example: { sha: 'aa218f56b14c9653891f9e74264a383fa43fefbd', force: true },
  refuses: [409],
  replies: { 200: GitRef },
  async handle({ scope, at, body, action, links }) {
    const wanted = { name: at.ref, sha: body.sha.toLowerCase(), force: body.force };
    const moved = await updateRef(scope, action, wanted);
    return presentRef(repositoryUrlsOf(links, at.repo), moved);
  },
});

export const deleteGitRef = endpoint({
  id: 'git/delete-ref',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/git/refs/{ref}',
  summary: 'Delete a reference',
  access: writesContents,
  refuses: [409, 422],
  replies: { 204: Nothing },
  async handle({ scope, at, action }) {
    await deleteRef(scope, action, at.ref);
  },
});
