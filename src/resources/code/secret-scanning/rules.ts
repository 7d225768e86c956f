import type { RepositoryAction } from '#access/action.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { badRequest, unprocessable } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import { findAlertAssignee } from '#resources/repositories/collaborators/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { listPresentPatterns } from './custom-patterns/store.ts';
import type { Secret } from './detection/find-secrets.ts';
import { genericTypes } from './detection/patterns.ts';
import { secretScanningLimits } from './limits.ts';
import { listBypasses, type PlaceholderRow } from './push-protection/store.ts';
import { keepPresentTexts } from './scans/text-store.ts';
import type { AlertChange } from './schemas.ts';
import {
  type AlertRow,
  type Found,
  findLastNumber,
  insertAlerts,
  insertLocations,
  type KnownAlert,
  listAlertsByDigest,
  noteBypasses,
  reopenAlerts,
  updateAlert,
} from './store.ts';

/** The context in which the secret of an alert is sealed. */
const contextOf = (repository: Id<'repositories'>, type: string): string => `secret_alerts.secret:${repository}:${type}`;

/** Identifies equal secrets of a type across repositories. */
export const digestOf = (secrets: Secrets, { type, secret }: Pick<Secret, 'type' | 'secret'>): Buffer =>
  secrets.digest(secret, `secret_alerts.digest:${type}`);

/** The bytes of the secret of an alert. They must never be logged. */
export const openSecret = (secrets: Secrets, { repository_id, secret_type, secret }: AlertRow): Buffer =>
  secrets.open(secret, contextOf(repository_id, secret_type));

const { alerts: maxAlerts, locations: maxLocations } = secretScanningLimits;

export type Recording = {
  repo: Pick<RepositoryRow, 'id' | 'owner_id'>;
  actor: Id<'accounts'> | undefined;
  secrets: Secrets;
  now: Date;
};

/** Resolutions of alerts for secrets that were pushed in spite of push protection, by the reason of the bypass. */
const resolutionOfBypass: Readonly<Record<string, string | undefined>> = {
  false_positive: 'false_positive',
  used_in_tests: 'used_in_tests',
};

/** Creates alerts for found secrets, and adds new locations to existing alerts. Repeating it changes nothing. */
export async function recordFound(scope: WriteScope, recording: Recording, found: readonly Found[]): Promise<void> {
  const { repo, actor, secrets, now } = recording;
  if (found.length === 0 || !(await lockRepository(scope.tx, repo.id))?.secret_scanning) return;
  const keyed = (await withoutDeleted(scope, await withoutDeletedTexts(scope, found))).map((one) => ({
    ...one,
    digest: digestOf(secrets, one),
  }));
  if (keyed.length === 0) return;
  const keyOf = (digest: Buffer): string => digest.toString('base64');
  const digests = [...new Map(keyed.map(({ digest }) => [keyOf(digest), digest])).values()];
  const known = new Map((await listAlertsByDigest(scope.tx, repo.id, digests)).map((row) => [keyOf(row.digest), row]));
  const fresh = [
    ...new Map(keyed.filter(({ digest }) => !known.has(keyOf(digest))).map((one) => [keyOf(one.digest), one])).values(),
  ];
  const inFiles = keyed.flatMap((one) => ('text' in one ? [] : (known.get(keyOf(one.digest))?.id ?? [])));
  if (inFiles.length > 0) await noteBypasses(scope.tx, inFiles, now);
  const made = await createAlerts(scope, recording, fresh);
  for (const row of made) known.set(keyOf(row.digest), row);
  const custom = keyed.flatMap(({ digest, ...one }) => {
    const alert = one.custom === undefined ? undefined : known.get(keyOf(digest));
    return alert ? [{ alert: alert.id, pattern: one.custom }] : [];
  });
  const reopened = custom.length === 0 ? [] : await reopenAlerts(scope.tx, custom, now);
  const located = keyed.flatMap(({ digest, ...one }) => {
    const alert = known.get(keyOf(digest));
    return alert && alert.locations_count < fixedValue(maxLocations) ? [{ ...one, alert: alert.id }] : [];
  });
  const locations = await insertLocations(scope.tx, located, now);
  const about = { owner: repo.owner_id, repository: repo.id, actor, at: now };
  await recordAll(
    scope.tx,
    made.map(({ id }) => ({ ...about, kind: 'secret_scanning_alert.created' as const, data: { alert: id } })),
  );
  await recordAll(
    scope.tx,
    reopened.map(({ id }) => ({ ...about, kind: 'secret_scanning_alert.reopened' as const, data: { alert: id } })),
  );
  await recordAll(
    scope.tx,
    locations.map(({ id, alert_id }) => ({
      ...about,
      kind: 'secret_scanning_alert_location.created' as const,
      data: { alert: alert_id, location: id },
    })),
  );
}

/** The findings, without those in texts that were deleted meanwhile. */
async function withoutDeletedTexts(scope: WriteScope, found: readonly Found[]): Promise<readonly Found[]> {
  const inTexts = found.filter((one) => 'text' in one);
  if (inTexts.length === 0) return found;
  return [...found.filter((one) => !('text' in one)), ...(await keepPresentTexts(scope.tx, inTexts))];
}

