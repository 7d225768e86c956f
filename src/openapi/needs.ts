import { acceptedRoles, alternatives, type NoPermissionReason, type Policy } from '#access/policy.ts';
import { emitPermission } from '#vocabulary/headers.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

/** Texts about the access policies of endpoints. */

const reasons: Record<NoPermissionReason, string> = {
  own_account: 'none: the own account',
  signed_in: 'none: any token',
  public: 'none: open to everybody',
  app_jwt: "an app's JSON web token",
  client_secret: "an app's client id and secret",
  scoped_token: 'none: tokens with scopes alone',
  token_exchange: 'none: a secret code',
  site_admin: 'site administrators',
};

/** A permission in the format of the headers, for example `members=read`. */
export const permissionText = (permission: string, vocabulary: Vocabulary): string =>
  `\`${permission.replace(
    /^(\w+):(\w+)$/,
    (_, name: string, level: string) => `${emitPermission(vocabulary, name)}=${level}`,
  )}\``;

/** The required permissions, or the reason why none is required. */
export function permissionsText({ permission }: Policy, vocabulary: Vocabulary): string {
  if (typeof permission === 'object' && 'none' in permission) return reasons[permission.none];
  return alternatives(permission)
    .map((all) => all.map((one) => permissionText(one, vocabulary)).join(', '))
    .join('; ');
}

const listed = (scopes: readonly string[]): string => scopes.map((scope) => `\`${scope}\``).join(' ');

/** The required scopes: one of several, and those that are required in addition. */
export const scopesText = ({ scopes = [], alsoScopes = [] }: Policy): string =>
  [scopes, ...alsoScopes.map((scope) => [scope])].map(listed).join(' and ');

/** All requirements of an endpoint, as Markdown paragraphs. */
export function needsText(access: Policy, vocabulary: Vocabulary): string {
  const lines = [`Permission: ${permissionsText(access, vocabulary)}.`];
  if (access.scopes?.length) lines.push(`Classic tokens: any one of the scopes ${listed(access.scopes)}.`);
  if (access.alsoScopes) lines.push(`Classic tokens also need ${listed(access.alsoScopes)}.`);
  if (access.role) lines.push(`Role: ${acceptedRoles(access)}.`);
  if (access.public) lines.push('What is public may be read by anybody.');
  return lines.join('\n\n');
}
