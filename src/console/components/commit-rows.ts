import { repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import type { Commit } from '#resources/code/commits/index.ts';
import { authorOf, commitLink, subjectOf, textOf, verificationBadge } from './commit.ts';
import { counted } from './lists.ts';
import { timeAgo } from './time.ts';

/** Commits as rows of a list. */
export const commitRows = (commits: readonly Commit[], repository: Pick<ShownRepository, 'full_name'>, now: Date): TrustedHtml =>
  html`<ul class="rows panel">${commits.map((commit) => commitRow(commit, repository, now))}</ul>`;

function commitRow({ sha, commit, ...accounts }: Commit, repository: Pick<ShownRepository, 'full_name'>, now: Date): TrustedHtml {
  const { message, author, verification, comment_count } = commit;
  const text = textOf(message);
  return html`<li><div class="grow"><a class="title" dir="auto"
href="${repositoryPath(repository, 'commit', sha)}">${subjectOf(message)}</a>
<div class="row soft small">${authorOf(accounts.author, author.name)}<span>wrote this ${timeAgo(author.date, now)}</span>
${verificationBadge(verification)}
${comment_count === 0 ? '' : html`<span>${icon('comment')} ${counted(comment_count, 'comment')}</span>`}</div>
${
  text === ''
    ? ''
    : html`<details class="small"><summary>Message</summary><p
class="commit-message" dir="auto">${text}</p></details>`
}</div>
${commitLink(repository, sha)}</li>`;
}