/** The findings, without the ones of custom patterns that were deleted meanwhile. */
async function withoutDeleted(scope: WriteScope, found: readonly Found[]): Promise<readonly Found[]> {
  const custom = unique(found.map((one) => one.custom));
  if (custom.length === 0) return found;
  const present = await listPresentPatterns(scope.tx, custom);
  return found.filter((one) => one.custom === undefined || present.has(one.custom));
}

async function createAlerts(
  scope: WriteScope,
  { repo, secrets, now }: Recording,
  fresh: readonly (Secret & { digest: Buffer })[],
): Promise<KnownAlert[]> {
  const last = fresh.length === 0 ? 0 : await findLastNumber(scope.tx, repo.id);
  const wanted = fresh.slice(0, Math.max(0, fixedValue(maxAlerts) - last));
  if (wanted.length === 0) return [];
  const bypasses = await listBypasses(scope.tx, { repository: repo.id, digests: wanted.map(({ digest }) => digest) });
  return insertAlerts(
    scope.tx,
    wanted.map(({ type, name, custom, secret, digest }, at) => ({
      repository_id: repo.id,
      number: last + at + 1,
      secret_type: type,
      is_generic: genericTypes.includes(type),
      custom_pattern_id: custom ?? null,
      custom_pattern_name: custom === undefined ? null : name,
      digest,
      secret: secrets.seal(Buffer.from(secret, 'latin1'), contextOf(repo.id, type)),
      ...stateAfter(
        bypasses.find((row) => row.digest.equals(digest)),
        now,
      ),
      resolution_comment: null,
      created_at: now,
      updated_at: now,
    })),
  );
}

/**
 * The state of a new alert. It is resolved already if push protection was bypassed because it is no secret, or is used in tests.
 */
function stateAfter(bypass: PlaceholderRow | undefined, now: Date) {
  const resolution = resolutionOfBypass[bypass?.reason ?? ''];
  const bypassed = { bypassed_by: bypass?.account_id ?? null, bypassed_at: bypass?.bypassed_at ?? null };
  if (!bypass || resolution === undefined)
    return { state: 'open' as const, resolution: null, resolved_at: null, resolved_by: null, ...bypassed };
  return { state: 'resolved' as const, resolution, resolved_at: now, resolved_by: bypass.account_id, ...bypassed };
}

/** Resolves or reopens an alert, assigns it, or states whether its secret is valid. */
export async function changeAlert(
  scope: WriteScope,
  action: RepositoryAction,
  alert: AlertRow,
  wanted: AlertChange,
): Promise<void> {
  const { by, now } = action;
  const state = changedState(alert, wanted, { by: by.account?.id ?? null, now });
  const assignee_id = await changedAssignee(scope, action, alert, wanted);
  const validity = wanted.validity === undefined ? alert.validity : (wanted.validity ?? 'unknown');
  await updateAlert(scope.tx, alert.id, { ...state, assignee_id, validity, updated_at: now });
  const event = { ...inRepository(action), data: { alert: alert.id } };
  if (state.state !== undefined && state.state !== alert.state)
    await record(scope.tx, {
      ...event,
      kind: state.state === 'resolved' ? 'secret_scanning_alert.resolved' : 'secret_scanning_alert.reopened',
    });
  if (assignee_id !== alert.assignee_id) {
    for (const [kind, assignee] of [
      ['secret_scanning_alert.unassigned', alert.assignee_id],
      ['secret_scanning_alert.assigned', assignee_id],
    ] as const)
      if (assignee !== null) await record(scope.tx, { ...event, kind, data: { alert: alert.id, assignee } });
  }
  if (validity !== alert.validity) await record(scope.tx, { ...event, kind: 'secret_scanning_alert.validated' });
}

function changedState(
  alert: AlertRow,
  { state, resolution, resolution_comment }: AlertChange,
  { by, now }: { by: Id<'accounts'> | null; now: Date },
) {
  const comment = resolution_comment ?? null;
  if (state === undefined) {
    if (resolution != null || comment !== null) throw unprocessable('resolution needs the state resolved.');
    return {};
  }
  if (state === 'open') {
    if (resolution != null) throw unprocessable('An open alert has no resolution.');
    return { state, resolution: null, resolution_comment: comment, resolved_at: null, resolved_by: null };
  }
  if (resolution == null) throw unprocessable('resolution is needed where the state is resolved.');
  if (alert.state === 'resolved' && alert.resolution === resolution) throw badRequest('The alert has this resolution already.');
  return { state, resolution, resolution_comment: comment, resolved_at: now, resolved_by: by };
}

async function changedAssignee(
  scope: WriteScope,
  { repo }: RepositoryAction,
  alert: AlertRow,
  { assignee }: AlertChange,
): Promise<Id<'accounts'> | null> {
  if (assignee === undefined) return alert.assignee_id;
  if (assignee === null) return null;
  const found = await findAlertAssignee(scope.tx, repo.id, assignee);
  if (found === undefined) throw unprocessable('assignee has no write access to the repository.');
  return found;
}
