// What repositories get of the configurations of their organization, in the background.

import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { subscription } from '#events/subscription.ts';
import { enqueue, job } from '#jobs/job.ts';
import { stepsOf } from '#jobs/repeat.ts';
import { asId, type Id } from '#lib/id.ts';
import { Refusal } from '#lib/refusal.ts';
import {
  applySecurity,
  changeSecurity,
  lockRepository,
  type SecurityChange,
} from '#resources/repositories/repositories/index.ts';
import { scanningSetup, switchOfProduct } from './settings.ts';
import { findEnforcedSetup, requestSetup, setupOf, type WantedSetup } from './setups.ts';
import {
  type AttachedRow,
  findAttachedForUpdate,
  findConfiguration,
  findEnablement,
  listDefaults,
  listRepositoriesOf,
  listWaiting,
  putAttachments,
  removeEnablement,
  removeForeign,
  updateAttached,
} from './store.ts';

type Repository = NonNullable<Awaited<ReturnType<typeof lockRepository>>>;

/** Repositories of one statement. Each has a transaction of its own. */
const repositoriesPerBatch = 100;
const first = asId<'repositories'>(0);

/** Gives a configuration to the repositories that wait for it. */
export const applyConfiguration = job<{ configuration: Id<'security_configurations'> }, JobContext>({
  name: 'code-security.apply',
  attempts: 25,
  async run({ configuration }, { db, change, now, stopping }: JobContext) {
    for (let after: Id<'repositories'> = first; ; ) {
      stopping?.throwIfAborted();
      const waiting = await listWaiting(db, configuration, { after, limit: repositoriesPerBatch });
      for (const { repository_id } of stepsOf({ stopping }, waiting))
        await change((scope) => applyTo(scope, repository_id, configuration, now));
      const last = waiting.at(-1);
      if (!last || waiting.length < repositoriesPerBatch) return;
      after = last.repository_id;
    }
  },
});

const isWaiting = ({ status }: AttachedRow): boolean => status === 'attaching' || status === 'updating';

/** Gives a repository the switches of its configuration; why that fails is stored. */
async function applyTo(
  scope: WriteScope,
  id: Id<'repositories'>,
  configuration: Id<'security_configurations'>,
  now: Date,
): Promise<void> {
  const repo = await lockRepository(scope.tx, id);
  const row = await findAttachedForUpdate(scope.tx, id);
  const wanted = await findConfiguration(scope.tx, configuration);
  if (!repo || !row || !wanted || row.configuration_id !== configuration || !isWaiting(row)) return;
  const problem = await refusalOf(() => applySecurity(scope, { repo, by: byOf(row.actor_id), now }, wanted.switches));
  const setup = problem === undefined ? setupOf(wanted.settings, wanted.enforcement) : undefined;
  if (setup) await requestSetup(scope, { repo, by: byOf(row.actor_id), now }, setup);
  const done = wanted.enforcement === 'enforced' ? 'enforced' : 'attached';
  await updateAttached(scope.tx, id, { status: problem === undefined ? done : 'failed', problem: problem ?? null });
}

const byOf = (id: Id<'accounts'> | null) => (id === null ? {} : { account: { id } });

/** The message of a refusal; undefined where nothing is refused. Rules refuse before they write. */
async function refusalOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

type EnabledProduct = { organization: Id<'accounts'>; product: string; query_suite?: WantedSetup['query_suite'] };

/** Turns a product on or off in all repositories of an organization that may have it so. */
export const enableProduct = job<EnabledProduct, JobContext>({
  name: 'code-security.enable-product',
  attempts: 25,
  async run({ organization, product, query_suite }, context) {
    const { db, change } = context;
    const row = await findEnablement(db, { organization_id: organization, product });
    const name = Object.entries(switchOfProduct).find(([known]) => known === product)?.[1];
    if (!row || (name === undefined && product !== scanningSetup)) return;
    const setup: WantedSetup = { state: row.is_on ? 'configured' : 'not-configured', ...(query_suite && { query_suite }) };
    for (let after: Id<'repositories'> = first; ; ) {
      context.stopping?.throwIfAborted();
      const ids = await listRepositoriesOf(db, organization, { after, limit: repositoriesPerBatch });
      for (const id of stepsOf(context, ids))
        if (name === undefined) await setUpOne(context, id, setup, row.actor_id);
        else await switchOne(context, id, { [name]: row.is_on }, row.actor_id);
      const last = ids.at(-1);
      if (last === undefined || ids.length < repositoriesPerBatch) break;
      after = last;
    }
    await change((scope) => removeEnablement(scope.tx, row));
  },
});

