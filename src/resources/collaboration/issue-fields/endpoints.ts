// Fields that an organization adds to the issues of all its repositories (document 2).
import { Type } from 'typebox';
import type { Policy } from '#access/policy.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { issueField } from './path-resources.ts';
import { presentField, presentFields } from './present.ts';
import { changeField, createField, deleteField } from './rules.ts';
import { IssueField, IssueFieldChange, NewIssueField } from './schemas.ts';
import { listFields } from './store.ts';

const reads = { permission: 'issue_fields:read', scopes: ['read:org'] } as const satisfies Policy;
const writes = { permission: 'issue_fields:write', scopes: ['admin:org'], role: 'owner' } as const satisfies Policy;

/** Non-members only see fields whose visibility is `all`. Without such fields, the list doesn't exist for them. */
export const listIssueFields = endpoint({
  id: 'orgs/list-issue-fields',
  method: 'GET',
  path: '/orgs/{org}/issue-fields',
  summary: 'List issue fields for an organization',
  access: reads,
  replies: { 200: Type.Array(IssueField) },
  async handle({ scope, db, at, viewer }) {
    const fields = await listFields(db, viewer, at.org.id);
    const isInside = at.org.role !== undefined || (viewer.grant.kind === 'installation' && at.org.reached);
    if (fields.length === 0 && !isInside) throw notFound();
    return presentFields(scope, fields);
  },
});

export const createIssueField = endpoint({
  id: 'orgs/create-issue-field',
  method: 'POST',
  path: '/orgs/{org}/issue-fields',
  summary: 'Create issue field for an organization',
  access: writes,
  body: NewIssueField,
  example: {
    name: 'Priority',
    data_type: 'single_select',
    visibility: 'all',
    options: [
      { name: 'High', color: 'red', priority: 1 },
      { name: 'Low', color: 'gray', priority: 2 },
    ],
  },
  replies: { 200: IssueField },
  handle: ({ change, body, action }) => change(async (scope) => presentField(scope, await createField(scope, action, body))),
});

export const updateIssueField = endpoint({
  id: 'orgs/update-issue-field',
  method: 'PATCH',
  path: '/orgs/{org}/issue-fields/{issue_field_id}',
  resources: [issueField],
  summary: 'Update issue field for an organization',
  access: writes,
  body: IssueFieldChange,
  example: { description: 'How soon it must be done', visibility: 'organization_members_only' },
  replies: { 200: IssueField },
  handle: ({ change, body, action }) =>
    change(async (scope, { issueField }) => presentField(scope, await changeField(scope, action, issueField, body))),
});

export const deleteIssueField = endpoint({
  id: 'orgs/delete-issue-field',
  method: 'DELETE',
  path: '/orgs/{org}/issue-fields/{issue_field_id}',
  resources: [issueField],
  summary: 'Delete issue field for an organization',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { issueField }) => deleteField(scope, action, issueField));
  },
});
