// Rulesets of a repository or an organization: to whom and what they apply, and what they demand.

import { localAddress, pagePath } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { dataTable, factList } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOrganizationSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { type PageContent, type PageRequest, page, read } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import { getOrgRuleset, getRepoRuleset, listOrgRulesets, listRepoRulesets } from '#resources/code/rulesets/endpoints.ts';
import type { Ruleset } from '#resources/code/rulesets/schemas.ts';
import { ruleSentence } from './rule-sentences.ts';

const perPage = 50;

type Summary = Pick<Ruleset, 'id' | 'name' | 'target' | 'source' | 'source_type' | 'enforcement' | 'updated_at' | '_links'>;

const enforcements = {
  active: html`<span class="state success">active</span>`,
  evaluate: html`<span class="state running">only reported</span>`,
  disabled: html`<span class="state">off</span>`,
} as const;

const targets = { branch: 'branches', tag: 'tags', push: 'pushes', repository: 'repositories' } as const;

const listBody = (
  rulesets: readonly Summary[],
  request: PageRequest,
  position: ListPosition | undefined,
  addressOf: (ruleset: Summary) => string,
): PageContent => ({
  title: 'Rulesets',
  body: html`<h1>Rulesets</h1><p class="soft">What pushes, branches, tags and repositories are held to.</p>${
    rulesets.length === 0
      ? emptyState({
          icon: 'law',
          title: 'Rulesets will be listed here, with what they demand.',
          hint: html`Create one with <code>POST …/rulesets</code>.`,
        })
      : dataTable({
          caption: 'Rulesets',
          columns: ['Name', 'For', 'State', 'From', 'Changed'],
          rows: rulesets.map((ruleset) => [
            html`<a href="${addressOf(ruleset)}">${ruleset.name}</a>`,
            targets[ruleset.target],
            enforcements[ruleset.enforcement],
            ruleset.source,
            timeAgo(ruleset.updated_at, request.now),
          ]),
        })
  }${pager(request, { position, perPage })}`,
});

const special: Readonly<Record<string, string>> = { '~ALL': 'all', '~DEFAULT_BRANCH': 'the default branch' };

const patterns = (names: readonly string[] | undefined): TrustedHtml | undefined =>
  names === undefined || names.length === 0
    ? undefined
    : joined(
        names.map((name) => (special[name] === undefined ? html`<code>${name}</code>` : html`${special[name]}`)),
        ', ',
      );

const actorWords = {
  Integration: 'apps',
  OrganizationAdmin: 'owners of the organization',
  RepositoryRole: 'people with a role',
  Team: 'teams',
  DeployKey: 'deploy keys',
  User: 'people',
} as const;

const modeWords = { always: 'always', pull_request: 'in pull requests', exempt: 'without a note' } as const;

function bypassText(actors: NonNullable<Ruleset['bypass_actors']>): string {
  if (actors.length === 0) return 'nobody';
  const counts = new Map<string, number>();
  for (const { actor_type, bypass_mode } of actors) {
    const text = `${actorWords[actor_type]} (${modeWords[bypass_mode]})`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : `${count} ${text}`)).join(', ');
}

const ownBypass = {
  always: 'You may pass it by.',
  pull_requests_only: 'You may pass it by in pull requests.',
  never: 'It applies to you.',
  exempt: 'It doesn’t apply to you.',
} as const;

const rulesetBody = (ruleset: Ruleset, request: PageRequest): PageContent => {
  const { conditions = {}, rules, bypass_actors, current_user_can_bypass } = ruleset;
  const { ref_name, repository_name, repository_id, repository_property } = conditions;
  const properties = (repository_property?.include ?? []).map(
    ({ name, property_values }) => `${name}: ${property_values.join(' or ')}`,
  );
  return {
    title: ruleset.name,
    body: html`<div class="heading"><h1 dir="auto">${ruleset.name}</h1>${enforcements[ruleset.enforcement]}</div>${factList([
      ['For', targets[ruleset.target]],
      ['Named', patterns(ref_name?.include)],
      ['Not named', patterns(ref_name?.exclude)],
      [
        'Repositories',
        patterns(repository_name?.include) ??
          (repository_id?.repository_ids ? `${repository_id.repository_ids.length} chosen ones` : undefined),
      ],
      ['Without', patterns(repository_name?.exclude)],
      ['With properties', properties.join(', ')],
      ['From', ruleset.source],
      ['May pass it by', bypass_actors && bypassText(bypass_actors)],
      ['You', current_user_can_bypass && ownBypass[current_user_can_bypass]],
      ['Changed', timeAgo(ruleset.updated_at, request.now)],
    ])}<section class="panel"><header><h2>Rules</h2></header>${
      rules.length === 0
        ? html`<p class="body soft">It demands nothing.</p>`
        : html`<ul class="rows">${rules.map((rule) => html`<li>${ruleSentence(rule)}</li>`)}</ul>`
    }</section>`,
  };
};

const repositoryFrame = inRepositorySettings('rules');
const organizationFrame = inOrganizationSettings('rules');

export const repositoryRulesets = page({
  path: '/{owner}/{repo}/rules',
  frame: repositoryFrame,
  reads: ({ query }) => ({ rulesets: read(listRepoRulesets, { query: { per_page: perPage, page: query.page } }) }),
  // An organization's ruleset is shown below the repository as well, since its own page is for owners.
  render: ({ repository, rulesets }, request, positions) =>
    listBody(rulesets, request, positions.rulesets, ({ id }) => pagePath(repository.full_name, 'rules', id)),
});

export const repositoryRuleset = page({
  path: '/{owner}/{repo}/rules/{ruleset_id}',
  frame: repositoryFrame,
  reads: () => ({ ruleset: read(getRepoRuleset) }),
  render: ({ ruleset }, request) => rulesetBody(ruleset, request),
});

export const repositoryRulesSettings = page({
  path: '/{owner}/{repo}/settings/rules',
  frame: repositoryFrame,
  render: ({ repository }) => ({ redirect: pagePath(repository.full_name, 'rules') }),
});

export const organizationRulesets = page({
  path: '/organizations/{org}/settings/rules',
  frame: organizationFrame,
  reads: ({ query }) => ({ rulesets: read(listOrgRulesets, { query: { per_page: perPage, page: query.page } }) }),
  render: ({ rulesets }, request, positions) =>
    listBody(rulesets, request, positions.rulesets, ({ _links }) => localAddress(_links.html.href, request.links.html)),
});

export const organizationRuleset = page({
  path: '/organizations/{org}/settings/rules/{ruleset_id}',
  frame: organizationFrame,
  reads: () => ({ ruleset: read(getOrgRuleset) }),
  render: ({ ruleset }, request) => rulesetBody(ruleset, request),
});
