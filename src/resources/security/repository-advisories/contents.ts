// The contents of an advisory in a request, validated and converted to the stored form.
import type { WriteScope } from '#endpoint/scope.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/identity/accounts/index.ts';
import { scoreOf } from '#resources/security/dependency-alerts/index.ts';
import { advisoryLimits } from './limits.ts';
import { isVersion, readPatched, readRange } from './ranges.ts';
import type { AdvisoryChange, NewVulnerability } from './schemas.ts';
import { type CreditRow, listTeamsBySlug, type NewAdvisoryRow, type NewVulnerabilityRow } from './store.ts';

const resource = 'RepositoryAdvisory';
/** Lists of advisories show all products of each. */
const maxSize = fixedValue(advisoryLimits.productsSize);
const refused = (field: string, message: string) => invalid(resource, field, 'invalid', message);

type SeverityColumns = Pick<NewAdvisoryRow, 'severity' | 'cvss_v3' | 'cvss_v3_score' | 'cvss_v4' | 'cvss_v4_score'>;

const noVector = { cvss_v3: null, cvss_v3_score: null, cvss_v4: null, cvss_v4_score: null };

/**
 * The severity in a request: a word, or a vector that determines the word. Empty if the request contains neither.
 * @throws Refusal 422 if it contains both, or the vector isn't valid for CVSS 3 or 4
 */
export async function severityOf({
  severity,
  cvss_vector_string: vector,
}: Pick<AdvisoryChange, 'severity' | 'cvss_vector_string'>): Promise<Partial<SeverityColumns>> {
  if (vector == null) {
    if (severity !== undefined) return { severity, ...noVector };
    return vector === null ? noVector : {};
  }
  if (severity != null) throw refused('severity', 'An advisory has a severity or a cvss_vector_string, from which it follows');
  const version = /^CVSS:(3\.[01]|4\.0)\//.exec(vector)?.[1];
  const scored = version === undefined ? undefined : await scoreOf(vector);
  if (!scored) throw refused('cvss_vector_string', 'cvss_vector_string is not a vector of CVSS 3 or 4 with all base metrics');
  const shown = scored.score === 0 ? null : scored.severity;
  return version === '4.0'
    ? { ...noVector, severity: shown, cvss_v4: vector, cvss_v4_score: scored.score }
    : { ...noVector, severity: shown, cvss_v3: vector, cvss_v3_score: scored.score };
}

type Named = Pick<NewAdvisoryRow, 'cve' | 'cwes'>;

/** The identifiers in a request. @throws Refusal 422 if one is malformed */
export function namedOf({ cve_id, cwe_ids }: Pick<AdvisoryChange, 'cve_id' | 'cwe_ids'>): Partial<Named> {
  if (cve_id != null && !/^CVE-\d{4}-\d{4,19}$/.test(cve_id)) throw refused('cve_id', 'cve_id has the form CVE-2026-12345');
  const wrong = cwe_ids?.find((id) => !/^CWE-\d{1,5}$/.test(id));
  if (wrong !== undefined) throw refused('cwe_ids', 'cwe_ids have the form CWE-79');
  return {
    ...(cve_id === undefined ? {} : { cve: cve_id }),
    ...(cwe_ids === undefined ? {} : { cwes: unique(cwe_ids ?? []) }),
  };
}

/** Vulnerable products. @throws Refusal 422 if a range is malformed, or contains a version that is invalid in its ecosystem */
export function vulnerabilitiesOf(wanted: readonly NewVulnerability[]): NewVulnerabilityRow[] {
  if (JSON.stringify(wanted).length > maxSize)
    throw refused('vulnerabilities', `vulnerabilities hold at most ${maxSize} characters together`);
  return wanted.map(vulnerabilityOf);
}

function vulnerabilityOf(wanted: NewVulnerability, index: number): NewVulnerabilityRow {
  const { ecosystem, name = null } = wanted.package;
  const range = wanted.vulnerable_version_range ?? null;
  const patched = wanted.patched_versions ?? null;
  const check = (field: 'vulnerable_version_range' | 'patched_versions', versions: readonly string[] | undefined): void => {
    const fieldPath = `vulnerabilities[${index}].${field}`;
    if (!versions) throw refused(fieldPath, `${fieldPath} names no versions, as in >= 1.0.0, < 1.2.3`);
    const wrong = versions.find((version) => !isVersion(ecosystem, version));
    if (wrong !== undefined) throw refused(fieldPath, `${wrong} is not a version in ${ecosystem}`);
  };
  if (range !== null) {
    const bounds = readRange(range)?.map(({ version }) => version);
    check(
      'vulnerable_version_range',
      bounds?.filter((version) => version !== '0'),
    );
  }
  if (patched !== null) check('patched_versions', readPatched(patched));
  return {
    ecosystem,
    package: name,
    vulnerable_version_range: range,
    patched_versions: patched,
    functions: wanted.vulnerable_functions ?? [],
  };
}

/** The users with these logins, in the order of the request. @throws Refusal 422 if one doesn't exist */
async function usersOf(scope: WriteScope, field: string, logins: readonly string[]): Promise<Map<string, Id<'accounts'>>> {
  const names = unique(logins.map((login) => login.toLowerCase()));
  const found = new Map((await findUsersByLogin(scope.tx, names)).map(({ id, login }) => [login.toLowerCase(), id]));
  const missing = names.find((name) => !found.has(name));
  if (missing !== undefined) throw refused(field, `There is no user ${missing}`);
  return found;
}

/**
 * The credited users. Users who credit themselves thereby accept.
 * @throws Refusal 422 for unknown users, and for users named twice
 */
export async function creditsOf(
  scope: WriteScope,
  credits: AdvisoryChange['credits'],
  by: Id<'accounts'>,
): Promise<Omit<CreditRow, 'advisory_id'>[]> {
  const wanted = credits ?? [];
  const users = await usersOf(
    scope,
    'credits',
    wanted.map(({ login }) => login),
  );
  if (users.size !== wanted.length) throw refused('credits', 'A user is credited once');
  return wanted.flatMap(({ login, type }) => {
    const user_id = users.get(login.toLowerCase());
    return user_id === undefined ? [] : [{ user_id, type, state: user_id === by ? ('accepted' as const) : ('pending' as const) }];
  });
}

/** The users who will collaborate. @throws Refusal 422 for unknown users */
export const collaboratorsOf = async (scope: WriteScope, logins: readonly string[]): Promise<Id<'accounts'>[]> => [
  ...(await usersOf(scope, 'collaborating_users', logins)).values(),
];

/** The teams that will collaborate. @throws Refusal 422 if the owner has no team with a name */
export async function teamsOf(scope: WriteScope, owner: Id<'accounts'>, slugs: readonly string[]): Promise<Id<'teams'>[]> {
  const found = await listTeamsBySlug(scope.tx, owner, slugs);
  const names = new Set(found.map(({ slug }) => slug.toLowerCase()));
  const missing = slugs.find((slug) => !names.has(slug.toLowerCase()));
  if (missing !== undefined) throw refused('collaborating_teams', `There is no team ${missing}`);
  return found.map(({ id }) => id);
}
