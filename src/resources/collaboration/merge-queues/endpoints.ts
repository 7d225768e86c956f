// Merge queues. The public API has them in GraphQL alone, so these operations are additions of this server.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesInside } from '#endpoint/paging.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { firstOrNotFound, orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { findMergeQueue } from '#resources/code/ref-rules/index.ts';
import { pull } from '#resources/collaboration/pulls/index.ts';
import { queueBranch, queueEntry } from './path-resources.ts';
import { presentEntries } from './present.ts';
import { checkMayEnter, dequeuePull, enqueuePull } from './rules.ts';
import { MergeQueueConfiguration, MergeQueueEntry, NewMergeQueueEntry } from './schemas.ts';
import { findEntry, listNamedEntries } from './store.ts';

const reads = { permission: 'merge_queues:read', scopes: ['repo'], role: 'read', public: true } as const;
const writes = { permission: 'merge_queues:write', scopes: ['repo'], role: 'write' } as const;

const path = '/repos/{owner}/{repo}/pulls/{pull_number}/queue-entry';

export const getQueueEntry = endpoint({
  id: 'merge-queues/get-entry',
  method: 'GET',
  path,
  resources: [queueEntry],
  summary: 'Get the merge queue entry of a pull request',
  access: reads,
  replies: { 200: MergeQueueEntry },
  handle: async ({ scope, at }) => firstOrNotFound(await presentEntries(scope, at.repo, [at.queueEntry])),
});

export const addQueueEntry = endpoint({
  id: 'merge-queues/add-entry',
  method: 'PUT',
  path,
  resources: [pull],
  summary: 'Add a pull request to the merge queue of its base',
  access: writes,
  body: Type.Union([NewMergeQueueEntry, Type.Null()], { title: 'MergeQueueEntry' }),
  example: { jump: false },
  refuses: [405, 409],
  replies: { 201: MergeQueueEntry },
  async handle({ scope, db, change, at, body, action }) {
    const wanted = body ?? {};
    await checkMayEnter(scope, action, at.pull, wanted);
    await change((write) => enqueuePull(write, action, at.pull, wanted));
    const entry = orNotFound(await findEntry(db, at.pull.id));
    return firstOrNotFound(await presentEntries(scope, at.repo, [entry]));
  },
});

export const removeQueueEntry = endpoint({
  id: 'merge-queues/remove-entry',
  method: 'DELETE',
  path,
  resources: [queueEntry],
  summary: 'Remove a pull request from its merge queue',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((scope) => dequeuePull(scope, action, at.queueEntry));
  },
});

export const getMergeQueue = endpoint({
  id: 'merge-queues/get',
  method: 'GET',
  path: '/repos/{owner}/{repo}/merge-queues/{branch}',
  resources: [queueBranch],
  summary: 'Get the merge queue of a branch',
  access: reads,
  paging: pagesInside(),
  replies: {
    200: Type.Object({
      branch: Type.String(),
      configuration: MergeQueueConfiguration,
      total_count: Type.Integer(),
      entries: Type.Array(MergeQueueEntry),
    }),
  },
  async handle({ scope, db, at, page }) {
    const { name } = at.queueBranch;
    const configuration = orNotFound(await findMergeQueue(db, at.repo, branchRef(name)));
    const { rows, total } = await listNamedEntries(db, { repository: at.repo.id, branch: name }, page);
    const ranked = rows.map((row, index) => ({ ...row, rank: page.offset + index + 1 }));
    const entries = await presentEntries(scope, at.repo, ranked);
    return { body: { branch: name, configuration, total_count: total, entries }, total };
  },
});
