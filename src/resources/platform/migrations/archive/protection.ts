// Protected branches and rulesets as the objects of an archive.
import { path } from '#endpoint/links.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { listProtections, type ProtectionRow, protectionSwitches } from '#resources/code/branch-protection/index.ts';
import { listOwnRulesets, type RefRuleset, type Rule } from '#resources/code/rulesets/index.ts';
import type { Address } from './format.ts';
import type { ProtectedBranchRecord, RulesetRecord } from './protection-format.ts';
import { type ArchivedRepository, addressOrNull, teamAddress } from './records.ts';
import { loadOwnTeams, type People, type Source } from './source.ts';

/** A person or a team that a protection names. */
type Named = { readonly user_id: Id<'accounts'> | null; readonly team_id: Id<'teams'> | null };
type AddressOf = (named: Named) => Address | undefined;

/** Loads the people and teams that protections name. Teams are in an archive of their organization alone. */
async function addressesOf(
  source: Source,
  archived: ArchivedRepository,
  people: People,
  named: readonly Named[],
): Promise<AddressOf> {
  const accounts = await people.load(gather(named, 'user_id'));
  const teams = await loadOwnTeams(source, archived, gather(named, 'team_id'));
  return ({ user_id, team_id }) => {
    const team = getOptional(teams, team_id);
    return team ? teamAddress(source.html, archived.owner, team) : (addressOrNull(source.html, accounts, user_id) ?? undefined);
  };
}

/** The protected branches of a repository. */
export async function* protectedBranchesOf(
  source: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly ProtectedBranchRecord[]> {
  const rows = await listProtections(source.db, archived.row.id);
  const addressOf = await addressesOf(
    source,
    archived,
    people,
    rows.flatMap(({ actors }) => actors),
  );
  yield rows.map((row) => protectedBranchRecord(archived, row, addressOf));
}

const protectedBranchRecord = ({ url }: ArchivedRepository, row: ProtectionRow, addressOf: AddressOf): ProtectedBranchRecord => ({
  type: 'protected_branch',
  url: path(url, 'settings', 'branches', row.branch),
  repository: url,
  name: row.branch,
  ...(Object.fromEntries(protectionSwitches.map((name) => [name, row[name]])) as Pick<
    ProtectionRow,
    (typeof protectionSwitches)[number]
  >), // one value for each name
  status_checks: row.status_checks && {
    strict: row.status_checks.strict,
    contexts: row.status_checks.checks.map(({ context }) => context),
  },
  reviews: row.reviews,
  actors: row.actors.flatMap(({ list, ...named }) => {
    const actor = addressOf(named);
    return actor === undefined ? [] : [{ list, actor }];
  }),
});

/** The rulesets of a repository itself. */
export async function* rulesetsOf(
  source: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly RulesetRecord[]> {
  const rows = await listOwnRulesets(source.db, archived.row.id);
  const named = rows.flatMap(({ bypass_actors }) => bypass_actors.map(namedBy));
  const addressOf = await addressesOf(source, archived, people, named);
  yield rows.map((row) => rulesetRecord(archived, row, addressOf));
}

type BypassActor = RefRuleset['bypass_actors'][number];

const namedBy = ({ actor_type, actor_id }: BypassActor): Named => ({
  user_id: actor_type === 'User' && actor_id !== null ? asId<'accounts'>(actor_id) : null,
  team_id: actor_type === 'Team' && actor_id !== null ? asId<'teams'>(actor_id) : null,
});

const rulesetRecord = ({ url }: ArchivedRepository, row: RefRuleset, addressOf: AddressOf): RulesetRecord => ({
  type: 'ruleset',
  url: path(url, 'rules', row.id),
  repository: url,
  name: row.name,
  target: row.target,
  enforcement: row.enforcement,
  conditions: row.conditions,
  // A rule that requires workflows names their repositories by ids alone.
  rules: row.rules.filter(({ type }) => type !== 'workflows').map(withoutIds),
  bypass_actors: row.bypass_actors.flatMap((one) => bypassRecord(one, addressOf)),
});

/** An app isn't on another server, and who isn't in the archive is none of those who may bypass. */
function bypassRecord(one: BypassActor, addressOf: AddressOf): RulesetRecord['bypass_actors'] {
  const { actor_type: type, actor_id, bypass_mode: mode } = one;
  if (type === 'OrganizationAdmin' || type === 'DeployKey') return [{ type, mode }];
  if (type === 'RepositoryRole') return actor_id === null ? [] : [{ type, mode, role_id: actor_id }];
  const actor = addressOf(namedBy(one));
  return actor === undefined ? [] : [{ type, mode, actor }];
}

/** Apps that must report a check, and teams that must review, have other ids on another server. */
const ids: ReadonlySet<string> = new Set(['integration_id', 'required_reviewers']);
const withoutIds = (rule: Rule): Rule =>
  JSON.parse(JSON.stringify(rule, (key, value: unknown) => (ids.has(key) ? undefined : value)));
