import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Manifest, readManifest } from '#backup/manifest.ts';
import { restoreBackup } from '#backup/restore.ts';
import { readSealedValues } from '#backup/sealed-values.ts';
import { keyFingerprint, sealedUnder } from '#lib/secrets.ts';
import { StartupError } from '#lib/startup-error.ts';
import { counted, installationCommand, installationConfigOf, print } from '../command.ts';
import { findSecretKey, hostKeysOf, secretKeyFile } from '../data-folder.ts';
import { withInstallation } from '../installation.ts';
import { progressBar } from '../progress.ts';
import type { Config } from '../settings.ts';

export const restoreCommand = installationCommand(
  'restore',
  'Fill an empty installation from a backup. Put the secret key in place first (file secret-key, or HEARTH_SECRET_KEY).',
  'hearth restore /backups/2026-12-01 --data /srv/hearth',
)
  .argument('<folder>', 'what `hearth backup` wrote')
  .option(
    '--other-key',
    'restore without the secret key of the backup: its secrets of webhooks, registries and workflows are lost',
  )
  .action(async (folder, { otherKey }, command) => {
    const config = installationConfigOf(command);
    const manifest = await readManifest(resolve(folder));
    const problem = await problemOfKey(config, manifest, resolve(folder));
    if (problem !== undefined && !otherKey) await askToGoOn(problem);
    await withInstallation(config, async ({ address }, { services }) => {
      const bar = await progressBar();
      const parts = {
        address,
        git: services.git,
        objects: services.objects,
        hostKeys: hostKeysOf(config.data),
        folder: resolve(folder),
        onProgress: bar.show,
      };
      const { created_at, repositories } = await restoreBackup(parts).finally(() => bar.end());
      print(command, { created_at, repositories: repositories.length }, [
        `Restored ${counted(repositories.length, 'repository', 'repositories')} and all data as of ${created_at}`,
      ]);
      if (problem !== undefined) process.stderr.write(`${problem}: secrets in the backup can not be read\n`);
    });
  });

/** Why the secrets of a backup couldn't be read; undefined if the present key fits, as far as the backup shows. */
async function problemOfKey(config: Config, manifest: Manifest, folder: string): Promise<string | undefined> {
  const key = config.secretKey ?? (await findSecretKey({ path: config.data }));
  if (!key) return `There is no secret key in ${secretKeyFile(config.data)}`;
  const { secret_key_fingerprint: wanted } = manifest;
  const isTheirs =
    wanted === undefined
      ? (await readSealedValues(folder, manifest)).every((sealed) => sealedUnder(key, sealed))
      : keyFingerprint(key) === wanted;
  return isTheirs ? undefined : 'The secret key is not the one of the backup';
}

/**
 * Asks on a terminal whether to restore without the secrets. @throws StartupError if the answer is no, or if there is no terminal
 */
async function askToGoOn(problem: string): Promise<void> {
  const question = `${problem}: the backup's secrets of webhooks, registries and workflows can not be read without it.`;
  if (process.stdin.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await terminal.question(`${question}\nRestore all the same? (yes or no) `);
    terminal.close();
    if (answer.trim() === 'yes') return;
  }
  throw new StartupError(`${question} Put that key in place first, or give --other-key. Nothing was restored`);
}
