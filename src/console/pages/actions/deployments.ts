// Deployments, and the environments that they go to.

import type { Static } from 'typebox';
import { localAddress, pagePath } from '#console/components/address.ts';
import { counted, emptyState, pager } from '#console/components/lists.ts';
import { personLink } from '#console/components/person.ts';
import { stateIcon } from '#console/components/run-state.ts';
import { middleCut } from '#console/components/text.ts';
import { timeAgo } from '#console/components/time.ts';
import { inRepository, repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type PageRequest, page, read, readOptional } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { icon } from '#html/icons.ts';
import { html, joined, type TrustedHtml } from '#html/template.ts';
import { listDeploymentsWithState } from '#resources/actions/deployments/of-pages.ts';
import type { DeploymentWithState } from '#resources/actions/deployments/schemas.ts';
import {
  getEnvironment,
  listDeploymentBranchPolicies,
  listDeploymentProtectionRules,
  listRepoEnvironments,
} from '#resources/actions/environments/endpoints.ts';
import type { Environment } from '#resources/actions/environments/schemas.ts';

const perPage = 30;
const mostEnvironments = 100;

type Deployment = Static<typeof DeploymentWithState>;

/** The state of a run whose icon each state of a deployment has. */
const asRun: Readonly<Record<string, { status: string | null; conclusion: string | null }>> = {
  success: { status: null, conclusion: 'success' },
  failure: { status: null, conclusion: 'failure' },
  error: { status: null, conclusion: 'failure' },
  in_progress: { status: 'in_progress', conclusion: null },
  queued: { status: 'queued', conclusion: null },
  pending: { status: 'pending', conclusion: null },
  inactive: { status: null, conclusion: 'neutral' },
};
const words: Readonly<Record<string, string>> = { success: 'Active', inactive: 'Replaced', error: 'Failed' };
const wordOf = (state: string | null): string =>
  words[state ?? ''] ?? (state ?? 'Requested').replace(/^./, (letter) => letter.toUpperCase()).replace('_', ' ');

type List = {
  readonly repository: ShownRepository;
  readonly deployments: readonly Deployment[];
  readonly position: ListPosition | undefined;
};

function deploymentList(request: PageRequest<unknown>, { repository, deployments, position }: List): TrustedHtml {
  const rows = deployments.map((one) => {
    const log = one.log_url === '' ? '' : html` · <a href="${localAddress(one.log_url, request.links.html)}">log</a>`;
    return html`<li>${stateIcon(asRun[one.state ?? 'queued'])}<div class="grow"><b>${wordOf(one.state)}</b> in
<a href="${repositoryPath(repository, 'deployments', one.environment)}">${one.environment}</a> ${one.description ?? ''}
<div class="small soft">${middleCut(one.ref, 40)} at <a
href="${repositoryPath(repository, 'commit', one.sha)}">${one.sha.slice(0, 7)}</a>
by ${personLink(one.creator)}${log}</div></div><span class="small soft">${timeAgo(one.created_at, request.now)}</span></li>`;
  });
  const empty = emptyState({
    icon: 'deployment',
    title: 'Deployments will be listed here.',
    hint: html`A job that names an <code>environment</code> makes one, and so do programs by the API.`,
  });
  return html`<section class="panel"><header><h2>Deployments</h2></header>
${rows.length === 0 ? empty : html`<ul class="rows">${rows}</ul>`}</section>${pager(request, { position, perPage })}`;
}

const environmentsSide = (repository: ShownRepository, environments: readonly Environment[], current?: string): TrustedHtml =>
  html`<nav class="side-list" aria-label="Environments"><ul>
<li><a href="${repositoryPath(repository, 'deployments')}">${icon('list')}All deployments</a></li>${environments.map(
    ({ name }) =>
      html`<li><a href="${repositoryPath(repository, 'deployments', name)}" title="${name}">${icon('deployment')}${
        name === current ? html`<b class="cut">${name}</b>` : html`<span class="cut">${name}</span>`
      }</a></li>`,
  )}</ul></nav>`;

const environments = () => read(listRepoEnvironments, { query: { per_page: mostEnvironments } });

