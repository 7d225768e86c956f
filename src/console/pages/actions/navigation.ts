// What stands beside the pages of workflows.
import { repositoryPath, type ShownRepository } from '#console/frames/repository.ts';
import { type IconName, icon } from '#html/icons.ts';
import { attribute, html, type TrustedHtml } from '#html/template.ts';

type ShownWorkflow = { readonly name: string; readonly path: string; readonly state: string };

/** The word of a workflow in addresses: the name of its file, or its whole path where others may have the same name. */
export const workflowAddress = (repository: ShownRepository, path: string): string =>
  repositoryPath(repository, 'actions', 'workflows', path.replace(/^\.(?:service|github)\/workflows\/(?=[^/]+$)/, ''));

/** The workflows of a repository, and what belongs to all of them. `current`: the path of a workflow, or a page. */
export function actionsSide(
  repository: ShownRepository,
  workflows: readonly ShownWorkflow[],
  current: string | undefined,
): TrustedHtml {
  const link = (address: string, key: string, name: IconName, text: string, more = html``): TrustedHtml =>
    html`<li><a href="${address}"${attribute('aria-current', key === current && 'page')} title="${text}">${icon(name)}<span
class="cut">${text}</span>${more}</a></li>`;
  const runners = repositoryPath(repository, 'settings', 'actions', 'runners');
  const isAdministrator = repository.permissions?.admin === true;
  const disabled = ({ state }: ShownWorkflow) =>
    state === 'active' ? html`` : html`<span class="badge">${wordOf(state)}</span>`;
  return html`<nav class="side-list" aria-label="Workflows"><ul>
${link(repositoryPath(repository, 'actions'), 'all', 'list', 'All workflows')}
${workflows.map((one) => link(workflowAddress(repository, one.path), one.path, 'workflow', one.name, disabled(one)))}</ul>
<h2>Management</h2><ul>
${link(repositoryPath(repository, 'actions', 'caches'), 'caches', 'package', 'Caches')}
${link(repositoryPath(repository, 'deployments'), 'deployments', 'deployment', 'Deployments')}
${isAdministrator ? link(runners, 'runners', 'server', 'Runners') : ''}</ul></nav>`;
}

const wordOf = (state: string): string => (state === 'deleted' ? 'deleted' : 'off');
