import { cloudA, sealed } from '#test/resources/actions/private-registries/setting.ts';
import type { Places } from './places.ts';

const hookBody = {
  name: 'web',
  config: { url: 'https://ci.example/x', content_type: 'json', secret: 's', insecure_ssl: '0', username: 'u', password: 'p' },
  events: ['push'],
  active: true,
};
const configBody = { url: 'https://ci.example/y', content_type: 'json', secret: 's', insecure_ssl: '0' };
const option = { name: 'High', description: 'first', color: 'red', priority: 1 };
/** Valid bodies, by the calls that accept them, with all compatible fields. */
export async function rightBodies(places: Places): Promise<(readonly [string, object])[]> {
  const runnerBody = {
    name: 'another',
    size: '4-core',
    runner_group_id: places.group,
    maximum_runners: 2,
    enable_static_ip: false,
    image_gen: false,
  };
  const tokenRegistry = {
    registry_type: 'npm_registry',
    url: 'https://npm.example/',
    username: 'ada',
    replaces_base: true,
    visibility: 'selected',
    selected_repository_ids: [places.repo.id],
    auth_type: 'token',
    ...(await sealed(places.client, places.org, 'value')),
  };

  return [
    [
      'POST /orgs/{org}/actions/hosted-runners',
      { ...runnerBody, image: { id: 'ubuntu-24.04', source: 'service', version: null } },
    ],
    [
      'PATCH /orgs/{org}/actions/hosted-runners/{hosted_runner_id}',
      { ...runnerBody, image_id: 'ubuntu-24.04', image_source: 'service', image_version: null },
    ],
    ['POST /orgs/{org}/private-registries', tokenRegistry],
    ['POST /orgs/{org}/private-registries', cloudA],
    ['PATCH /orgs/{org}/private-registries/{secret_name}', cloudA],
    [
      'POST /orgs/{org}/issue-fields',
      { name: 'Urgency', description: 'How soon', data_type: 'single_select', visibility: 'all', options: [option] },
    ],
    [
      'PATCH /orgs/{org}/issue-fields/{issue_field_id}',
      { name: 'Urgency', description: 'How soon', visibility: 'all', options: [{ ...option, id: places.option }] },
    ],
    ['POST /orgs/{org}/hooks', hookBody],
    ['PATCH /orgs/{org}/hooks/{hook_id}', hookBody],
    ['PATCH /orgs/{org}/hooks/{hook_id}/config', configBody],
    ['POST /repos/{owner}/{repo}/hooks', hookBody],
    ['PATCH /repos/{owner}/{repo}/hooks/{hook_id}', { ...hookBody, add_events: ['fork'], remove_events: ['fork'] }],
    ['PATCH /repos/{owner}/{repo}/hooks/{hook_id}/config', configBody],
    [
      'POST /repos/{owner}/{repo}/issues/{issue_number}/issue-field-values',
      { issue_field_values: [{ field_id: places.field, value: 'High' }] },
    ],
  ];
}
