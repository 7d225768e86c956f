// Rulesets, invitations and apps, to which replies lead.
import { pagePath } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { timeAgo } from '#console/components/time.ts';
import { plainFrame } from '#console/frames/plain.ts';
import { inRepository, repositoryPath } from '#console/frames/repository.ts';
import { page, read, readOptional } from '#console/page.ts';
import { icon } from '#html/icons.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import { notFound } from '#lib/refusal.ts';
import { getRepoRuleset, listRepoRulesets } from '#resources/code/rulesets/endpoints.ts';
import { getApp } from '#resources/repositories/apps/endpoints/apps.ts';
import { listRepoInvitations } from '#resources/repositories/collaborators/endpoints/invitations.ts';
import { listInvitationsOfViewer } from '#resources/repositories/collaborators/endpoints/own-invitations.ts';

const perPage = 50;

const enforcements = { active: 'in force', evaluate: 'only evaluated', disabled: 'off' } as const;

/** A word of the API for people: `non_fast_forward` as "non fast forward". */
const spaced = (word: string): string => word.replaceAll('_', ' ');

export const rulesPage = page({
  path: '/{owner}/{repo}/rules',
  frame: inRepository('code'),
  reads: ({ query }) => ({ rulesets: read(listRepoRulesets, { query: { per_page: perPage, page: query.page } }) }),
  render({ rulesets, repository }, request, { rulesets: position }) {
    const rows = rulesets.map(
      (one) => html`<li>${icon('law')}<div class="grow"><a class="title" href="${repositoryPath(repository, 'rules', one.id)}"
dir="auto">${one.name}</a>
<p class="soft small">for ${one.target} · from ${one.source}</p></div><span
class="soft small">${enforcements[one.enforcement]}</span></li>`,
    );
    const empty = emptyState({ icon: 'law', title: 'Rules about branches, tags and pushes will be listed here.' });
    return {
      title: `Rules · ${repository.full_name}`,
      body: html`<div class="heading"><h1>Rules</h1></div>${
        rows.length === 0
          ? empty
          : html`<ul
class="rows panel">${rows}</ul>`
      }${pager(request, { position, perPage })}`,
    };
  },
});

export const rulesetPage = page({
  path: '/{owner}/{repo}/rules/{ruleset_id}',
  frame: inRepository('code'),
  reads: () => ({ ruleset: read(getRepoRuleset) }),
  render({ ruleset, repository }, { now }) {
    const { name, target, enforcement, source, conditions, rules, current_user_can_bypass: bypass } = ruleset;
    const { include = [], exclude = [] } = conditions?.ref_name ?? {};
    const list = (names: readonly string[]): TrustedHtml =>
      joined(
        names.map((one) => html`<code>${one}</code>`),
        ' ',
      );
    return {
      title: `${name} · ${repository.full_name}`,
      body: html`<p class="soft small"><a href="${repositoryPath(repository, 'rules')}">All rules</a></p><h1
dir="auto">${name}</h1>
<section class="panel"><header><h2>About it</h2></header><dl
class="facts body"><dt>State</dt><dd>${enforcements[enforcement]}</dd>
<dt>For</dt><dd>${target}</dd><dt>From</dt><dd>${source}</dd>
${include.length > 0 ? html`<dt>Refs</dt><dd>${list(include)}</dd>` : ''}
${exclude.length > 0 ? html`<dt>Except</dt><dd>${list(exclude)}</dd>` : ''}
${
  bypass === undefined
    ? ''
    : html`<dt>You may pass
it</dt><dd>${spaced(bypass)}</dd>`
}<dt>Changed</dt><dd>${timeAgo(ruleset.updated_at, now)}</dd></dl></section>
<section class="panel"><header><h2>Rules</h2></header><ul class="rows">${rules.map(
        ({ type, ...rest }) =>
          html`<li><div
class="grow"><b>${spaced(type)}</b>${parametersOf('parameters' in rest ? rest.parameters : undefined)}</div></li>`,
      )}</ul></section>`,
    };
  },
});

/** The settings of a rule, as words and numbers. */
function parametersOf(parameters: unknown): TrustedHtml {
  if (typeof parameters !== 'object' || parameters === null) return html``;
  const entries = Object.entries(parameters).map(
    ([name, value]) => html`<dt>${spaced(name)}</dt><dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`,
  );
  return html`<dl class="facts small">${entries}</dl>`;
}

/** Invitations to a repository. The people who are invited see their own, though they may not see the repository yet. */
export const invitationsPage = page({
  path: '/{owner}/{repo}/invitations',
  frame: plainFrame,
  isForPeople: true,
  reads: () => ({
    all: readOptional(listRepoInvitations, { query: { per_page: 100 } }),
    own: readOptional(listInvitationsOfViewer, { query: { per_page: 100 } }),
  }),
  render({ all, own }, { words: { owner, repo }, now }) {
    const name = `${owner}/${repo}`;
    const mine = own?.find(({ repository }) => repository.full_name.toLowerCase() === name.toLowerCase());
    if (!mine && !all) throw notFound();
    const invited = mine
      ? html`<div class="notice"><p><b>${mine.inviter?.login ?? 'Somebody'} invites you to ${mine.repository.full_name}</b></p>
<p>With the role ${mine.permissions}, ${timeAgo(mine.created_at, now)}. ${
          mine.expired
            ? 'The invitation is over: ask for another one.'
            : html`You accept it by
<code>PATCH /user/repository_invitations/${mine.id}</code>, and decline it by <code>DELETE</code>.`
        }</p></div>`
      : '';
    const rows = (all ?? []).map(
      (one) => html`<li>${personLink(one.invitee)}<span class="grow soft small">as ${one.permissions}, invited by
${one.inviter?.login ?? 'ghost'} ${timeAgo(one.created_at, now)}</span>
${one.expired ? html`<span class="badge">over</span>` : ''}</li>`,
    );
    const open = all
      ? rows.length === 0
        ? emptyState({ icon: 'mail', title: 'People who are invited and have not answered yet will be listed here.' })
        : html`<ul class="rows panel">${rows}</ul>`
      : '';
    return {
      title: `Invitations · ${name}`,
      body: html`<div class="heading"><h1>Invitations</h1>${
        all
          ? html`<a
href="${pagePath(owner, repo)}">${name}</a>`
          : ''
      }</div><div class="stack">${invited}${open}</div>`,
    };
  },
});

export const appPage = page({
  path: '/apps/{app_slug}',
  frame: plainFrame,
  reads: () => ({ app: read(getApp) }),
  render({ app }, { now }) {
    const permissions = Object.entries(app.permissions).map(
      ([name, level]) => html`<li>${spaced(name)}<span class="push soft">${level}</span></li>`,
    );
    return {
      title: app.name,
      body: html`<div class="heading"><h1 dir="auto">${app.name}</h1><span class="soft">an app of
${personLink(app.owner)}</span></div>
<p dir="auto">${app.description}</p><p><a href="${app.external_url}" rel="nofollow noreferrer">${app.external_url}</a></p>
<p class="soft small">Made ${timeAgo(app.created_at, now)}</p>
<section class="panel"><header><h2>What it asks for</h2></header>${
        permissions.length === 0
          ? html`<p class="body soft">It asks for no permission.</p>`
          : html`<ul class="rows">${permissions}</ul>`
      }</section>${
        app.events.length === 0
          ? ''
          : html`<p class="soft small">It is told of:
${app.events.map(spaced).join(', ')}.</p>`
      }`,
    };
  },
});
