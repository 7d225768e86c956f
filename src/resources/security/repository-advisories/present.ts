import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import { type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, grouped, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { loadTeams, presentTeams } from '#resources/identity/teams/index.ts';
import { loadRepositories, presentRepositories, simpleRepositoryOf } from '#resources/repositories/repositories/index.ts';
import { presentScores } from '#resources/security/dependency-alerts/index.ts';
import type { RepositoryAdvisory } from './schemas.ts';
import { type AdvisoryRow, loadCredits, loadTeamsOf, loadUsers, loadVulnerabilities, type VulnerabilityRow } from './store.ts';

/** The affected products of an advisory, without its fixes. */
export const presentAffected = ({ ecosystem, package: name, vulnerable_version_range, functions }: VulnerabilityRow) => ({
  package: { ecosystem, name },
  vulnerable_version_range,
  vulnerable_functions: functions,
});

/** The addresses of a repository's advisory. */
export const advisoryLinks = ({ links }: Pick<Scope, 'links'>, repo: NamedRepository, identifier: string) => ({
  url: path(`${repositoryUrl(links, repo)}/security-advisories`, identifier),
  html_url: path(`${path(links.html, repo.owner.login, repo.name)}/security/advisories`, identifier),
});

/** The private forks of a page that the viewer may read, by their ids. */
async function presentForks(scope: Scope, viewer: Viewer | undefined, ids: readonly (RepositoryRow['id'] | null)[]) {
  const { db } = scope;
  const rows = viewer ? await loadRepositories(db, viewer, ids) : [];
  if (!viewer || rows.length === 0) return new Map();
  const shown = await presentRepositories(scope, rows);
  return keyed(shown.map(simpleRepositoryOf), ({ id }) => id);
}

/**
 * Presents a page of advisories. `repositoryOf` returns the repository of each. The people who work on an advisory are shown only
 * to themselves. Without a viewer, no private fork is shown.
 */
export async function presentAdvisories(
  scope: Scope,
  rows: readonly AdvisoryRow[],
  repositoryOf: (row: AdvisoryRow) => NamedRepository,
  viewer?: Viewer,
): Promise<RepositoryAdvisory[]> {
  const { db, links } = scope;
  const ids = gather(rows, 'id');
  const worked = rows.filter(({ is_insider }) => is_insider);
  const [vulnerabilities, credits, users, teams] = await Promise.all([
    loadVulnerabilities(db, ids),
    loadCredits(db, ids),
    loadUsers(db, gather(worked, 'id')),
    loadTeamsOf(db, gather(worked, 'id')),
  ]);
  const people: (Id<'accounts'> | null)[] = [
    ...gather(rows, 'author_id', 'publisher_id'),
    ...gather([...credits.values()].flat(), 'user_id'),
    ...gather(users, 'user_id'),
  ];
  const [accounts, teamRows, forks] = await Promise.all([
    loadAccounts(db, people),
    loadTeams(db, gather(teams, 'team_id')),
    presentForks(scope, viewer, gather(worked, 'fork_id')),
  ]);
  const shownTeams = keyed(await presentTeams(scope, [...teamRows.values()]), ({ id }) => id);
  const usersOf = grouped(users, ({ advisory_id }) => advisory_id);
  const teamsOf = grouped(teams, ({ advisory_id }) => advisory_id);
  return rows.map((row) => {
    const credited = (credits.get(row.id) ?? []).filter(({ state }) => row.is_insider || state === 'accepted');
    const isReport = row.accepted !== null;
    const repo = repositoryOf(row);
    return {
      ...presentScores(row),
      ...advisoryLinks(scope, repo, row.identifier),
      summary: row.summary,
      description: row.description,
      severity: row.severity,
      // The reporter of a private report is shown only through a credit that they accepted.
      author: row.is_insider || !isReport ? presentUserOrNull(links, getOptional(accounts, row.author_id)) : null,
      publisher: presentUserOrNull(links, getOptional(accounts, row.publisher_id)),
      state: row.state,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      published_at: timestampOrNull(row.published_at),
      closed_at: timestampOrNull(row.closed_at),
      withdrawn_at: timestampOrNull(row.withdrawn_at),
      submission: row.accepted === null ? null : { accepted: row.accepted },
      vulnerabilities: (vulnerabilities.get(row.id) ?? []).map((one) => ({
        ...presentAffected(one),
        patched_versions: one.patched_versions,
      })),
      cwe_ids: row.cwes,
      credits: credited.map(({ user_id, type }) => ({ login: getOrThrow(accounts, user_id).login, type })),
      credits_detailed: credited.map(({ user_id, type, state }) => ({
        user: presentUser(links, getOrThrow(accounts, user_id)),
        type,
        state,
      })),
      collaborating_users: row.is_insider
        ? (usersOf.get(row.id) ?? []).map(({ user_id }) => presentUser(links, getOrThrow(accounts, user_id)))
        : null,
      collaborating_teams: row.is_insider
        ? (teamsOf.get(row.id) ?? []).flatMap(({ team_id }) => getOptional(shownTeams, team_id) ?? [])
        : null,
      private_fork: getOptional(forks, row.fork_id) ?? null,
    };
  });
}

export const presentAdvisory = async (
  scope: Scope,
  row: AdvisoryRow,
  repo: NamedRepository,
  viewer?: Viewer,
): Promise<RepositoryAdvisory> => firstOrNotFound(await presentAdvisories(scope, [row], () => repo, viewer));
