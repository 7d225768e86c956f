import { readFile } from 'node:fs/promises';
import { Ajv, type ErrorObject } from 'ajv';
import { type Static, Type } from 'typebox';
import { unique } from '#lib/collections.ts';
import { StartupError } from '#lib/startup-error.ts';

const name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9._-]+$' });
const amount = Type.Integer({ minimum: 1, maximum: 1_000_000 });

const CatalogueImage = Type.Object(
  { id: name, platform: name, size_gb: amount, display_name: Type.String({ minLength: 1, maxLength: 255 }) },
  { additionalProperties: false },
);

const Size = Type.Object(
  {
    id: name,
    cpu_cores: amount,
    memory_gb: amount,
    storage_gb: amount,
    /** The supported platforms. Omitted: all. */
    platforms: Type.Optional(Type.Array(name, { minItems: 1 })),
  },
  { additionalProperties: false },
);

const Catalogue = Type.Object(
  {
    platforms: Type.Array(name, { minItems: 1 }),
    machine_sizes: Type.Array(Size, { minItems: 1 }),
    images: Type.Object(
      { service: Type.Array(CatalogueImage), partner: Type.Array(CatalogueImage) },
      { additionalProperties: false },
    ),
    limits: Type.Object(
      { maximum_runners: amount, public_ips: Type.Integer({ minimum: 0, maximum: 1_000_000 }) },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

/** The available platforms, machine sizes and images of runners, and the limits of an organization. */
export type Catalogue = Static<typeof Catalogue>;
export type CatalogueImage = Static<typeof CatalogueImage>;
export type MachineSize = Static<typeof Size>;

/** The default catalogue. */
export const defaultCatalogue = new URL('catalogue.json', import.meta.url).pathname;

/**
 * Reads a catalogue.
 * @throws StartupError with the file and the problem
 */
export async function readCatalogue(file: string): Promise<Catalogue> {
  const unusable = (what: string): StartupError => new StartupError(`The catalogue of runners ${file} can't be used: ${what}`);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unusable(error.code === 'ENOENT' ? 'there is no such file' : error.message);
  });
  const value = parse(text);
  if (value === undefined) throw unusable('it is not JSON');
  const isCatalogue = new Ajv().compile<Catalogue>(Catalogue);
  if (!isCatalogue(value)) throw unusable(describe(isCatalogue.errors?.[0]));
  const inconsistency = findInconsistency(value);
  if (inconsistency) throw unusable(inconsistency);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // valid JSON is never undefined
  }
}

function describe(error: ErrorObject | undefined): string {
  const path = error?.instancePath.slice(1).replaceAll('/', '.') || 'it';
  const extra = error?.keyword === 'additionalProperties' ? ` ('${error.params.additionalProperty}')` : '';
  return `${path} ${error?.message ?? 'is not valid'}${extra}`;
}

/** The checks that the schema can't express: unique ids, and existing platforms. */
function findInconsistency({ platforms, machine_sizes, images }: Catalogue): string | undefined {
  const allImages = [...images.service, ...images.partner];
  const duplicate = [platforms, machine_sizes.map(({ id }) => id), allImages.map(({ id }) => id)].flatMap(duplicatesOf)[0];
  if (duplicate !== undefined) return `'${duplicate}' stands there twice`;
  const used = [...allImages.map(({ platform }) => platform), ...machine_sizes.flatMap((size) => size.platforms ?? [])];
  const unknown = used.find((platform) => !platforms.includes(platform));
  if (unknown !== undefined) return `'${unknown}' is not among its platforms`;
  // Custom images have numeric ids. Others must not, so that an id shows the kind of its image.
  const number = allImages.find(({ id }) => /^\d+$/.test(id));
  if (number) return `the image '${number.id}' needs an id that is not a number`;
  return undefined;
}

const duplicatesOf = (names: readonly string[]): string[] =>
  unique(names).length === names.length ? [] : names.filter((one, at) => names.indexOf(one) !== at);
