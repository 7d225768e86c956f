// Branches: list, show, rename, merge.

import { Type } from 'typebox';
import { movesBranches, readsContents, writesContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { openObjects } from '#git/objects/objects.ts';
import { heads, shortNameOf } from '#git/refs/ref-name.ts';
import { listNamesOf, listRefs } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { Nothing } from '#lib/shape.ts';
import { branch } from '#resources/code/branch-names/index.ts';
import { loadProtections } from '#resources/code/branch-protection/index.ts';
import { Commit, commit, commitLink, findReadable, presentCommit, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { identityOf } from '#resources/repositories/repositories/index.ts';
import { presentBranches, showBranch } from './present.ts';
import { merge, mergeUpstream, renameBranch, wantedBranches } from './rules.ts';
import { Branch, BranchShort, MergedUpstream, NewBranchName, NewMerge, ShortBranch, Upstream } from './schemas.ts';

export const listBranches = endpoint({
  id: 'repos/list-branches',
  method: 'GET',
  path: '/repos/{owner}/{repo}/branches',
  summary: 'List branches',
  access: readsContents,
  query: Type.Object({ protected: Type.Optional(Type.Boolean()) }),
  paging: pages(),
  replies: { 200: Type.Array(ShortBranch) },
  async handle({ db, at, query, page, links, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const wanted = await wantedBranches(db, at.repo.id, query.protected);
    const { rows, total } = await listRefs(gitRepository, { prefix: heads, ...page, ...wanted });
    const protections = await loadProtections(
      db,
      at.repo.id,
      rows.map(({ name }) => shortNameOf(name)),
    );
    return { rows: presentBranches(repositoryUrlsOf(links, at.repo), rows, protections), total };
  },
});

export const listBranchesOfHead = endpoint({
  id: 'repos/list-branches-for-head-commit',
  method: 'GET',
  path: '/repos/{owner}/{repo}/commits/{commit_sha}/branches-where-head',
  resources: [commit],
  summary: 'List branches for HEAD commit',
  access: readsContents,
  refuses: [409, 422],
  replies: { 200: Type.Array(BranchShort) },
  async handle({ db, at, links, services: { git } }) {
    const { oid } = at.commit;
    const names = (await listNamesOf(repoOf(git, at.repo.id), { prefix: heads, oid })).map(shortNameOf);
    const protections = await loadProtections(db, at.repo.id, names);
    const { sha, url } = commitLink(repositoryUrlsOf(links, at.repo), oid);
    return names.map((name) => ({ name, commit: { sha, url }, protected: protections.has(name) }));
  },
});

export const getRepoBranch = endpoint({
  id: 'repos/get-branch',
  method: 'GET',
  path: '/repos/{owner}/{repo}/branches/{branch}',
  resources: [branch],
  summary: 'Get a branch',
  access: readsContents,
  replies: { 200: Branch },
  async handle({ scope, at }) {
    const { short, oid } = at.branch;
    return showBranch(scope, at.repo, { short, oid });
  },
});

export const renameRepoBranch = endpoint({
  id: 'repos/rename-branch',
  method: 'POST',
  path: '/repos/{owner}/{repo}/branches/{branch}/rename',
  resources: [branch],
  summary: 'Rename a branch',
  access: writesContents,
  body: NewBranchName,
  example: { new_name: 'trunk' },
  refuses: [409],
  replies: { 201: Branch },
  async handle({ scope, at, body, action }) {
    const name = await renameBranch(scope, action, at.branch, body.new_name);
    return showBranch(scope, at.repo, { short: name, oid: at.branch.oid });
  },
});

export const mergeBranch = endpoint({
  id: 'repos/merge',
  method: 'POST',
  path: '/repos/{owner}/{repo}/merges',
  summary: 'Merge a branch',
  access: movesBranches,
  body: NewMerge,
  example: { base: 'main', head: 'feature' },
  refuses: [409],
  replies: { 201: Commit, 204: Nothing },
  async handle({ scope, at, body, action, viewer, now, links, reply, services: { git } }) {
    const mergeAction = { ...action, identity: identityOf(viewer.account, links, now) };
    const oid = await merge(scope, mergeAction, body);
    if (oid === undefined) return reply(204);
    await using reader = await openObjects(repoOf(git, at.repo.id));
    const urls = repositoryUrlsOf(links, at.repo);
    return reply(201, await presentCommit(scope, urls, await reader.getCommit(oid)));
  },
});

export const syncFork = endpoint({
  id: 'repos/merge-upstream',
  method: 'POST',
  path: '/repos/{owner}/{repo}/merge-upstream',
  summary: 'Sync a fork branch with the upstream repository',
  access: writesContents,
  body: Upstream,
  example: { branch: 'main' },
  refuses: [409],
  replies: { 200: MergedUpstream },
  async handle({ scope, db, at, body, action, viewer, now, links }) {
    const upstream = await findReadable(db, viewer, at.repo.parent_id);
    const mergeAction = { ...action, identity: identityOf(viewer.account, links, now), upstream };
    return mergeUpstream(scope, mergeAction, body.branch);
  },
});
