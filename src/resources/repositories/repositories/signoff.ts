// Signed-off commits. A repository or its organization may require them for commits that the server writes for users.
import type { RepositoryRow } from '#access/viewer.ts';
import type { Identity } from '#git/objects/identity.ts';
import { unprocessable } from '#lib/refusal.ts';

type SignoffSettings = Pick<RepositoryRow, 'web_commit_signoff_required' | 'organization_requires_signoff'>;

export const requiresSignoff = (repo: SignoffSettings): boolean =>
  repo.web_commit_signoff_required || repo.organization_requires_signoff;

/** Refuses to disable in a repository what its organization requires. */
export function checkSignoffChange(repo: SignoffSettings, wanted: boolean | undefined): void {
  if (wanted === false && repo.organization_requires_signoff)
    throw unprocessable('Commit signoff is enforced by the organization and cannot be disabled');
}

/** The message of a commit that the server writes, signed off by its committer if the repository requires it. */
export const signedOff = (repo: SignoffSettings, message: string, committer: Pick<Identity, 'name' | 'email'>): string =>
  requiresSignoff(repo) ? withSignoff(message, committer) : message;

const trailer = /^[A-Za-z0-9-]+: \S/;

/** Adds the trailer to the message, unless it already has it, as `git commit --signoff` does. */
export function withSignoff(message: string, { name, email }: Pick<Identity, 'name' | 'email'>): string {
  const line = `Signed-off-by: ${name} <${email}>`;
  const text = message.trimEnd();
  const lines = text.split('\n');
  if (lines.includes(line)) return message;
  const last = lines.slice(lines.lastIndexOf('') + 1);
  const endsWithTrailers = last.length < lines.length && last.every((one) => trailer.test(one));
  return `${text}${endsWithTrailers ? '\n' : '\n\n'}${line}`;
}
