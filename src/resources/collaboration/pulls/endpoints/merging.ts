// Merging pull requests and updating their branches.
import { Type } from 'typebox';
import { changesPulls, readsPulls, writesContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { path, repositoryUrl } from '#endpoint/links.ts';
import { Nothing } from '#lib/shape.ts';
import { identityOf } from '#resources/repositories/repositories/index.ts';
import { mergePull } from '../merging.ts';
import { mergedPull, pull } from '../path-resources.ts';
import { BranchUpdate, BranchUpdateResult, MergeResult, NewPullMerge } from '../schemas.ts';
import { updateBranch } from '../update-branch.ts';

export const checkMerged = endpoint({
  id: 'pulls/check-if-merged',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/merge',
  resources: [mergedPull],
  summary: 'Check if a pull request has been merged',
  access: readsPulls,
  replies: { 204: Nothing },
  async handle() {
    // The path names a pull request that was merged.
  },
});

export const merge = endpoint({
  id: 'pulls/merge',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/merge',
  resources: [pull],
  summary: 'Merge a pull request',
  access: writesContents,
  body: Type.Union([NewPullMerge, Type.Null()], { title: 'PullRequest' }),
  example: { merge_method: 'squash' },
  refuses: [405, 409],
  replies: { 200: MergeResult },
  async handle({ scope, at, body, action }) {
    const wanted = { ...body, merge_method: body?.merge_method ?? ('merge' as const) };
    const sha = await mergePull(scope, action, at.pull, wanted);
    return { sha, merged: true, message: 'Pull Request successfully merged' };
  },
});

export const updatePullBranch = endpoint({
  id: 'pulls/update-branch',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/pulls/{pull_number}/update-branch',
  resources: [pull],
  summary: 'Update a pull request branch',
  access: changesPulls,
  body: Type.Union([BranchUpdate, Type.Null()], { title: 'PullRequest' }),
  example: {},
  refuses: [409],
  replies: { 202: BranchUpdateResult },
  async handle({ scope, at, body, action, viewer, now, links }) {
    const identity = identityOf(viewer.account, links, now);
    await updateBranch(scope, { ...action, identity }, at.pull, body?.expected_head_sha);
    return { message: 'Updating pull request branch.', url: path(`${repositoryUrl(links, at.repo)}/pulls`, at.pull.number) };
  },
});
