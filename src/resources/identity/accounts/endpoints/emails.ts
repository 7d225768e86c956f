// E-mail addresses of the authenticated user.
import { Type } from 'typebox';
import { userCredentials } from '#access/tokens.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { listEmails, listPublicEmails } from '../email-store.ts';
import { addEmails, type ChangedEmails, changeEmailVisibility, deleteEmails, namedEmails } from '../emails.ts';
import { presentEmail } from '../present.ts';
import { Email, EmailVisibility, SomeEmails } from '../schemas.ts';

const reads = { permission: 'email_addresses:read', scopes: ['user:email'], credentials: userCredentials } as const;
const writes = { permission: 'email_addresses:write', scopes: ['user'], credentials: userCredentials } as const;

const presentChanged = ({ account, emails }: ChangedEmails): Email[] => emails.map((row) => presentEmail(row, account));

export const listOwnEmails = endpoint({
  id: 'users/list-emails-for-authenticated-user',
  method: 'GET',
  path: '/user/emails',
  summary: 'List email addresses for the authenticated user',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(Email) },
  async handle({ db, viewer, page }) {
    return mapEach(await listEmails(db, viewer.account.id, page), (row) => presentEmail(row, viewer.account));
  },
});

export const addOwnEmails = endpoint({
  id: 'users/add-email-for-authenticated-user',
  method: 'POST',
  path: '/user/emails',
  summary: 'Add an email address for the authenticated user',
  access: writes,
  body: SomeEmails,
  example: { emails: ['ada@example.com'] },
  replies: { 201: Type.Array(Email) },
  async handle({ change, body, action }) {
    return presentChanged(await change((scope) => addEmails(scope, action, namedEmails(body))));
  },
});

export const deleteOwnEmails = endpoint({
  id: 'users/delete-email-for-authenticated-user',
  method: 'DELETE',
  path: '/user/emails',
  summary: 'Delete an email address for the authenticated user',
  access: writes,
  body: SomeEmails,
  example: { emails: ['ada@example.com'] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => deleteEmails(scope, action, namedEmails(body)));
  },
});

export const listOwnPublicEmails = endpoint({
  id: 'users/list-public-emails-for-authenticated-user',
  method: 'GET',
  path: '/user/public_emails',
  summary: 'List public email addresses for the authenticated user',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(Email) },
  async handle({ db, viewer, page }) {
    return mapEach(await listPublicEmails(db, viewer.account, page), (row) => presentEmail(row, viewer.account));
  },
});

export const setEmailVisibility = endpoint({
  id: 'users/set-primary-email-visibility-for-authenticated-user',
  method: 'PATCH',
  path: '/user/email/visibility',
  summary: 'Set primary email visibility for the authenticated user',
  access: writes,
  body: EmailVisibility,
  example: { visibility: 'private' },
  replies: { 200: Type.Array(Email) },
  async handle({ change, body, action }) {
    return presentChanged(await change((scope) => changeEmailVisibility(scope, action, body.visibility)));
  },
});
