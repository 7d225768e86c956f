import type { Db } from '#database/connect.ts';
import type { ChangeScope, Needs, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import type { Id } from '#lib/id.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { lockOrganization } from '#resources/identity/members/index.ts';
import { enqueueProvisioning } from './enqueue.ts';
import {
  findImageNamed,
  findLatestOf,
  findLatestVersion,
  findVersion,
  findVersionOfContent,
  type ImageRow,
  insertImage,
  insertVersion,
  type VersionNumber,
} from './image-store.ts';
import { findRunnerNamed, type RunnerRow, reprovisionFollowers } from './store.ts';
import { parseVersion, versionText } from './versions.ts';

/** A request to publish an image from a runner. */
export type Publication = {
  readonly organization: Id<'accounts'>;
  /** The runner's name. */
  readonly runner: string;
  readonly image: string;
  /** `2.4.0`, or `2.*` for the next minor version of 2. If omitted, the next minor version of the latest. */
  readonly version?: string | undefined;
  /** Required if the provider has no machine to measure. */
  readonly sizeGb?: number | undefined;
  /** The name under which the provider stores the content. A repeated call with the same name returns the same version. */
  readonly content?: string;
};

type Published = {
  readonly image: Id<'custom_images'>;
  readonly name: string;
  readonly version: string;
  readonly size_gb: number;
};

const invalidImage = (field: string, message: string) => invalid('CustomImage', field, 'invalid', message);
const maxSizeGb = 1_000_000;

/**
 * Publishes the disk of a runner as a version of a custom image. The command line and the job that reconciles runners call it.
 * The first version creates the image.
 */
export async function publishImage(scope: ChangeScope & Needs<'runners'>, publication: Publication): Promise<Published> {
  const { db, change, now } = scope;
  const { provider } = scope.services.runners;
  const { organization, image, version } = publication;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(image))
    throw invalidImage('name', 'A name has 1 to 64 letters, digits, dots, hyphens, underscores');
  const requested = version === undefined ? undefined : parseVersionRequest(version);
  const runner = await getPublisher(db, publication);
  const captured = await provider.capture(runner.id, publication.content);
  const before = captured && (await findVersionOfContent(db, runner.organization_id, captured.content));
  if (before) return { image: before.image_id, name: image, version: versionText(before), size_gb: before.size_gb };
  try {
    return await change(async (scope) => {
      await lockOrganization(scope.tx, organization);
      const publisher = await getPublisher(scope.tx, publication);
      const sizeGb = checkSize(captured?.sizeGb ?? publication.sizeGb);
      const definition = await findOrCreateImage(scope, publisher, { name: image, now });
      const number = await nextVersion(scope, definition, requested);
      const row = { image_id: definition.id, ...number, size_gb: sizeGb, content: captured?.content ?? null, created_at: now };
      const text = versionText(await insertVersion(scope.tx, row));
      await record(scope.tx, {
        kind: 'custom_image.published',
        owner: organization,
        actor: undefined,
        at: now,
        data: { image: definition.id, version: text, runner: publisher.id },
      });
      const latest = await findLatestVersion(scope.tx, definition.id);
      if (latest && versionText(latest) === text)
        await enqueueProvisioning(scope.tx, await reprovisionFollowers(scope.tx, definition.id, now));
      return { image: definition.id, name: definition.name, version: text, size_gb: sizeGb };
    });
  } catch (error) {
    if (captured) await provider.drop(captured.content);
    throw error;
  }
}

async function getPublisher(db: Db, { organization, runner: name }: Publication): Promise<RunnerRow> {
  const runner = await findRunnerNamed(db, organization, name);
  if (!runner) throw unprocessable(`There is no runner ${name} in this organization`);
  if (!runner.image_gen) throw unprocessable(`The runner ${runner.name} is not set up to generate images (image_gen)`);
  if (runner.status !== 'Ready') throw unprocessable(`The runner ${runner.name} is not ready: its status is ${runner.status}`);
  return runner;
}

function checkSize(sizeGb: number | undefined): number {
  if (sizeGb === undefined)
    throw invalid('CustomImage', 'size_gb', 'missing_field', 'The size in GB is needed: there is no machine to measure');
  if (!Number.isInteger(sizeGb) || sizeGb < 1 || sizeGb > maxSizeGb)
    throw invalidImage('size_gb', `The size must be a whole number from 1 to ${maxSizeGb}`);
  return sizeGb;
}

async function findOrCreateImage(
  scope: WriteScope,
  runner: RunnerRow,
  { name, now }: { name: string; now: Date },
): Promise<ImageRow> {
  const { organization_id, platform } = runner;
  const existing = await findImageNamed(scope.tx, organization_id, name);
  if (!existing) return insertImage(scope.tx, { organization_id, name, platform, created_at: now });
  if (existing.platform !== platform)
    throw unprocessable(`The image ${existing.name} is for ${existing.platform}; the runner ${runner.name} is ${platform}`);
  return existing;
}

type VersionRequest = { readonly exact: VersionNumber } | { readonly major: number };

function parseVersionRequest(text: string): VersionRequest {
  const exact = parseVersion(text);
  if (exact) return { exact };
  const [, major] = /^(\d{1,9})\.\*$/.exec(text) ?? [];
  if (major === undefined) throw invalidImage('version', 'A version is written as 2.4.0, or as 2.* for the next one of 2');
  return { major: Number(major) };
}

async function nextVersion(scope: WriteScope, { id }: ImageRow, requested: VersionRequest | undefined): Promise<VersionNumber> {
  if (requested && 'exact' in requested) {
    if (await findVersion(scope.tx, id, requested.exact)) throw invalid('CustomImage', 'version', 'already_exists');
    return requested.exact;
  }
  const before = requested ? await findLatestOf(scope.tx, id, requested.major) : await findLatestVersion(scope.tx, id);
  const { major, minor } = before ?? { major: requested?.major ?? 1, minor: -1 };
  return { major, minor: minor + 1, patch: 0 };
}
