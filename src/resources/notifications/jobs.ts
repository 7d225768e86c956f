// What events mean to inboxes.
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { asId, type Id } from '#lib/id.ts';
import { findRepository } from '#resources/repositories/index.ts';
import { noteInbox, noteShown } from './inbox-store.ts';
import { takePart } from './subscription-store.ts';
import { type News, tellAccepted, tellNext } from './tell-store.ts';

const told = [
  'issue.opened',
  'issue.edited',
  'issue.closed',
  'issue.reopened',
  'issue.assigned',
  'issue_comment.created',
  'issue_comment.edited',
] as const;
type Told = (typeof told)[number];

/** By what the actor of an event takes part in the issue from then on. */
const parts = {
  'issue.opened': 'author',
  'issue.closed': 'state_change',
  'issue.reopened': 'state_change',
  'issue_comment.created': 'comment',
} as const;

/** Tells people of what happened to an issue: those who take part in it, watch the repository, or are mentioned or assigned. */
export const tellOfIssue = subscription<Told, Services>({
  name: 'notifications.tell',
  on: told,
  attempts: 25,
  async run(event, { db, change }) {
    const { id, repository, actor, at, data } = event;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!repo) return;
    const { issue } = data;
    const part = partOf(event);
    if (part) await change((tx) => takePart(tx, { ...part, repository: repo.id, issue, at }));
    const comment = 'comment' in data ? data.comment : undefined;
    const news: News = { event: id, repo, issue, comment, actor, at, whom: whomOf(event) };
    let after: Id<'accounts'> | undefined = asId<'accounts'>(0);
    while (after !== undefined) {
      const next: Id<'accounts'> = after;
      after = await change((tx) => tellNext(tx, news, next));
    }
  },
});

type Event = Parameters<typeof tellOfIssue.run>[0];

function partOf(event: Event) {
  if (event.kind === 'issue.assigned') return { account: event.data.user, reason: 'assign' } as const;
  if (event.kind === 'issue.edited' || event.kind === 'issue_comment.edited' || event.actor === undefined) return undefined;
  return { account: event.actor, reason: parts[event.kind] };
}

function whomOf(event: Event): News['whom'] {
  if (event.kind === 'issue.assigned') return { assigned: event.data.user };
  return event.kind === 'issue.edited' || event.kind === 'issue_comment.edited' ? 'mentioned' : 'everybody';
}

/** Tells who accepted an invitation into a repository; whoever was added at once by another wasn't asked. */
export const tellOfInvitation = subscription<'collaborator.added', Services>({
  name: 'notifications.tell-accepted',
  on: ['collaborator.added'],
  attempts: 25,
  async run({ id, repository, actor, at, data }, { db, change }) {
    if (repository === undefined || actor !== data.user) return;
    const repo = await findRepository(db, repository);
    if (repo) await change((tx) => tellAccepted(tx, { event: id, repo, at, account: data.user }));
  },
});

/** What changes what inboxes show without a new update of a thread: titles, comments that are gone, names, and who may read what. */
const shown = [
  'issue.edited',
  'issue_comment.deleted',
  'organization.updated',
  'repository.renamed',
  'repository.updated',
  'repository.transferred',
  'repository.privatized',
  'repository.publicized',
  'repository.archived',
  'repository.unarchived',
  'repository.default_branch_changed',
  'collaborator.added',
  'collaborator.changed',
  'collaborator.removed',
  'member.added',
  'member.changed',
  'member.removed',
  'organization_role.assigned',
  'organization_role.revoked',
  'team.member_added',
  'team.member_removed',
  'team.repository_added',
  'team.repository_removed',
  'team.deleted',
] as const;

/** Notes in inboxes that what they show is another now, so that polls aren't answered by what it was. */
export const noteChanged = subscription<(typeof shown)[number], Services>({
  name: 'notifications.note-changed',
  on: shown,
  attempts: 25,
  async run({ kind, owner, repository, data }, { change, now }) {
    if (kind === 'issue.edited' && !data.changes.title) return;
    if ('user' in data && data.user !== undefined) {
      const { user } = data;
      await change((tx) => noteInbox(tx, user, now));
      return;
    }
    const issue = 'issue' in data ? data.issue : undefined;
    let after: Id<'accounts'> | undefined = asId<'accounts'>(0);
    while (after !== undefined) {
      const next: Id<'accounts'> = after;
      after = await change((tx) => noteShown(tx, { owner, repository, issue }, next, now));
    }
  },
});
