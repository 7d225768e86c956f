// The values of an issue in the fields of its organization.
import { Type } from 'typebox';
import { readsIssues, writesIssues } from '#access/policies.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { IssueFieldValue, loadFieldValues, presentFieldValue } from '#resources/collaboration/issue-fields/index.ts';
import { clearValue, setValues } from '../field-values.ts';
import { fieldValue, issue } from '../path-resources.ts';
import { FieldValues } from '../schemas.ts';
import type { IssueRow } from '../store.ts';

const writes = { ...writesIssues, role: 'write' } as const;

const presentValues = async (db: Db, viewer: Viewer, { id }: IssueRow): Promise<IssueFieldValue[]> =>
  ((await loadFieldValues(db, viewer, [id])).get(id) ?? []).map(presentFieldValue);

export const listIssueFieldValues = endpoint({
  id: 'issues/list-issue-field-values-for-issue',
  method: 'GET',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values',
  resources: [issue],
  summary: 'List issue field values for an issue',
  access: readsIssues,
  paging: pages(),
  replies: { 200: Type.Array(IssueFieldValue) },
  async handle({ db, at, viewer, page }) {
    return pageOut(await presentValues(db, viewer, at.issue), page);
  },
});

export const addIssueFieldValues = endpoint({
  id: 'issues/add-issue-field-values',
  method: 'POST',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values',
  resources: [issue],
  summary: 'Add issue field values to an issue',
  access: writes,
  body: FieldValues,
  example: { issue_field_values: [{ field_id: 1, value: 'High' }] },
  replies: { 200: Type.Array(IssueFieldValue) },
  handle: ({ change, body, action, viewer }) =>
    change(async (scope, { issue }) => {
      const wanted = body.issue_field_values;
      if (wanted) await setValues(scope, action, issue, wanted);
      return presentValues(scope.tx, viewer, issue);
    }),
});

export const deleteIssueFieldValue = endpoint({
  id: 'issues/delete-issue-field-value',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values/{issue_field_id}',
  resources: [fieldValue],
  summary: 'Delete an issue field value from an issue',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { issue, fieldValue }) => clearValue(scope, action, issue, fieldValue));
  },
});
