import type { WriteScope } from '#endpoint/scope.ts';
import { asId, type Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import type { Catalogue, CatalogueImage, MachineSize } from '#runner-providers/catalogue.ts';
import { findCustomImage, findLatestVersion, findVersion, type VersionRow } from './image-store.ts';
import type { ImageSource } from './schemas.ts';
import { parseVersion, versionText } from './versions.ts';

/** The image that a request names, with the names of the request's fields for refusals. */
export type ImageRequest = {
  readonly id: string;
  readonly source: ImageSource | undefined;
  readonly version: string | undefined;
  readonly fields: { readonly id: string; readonly source: string; readonly version: string };
};

/** The columns of a runner that describe its image. */
export type ImageColumns = {
  readonly platform: string;
  readonly image_source: ImageSource;
  readonly image_id: string;
  readonly custom_image_id: Id<'custom_images'> | null;
  readonly image_version: string | null;
  readonly image_name: string;
  readonly image_size_gb: number;
};

export const invalidRunner = (field: string, message: string) => invalid('HostedRunner', field, 'invalid', message);

const catalogueSources = ['service', 'partner'] as const;

/** An image of the catalogue, which all organizations can use. */
function findInCatalogue({ images }: Catalogue, id: string): ImageColumns | undefined {
  for (const source of catalogueSources) {
    const found = images[source].find((image) => image.id === id);
    if (found) return columnsOf(source, found);
  }
  return undefined;
}

const columnsOf = (source: ImageSource, { id, platform, size_gb, display_name }: CatalogueImage): ImageColumns => ({
  platform,
  image_source: source,
  image_id: id,
  custom_image_id: null,
  image_version: null,
  image_name: display_name,
  image_size_gb: size_gb,
});

/** The machine size with this id. It must run the image's platform and have room for the image. */
export function machineFor({ machine_sizes }: Catalogue, id: string, image: ImageColumns): MachineSize {
  const size = machine_sizes.find((one) => one.id === id);
  if (!size) throw invalidRunner('size', `There is no machine size ${id}`);
  if (size.platforms && !size.platforms.includes(image.platform))
    throw invalidRunner('size', `${id} does not run ${image.platform}`);
  if (size.storage_gb < image.image_size_gb)
    throw invalidRunner('size', `${id} holds ${size.storage_gb} GB; the image ${image.image_name} has ${image.image_size_gb} GB`);
  return size;
}

/** The image that a request names: one of the catalogue, or a custom image of the organization. */
export async function imageFor(
  scope: WriteScope,
  { organization, catalogue, wanted }: { organization: Id<'accounts'>; catalogue: Catalogue; wanted: ImageRequest },
): Promise<ImageColumns> {
  const image = findInCatalogue(catalogue, wanted.id) ?? (await customImage(scope, organization, wanted));
  if (!image) throw invalidRunner(wanted.fields.id, `There is no image ${wanted.id}`);
  if (wanted.source !== undefined && wanted.source !== image.image_source)
    throw invalidRunner(wanted.fields.source, `The image ${wanted.id} is not of the source that is named`);
  if (image.image_source !== 'custom') checkUnversioned(image, wanted.version, wanted.fields.version);
  return image;
}

/** Refuses versions of catalogue images, which have only one (document 2: versions belong to custom images). */
export function checkUnversioned({ image_id }: Pick<ImageColumns, 'image_id'>, version: string | undefined, field: string): void {
  if (version !== undefined) throw invalidRunner(field, `The image ${image_id} has no versions: only custom images have`);
}

async function customImage(
  scope: WriteScope,
  organization: Id<'accounts'>,
  wanted: ImageRequest,
): Promise<ImageColumns | undefined> {
  if (!/^[1-9]\d{0,14}$/.test(wanted.id)) return undefined;
  const image = await findCustomImage(scope.tx, organization, asId<'custom_images'>(Number(wanted.id)));
  if (!image) return undefined;
  const version = await customVersion(scope, image.id, wanted);
  return {
    platform: image.platform,
    image_source: 'custom',
    image_id: String(image.id),
    custom_image_id: image.id,
    image_version: wanted.version === undefined ? null : versionText(version),
    image_name: image.name,
    image_size_gb: version.size_gb,
  };
}

async function customVersion(
  scope: WriteScope,
  image: Id<'custom_images'>,
  { id, version, fields }: ImageRequest,
): Promise<VersionRow> {
  if (version === undefined) {
    const latest = await findLatestVersion(scope.tx, image);
    if (!latest) throw invalidRunner(fields.id, `The image ${id} has no version`);
    return latest;
  }
  const number = parseVersion(version);
  const found = number && (await findVersion(scope.tx, image, number));
  if (!found) throw invalidRunner(fields.version, `The image ${id} has no version ${version}`);
  return found;
}
