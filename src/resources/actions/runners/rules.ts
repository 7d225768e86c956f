import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { conflict, forbidden, invalid, unprocessable } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { findGroup, getDefaultGroup } from '#resources/identity/runner-groups/index.ts';
import { mayHaveRunners } from './group-store.ts';
import { defaultWorkFolder, type NewJitRunner } from './schemas.ts';
import {
  findRunnerByUuid,
  findRunnerToken,
  insertRunner,
  insertRunnerToken,
  listBusy,
  notifyQueued,
  type RunnerOwner,
  type RunnerRow,
  removeRunner,
  updateRunner,
} from './store.ts';

/** The prefix of runners' tokens, and of tokens that register and remove runners (security decision 5). */
const tokenPrefix = 'hearth_runner_';
/** The public API's time. */
const tokenMinutes = 60;
const maxName = 64;
const maxLabels = 100;
const maxLabel = 256;

/** What a runner reports about itself. */
type RunnerFacts = { readonly name: string; readonly version: string; readonly labels: readonly string[] };

/**
 * A token that registers or removes runners for an hour.
 * @throws Refusal 403 for a repository that may have no runners of its own
 */
export async function createRunnerToken(
  scope: WriteScope,
  owner: RunnerOwner,
  { purpose, now }: { purpose: 'registration' | 'removal'; now: Date },
): Promise<{ token: string; expires_at: Date }> {
  if (purpose === 'registration') await checkAllowed(scope, owner);
  const token = newToken(tokenPrefix);
  const expires_at = addMinutes(now, tokenMinutes);
  await insertRunnerToken(scope.tx, { token_hash: hashToken(token), purpose, expires_at, ...ownerColumns(owner) });
  return { token, expires_at };
}

async function checkAllowed(scope: WriteScope, { repository }: RunnerOwner): Promise<void> {
  if (repository !== undefined && !(await mayHaveRunners(scope.tx, repository)))
    throw forbidden('Repository level self-hosted runners are disabled on this repository.');
}

const ownerColumns = ({ organization, repository }: RunnerOwner) => ({
  organization_id: organization ?? null,
  repository_id: repository ?? null,
});

/**
 * Registers a runner by a token of its owner. From then on, it uses its own token, which is only returned here.
 * @returns undefined for an invalid or expired token
 */
export async function registerRunner(
  scope: WriteScope,
  {
    token,
    isEphemeral,
    now,
    ...facts
  }: RunnerFacts & { readonly token: string; readonly isEphemeral: boolean; readonly now: Date },
): Promise<{ runner: RunnerRow; token: string } | undefined> {
  const found = await findRunnerToken(scope.tx, { hash: hashToken(token), purpose: 'registration', now });
  if (!found) return undefined;
  const own = newToken(tokenPrefix);
  const { organization_id, repository_id } = found;
  const name = checkName(facts.name);
  const runner = await insertRunner(scope.tx, {
    organization_id,
    repository_id,
    runner_group_id: organization_id === null ? null : (await getDefaultGroup(scope.tx, organization_id)).id,
    uuid: randomUUID(),
    token_hash: hashToken(own),
    name,
    os: systemOf(facts.labels),
    version: facts.version.slice(0, maxLabel),
    labels: checkLabels(facts.labels),
    is_ephemeral: isEphemeral,
    seen_at: null,
    created_at: now,
  });
  if (!runner) throw unprocessable(`A runner called ${name} exists already.`);
  return { runner, token: own };
}

/** Stores what a runner reports when it starts. An instance of a hosted runner keeps the labels that the server assigned. */
export function declareRunner(
  scope: WriteScope,
  runner: RunnerRow,
  { version, labels }: Pick<RunnerFacts, 'version' | 'labels'>,
): Promise<RunnerRow | undefined> {
  notifyQueued(scope.tx);
  return updateRunner(scope.tx, runner.id, {
    version: version.slice(0, maxLabel),
    ...(runner.hosted_runner_id === null ? { labels: checkLabels(labels), os: systemOf(labels) } : {}),
  });
}

/** The runner with this UUID and token, if any. */
export async function authenticateRunner(db: Db, uuid: string, token: string): Promise<RunnerRow | undefined> {
  const runner = await findRunnerByUuid(db, uuid);
  return runner && timingSafeEqual(runner.token_hash, hashToken(token)) ? runner : undefined;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > maxName) throw unprocessable(`The name of a runner has 1 to ${maxName} characters.`);
  return trimmed;
}

/**
 * Labels in the form for comparison: in lower case, without duplicates, and without a `:host` or `:docker` suffix.
 * @throws Refusal 422 for too many or too long labels
 */
function checkLabels(labels: readonly string[]): string[] {
  const names = unique(
    labels.map((label) =>
      label
        .replace(/:(host|docker)(:.*)?$/, '')
        .trim()
        .toLowerCase(),
    ),
  ).filter((name) => name !== '');
  if (names.length > maxLabels || names.some((name) => name.length > maxLabel))
    throw unprocessable(`A runner has up to ${maxLabels} labels of up to ${maxLabel} characters.`);
  return names;
}

const systems = { linux: /^(linux|ubuntu|debian|alpine|fedora)\b/i, windows: /^windows\b/i, macos: /^macos\b/i } as const;

