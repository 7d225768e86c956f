// Invitations to a repository, to which their addresses lead.
import { pagePath } from '#console/components/address.ts';
import { emptyState } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { page, readOptional } from '#console/page.ts';
import { html } from '#html/template.ts';
import { notFound } from '#lib/refusal.ts';
import { listRepoInvitations } from '#resources/repositories/collaborators/endpoints/invitations.ts';
import { listInvitationsOfViewer } from '#resources/repositories/collaborators/endpoints/own-invitations.ts';

export const invitationsPage = page({
  path: '/{owner}/{repo}/invitations',
  frame: plainFrame,
  isForPeople: true,
  reads: () => ({
    all: readOptional(listRepoInvitations, { query: { per_page: 100 } }),
    own: readOptional(listInvitationsOfViewer, { query: { per_page: 100 } }),
  }),
  render({ all, own }, { words: { owner, repo }, now }) {
    const name = `${owner}/${repo}`;
    const mine = own?.find(({ repository }) => repository.full_name.toLowerCase() === name.toLowerCase());
    if (!mine && !all) throw notFound();
    const invited = mine
      ? html`<div class="notice"><p><b>${mine.inviter?.login ?? 'Somebody'} invites you to ${mine.repository.full_name}</b></p>
<p>With the role ${mine.permissions}, ${timeAgo(mine.created_at, now)}. ${
          mine.expired
            ? 'The invitation is over: ask for another one.'
            : html`You accept it by
<code>PATCH /user/repository_invitations/${mine.id}</code>, and decline it by <code>DELETE</code>.`
        }</p></div>`
      : '';
    const rows = (all ?? []).map(
      (one) => html`<li>${personLink(one.invitee)}<span class="grow soft small">as ${one.permissions}, invited by
${one.inviter?.login ?? 'ghost'} ${timeAgo(one.created_at, now)}</span>
${one.expired ? html`<span class="badge">over</span>` : ''}</li>`,
    );
    const open = all
      ? rows.length === 0
        ? emptyState({ icon: 'mail', title: 'People who are invited and have not answered yet will be listed here.' })
        : html`<ul class="rows panel">${rows}</ul>`
      : '';
    return {
      title: `Invitations · ${name}`,
      body: html`<div class="heading"><h1>Invitations</h1>${
        all
          ? html`<a
href="${pagePath(owner, repo)}">${name}</a>`
          : ''
      }</div><div class="stack">${invited}${open}</div>`,
    };
  },
});
