// Issues of a repository: opening, reading, changing, locking.
import { Type } from 'typebox';
import { readsIssues, sortsEither, writesIssues } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { setToldValues } from '../field-values.ts';
import { lockIssue, unlockIssue } from '../locks.ts';
import { presentIssue } from '../present.ts';
import { changeIssue, getHeldIssue, getIssue, openIssue } from '../rules.ts';
import { Issue, IssueChange, Lock, NewIssue } from '../schemas.ts';

export const createIssue = endpoint({
  id: 'issues/create',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues',
  summary: 'Create an issue',
  access: writesIssues,
  body: NewIssue,
  example: { title: 'The engine stalls', body: 'After an hour.', labels: ['bug'] },
  replies: { 201: Issue },
  async handle({ db, change, body, action, viewer, links }) {
    const row = await change(async (tx) => {
      const issue = await openIssue(tx, action, body);
      await setToldValues(tx, action, issue, body.issue_field_values);
      return issue;
    });
    return presentIssue({ db, links, viewer }, row);
  },
});

export const getRepoIssue = endpoint({
  id: 'issues/get',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}',
  summary: 'Get an issue',
  access: readsIssues,
  replies: { 200: Issue },
  async handle({ db, at, viewer, links }) {
    return presentIssue({ db, links, viewer }, await getIssue(db, at));
  },
});

export const updateRepoIssue = endpoint({
  id: 'issues/update',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}/issues/{issue_number}',
  summary: 'Update an issue',
  access: writesIssues,
  body: IssueChange,
  example: { state: 'closed', state_reason: 'completed' },
  replies: { 200: Issue },
  async handle({ db, change, at, body, action, viewer, links }) {
    const row = await change(async (tx) => {
      const issue = await changeIssue(tx, action, await getHeldIssue(tx, at), body);
      await setToldValues(tx, action, issue, body.issue_field_values);
      return issue;
    });
    return presentIssue({ db, links, viewer }, row);
  },
});

export const lockRepoIssue = endpoint({
  id: 'issues/lock',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/lock',
  summary: 'Lock an issue',
  access: { ...sortsEither, role: 'write' },
  body: Type.Union([Lock, Type.Null()], { title: 'Issue' }),
  example: { lock_reason: 'resolved' },
  replies: { 204: Nothing },
  async handle({ change, at, body, action }) {
    const reason = body?.lock_reason ?? null;
    await change(async (tx) => lockIssue(tx, action, await getHeldIssue(tx, at), reason));
  },
});

export const unlockRepoIssue = endpoint({
  id: 'issues/unlock',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/lock',
  summary: 'Unlock an issue',
  access: { ...sortsEither, role: 'write' },
  replies: { 204: Nothing },
  async handle({ change, at, action }) {
    await change(async (tx) => unlockIssue(tx, action, await getHeldIssue(tx, at)));
  },
});
