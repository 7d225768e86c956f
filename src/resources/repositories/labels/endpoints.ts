import { Type } from 'typebox';
import { maintainsIssuesOrPulls, readsIssuesOrPulls } from '#access/policies.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { label } from './path-resources.ts';
import { presentLabel } from './present.ts';
import { changeLabel, createLabel, deleteLabel } from './rules.ts';
import { Label, LabelChange, NewLabel } from './schemas.ts';
import { listLabels } from './store.ts';

export const listRepoLabels = endpoint({
  id: 'issues/list-labels-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/labels',
  summary: 'List labels for a repository',
  access: readsIssuesOrPulls,
  paging: pages(),
  replies: { 200: Type.Array(Label) },
  async handle({ db, at, page, links }) {
    return mapEach(await listLabels(db, at.repo.id, page), (row) => presentLabel(links, at.repo, row));
  },
});

export const getLabel = endpoint({
  id: 'issues/get-label',
  method: 'GET',
  path: '/repos/{owner}/{repo}/labels/{name}',
  resources: [label],
  summary: 'Get a label',
  access: readsIssuesOrPulls,
  replies: { 200: Label },
  async handle({ at, links }) {
    return presentLabel(links, at.repo, at.label);
  },
});

export const createRepoLabel = endpoint({
  id: 'issues/create-label',
  method: 'POST',
  path: '/repos/{owner}/{repo}/labels',
  summary: 'Create a label',
  access: maintainsIssuesOrPulls,
  body: NewLabel,
  example: { name: 'bug', color: 'd73a4a', description: 'A fault' },
  replies: { 201: Label },
  async handle({ change, at, body, action, links }) {
    const row = await change((scope) => createLabel(scope, action, body));
    return presentLabel(links, at.repo, row);
  },
});

export const updateRepoLabel = endpoint({
  id: 'issues/update-label',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/labels/{name}',
  resources: [label],
  summary: 'Update a label',
  access: maintainsIssuesOrPulls,
  body: LabelChange,
  example: { new_name: 'fault', color: 'b60205' },
  replies: { 200: Label },
  async handle({ change, at, body, action, links }) {
    const row = await change((scope, { label }) => changeLabel(scope, action, label, body));
    return presentLabel(links, at.repo, row);
  },
});

export const deleteRepoLabel = endpoint({
  id: 'issues/delete-label',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/labels/{name}',
  resources: [label],
  summary: 'Delete a label',
  access: maintainsIssuesOrPulls,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { label }) => deleteLabel(scope, action, label));
  },
});
