// The checks of pull requests with the findings of tools.

import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { checkLimits, createAppRuns, type NewAnnotation, putAppSuite } from '#resources/code/checks/index.ts';
import { selectPull } from '#resources/collaboration/pulls/index.ts';
import { codeScanningAppOf } from '#resources/repositories/apps/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { listNewAlerts, type NewAlert } from './instance-store.ts';
import { isAnalysed } from './upload-store.ts';

/** A pull request, and the commit of it that an analysis is about. */
type CheckedPull = { readonly number: number; readonly base: string; readonly commit: string; readonly branch: string };

const pullRef = /^refs\/pull\/(\d{1,10})\/(merge|head)$/;

/** The refs of a pull request: its test merge, and its head. */
export const pullRefs = (number: number): [string, string] => [`refs/pull/${number}/merge`, `refs/pull/${number}/head`];

/** The number of the pull request of a ref; undefined for other refs. */
const pullOfRef = (ref: string): number | undefined => {
  const number = Number(pullRef.exec(ref)?.[1]);
  return number > 0 && number <= 2_147_483_647 ? number : undefined;
};

/**
 * The pull request that an analysis is about; undefined if it is about none. Results for a test merge are reported at the merged
 * head, which is its second parent.
 */
export async function checkedPullOf(
  { db, git }: Scope,
  repo: Pick<RepositoryRow, 'id'>,
  { ref, commit_sha }: { ref: string; commit_sha: string },
): Promise<CheckedPull | undefined> {
  const number = pullOfRef(ref);
  const pull = number === undefined ? undefined : await selectPull(db, repo.id, number).executeTakeFirst();
  if (!pull) return undefined;
  await using reader = await openObjects(repoOf(git, repo.id));
  const { parents } = await reader.getCommit(commit_sha);
  const commit = ref.endsWith('/merge') ? (parents[1] ?? commit_sha) : commit_sha;
  return { number: pull.number, base: branchRef(pull.base_ref), commit, branch: pull.head_ref };
}

type Checking = { readonly repo: Pick<RepositoryRow, 'id' | 'owner_id'>; readonly pull: CheckedPull; readonly now: Date };

/** Adds the check of a tool to the head of a pull request. It lists alerts that are open there, but not in the base branch. */
export async function checkPull(
  tx: Tx,
  { repo, pull, now }: Checking,
  { ref, tool }: { ref: string; tool: string },
): Promise<void> {
  const of = { repository_id: repo.id, tool_name: tool };
  const [found, isKnown, named, app] = await Promise.all([
    listNewAlerts(tx, { ...of, ref, base: pull.base }, fixedValue(checkLimits.annotations)),
    isAnalysed(tx, { ...of, ref: pull.base }),
    loadNamedRepositories(tx, [repo.id]),
    codeScanningAppOf(tx, now),
  ]);
  const { total = 0, blocking = 0 } = found[0] ?? {};
  const action = { repo, by: {}, now };
  const suite = await putAppSuite(tx, action, {
    app: app.id,
    key: 'code scanning',
    commit: pull.commit,
    branch: pull.branch,
    by: undefined,
  });
  const owned = named.get(repo.id);
  await createAppRuns(tx, action, suite.id, [
    {
      name: tool,
      detailsUrl:
        `/${owned?.owner.login ?? ''}/${owned?.name ?? ''}/security/code-scanning` +
        `?query=pr:${pull.number}+tool:${encodeURIComponent(tool)}`,
      status: 'completed',
      conclusion: blocking > 0 ? 'failure' : 'success',
      title: titleOf(total, blocking),
      summary: summaryOf({ total, shown: found.length, isKnown, base: pull.base }),
      annotations: found.map(annotationOf),
    },
  ]);
}

const titleOf = (total: number, blocking: number): string => {
  if (total === 0) return 'No new alerts in code changed by this pull request';
  const alerts = `${total} new ${total === 1 ? 'alert' : 'alerts'}`;
  return blocking === 0 ? alerts : `${alerts} including ${blocking} of high severity`;
};

function summaryOf({ total, shown, isKnown, base }: { total: number; shown: number; isKnown: boolean; base: string }): string {
  const lines = [
    total === 0
      ? 'The tool found nothing that the base branch does not have.'
      : `The tool found ${total} that the base branch does not have.`,
    ...(shown < total ? [`The first ${shown} are annotated.`] : []),
    ...(isKnown ? [] : [`${base} has not been analysed by this tool, so that all alerts count as new.`]),
  ];
  return lines.join('\n\n');
}

/** The maximum length of a message in a check. */
const maxMessage = 8_192;

function annotationOf(alert: NewAlert): NewAnnotation {
  const { path, start_line, end_line, start_column, end_column, message, description, is_blocking, severity } = alert;
  const columns = start_line === end_line ? { start_column, end_column: Math.max(start_column, end_column) } : {};
  return {
    path: path || '.',
    start_line,
    end_line,
    ...columns,
    annotation_level: is_blocking ? 'failure' : severity === 'note' || severity === 'none' ? 'notice' : 'warning',
    title: description.slice(0, 255),
    message: (message || description).slice(0, maxMessage),
  };
}
