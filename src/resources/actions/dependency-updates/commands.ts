// Commands to the bot in comments on its pull requests.
import { findRepoById } from '#access/lookup.ts';
import { reaches } from '#access/roles.ts';
import type { Account } from '#access/viewer.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { commentOnIssue, findIssueForUpdate, loadComments, type TextAction } from '#resources/collaboration/issues/index.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { botActionIn, mentionOf } from './bot.ts';
import { type IgnoredPart, ignoresOf } from './ignores.ts';
import { closeProposal } from './proposals.ts';
import { recreate } from './recreate.ts';
import { findProposal, insertIgnores, loadProposals, type ProposalRow } from './store.ts';
import { closingTexts } from './texts.ts';

type Command = { readonly name: 'rebase' | 'recreate' | 'close' } | { readonly name: 'ignore'; readonly part: IgnoredPart };

/** The names by which comments may address the bot: its account's login, and the public API's name. */
const mentions = ['hearth-dependency-bot', 'dependency-bot', 'dependabot'] as const;

const commandForm = new RegExp(`^@(?:${mentions.join('|')})\\s+(.+)$`, 'i');
const ignoreForm = /^ignore this (dependency|major version|minor version|patch version)$/;

/** The command of a comment: `unknown` for one that the bot doesn't have, undefined where a comment has none. */
function commandOf(body: string): Command | 'unknown' | undefined {
  const line = body
    .slice(0, maxComment)
    .split(/\r?\n/)
    .find((text) => commandForm.test(text.trim()));
  const words = line === undefined ? undefined : commandForm.exec(line.trim())?.[1]?.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (words === undefined) return undefined;
  if (words === 'rebase' || words === 'recreate' || words === 'close') return { name: words };
  const part = ignoreForm.exec(words)?.[1]?.split(' ')[0];
  return part === undefined ? 'unknown' : { name: 'ignore', part: part as IgnoredPart };
}

const maxComment = 10_000;

type Payload = { readonly issue: Id<'issues'>; readonly comment: Id<'issue_comments'> };

/** Queues comments on pull requests of the bot. */
export const followComments = batchSubscription<'issue_comment.created', JobContext>({
  name: 'dependency-updates.follow-comments',
  on: ['issue_comment.created'],
  attempts: 10,
  async runAll(events, { db, change }) {
    const proposals = await loadProposals(db, unique(events.map(({ data }) => data.issue)));
    const entries = events.flatMap(({ data: { issue, comment } }) => {
      const row = proposals.get(issue);
      return row?.is_open ? [{ payload: { issue, comment }, options: { queue: `dependency-updates:${row.repository_id}` } }] : [];
    });
    if (entries.length > 0) await change(({ tx }) => enqueueAll(tx, runCommand, entries));
  },
});

/** Does what a comment asks for, if its author may write to the repository. */
export const runCommand = job<Payload, JobContext>({
  name: 'dependency-updates.run-command',
  attempts: 5,
  async run({ issue, comment: id }, context) {
    const row = await findProposal(context.db, issue);
    const [comment] = row?.is_open ? await loadComments(context.db, [id]) : [];
    const command = comment?.body == null ? undefined : commandOf(comment.body);
    if (!row || !comment || command === undefined) return;
    const repository = (await loadNamedRepositories(context.db, [row.repository_id])).get(row.repository_id);
    const action = repository && (await botActionIn(context.scope, repository));
    if (!action) return;
    const { author_id } = comment;
    const author = author_id === null ? undefined : (await loadAccounts(context.db, [author_id])).get(author_id);
    // Its own comments have no commands, and answering another bot could go on for ever.
    if (!author || author.kind === 'bot') return;
    const refusal = await refusalOf(context, action, author, command);
    if (refusal !== undefined) return answer(context, action, issue, refusal);
    if (command !== 'unknown') await run(context, { row, action, repository, command, by: author.id });
  },
});

async function refusalOf(
  { db }: JobContext,
  action: TextAction,
  account: Account,
  command: Command | 'unknown',
): Promise<string | undefined> {
  if (account.kind !== 'user') return 'Only people can give commands.';
  const role = (await findRepoById(db, { account, grant: { kind: 'none' } }, action.repo.id))?.role;
  if (!reaches(role, 'write')) return 'Only people who may write to this repository can give commands.';
  if (command !== 'unknown') return undefined;
  const ignoring = '`ignore this dependency` (or `major version`, `minor version`, `patch version`)';
  return `The commands are \`rebase\`, \`recreate\`, \`close\` and ${ignoring}, after \`${mentionOf(action)}\`.`;
}

type Running = {
  readonly row: ProposalRow;
  readonly action: TextAction;
  readonly repository: Parameters<typeof recreate>[1];
  readonly command: Command;
  readonly by: Id<'accounts'>;
};

async function run(context: JobContext, { row, action, repository, command, by }: Running): Promise<void> {
  if (command.name === 'rebase' || command.name === 'recreate')
    return recreate(context, repository, row, { isAsked: true, overwrites: command.name === 'recreate' });
  const part = 'part' in command ? command.part : 'version';
  await context.change(({ tx }) => insertIgnores(tx, ignoresOf(row, part, { by, now: context.now })));
  await closeProposal(context, action, row, closingTexts.ignored, { keepsBranch: true });
}

const answer = (context: JobContext, action: TextAction, issue: Id<'issues'>, text: string): Promise<void> =>
  context.change(async (scope) => {
    const locked = await findIssueForUpdate(scope.tx, { id: issue });
    if (locked) await commentOnIssue(scope, action, locked, text);
  });
