import { path } from '#endpoint/links.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { type ChangedPaths, listChangedPaths } from '#git/history/changed-paths.ts';
import { listNewCommits } from '#git/history/history.ts';
import type { Identity } from '#git/objects/identity.ts';
import { zeroOid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { gather } from '#lib/collections.ts';
import { timestamp } from '#lib/time.ts';
import { presentMessage } from '#resources/code/commits/index.ts';
import {
  aboutRepository,
  eventKinds,
  type OwnedRepository,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    /** `initial`: the repository was created with these refs, as a fork or a copy of a template. */
    push: { moves: RefMove[]; initial?: true };
    create: { ref: string; oid: string };
    delete: { ref: string; oid: string };
  }
}

const pushEvent = webhookEventType({ name: 'push', permission: 'contents:read', hooks: 'all' });
const createEvent = webhookEventType({ name: 'create', permission: 'contents:read', hooks: 'all' });
const deleteEvent = webhookEventType({ name: 'delete', permission: 'contents:read', hooks: 'all' });

/** The maximum number of commits in a payload (the public API's limit). */
const maxCommits = 2_048;

/** After this many characters of messages, no more commits are read, since the payload exceeds the limit anyway. */
const maxMessages = 26 * 1024 * 1024;

const isTag = (ref: string): boolean => ref.startsWith('refs/tags/');
const shortName = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, '');
const typeOf = (ref: string) => (isTag(ref) ? 'tag' : 'branch');

const refBody = (ref: string) => ({ ref: shortName(ref), ref_type: typeOf(ref), pusher_type: 'user' });

export const pushEvents = eventKinds({
  create: payloadBuilder([createEvent], (event, context) =>
    aboutRepository(context, event, (repository) => [
      {
        type: createEvent,
        action: null,
        body: {
          ...refBody(event.data.ref),
          full_ref: event.data.ref,
          master_branch: repository.default_branch,
          description: repository.description,
        },
      },
    ]),
  ),
  delete: payloadBuilder([deleteEvent], (event, context) =>
    aboutRepository(context, event, () => [
      { type: deleteEvent, action: null, body: { ...refBody(event.data.ref), full_ref: event.data.ref } },
    ]),
  ),
  push: payloadBuilder(
    [pushEvent],
    (event, context) =>
      aboutRepository(context, event, async (repository) => {
        const actor = await findAccountById(context.db, event.actor);
        const pusher = actor ? { name: actor.login, email: actor.email } : { name: 'none', email: null };
        return Promise.all(event.data.moves.map(async (move) => buildPushEvents(context, repository, move, pusher)));
      }),
    { isLarge: true },
  ),
});

async function buildPushEvents(
  context: PayloadScope,
  repository: OwnedRepository,
  move: RefMove,
  pusher: object,
): Promise<WebhookEvent> {
  const { ref, before, after, forced } = move;
  const commits = await commitsOf(context, repository, move);
  return {
    type: pushEvent,
    action: null,
    body: {
      ref,
      before: before ?? zeroOid,
      after: after ?? zeroOid,
      pusher,
      created: before === null,
      deleted: after === null,
      forced,
      base_ref: null,
      compare: compareUrl(context, repository, move),
      commits,
      head_commit: commits.at(-1) ?? null,
    },
  };
}

function compareUrl({ links }: PayloadScope, { owner, name }: OwnedRepository, { ref, before, after }: RefMove): string {
  const range = before && after ? `${before.slice(0, 12)}...${after.slice(0, 12)}` : shortName(ref);
  return path(links.html, owner.login, name, 'compare', range);
}

/** The commits that a push added, oldest first. For a new branch, the commits that aren't in the default branch. */
async function commitsOf(context: PayloadScope, repository: OwnedRepository, { ref, before, after }: RefMove) {
  if (after === null || isTag(ref)) return [];
  const repo = repoOf(context.git, repository.id);
  const main = branchRef(repository.default_branch);
  const known = before === null && ref !== main ? await findRef(repo, main) : undefined;
  const exclude = known ? [known.oid] : [];
  const wanted = { from: before, to: after, exclude, limit: maxCommits, maxMessages };
  const commits = await listNewCommits(repo, wanted);
  const paths = await listChangedPaths(repo, gather(commits, 'oid'));
  return commits.map((commit) => presentCommit(context, repository, commit, paths.get(commit.oid)));
}

const person = ({ name, email, date }: Identity) => ({ name, email, date: timestamp(date) });

const presentCommit = ({ links }: PayloadScope, { owner, name }: OwnedRepository, commit: Commit, paths?: ChangedPaths) => ({
  id: commit.oid,
  tree_id: commit.tree,
  distinct: true,
  message: presentMessage(commit.message),
  timestamp: timestamp(commit.committer.date),
  url: path(links.html, owner.login, name, 'commit', commit.oid),
  author: person(commit.author),
  committer: person(commit.committer),
  ...(paths ?? { added: [], removed: [], modified: [] }),
});
