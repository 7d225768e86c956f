// The labels of an issue.
import { type Static, Type } from 'typebox';
import { readsEither, sortsEither } from '#access/policies.ts';
import type { Repo } from '#access/viewer.ts';
import type { Context } from '#endpoint/context.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages } from '#endpoint/paging.ts';
import { notFound, orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { findLabel, Label, presentLabel } from '#resources/labels/index.ts';
import { labelNames, putLabels, replaceLabels, takeLabels } from '../labels.ts';
import { getIssue, onIssue } from '../rules.ts';
import { SomeLabels } from '../schemas.ts';
import { type IssueRow, listIssueLabels } from '../store.ts';

const presentLabels = async ({ db, links }: Context, repo: Repo, issue: IssueRow): Promise<Label[]> =>
  (await listIssueLabels(db, issue.id)).map((row) => presentLabel(links, repo, row));

export const listLabelsOnIssue = endpoint({
  id: 'issues/list-labels-on-issue',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  summary: 'List labels for an issue',
  access: readsEither,
  paging: pages(),
  replies: { 200: Type.Array(Label) },
  async handle({ db, at, page, links }) {
    return pageOut(await presentLabels({ db, links }, at.repo, await getIssue(db, at)), page);
  },
});

/** A bare list of labels, or one in an object. */
const listIn = (body: Static<typeof SomeLabels>) => ('labels' in body ? body.labels : Array.isArray(body) ? body : []);

const labelling = {
  access: sortsEither,
  body: SomeLabels,
  example: { labels: ['bug'] },
  replies: { 200: Type.Array(Label) },
};

export const addIssueLabels = endpoint({
  ...labelling,
  id: 'issues/add-labels',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  summary: 'Add labels to an issue',
  async handle({ db, change, at, body, action, links }) {
    const names = labelNames(listIn(body));
    const issue = await change((tx) => onIssue(tx, action, at, (held) => putLabels(tx, action, held, names)));
    return presentLabels({ db, links }, at.repo, issue);
  },
});

export const setIssueLabels = endpoint({
  ...labelling,
  id: 'issues/set-labels',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  summary: 'Set labels for an issue',
  async handle({ db, change, at, body, action, links }) {
    const names = labelNames(listIn(body));
    const issue = await change((tx) => onIssue(tx, action, at, (held) => replaceLabels(tx, action, held, names)));
    return presentLabels({ db, links }, at.repo, issue);
  },
});

export const removeAllIssueLabels = endpoint({
  id: 'issues/remove-all-labels',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels',
  summary: 'Remove all labels from an issue',
  access: sortsEither,
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change((tx) => onIssue(tx, action, at, (held) => replaceLabels(tx, action, held, [])));
  },
});

export const removeIssueLabel = endpoint({
  id: 'issues/remove-label',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}',
  summary: 'Remove a label from an issue',
  access: sortsEither,
  replies: { 200: Type.Array(Label) },
  async handle({ db, change, at, action, links }) {
    const issue = await change((tx) =>
      onIssue(tx, action, at, async (held) => {
        const label = orNotFound(await findLabel(tx, at.repo.id, at.name));
        const taken = await takeLabels(tx, action, held, [label]);
        if (taken.length === 0) throw notFound(); // the issue doesn't have this label
        return taken;
      }),
    );
    return presentLabels({ db, links }, at.repo, issue);
  },
});
