import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { Db, Tx } from '#database/connect.ts';
import { unique } from '#lib/collections.ts';
import { unprocessable } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import {
  findDefaultGroup,
  findRunnerByUuid,
  findRunnerToken,
  insertRunner,
  insertRunnerToken,
  type RunnerOwner,
  type RunnerRow,
  updateRunner,
} from './store.ts';

/** Tokens of runners, and those that runners are registered and removed with, begin with this (security decision 5). */
const tokenPrefix = 'hearth_runner_';
/** The public API's time. */
const tokenMinutes = 60;
const maxName = 64;
const maxLabels = 100;
const maxLabel = 256;

/** What a runner tells of itself. */
export type RunnerFacts = {
  readonly name: string;
  readonly version: string;
  readonly os: string;
  readonly labels: readonly string[];
};

/** A token with which runners can be registered, or removed, for an hour. */
export async function createRunnerToken(
  tx: Tx,
  owner: RunnerOwner,
  { purpose, now }: { purpose: 'registration' | 'removal'; now: Date },
): Promise<{ token: string; expires_at: Date }> {
  const token = newToken(tokenPrefix);
  const expires_at = addMinutes(now, tokenMinutes);
  await insertRunnerToken(tx, { token_hash: hashToken(token), purpose, expires_at, ...ownerColumns(owner) });
  return { token, expires_at };
}

const ownerColumns = ({ organization, repository }: RunnerOwner) => ({
  organization_id: organization ?? null,
  repository_id: repository ?? null,
});

/**
 * Registers a runner by a token of its owner. It is known by its own token from then on, which is returned here only.
 * @returns undefined for a token that isn't one, or has expired
 */
export async function registerRunner(
  tx: Tx,
  {
    token,
    isEphemeral,
    now,
    ...facts
  }: RunnerFacts & { readonly token: string; readonly isEphemeral: boolean; readonly now: Date },
): Promise<{ runner: RunnerRow; token: string } | undefined> {
  const found = await findRunnerToken(tx, { hash: hashToken(token), purpose: 'registration', now });
  if (!found) return undefined;
  const own = newToken(tokenPrefix);
  const { organization_id, repository_id } = found;
  const name = checkName(facts.name);
  const runner = await insertRunner(tx, {
    organization_id,
    repository_id,
    runner_group_id: organization_id === null ? null : await defaultGroupOf(tx, organization_id),
    uuid: randomUUID(),
    token_hash: hashToken(own),
    name,
    os: facts.os,
    version: facts.version.slice(0, maxLabel),
    labels: checkLabels(facts.labels),
    is_ephemeral: isEphemeral,
    seen_at: null,
    created_at: now,
  });
  if (!runner) throw unprocessable(`A runner called ${name} exists already.`);
  return { runner, token: own };
}

async function defaultGroupOf(tx: Tx, organization: NonNullable<RunnerRow['organization_id']>) {
  const group = await findDefaultGroup(tx, organization);
  if (group === undefined) throw unprocessable('The organization has no group of runners.');
  return group;
}

/** Writes what a runner tells of itself when it starts. */
export const declareRunner = (tx: Tx, runner: RunnerRow, { version, labels }: Pick<RunnerFacts, 'version' | 'labels'>) =>
  updateRunner(tx, runner.id, { version: version.slice(0, maxLabel), labels: checkLabels(labels) });

/** The runner with a UUID and its token; undefined for any other. */
export async function authenticateRunner(db: Db, uuid: string, token: string): Promise<RunnerRow | undefined> {
  const runner = await findRunnerByUuid(db, uuid);
  return runner && timingSafeEqual(runner.token_hash, hashToken(token)) ? runner : undefined;
}

function checkName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > maxName) throw unprocessable(`The name of a runner has 1 to ${maxName} characters.`);
  return trimmed;
}

/** Labels as they are compared: in lower case, each once, without what they say of containers. */
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

/** The labels by which jobs find a runner: its own, and those that every runner has by its kind (the public API's names). */
export const labelsOf = ({ labels, os }: Pick<RunnerRow, 'labels' | 'os'>): string[] => unique(['self-hosted', os, ...labels]);