/**
 * The operating system of a runner. Its protocol doesn't report it, so it comes from the labels; `unknown` without such a label.
 */
const systemOf = (labels: readonly string[]): string =>
  Object.entries(systems).find(([, pattern]) => labels.some((label) => pattern.test(label)))?.[0] ?? 'unknown';

/** A runner's default labels (the public API's names). Instances of hosted runners have none. */
export const kindLabels = ({ os, hosted_runner_id }: Pick<RunnerRow, 'os' | 'hosted_runner_id'>): string[] =>
  hosted_runner_id === null ? ['self-hosted', ...(os in systems ? [os] : [])] : [];

/** Jobs select a runner by these labels: the defaults, the labels of its registration, and custom labels. */
export const labelsOf = (row: Pick<RunnerRow, 'labels' | 'custom_labels' | 'os' | 'hosted_runner_id'>): string[] =>
  unique([...kindLabels(row), ...row.labels, ...row.custom_labels]);

/** Replaces a runner's custom labels. */
export async function setLabels(scope: WriteScope, runner: RunnerRow, labels: readonly string[]): Promise<RunnerRow> {
  const own = new Set([...kindLabels(runner), ...runner.labels]);
  const custom_labels = checkLabels(labels).filter((name) => !own.has(name));
  notifyQueued(scope.tx);
  return (await updateRunner(scope.tx, runner.id, { custom_labels })) ?? runner;
}

/** @throws Refusal 422 while it runs a job */
export async function deleteRunner(scope: WriteScope, runner: RunnerRow): Promise<void> {
  const [busy] = await listBusy(scope.tx, [runner.id]);
  if (busy !== undefined) throw unprocessable(`Runner ${runner.name} is running a job.`);
  await removeRunner(scope.tx, runner.id);
  notifyQueued(scope.tx); // Processes may have cached the runner.
}

/**
 * Registers a runner before its program starts. It takes one job, and is removed afterwards.
 * @returns the runner, and in base64 the registration file for its program
 */
export async function createJitRunner(
  scope: WriteScope,
  owner: RunnerOwner,
  { name: wanted, runner_group_id, labels, work_folder }: NewJitRunner,
  { address, now }: { address: string; now: Date },
): Promise<{ runner: RunnerRow; config: string }> {
  const name = checkName(wanted);
  const { organization } = owner;
  if (work_folder !== defaultWorkFolder)
    throw invalid(
      'Runner',
      'work_folder',
      'invalid',
      "work_folder can't be set here: the runner's own configuration says where it works",
    );
  await checkAllowed(scope, owner);
  if (organization !== undefined && !(await findGroup(scope.tx, organization, runner_group_id)))
    throw unprocessable('runner_group_id must name a group of the organization');
  const made = await createEphemeral(scope, {
    ...ownerColumns(owner),
    runner_group_id: organization === undefined ? null : asId(runner_group_id),
    name,
    os: systemOf(labels),
    labels: checkLabels(labels),
    created_at: now,
  });
  if (!made) throw conflict(`A runner called ${name} exists already.`);
  return {
    runner: made.runner,
    config: Buffer.from(JSON.stringify(registrationOf(made, { address, labels }))).toString('base64'),
  };
}

/**
 * Creates an instance of a hosted runner, which runs one job.
 * @returns the registration file for its program; undefined if its name is taken
 */
export async function createHostedInstance(
  scope: WriteScope,
  hosted: { id: Id<'hosted_runners'>; organization_id: Id<'accounts'>; runner_group_id: Id<'runner_groups'>; platform: string },
  { name, label, address, now }: { name: string; label: string; address: string; now: Date },
): Promise<{ id: RunnerRow['id']; registration: object } | undefined> {
  const { id, organization_id, runner_group_id, platform } = hosted;
  const [os = 'unknown'] = platform.toLowerCase().split('-');
  const columns = { organization_id, repository_id: null, runner_group_id, hosted_runner_id: id };
  const labels = [label.toLowerCase()];
  const made = await createEphemeral(scope, { ...columns, name, os, labels, created_at: now });
  const onHost = labels.map((one) => `${one}:host`);
  return made && { id: made.runner.id, registration: registrationOf(made, { address, labels: onHost }) };
}

type NewEphemeral = Omit<Parameters<typeof insertRunner>[1], 'uuid' | 'token_hash' | 'version' | 'is_ephemeral' | 'seen_at'>;

/**
 * Inserts a runner that takes one job.
 * @returns undefined if its name is taken
 */
async function createEphemeral(scope: WriteScope, row: NewEphemeral): Promise<{ runner: RunnerRow; token: string } | undefined> {
  const token = newToken(tokenPrefix);
  const own = { uuid: randomUUID(), token_hash: hashToken(token), version: '', is_ephemeral: true, seen_at: null };
  const runner = await insertRunner(scope.tx, { ...row, ...own });
  return runner && { runner, token };
}

/** The registration file for a runner's program. */
const registrationOf = (
  { runner: { id, uuid, name }, token }: { runner: RunnerRow; token: string },
  { address, labels }: { address: string; labels: readonly string[] },
) => ({ id, uuid, name, token, address, labels, ephemeral: true });