/** What a repository can't have, since it lacks another product or its configuration says otherwise, stays as it is. */
const switchOne = ({ change, now }: JobContext, id: Id<'repositories'>, wanted: SecurityChange, actor: Id<'accounts'> | null) =>
  change(async (scope) => {
    const repo = await lockRepository(scope.tx, id);
    if (repo) await refusalOf(() => changeSecurity(scope, { repo, by: byOf(actor), now }, wanted));
  });

/** A repository whose configuration enforces something else stays as it is. */
const setUpOne = ({ change, now }: JobContext, id: Id<'repositories'>, setup: WantedSetup, actor: Id<'accounts'> | null) =>
  change(async (scope) => {
    const repo = await lockRepository(scope.tx, id);
    const enforced = repo && (await findEnforcedSetup(scope.tx, id));
    if (repo && (enforced?.state ?? setup.state) === setup.state)
      await requestSetup(scope, { repo, by: byOf(actor), now }, setup);
  });

/** Gives new repositories the configuration that their organization has for them. */
export const attachDefault = subscription<'repository.created', JobContext>({
  name: 'code-security.attach-default',
  on: ['repository.created'],
  attempts: 25,
  async run({ repository, actor }, { change }: JobContext) {
    if (repository === undefined) return;
    await change(async (scope) => {
      const repo = await lockRepository(scope.tx, repository);
      if (!repo || (await findAttachedForUpdate(scope.tx, repository))) return;
      const visibility = repo.visibility === 'public' ? 'public' : 'private_and_internal';
      const wanted = (await listDefaults(scope.tx, repo.owner_id)).find((row) => row.visibility === visibility);
      if (!wanted) return;
      const selected = { scope: 'selected' as const, selected_repository_ids: [repository] };
      await putAttachments(scope.tx, { organization: repo.owner_id, configuration: wanted.id, actor }, selected);
      await enqueue(scope.tx, applyConfiguration, { configuration: wanted.id }, { key: `security-configuration:${wanted.id}` });
    });
  },
});

/** A repository whose switches are others than those of its configuration has it no more; one of another owner neither. */
export const leaveConfiguration = subscription<
  'repository.security_changed' | 'repository.transferred' | 'default_setup.changed',
  JobContext
>({
  name: 'code-security.leave',
  on: ['repository.security_changed', 'repository.transferred', 'default_setup.changed'],
  attempts: 25,
  async run({ kind, repository, data }, { change }: JobContext) {
    if (repository === undefined) return;
    await change(async (scope) => {
      if (kind === 'repository.transferred') return void (await removeForeign(scope.tx, repository));
      const repo = await lockRepository(scope.tx, repository);
      const row = await findAttachedForUpdate(scope.tx, repository);
      if (!repo || row?.status !== 'attached') return;
      const wanted = await findConfiguration(scope.tx, row.configuration_id);
      const setup = wanted && setupOf(wanted.settings, wanted.enforcement);
      const hasOtherSetup =
        'product' in data && data.product === 'code_scanning' && setup !== undefined && setup.state !== data.state;
      if (wanted && (hasOtherSetup || !hasAll(repo, wanted.switches)))
        await updateAttached(scope.tx, repository, { status: 'removed', problem: null });
    });
  },
});

const hasAll = (repo: Repository, switches: SecurityChange): boolean =>
  Object.entries(switches).every(([name, wanted]) => repo[name as keyof SecurityChange] === wanted); // names of switches
