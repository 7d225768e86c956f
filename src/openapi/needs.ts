import { alternatives, type NoPermissionReason, type Policy } from '#access/policy.ts';
import { emitPermission } from '#vocabulary/headers.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

/** Texts about the access policies of endpoints. */

const reasons: Record<NoPermissionReason, string> = {
  own_account: 'none: the own account',
  signed_in: 'none: any token',
  public: 'none: open to everybody',
  app_jwt: "an app's JSON web token",
  client_secret: "an app's client id and secret",
  token_exchange: 'none: a secret code',
  site_admin: 'site administrators',
};

/** A permission in the format of the headers, for example `members=read`. */
export const permissionText = (permission: string, vocabulary: Vocabulary): string =>
  `\`${permission.replace(/^(\w+):(\w+)$/, (_, name: string, level: string) => `${emitPermission(vocabulary, name)}=${level}`)}\``;

/** The needed permissions, or the reason why none is needed. */
export function permissionsText({ permission }: Policy, vocabulary: Vocabulary): string {
  if (typeof permission === 'object' && 'none' in permission) return reasons[permission.none];
  return alternatives(permission)
    .map((all) => all.map((one) => permissionText(one, vocabulary)).join(', '))
    .join('; ');
}

export const scopesText = ({ scopes = [] }: Policy): string => scopes.map((scope) => `\`${scope}\``).join(' ');

/** All requirements of an endpoint, as Markdown paragraphs. */
export function needsText(access: Policy, vocabulary: Vocabulary): string {
  const lines = [`Permission: ${permissionsText(access, vocabulary)}.`];
  if (access.scopes?.length) lines.push(`Classic tokens: any one of the scopes ${scopesText(access)}.`);
  if (access.role) lines.push(`Role: ${access.role}.`);
  if (access.public) lines.push('What is public may be read by anybody.');
  return lines.join('\n\n');
}
