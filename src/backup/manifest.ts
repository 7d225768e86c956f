import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { StartupError } from '#lib/startup-error.ts';

/** A key can't lead out of the folder of objects. */
const objectKey = '^[a-zA-Z0-9-]+/[a-zA-Z0-9-]+$';

/** The description of a backup. It is written last, so a folder with a manifest holds a complete backup. */
export const Manifest = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  /** The commit of the Hearth that wrote the backup, if it was known. */
  commit: Type.Optional(Type.String()),
  created_at: Type.String(),
  /** The fingerprint of the key that encrypts secrets. Earlier versions wrote none. */
  secret_key_fingerprint: Type.Optional(Type.String()),
  migrations: Type.Array(Type.String()),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      columns: Type.Array(Type.String()),
      counters: Type.Array(Type.String()),
      rows: Type.Integer(),
    }),
  ),
  repositories: Type.Array(
    Type.Object({ id: Type.Integer({ minimum: 1 }), default_branch: Type.String(), empty: Type.Boolean() }),
  ),
  /** Whether the files aren't in the backup, because the store of the target installation already has them. */
  objects_elsewhere: Type.Optional(Type.Boolean()),
  /** The files of releases, artifacts and logs, by their keys in the object store. Backups of older versions have none. */
  objects: Type.Optional(Type.Array(Type.Object({ key: Type.String({ pattern: objectKey }), digest: Type.String() }))),
});
export type Manifest = Static<typeof Manifest>;

export const manifestFile = 'manifest.json';

/** Reads a backup's manifest. @throws StartupError if it is missing or invalid */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => undefined);
  if (text === undefined) throw new StartupError(`${folder} holds no backup, or one that was cut off: it has no ${manifestFile}`);
  const parsed: unknown = JSON.parse(text);
  const { Value } = await import('typebox/value');
  if (!Value.Check(Manifest, parsed))
    throw new StartupError(`${join(folder, manifestFile)} is not a manifest that this Hearth reads`);
  return parsed;
}
