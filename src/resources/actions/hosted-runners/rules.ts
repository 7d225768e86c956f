import { isDeepStrictEqual } from 'node:util';
import type { OrganizationAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inOrganization } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { findGroup } from '#resources/identity/runner-groups/index.ts';
import type { Catalogue, MachineSize } from '#runner-providers/catalogue.ts';
import type { Provider } from '#runner-providers/provider.ts';
import { enqueueProvisioning, enqueueRemoval } from './enqueue.ts';
import { checkUnversioned, type ImageColumns, type ImageRequest, imageFor, invalidRunner, machineFor } from './images.ts';
import type { HostedRunnerChange, NewHostedRunner } from './schemas.ts';
import { countStaticIps, findRunnerNamed, insertRunner, type RunnerRow, updateRunner } from './store.ts';
import { latestVersion } from './versions.ts';

type RunnerAction = OrganizationAction & { catalogue: Catalogue; provider: Pick<Provider, 'givesPublicIps'> };

/** The default of `maximum_runners` (the public API's). */
const defaultMaximum = 10;

export async function createRunner(scope: WriteScope, action: RunnerAction, wanted: NewHostedRunner): Promise<RunnerRow> {
  const { org, now, catalogue } = action;
  await lockOrganization(scope.tx, org.id);
  const image = await imageFor(scope, { organization: org.id, catalogue, wanted: imageOf(wanted) });
  const machine = machineFor(catalogue, wanted.size, image);
  await checkName(scope, org.id, wanted.name);
  if (wanted.enable_static_ip) await checkStaticIps(scope, action);
  const runner = await insertRunner(scope.tx, {
    organization_id: org.id,
    runner_group_id: await getGroupId(scope, org.id, wanted.runner_group_id),
    name: wanted.name,
    status: 'Provisioning',
    ...image,
    ...columnsOf(machine),
    maximum_runners: checkMaximum(catalogue, wanted.maximum_runners ?? Math.min(defaultMaximum, maxRunnersOf(catalogue))),
    static_ip: wanted.enable_static_ip,
    image_gen: wanted.image_gen,
    created_at: now,
    updated_at: now,
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'hosted_runner.created', data: { runner: runner.id } });
  await enqueueProvisioning(scope.tx, [runner.id]);
  return runner;
}

/** Changes the named settings of a runner. If the change affects its machine, it is provisioned again. */
export async function changeRunner(
  scope: WriteScope,
  action: RunnerAction,
  before: RunnerRow,
  wanted: HostedRunnerChange,
): Promise<RunnerRow> {
  const { org, now } = action;
  if (before.status === 'Deleting') throw unprocessable(`The runner ${before.name} is being deleted`);
  const after = { ...before, ...(await machineColumns(scope, action, before, wanted)) };
  if (wanted.name !== undefined) await checkName(scope, org.id, wanted.name, before.id);
  const group = wanted.runner_group_id === undefined ? undefined : await getGroupId(scope, org.id, wanted.runner_group_id);
  const { id: _id, revision: _revision, ...columns } = after;
  const changed = await updateRunner(scope.tx, before.id, {
    ...columns,
    ...defined({ name: wanted.name, image_gen: wanted.image_gen, runner_group_id: group }),
    ...(isDeepStrictEqual(after, before) ? {} : { status: 'Provisioning', problem: null }),
    updated_at: now,
  });
  await record(scope.tx, { ...inOrganization(action), kind: 'hosted_runner.updated', data: { runner: changed.id } });
  if (changed.status !== 'Ready') await enqueueProvisioning(scope.tx, [changed.id]);
  return changed;
}

/** Marks a runner for deletion. A job removes the machine and then the row. Deleting it again meanwhile has no effect. */
export async function deleteRunner(scope: WriteScope, action: OrganizationAction, runner: RunnerRow): Promise<RunnerRow> {
  if (runner.status === 'Deleting') return runner;
  const deleted = await updateRunner(scope.tx, runner.id, { status: 'Deleting', updated_at: action.now });
  await record(scope.tx, {
    ...inOrganization(action),
    kind: 'hosted_runner.deleted',
    data: { runner: runner.id, name: runner.name },
  });
  await enqueueRemoval(scope.tx, [runner.id]);
  return deleted;
}