export const deploymentsPage = page({
  path: '/{owner}/{repo}/deployments',
  frame: inRepository('actions'),
  reads: ({ query }) => ({
    deployments: read(listDeploymentsWithState, { query: { per_page: perPage, page: query.page } }),
    environments: environments(),
  }),
  render: ({ repository, deployments, environments: all }, request, { deployments: position }) => ({
    title: `Deployments · ${repository.full_name}`,
    body: html`<div class="split start"><aside>${environmentsSide(repository, all.environments)}</aside><div>
<div class="heading"><h1>Deployments</h1><span class="soft">${counted(all.total_count, 'environment')}</span></div>
${deploymentList(request, { repository, deployments, position })}</div></div>`,
  }),
});

/** The address of environments in the API's replies. */
export const activityLogPage = page({
  path: '/{owner}/{repo}/deployments/activity_log',
  frame: inRepository('actions'),
  render({ repository }, { query }) {
    const name = query.environments_filter;
    return { redirect: name ? repositoryPath(repository, 'deployments', name) : repositoryPath(repository, 'deployments') };
  },
});

export const environmentPage = page({
  path: '/{owner}/{repo}/deployments/{environment*}',
  frame: inRepository('actions'),
  reads: ({ words: { environment }, query }) => {
    const named = { environment_name: environment };
    return {
      environment: read(getEnvironment, { words: named }),
      policies: readOptional(listDeploymentBranchPolicies, { words: named, query: { per_page: 100 } }),
      apps: readOptional(listDeploymentProtectionRules, { words: named }),
      deployments: read(listDeploymentsWithState, { query: { environment, per_page: perPage, page: query.page } }),
      environments: environments(),
    };
  },
  render({ repository, environment, policies, apps, deployments, environments: all }, request, { deployments: position }) {
    const rules = protection(environment, policies?.branch_policies ?? [], apps?.custom_deployment_protection_rules ?? []);
    return {
      title: `${environment.name} · ${repository.full_name}`,
      body: html`<div class="split start"><aside>${environmentsSide(repository, all.environments, environment.name)}</aside><div>
<div class="heading"><h1>${environment.name}</h1></div><div class="stack"><section class="panel"><header>
<h2>Protection</h2></header>
<ul class="body">${rules}</ul></section>${deploymentList(request, { repository, deployments, position })}</div></div></div>`,
    };
  },
});

type BranchPolicy = { readonly name: string; readonly type?: string | undefined };
type App = { readonly app: { readonly slug: string } };

/** What a job waits for before it enters an environment, in sentences. */
function protection(
  { protection_rules, deployment_branch_policy: branches, can_admins_bypass }: Environment,
  policies: readonly BranchPolicy[],
  apps: readonly App[],
): TrustedHtml[] {
  const sentences = protection_rules.flatMap((rule) => {
    if (rule.type === 'wait_timer')
      return [html`<li>${icon('clock')} Each job waits for ${counted(rule.wait_timer, 'minute')}.</li>`];
    if (rule.type === 'branch_policy') return [];
    const names = rule.reviewers.map(({ type, reviewer }) =>
      type === 'User' && 'login' in reviewer ? personLink(reviewer) : html`${'name' in reviewer ? reviewer.name : ''}`,
    );
    const own = rule.prevent_self_review ? ' Nobody approves what they started themselves.' : '';
    return [html`<li>${icon('people')} One of ${joined(names, ', ')} approves each deployment.${own}</li>`];
  });
  const patterns = policies.map(({ name }) => html`<code>${name}</code>`);
  const allowed =
    patterns.length === 0
      ? 'No branch may be deployed: no pattern allows one.'
      : html`Only branches and tags like ${joined(patterns, ', ')} may be deployed.`;
  const refs = !branches
    ? html`<li>${icon('branch')} Every branch and tag may be deployed.</li>`
    : branches.protected_branches
      ? html`<li>${icon('branch')} Only protected branches may be deployed.</li>`
      : html`<li>${icon('branch')} ${allowed}</li>`;
  const asked = apps.map(
    ({ app }) =>
      html`<li>${icon('webhook')} The app <a href="${pagePath('apps', app.slug)}">${app.slug}</a> decides as well.</li>`,
  );
  const bypass =
    sentences.length > 0 && can_admins_bypass ? [html`<li class="soft">Administrators may pass without waiting.</li>`] : [];
  return [...sentences, ...asked, refs, ...bypass];
}
