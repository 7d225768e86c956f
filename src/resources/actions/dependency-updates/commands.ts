// Commands to the bot in comments on its pull requests.
import { findRepoById } from '#access/lookup.ts';
import { reaches } from '#access/roles.ts';
import type { Account } from '#access/viewer.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription } from '#events/subscription.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { Refusal } from '#lib/refusal.ts';
import { commentOnIssue, findIssueForUpdate, loadComments, type TextAction } from '#resources/collaboration/issues/index.ts';
import { changePull, findPullForUpdate } from '#resources/collaboration/pulls/index.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { mentionOf } from './bot.ts';
import { type Command, commandOf } from './command-text.ts';
import { hastenSchedules, loadConfigs } from './config-store.ts';
import { conditionOf, ignoresOf } from './ignores.ts';
import { loadOwnPull, type OwnPull } from './own-pulls.ts';
import { closeProposal } from './proposals.ts';
import { queueOf } from './queue.ts';
import { recreate } from './recreate.ts';
import { updateVulnerable } from './security.ts';
import { insertIgnores, listIgnores, loadProposals, removeIgnores } from './store.ts';
import { closingTexts, codeOf } from './texts.ts';

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
      return row ? [{ payload: { issue, comment }, options: { queue: queueOf(row.repository_id) } }] : [];
    });
    if (entries.length > 0) await change(({ tx }) => enqueueAll(tx, runCommand, entries));
  },
});

/** Does what a comment asks for, if its author may write to the repository. */
export const runCommand = job<Payload, JobContext>({
  name: 'dependency-updates.run-command',
  attempts: 5,
  async run({ issue, comment: id }, context) {
    const [comment] = await loadComments(context.db, [id]);
    const command = comment?.body == null ? undefined : commandOf(comment.body);
    if (!comment || command === undefined) return;
    const own = await loadOwnPull(context, issue);
    const { author_id } = comment;
    const author = author_id === null ? undefined : (await loadAccounts(context.db, [author_id])).get(author_id);
    // Its own comments have no commands, and answering another bot could go on for ever.
    if (!own || !author || author.kind === 'bot') return;
    const refusal = await refusalOf(context, own, author, command);
    const reply = refusal ?? (command === 'unknown' ? undefined : await run(context, own, command, author.id));
    if (reply !== undefined) await answer(context, own.action, issue, reply);
  },
});

async function refusalOf(
  { db }: JobContext,
  { row, action }: OwnPull,
  account: Account,
  command: Command | 'unknown',
): Promise<string | undefined> {
  if (account.kind !== 'user') return 'Only people can give commands.';
  const role = (await findRepoById(db, { account, grant: { kind: 'none' } }, action.repo.id))?.role;
  if (!reaches(role, 'write')) return 'Only people who may write to this repository can give commands.';
  if (command === 'unknown')
    return (
      'The commands are `rebase`, `recreate`, `close`, `reopen`, `ignore this dependency` (or `major version`, ' +
      '`minor version`, `patch version`; or the name of a dependency in the place of `this`), `unignore NAME` (or ' +
      `\`unignore *\`) and \`show NAME ignore conditions\`, after \`${mentionOf(action)}\`.`
    );
  const needsOpen = !['reopen', 'unignore', 'show'].includes(command.name);
  return needsOpen && !row.is_open ? 'This pull request is closed. `reopen` opens it again.' : undefined;
}

/** Runs a command. @returns what the bot answers; undefined where what it does says enough */
async function run(context: JobContext, own: OwnPull, command: Command, by: Id<'accounts'>): Promise<string | undefined> {
  const { row, action, repository } = own;
  switch (command.name) {
    case 'rebase':
    case 'recreate':
      return void (await recreate(context, repository, row, { isAsked: true, overwrites: command.name === 'recreate' }));
    case 'reopen':
      return reopen(context, own);
    case 'show':
      return showIgnores(context, own, command.dependency);
    case 'unignore':
      return unignore(context, own, command);
    case 'close':
    case 'ignore': {
      const part = command.name === 'ignore' ? command.part : 'version';
      const name = command.name === 'ignore' ? command.dependency : undefined;
      const dependencies = row.dependencies.filter((one) => name === undefined || isNamed(one.name, name));
      if (dependencies.length === 0) return `This pull request updates no ${codeOf(name ?? '')}.`;
      const ignores = ignoresOf({ ...row, dependencies }, part, { by, now: context.now });
      await context.change(({ tx }) => insertIgnores(tx, ignores));
      return void (await closeProposal(context, action, row, closingTexts.ignored, { keepsBranch: true }));
    }
  }
}

const isNamed = (name: string, wanted: string): boolean => name.toLowerCase() === wanted.toLowerCase();

/** Reopens a pull request. What follows is the same as where people do it themselves. */
async function reopen(context: JobContext, { pull, action }: OwnPull): Promise<string | undefined> {
  try {
    await context.change(async (scope) => {
      const locked = await findPullForUpdate(scope.tx, pull);
      if (locked?.state === 'closed') await changePull(scope, action, locked, { state: 'open' }, undefined);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `It can’t be reopened: ${error.message}`;
  }
}

/** What comments and closed pull requests have said about a dependency. */
const ignoresFor = async ({ db }: JobContext, { row }: OwnPull, isWanted: (name: string) => boolean) =>
  (await listIgnores(db, row.repository_id, row.ecosystem)).filter((one) => isWanted(one.package));

async function showIgnores(context: JobContext, own: OwnPull, name: string): Promise<string> {
  const ignores = await ignoresFor(context, own, (one) => isNamed(one, name));
  if (ignores.length === 0) return `Nothing of ${codeOf(name)} is ignored.`;
  const conditions = unique(ignores.map(conditionOf));
  return [`Of ${codeOf(name)}, these versions are ignored:`, '', ...conditions.map((text) => `- ${codeOf(text)}`)].join('\n');
}

async function unignore(
  context: JobContext,
  own: OwnPull,
  { dependency, condition }: Extract<Command, { name: 'unignore' }>,
): Promise<string> {
  const { row, repository } = own;
  const names = dependency === '*' ? gather(row.dependencies, 'name') : [dependency];
  const ignores = await ignoresFor(context, own, (name) => names.some((one) => isNamed(name, one)));
  const removed = ignores.filter((one) => condition === undefined || isNamed(conditionOf(one), condition));
  if (removed.length === 0) return `Nothing of that is ignored. \`show NAME ignore conditions\` lists what is.`;
  const config = (await loadConfigs(context.db, [repository.id])).get(repository.id)?.config;
  const entries = (config?.updates ?? []).flatMap(({ ecosystem }, at) => (ecosystem === row.ecosystem ? [at] : []));
  await context.change(async ({ tx }) => {
    await removeIgnores(tx, gather(removed, 'id'));
    await hastenSchedules(tx, repository.id, entries, context.now);
  });
  await updateVulnerable(context, repository, { unlessSame: 'never' });
  return `${unique(gather(removed, 'package')).map(codeOf).join(', ')}: these versions are proposed again by the next search.`;
}

const answer = (context: JobContext, action: TextAction, issue: Id<'issues'>, text: string): Promise<void> =>
  context.change(async (scope) => {
    const locked = await findIssueForUpdate(scope.tx, { id: issue });
    if (locked) await commentOnIssue(scope, action, locked, text);
  });
