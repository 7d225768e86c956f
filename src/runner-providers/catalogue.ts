import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
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
    /** The platforms that it can run; left out: all. */
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

/** What runners can be made of: platforms, machine sizes and images, with limits for an organization. */
export type Catalogue = Static<typeof Catalogue>;
export type CatalogueImage = Static<typeof CatalogueImage>;
export type MachineSize = Static<typeof Size>;

const isCatalogue = new Ajv().compile<Catalogue>(Catalogue);

/** The catalogue that is used where the operator names no other. */
export const ownCatalogue = new URL('catalogue.json', import.meta.url).pathname;

/**
 * Reads a catalogue.
 * @throws StartupError that says in one line what is wrong with which file.
 */
export async function readCatalogue(file: string): Promise<Catalogue> {
  const wrong = (what: string): StartupError => new StartupError(`The catalogue of runners ${file} can't be used: ${what}`);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw wrong(error.code === 'ENOENT' ? 'there is no such file' : error.message);
  });
  const value = parse(text);
  if (value === undefined) throw wrong('it is not JSON');
  if (!isCatalogue(value)) throw wrong(firstError());
  const contradiction = contradictionIn(value);
  if (contradiction) throw wrong(contradiction);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON text gives undefined, so the caller can tell
  }
}

function firstError(): string {
  const [error] = isCatalogue.errors ?? [];
  const place = error?.instancePath.slice(1).replaceAll('/', '.') || 'it';
  const extra = error?.keyword === 'additionalProperties' ? ` ('${error.params.additionalProperty}')` : '';
  return `${place} ${error?.message ?? 'is not valid'}${extra}`;
}

/** What the schema can't check: that ids are unique, and that platforms exist. */
function contradictionIn({ platforms, machine_sizes, images }: Catalogue): string | undefined {
  const offered = [...images.service, ...images.partner];
  const twice = [platforms, machine_sizes.map(({ id }) => id), offered.map(({ id }) => id)].flatMap(repeated)[0];
  if (twice !== undefined) return `'${twice}' stands there twice`;
  const used = [...offered.map(({ platform }) => platform), ...machine_sizes.flatMap((size) => size.platforms ?? [])];
  const unknown = used.find((platform) => !platforms.includes(platform));
  if (unknown !== undefined) return `'${unknown}' is not among its platforms`;
  // The ids of custom images are numbers. Others mustn't be, so that an id says which kind of image it is.
  const number = offered.find(({ id }) => /^\d+$/.test(id));
  if (number) return `the image '${number.id}' needs an id that is not a number`;
  return undefined;
}

const repeated = (names: readonly string[]): string[] =>
  unique(names).length === names.length ? [] : names.filter((one, at) => names.indexOf(one) !== at);
