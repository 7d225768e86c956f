import { authorize } from '#access/authorize.ts';
import { findOrg } from '#access/lookup.ts';
import type { Org, Repo, Viewer } from '#access/viewer.ts';
import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import type { ActorFacts, Bypass } from './applied-rule.ts';
import { bypassOf, loadActorFacts } from './bypass.ts';
import { writesOrganizationRulesets, writesRepositoryRulesets } from './policies.ts';
import type { Ruleset, RulesetSummary, RulesetVersion, RulesetVersionWithState } from './schemas.ts';
import type { RulesetHead, RulesetRow, VersionHead, VersionRow } from './store.ts';

/** The organization or repository that the path of a ruleset names. */
export type RulesetParent = { readonly org: { readonly login: string } } | { readonly repo: NamedRepository };

/**
 * The source of a ruleset, and its addresses. For an organization's ruleset, the source is the organization even in the path of a
 * repository.
 */
function sourceOf(links: Links, parent: RulesetParent, row: Pick<RulesetHead, 'id' | 'organization_id'>) {
  if ('repo' in parent && row.organization_id === null) {
    const { owner, name } = parent.repo;
    return {
      source_type: 'Repository',
      source: `${owner.login}/${name}`,
      api: `${repositoryUrl(links, parent.repo)}/rulesets/${row.id}`,
      html: `${path(links.html, owner.login, name)}/rules/${row.id}`,
    } as const;
  }
  const { login } = 'org' in parent ? parent.org : parent.repo.owner;
  return {
    source_type: 'Organization',
    source: login,
    api: `${path(`${links.api}/orgs`, login)}/rulesets/${row.id}`,
    html: `${path(`${links.html}/organizations`, login)}/settings/rules/${row.id}`,
  } as const;
}

export function presentSummary(links: Links, parent: RulesetParent, row: RulesetHead): RulesetSummary {
  const { source_type, source, api, html } = sourceOf(links, parent, row);
  return {
    id: row.id,
    name: row.name,
    target: row.target,
    source_type,
    source,
    enforcement: row.enforcement,
    node_id: nodeId('RepositoryRuleset', row.id),
    _links: { self: { href: api }, html: { href: html } },
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

/** A ruleset with its rules, without fields that depend on the viewer. */
export const presentRuleset = (links: Links, parent: RulesetParent, row: RulesetRow): Ruleset => ({
  ...presentSummary(links, parent, row),
  ...contentOf(row),
});

const contentOf = ({ conditions, rules }: Pick<RulesetRow, 'conditions' | 'rules'>) => ({
  ...(Object.keys(conditions).length === 0 ? {} : { conditions }),
  rules: [...rules],
});

const bypassWords = {
  never: 'never',
  pull_request: 'pull_requests_only',
  always: 'always',
  exempt: 'exempt',
} as const satisfies Record<Bypass, string>;

type Seen = { readonly org: Org } | { readonly repo: Repo };

/**
 * A ruleset for a viewer: with its bypass actors if the viewer may change it, and with the viewer's own right to bypass it. Other
 * viewers don't see for which repositories an organization's ruleset is: they may not know of all of them.
 */
export async function presentRulesetTo(
  { db, links, viewer }: Scope & { viewer: Viewer },
  parent: Seen,
  row: RulesetRow,
): Promise<Ruleset> {
  const [facts, mayWrite] = await Promise.all([factsIn(db, viewer, parent), mayChange(db, viewer, parent, row)]);
  return {
    ...presentRuleset(links, parent, mayWrite ? row : withoutRepositories(row)),
    ...(mayWrite ? { bypass_actors: [...row.bypass_actors] } : {}),
    ...(viewer.account ? { current_user_can_bypass: bypassWords[bypassOf(row, facts)] } : {}),
  };
}

const withoutRepositories = ({ conditions: { ref_name }, ...row }: RulesetRow): RulesetRow => ({
  ...row,
  conditions: ref_name === undefined ? {} : { ref_name },
});

/** An organization's owner administers all of its repositories. */
const factsIn = (db: Scope['db'], viewer: Viewer, parent: Seen): Promise<ActorFacts> =>
  loadActorFacts(
    db,
    viewer,
    'repo' in parent ? parent.repo : { owner_id: parent.org.id, role: parent.org.role === 'owner' ? 'admin' : undefined },
  );

async function mayChange(db: Scope['db'], viewer: Viewer, parent: Seen, row: RulesetRow): Promise<boolean> {
  if ('repo' in parent && row.organization_id === null)
    return authorize(writesRepositoryRulesets, viewer, { repo: parent.repo }, { write: false }).allowed;
  const org = 'org' in parent ? parent.org : await findOrg(db, viewer, parent.repo.owner.login);
  return org !== undefined && authorize(writesOrganizationRulesets, viewer, { org }, { write: false }).allowed;
}

export const presentVersion = ({ id, actor_id, actor_kind, created_at }: VersionHead): RulesetVersion => ({
  version_id: id,
  actor: actor_id === null || actor_kind === null ? {} : { id: actor_id, type: actor_kind === 'bot' ? 'Bot' : 'User' },
  updated_at: timestamp(created_at),
});

export function presentVersionWithState(
  links: Links,
  parent: RulesetParent,
  row: VersionRow,
  ruleset: RulesetRow,
): RulesetVersionWithState {
  const { source_type, source } = sourceOf(links, parent, ruleset);
  const { name, target, enforcement, bypass_actors } = row.state;
  return {
    ...presentVersion(row),
    state: {
      id: ruleset.id,
      name,
      target,
      source_type,
      source,
      enforcement,
      bypass_actors: [...bypass_actors],
      ...contentOf(row.state),
    },
  };
}
