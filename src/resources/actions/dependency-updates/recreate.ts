// Recreates a pull request of the bot on the current commit of its base.
import type { JobContext } from '#endpoint/job-context.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { listMendable } from '#resources/security/dependency-alerts/index.ts';
import type { UpdateRequest } from '#resources/security/dependency-bot/index.ts';
import { botActionIn } from './bot.ts';
import { loadConfigs } from './config-store.ts';
import { ignoresInRequest } from './ignores.ts';
import { closeProposal } from './proposals.ts';
import { directoryOf, ecosystemOf, securityRequest } from './security.ts';
import { startUpdate } from './start.ts';
import { listIgnores, type ProposalRow } from './store.ts';
import { closingTexts } from './texts.ts';

/**
 * Starts a search for the dependencies of a pull request alone. `isAsked`: also if the last search for it was of the same commit.
 * `overwrites`: also where somebody else has pushed to its branch, whose commits are then lost.
 */
export async function recreate(
  context: JobContext,
  repository: RepositoryWithOwner,
  row: ProposalRow,
  { isAsked = false, overwrites = false }: { readonly isAsked?: boolean; readonly overwrites?: boolean } = {},
): Promise<void> {
  const request = await requestFor(context, row);
  if (!request) {
    const action = await botActionIn(context.scope, repository);
    if (action) await closeProposal(context, action, row, closingTexts.done);
    return;
  }
  const tip = overwrites ? await findRef(repoOf(context.services.git, repository.id), branchRef(row.branch)) : undefined;
  await startUpdate(context, {
    repository,
    targetBranch: row.target_branch,
    request,
    open: [],
    config: (await loadConfigs(context.db, [repository.id])).get(repository.id)?.config ?? null,
    options: row.options,
    recreates: row.issue_id,
    ...(tip && tip.oid !== row.head_sha ? { overwrites: tip.oid } : {}),
    unlessSame: isAsked ? 'never' : 'commit',
  });
}

/** What to look for; undefined if nothing needs the pull request any more. */
async function requestFor({ db }: JobContext, row: ProposalRow): Promise<Omit<UpdateRequest, 'open'> | undefined> {
  const { ecosystem, directory, kind, group_name, dependencies, repository_id } = row;
  const names = new Set(dependencies.map(({ name }) => name.toLowerCase()));
  const groups =
    group_name === null ? [] : [{ name: group_name, patterns: dependencies.map(({ name }) => name), exclude_patterns: [] }];
  if (kind === 'security') {
    const alerts = (await listMendable(db, repository_id)).filter(
      (alert) =>
        ecosystemOf(alert.ecosystem) === ecosystem &&
        directoryOf(alert.manifest_path) === directory &&
        names.has(alert.package.toLowerCase()),
    );
    const request = securityRequest(alerts);
    return request && { ...request, ...(groups.length > 0 ? { security_groups: groups } : {}) };
  }
  const ignores = await listIgnores(db, repository_id, ecosystem);
  return {
    ecosystem,
    directory,
    kind,
    version: {
      ignore: ignoresInRequest(ignores),
      allow: dependencies.map(({ name }) => ({ name, type: 'all' })),
      groups,
      strategy: 'auto',
      limit: 1,
    },
  };
}
