// Parts of pages that show commits.
import { repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { avatar, personLink, type ShownAccount } from './person.ts';

/** The first digits of a commit's name. */
export const shortSha = (sha: string): string => sha.slice(0, 7);

/** The short name of a commit, which leads to it. */
export const commitLink = (repository: Pick<ShownRepository, 'full_name'>, sha: string): TrustedHtml =>
  html`<a class="sha" href="${repositoryPath(repository, 'commit', sha)}" title="${sha}">${shortSha(sha)}</a>`;

/** The first line of a commit's message. */
export const subjectOf = (message: string): string => {
  const end = message.indexOf('\n');
  return (end < 0 ? message : message.slice(0, end)).trim() || 'No message';
};

/** Everything below the first line of a commit's message. */
export const textOf = (message: string): string => {
  const end = message.indexOf('\n');
  return end < 0 ? '' : message.slice(end + 1).trim();
};

type Signed = { readonly verified: boolean; readonly reason: string };

const reasons: Readonly<Record<string, string>> = {
  valid: 'The signature is by a key of the committer, whose address is verified',
  unsigned: 'The commit is not signed',
  unknown_signature_type: 'The signature is of an unknown kind',
  malformed_signature: 'The signature cannot be read',
  no_user: 'The address of the committer belongs to nobody here',
  unverified_email: 'The address of the committer is not verified',
  bad_email: 'The address of the committer is not one of the key',
  unknown_key: 'The key of the signature belongs to nobody here',
  not_signing_key: 'The key is not for signatures',
  expired_key: 'The key has expired',
  invalid: 'The signature does not match the commit',
};

/** Whether the signature of a commit is verified, with the reason; nothing for one that isn't signed. */
export function verificationBadge({ verified, reason }: Signed): TrustedHtml {
  if (reason === 'unsigned') return html``;
  const why = reasons[reason] ?? 'The signature could not be checked';
  return html`<span class="badge ${verified ? 'ok' : 'wait'}" title="${why}">${icon(verified ? 'verified' : 'warning')}
${verified ? 'Verified' : 'Unverified'}<span class="unseen">: ${why}</span></span>`;
}

/** The author of a commit: an account, or a name that belongs to none. */
export const authorOf = (account: ShownAccount | null, name: string): TrustedHtml =>
  account
    ? html`<span class="who">${avatar(account)}${personLink(account)}</span>`
    : html`<span class="person" dir="auto">${name}</span>`;
