import { groupOf, publish } from '#test/resources/actions/hosted-runners/setting.ts';
import { cloudA } from '#test/resources/actions/private-registries/setting.ts';
import { oauthToken } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import { fresh } from '#test/support/world.ts';
import { eventNames } from '#webhook-delivery/event-names.ts';
import type { Stage } from './stage.ts';

/** The path words and a body for a valid call. */
export type Request = { words: Record<string, string | number>; body?: object };

type Maker = (stage: Stage, client: Client) => Promise<Request>;

const accepted = (reply: { status: number; text: string; body: { id: number; name: string; number: number } }) => {
  if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`);
  return reply.body;
};

const nothing: Maker = async () => ({ words: {} });
const wantedRunner = async ({ here, org }: Stage) => ({
  name: fresh('runner'),
  image: { id: 'ubuntu-24.04', source: 'service' },
  size: '4-core',
  runner_group_id: await groupOf(here, org),
});

const runner: Maker = async (stage, client) => {
  const path = `/orgs/${stage.org.login}/actions/hosted-runners`;
  return { words: { hosted_runner_id: accepted(await client.post(path, await wantedRunner(stage))).id } };
};

/** An image with one version, made by its own runner. */
const image: Maker = async (stage, client) => {
  const path = `/orgs/${stage.org.login}/actions/hosted-runners`;
  const maker = accepted(await client.post(path, { ...(await wantedRunner(stage)), image_gen: true }));
  await stage.here.settle();
  const { image: id, version } = await publish(stage, { runner: maker.name, image: fresh('image') });
  return { words: { image_definition_id: id, version } };
};

const registry: Maker = async ({ org }, client) => ({
  words: { secret_name: accepted(await client.post(`/orgs/${org.login}/private-registries`, cloudA)).name },
});

const field: Maker = async ({ org }, client) => {
  const made = accepted(await client.post(`/orgs/${org.login}/issue-fields`, { name: fresh('field'), data_type: 'text' }));
  return { words: { issue_field_id: made.id } };
};

let hooks = 0;

/** A webhook with its own address, for an event that only a few others subscribe to. */
const wantedHook = ({ url }: Stage) => {
  const number = hooks++;
  return { name: 'web', config: { url: `${url}/${number}` }, events: [eventNames[number % eventNames.length]] };
};

/** A webhook created by the stage's OAuth app, which is the only such app that reaches it. */
const hook: Maker = async (stage) => {
  const { here, owner, org, app } = stage;
  const client = await here.as(await oauthToken(here, owner, ['admin:org_hook'], app));
  return { words: { hook_id: accepted(await client.post(`/orgs/${org.login}/hooks`, wantedHook(stage))).id } };
};

const delivery: Maker = async (stage, client) => {
  const { words } = await hook(stage, client);
  await stage.here.settle();
  const { body } = await client.get(`/orgs/${stage.org.login}/hooks/${words.hook_id}/deliveries`);
  return { words: { ...words, delivery_id: body[0].id } };
};

const withBody =
  (maker: Maker, body: (stage: Stage) => object | Promise<object>): Maker =>
  async (stage, client) => ({ ...(await maker(stage, client)), body: await body(stage) });

const inRepo = ({ org, repo }: Stage): string => `/repos/${org.login}/${repo.name}`;

const repoHook: Maker = async (stage, client) => ({
  words: { hook_id: accepted(await client.post(`${inRepo(stage)}/hooks`, wantedHook(stage))).id },
});

const repoDelivery: Maker = async (stage, client) => {
  const { words } = await repoHook(stage, client);
  await stage.here.settle();
  const { body } = await client.get(`${inRepo(stage)}/hooks/${words.hook_id}/deliveries`);
  return { words: { ...words, delivery_id: body[0].id } };
};

const issue: Maker = async (stage, client) => {
  const { number } = accepted(await client.post(`${inRepo(stage)}/issues`, { title: 'One' }));
  return { words: { issue_number: number } };
};

let noteId: Promise<number> | undefined;

/** The single field for the values, since an organization may only have a few. */
const noteField = ({ org }: Stage, client: Client): Promise<number> => {
  noteId ??= client
    .post(`/orgs/${org.login}/issue-fields`, { name: 'Note', data_type: 'text', visibility: 'all' })
    .then((reply) => accepted(reply).id);
  return noteId;
};

/** Outsiders find the list of fields only if it has a public one. */
const withVisibleField: Maker = async (stage, client) => {
  await noteField(stage, client);
  return { words: {} };
};

const value: Maker = async (stage, client) => {
  const { words } = await issue(stage, client);
  const issue_field_id = await noteField(stage, client);
  const issue_field_values = [{ field_id: issue_field_id, value: 'first' }];
  accepted(await client.post(`${inRepo(stage)}/issues/${words.issue_number}/issue-field-values`, { issue_field_values }));
  return { words: { ...words, issue_field_id } };
};

/** A call to each endpoint of document 2's organization part. */
export const requests: Readonly<Record<string, Maker>> = {
  'GET /orgs/{org}/actions/hosted-runners': nothing,
  'POST /orgs/{org}/actions/hosted-runners': withBody(nothing, wantedRunner),
  'GET /orgs/{org}/actions/hosted-runners/{hosted_runner_id}': runner,
  'PATCH /orgs/{org}/actions/hosted-runners/{hosted_runner_id}': withBody(runner, () => ({ maximum_runners: 3 })),
  'DELETE /orgs/{org}/actions/hosted-runners/{hosted_runner_id}': runner,
  'GET /orgs/{org}/actions/hosted-runners/images/service-owned': nothing,
  'GET /orgs/{org}/actions/hosted-runners/images/partner': nothing,
  'GET /orgs/{org}/actions/hosted-runners/limits': nothing,
  'GET /orgs/{org}/actions/hosted-runners/machine-sizes': nothing,
  'GET /orgs/{org}/actions/hosted-runners/platforms': nothing,
  'GET /orgs/{org}/actions/hosted-runners/images/custom': nothing,
  'GET /orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}': image,
  'DELETE /orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}': image,
  'GET /orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions': image,
  'GET /orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions/{version}': image,
  'DELETE /orgs/{org}/actions/hosted-runners/images/custom/{image_definition_id}/versions/{version}': image,
  'GET /orgs/{org}/private-registries': nothing,
  'POST /orgs/{org}/private-registries': withBody(nothing, () => cloudA),
  'GET /orgs/{org}/private-registries/public-key': nothing,
  'GET /orgs/{org}/private-registries/{secret_name}': registry,
  'PATCH /orgs/{org}/private-registries/{secret_name}': withBody(registry, () => ({ url: 'https://other.example/' })),
  'DELETE /orgs/{org}/private-registries/{secret_name}': registry,
  'GET /orgs/{org}/issue-fields': withVisibleField,
  'POST /orgs/{org}/issue-fields': withBody(nothing, () => ({ name: fresh('field'), data_type: 'number' })),
  'PATCH /orgs/{org}/issue-fields/{issue_field_id}': withBody(field, () => ({ description: 'changed' })),
  'DELETE /orgs/{org}/issue-fields/{issue_field_id}': field,
  'GET /orgs/{org}/hooks': nothing,
  'POST /orgs/{org}/hooks': withBody(nothing, wantedHook),
  'GET /orgs/{org}/hooks/{hook_id}': hook,
  'PATCH /orgs/{org}/hooks/{hook_id}': withBody(hook, () => ({ active: false })),
  'DELETE /orgs/{org}/hooks/{hook_id}': hook,
  'GET /orgs/{org}/hooks/{hook_id}/config': hook,
  'PATCH /orgs/{org}/hooks/{hook_id}/config': withBody(hook, () => ({ content_type: 'json' })),
  'GET /orgs/{org}/hooks/{hook_id}/deliveries': hook,
  'GET /orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}': delivery,
  'POST /orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts': delivery,
  'POST /orgs/{org}/hooks/{hook_id}/pings': hook,
};

/** A call to each endpoint for the same resources in a repository. */
export const requestsInRepositories: Readonly<Record<string, Maker>> = {
  'GET /repos/{owner}/{repo}/hooks': nothing,
  'POST /repos/{owner}/{repo}/hooks': withBody(nothing, wantedHook),
  'GET /repos/{owner}/{repo}/hooks/{hook_id}': repoHook,
  'PATCH /repos/{owner}/{repo}/hooks/{hook_id}': withBody(repoHook, () => ({ active: false })),
  'DELETE /repos/{owner}/{repo}/hooks/{hook_id}': repoHook,
  'GET /repos/{owner}/{repo}/hooks/{hook_id}/config': repoHook,
  'PATCH /repos/{owner}/{repo}/hooks/{hook_id}/config': withBody(repoHook, () => ({ content_type: 'json' })),
  'GET /repos/{owner}/{repo}/hooks/{hook_id}/deliveries': repoHook,
  'GET /repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}': repoDelivery,
  'POST /repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts': repoDelivery,
  'POST /repos/{owner}/{repo}/hooks/{hook_id}/pings': repoHook,
  'POST /repos/{owner}/{repo}/hooks/{hook_id}/tests': repoHook,
  'GET /repos/{owner}/{repo}/issues/{issue_number}/issue-field-values': value,
  'POST /repos/{owner}/{repo}/issues/{issue_number}/issue-field-values': async (stage, client) => {
    const { words } = await value(stage, client);
    const { issue_field_id: field_id, ...rest } = words;
    return { words: rest, body: { issue_field_values: [{ field_id, value: fresh('value') }] } };
  },
  'DELETE /repos/{owner}/{repo}/issues/{issue_number}/issue-field-values/{issue_field_id}': value,
};
