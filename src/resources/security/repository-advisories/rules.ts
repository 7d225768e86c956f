import type { RepositoryAction } from '#access/action.ts';
import type { ChangeScope, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { forbidden, unprocessable } from '#lib/refusal.ts';
import { lockRepository, preparePrivateFork } from '#resources/repositories/repositories/index.ts';
import { takesPrivateReports } from '#resources/repositories/repository-security/index.ts';
import { administersAdvisories } from './access.ts';
import { collaboratorsOf, creditsOf, namedOf, severityOf, teamsOf, vulnerabilitiesOf } from './contents.ts';
import { removeFork, shareFork, startFork } from './forks.ts';
import { newIdentifier } from './identifier.ts';
import { advisoryLimits } from './limits.ts';
import { announce } from './publishing.ts';
import type { AdvisoryChange, NewAdvisory, NewReport } from './schemas.ts';
import {
  type AdvisoryRow,
  countAdvisories,
  insertAdvisory,
  type NewAdvisoryRow,
  replaceCredits,
  replaceTeams,
  replaceUsers,
  replaceVulnerabilities,
  updateAdvisory,
} from './store.ts';

const limits = advisoryLimits;

/**
 * Refuses everybody who doesn't administer the advisories of a repository, as its administrator, a security manager, or an app.
 */
function checkAdministers({ repo, by }: RepositoryAction): void {
  if (administersAdvisories(repo, by)) return;
  throw forbidden('Must be an administrator of the repository, or a security manager.');
}

/** Refuses people who only work on an advisory without administering the repository. */
export function checkAdministered({ is_administered }: AdvisoryRow): void {
  if (!is_administered) throw forbidden('Must be an administrator of the repository, or a security manager.');
}

/** Creates a draft. */
export async function createAdvisory(
  scope: WriteScope,
  action: RepositoryAction,
  { credits, ...wanted }: NewAdvisory,
): Promise<AdvisoryRow> {
  checkAdministers(action);
  const row = await insertNew(scope, action, { ...wanted, state: 'draft', accepted: null });
  await replaceCredits(scope.tx, row.id, await creditsOf(scope, credits, action.by.account.id));
  await record(scope.tx, { ...inRepository(action), kind: 'repository_advisory.created', data: { advisory: row.id } });
  return { ...row, is_administered: true };
}

/** Creates an advisory together with its private fork. The repository is copied before the transaction. */
export async function createWithFork(scope: ChangeScope, action: RepositoryAction, wanted: NewAdvisory): Promise<AdvisoryRow> {
  checkAdministers(action);
  await using copy = await preparePrivateFork(scope.git, action.repo);
  return await scope.change(async (scope) => {
    const advisory = await createAdvisory(scope, action, wanted);
    const { id } = await startFork(scope, { ...action, git: scope.git }, advisory, copy);
    return { ...advisory, fork_id: id };
  });
}

/** Reports a vulnerability to the administrators of a repository. The reporter works on it with them, and is credited. */
export async function reportVulnerability(scope: WriteScope, action: RepositoryAction, wanted: NewReport): Promise<AdvisoryRow> {
  const { repo, by } = action;
  if (!takesPrivateReports(repo)) throw forbidden('Private vulnerability reporting is not enabled for this repository.');
  if (wanted.start_private_fork)
    throw unprocessable('A private fork is started by those who administer the repository, once they have read the report.');
  const vulnerabilities = wanted.vulnerabilities ?? [];
  const row = await insertNew(scope, action, { ...wanted, vulnerabilities, state: 'triage', accepted: false });
  await replaceUsers(scope.tx, row.id, [by.account.id]);
  await replaceCredits(scope.tx, row.id, [{ user_id: by.account.id, type: 'reporter', state: 'accepted' }]);
  await record(scope.tx, { ...inRepository(action), kind: 'repository_advisory.reported', data: { advisory: row.id } });
  return row;
}

type New = Pick<NewAdvisory, 'summary' | 'description' | 'cve_id' | 'cwe_ids' | 'severity' | 'cvss_vector_string'> &
  Pick<NewAdvisory, 'vulnerabilities'> &
  Pick<NewAdvisoryRow, 'state' | 'accepted'>;

/** Inserts an advisory. The repository stays locked, so that concurrent requests don't exceed its limits. */
async function insertNew(scope: WriteScope, { repo, by, now }: RepositoryAction, wanted: New): Promise<AdvisoryRow> {
  const { summary, description, state, accepted } = wanted;
  const vulnerabilities = vulnerabilitiesOf(wanted.vulnerabilities);
  const severityColumns = { ...namedOf(wanted), ...(await severityOf(wanted)) };
  await lockRepository(scope.tx, repo.id);
  const { total, waiting } = await countAdvisories(scope.tx, repo.id, by.account.id);
  if (total >= fixedValue(limits.ofRepository)) throw unprocessable('The repository has too many security advisories.');
  if (state === 'triage' && waiting >= fixedValue(limits.reports))
    throw unprocessable('Too many of your reports wait for an answer in this repository.');
  const row = await insertFresh(scope, {
    ...emptyRow,
    ...severityColumns,
    repository_id: repo.id,
    state,
    accepted,
    summary,
    description,
    author_id: by.account.id,
    created_at: now,
    updated_at: now,
  });
  await replaceVulnerabilities(scope.tx, row.id, vulnerabilities);
  return { ...row, is_insider: true, is_administered: false };
}

const emptyRow = {
  publisher_id: null,
  cve: null,
  severity: null,
  cvss_v3: null,
  cvss_v3_score: null,
  cvss_v4: null,
  cvss_v4_score: null,
  cwes: [],
  published_at: null,
  closed_at: null,
  withdrawn_at: null,
  fork_id: null,
};

/** Inserts an advisory with an unused identifier. */
async function insertFresh(scope: WriteScope, row: Omit<NewAdvisoryRow, 'identifier'>) {
  for (;;) {
    const inserted = await insertAdvisory(scope.tx, { ...row, identifier: newIdentifier() });
    if (inserted) return inserted;
  }
}

type State = AdvisoryRow['state'];

/** The allowed next states. Accepting a report turns it into a draft. A published advisory can only be withdrawn. */
const following: Readonly<Record<State, readonly State[]>> = {
  triage: ['draft', 'closed'],
  draft: ['published', 'closed'],
  closed: ['draft'],
  published: ['withdrawn'],
  withdrawn: ['published'],
};

/** The requested state. Closing a published advisory withdraws it. @throws Refusal 422 if it can't follow the current state */
function nextState({ state }: AdvisoryRow, wanted: AdvisoryChange['state']): State {
  const isOut = state === 'published' || state === 'withdrawn';
  const next = wanted === undefined ? state : isOut && wanted === 'closed' ? 'withdrawn' : wanted;
  if (next === state || following[state].includes(next)) return next;
  throw unprocessable(`An advisory in the state ${state} can't become ${next}: it can become ${following[state].join(' or ')}.`);
}

/**
 * Changes an advisory. Everybody who works on it may change its contents until it is published. Only administrators of the
 * repository's advisories may change its state and collaborators.
 */
export async function changeAdvisory(
  scope: WriteScope,
  action: RepositoryAction,
  advisory: AdvisoryRow,
  wanted: AdvisoryChange,
): Promise<AdvisoryRow> {
  const { repo, by, now } = action;
  const { summary, description, vulnerabilities, credits, collaborating_users, collaborating_teams } = wanted;
  if (!advisory.is_insider) throw forbidden('Must be a collaborator of the security advisory.');
  const state = nextState(advisory, wanted.state);
  const isOfAdministrators = state !== advisory.state || collaborating_users !== undefined || collaborating_teams !== undefined;
  if (isOfAdministrators || advisory.published_at !== null) checkAdministered(advisory);
  const stored = await updateAdvisory(scope.tx, advisory.id, {
    ...(summary === undefined ? {} : { summary }),
    ...(description === undefined ? {} : { description }),
    ...namedOf(wanted),
    ...(await severityOf(wanted)),
    ...(state === advisory.state ? {} : timesOf(advisory, state, { by: by.account.id, now })),
    updated_at: now,
  });
  const row = { ...stored, is_insider: true, is_administered: advisory.is_administered };
  if (vulnerabilities !== undefined) await replaceVulnerabilities(scope.tx, row.id, vulnerabilitiesOf(vulnerabilities));
  if (credits !== undefined) await replaceCredits(scope.tx, row.id, await creditsOf(scope, credits, by.account.id));
  if (collaborating_users !== undefined) {
    const users = await collaboratorsOf(scope, collaborating_users ?? []);
    await shareFork(scope, action, row, { users, without: await replaceUsers(scope.tx, row.id, users) });
  }
  if (collaborating_teams !== undefined) {
    const teams = await teamsOf(scope, repo.owner_id, collaborating_teams ?? []);
    await shareFork(scope, action, row, { teams, withoutTeams: await replaceTeams(scope.tx, row.id, teams) });
  }
  if (state === 'published' || state === 'withdrawn') await announce(scope, action, row);
  if (state === 'published' && advisory.state === 'draft') await removeFork(scope, row, now);
  const data = { advisory: row.id };
  await record(scope.tx, { ...inRepository(action), kind: `repository_advisory.${changeOf(advisory.state, state)}`, data });
  return state === 'published' ? { ...row, fork_id: null } : row;
}

/** The kind of event for a change. */
function changeOf(before: State, after: State): 'published' | 'withdrawn' | 'updated' | 'changed' {
  if (after !== 'published' && after !== 'withdrawn') return 'changed';
  return before === after ? 'updated' : after;
}

/** The columns that change with the state. */
function timesOf({ published_at, accepted }: AdvisoryRow, state: State, { by, now }: { by: Id<'accounts'>; now: Date }) {
  return {
    state,
    accepted: accepted === null || state === 'closed' ? accepted : true,
    closed_at: state === 'closed' ? now : null,
    withdrawn_at: state === 'withdrawn' ? now : null,
    ...(state === 'published' && published_at === null ? { published_at: now, publisher_id: by } : {}),
  };
}