const imageOf = ({ image: { id, source, version } }: NewHostedRunner): ImageRequest => ({
  id,
  source,
  version: versionOf(version),
  fields: { id: 'image.id', source: 'image.source', version: 'image.version' },
});

/** An empty version means the latest one: clients with typed requests send it. */
const versionOf = (version: string | null | undefined): string | undefined =>
  version === null || version === '' || version === latestVersion ? undefined : version;

const columnsOf = ({ id, cpu_cores, memory_gb, storage_gb }: MachineSize) => ({
  size_id: id,
  cpu_cores,
  memory_gb,
  storage_gb,
});

/** The changed columns that require provisioning the machine again. */
async function machineColumns(scope: WriteScope, action: RunnerAction, before: RunnerRow, wanted: HostedRunnerChange) {
  const { size, maximum_runners, enable_static_ip: staticIp = before.static_ip } = wanted;
  const image = await changedImage(scope, action, before, wanted);
  if (staticIp && !before.static_ip) await checkStaticIps(scope, action);
  const isOtherMachine = image !== undefined || (size !== undefined && size !== before.size_id);
  return {
    ...image,
    ...(isOtherMachine ? columnsOf(machineFor(action.catalogue, size ?? before.size_id, image ?? before)) : {}),
    ...(maximum_runners === undefined ? {} : { maximum_runners: checkMaximum(action.catalogue, maximum_runners) }),
    static_ip: staticIp,
  };
}

/** The image that a change names, if any. Without `image_id`, the other image fields apply to the runner's current image. */
async function changedImage(
  scope: WriteScope,
  { org, catalogue }: RunnerAction,
  before: RunnerRow,
  { image_id, image_source, image_version }: HostedRunnerChange,
): Promise<ImageColumns | undefined> {
  const fields = { id: 'image_id', source: 'image_source', version: 'image_version' };
  if (image_id === undefined && image_source !== undefined && image_source !== before.image_source)
    throw invalidRunner('image_source', `The image ${before.image_id} is not of the source that is named`);
  const version = versionOf(image_version);
  if (image_id === undefined && before.image_source !== 'custom') {
    checkUnversioned(before, version, fields.version);
    return undefined;
  }
  if (image_id === undefined && image_version === undefined) return undefined;
  const wanted = { id: image_id ?? before.image_id, source: image_source, version, fields };
  return imageFor(scope, { organization: org.id, catalogue, wanted });
}

async function getGroupId(scope: WriteScope, organization: Id<'accounts'>, wanted: number): Promise<Id<'runner_groups'>> {
  const group = await findGroup(scope.tx, organization, wanted);
  if (!group) throw invalidRunner('runner_group_id', `There is no runner group ${wanted} in this organization`);
  return group.id;
}

async function checkName(
  scope: WriteScope,
  organization: Id<'accounts'>,
  name: string,
  ownId?: Id<'hosted_runners'>,
): Promise<void> {
  const other = await findRunnerNamed(scope.tx, organization, name);
  if (other && other.id !== ownId) throw invalid('HostedRunner', 'name', 'already_exists');
}

const maxRunnersOf = ({ limits }: Catalogue): number => limits.maximum_runners;

function checkMaximum(catalogue: Catalogue, wanted: number): number {
  if (wanted > maxRunnersOf(catalogue))
    throw invalidRunner('maximum_runners', `At most ${maxRunnersOf(catalogue)} runners are allowed`);
  return wanted;
}

/** Refuses more static addresses than allowed. The organization is locked, so that two requests can't both take the last one. */
async function checkStaticIps(scope: WriteScope, { org, catalogue: { limits }, provider }: RunnerAction): Promise<void> {
  if (!provider.givesPublicIps) throw invalidRunner('enable_static_ip', 'The runners of this server have no static addresses');
  if ((await countStaticIps(scope.tx, org.id)) >= limits.public_ips)
    throw invalidRunner('enable_static_ip', `At most ${limits.public_ips} runners of an organization have static addresses`);
}
