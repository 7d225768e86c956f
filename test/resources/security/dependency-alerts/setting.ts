import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enqueue } from '#jobs/job.ts';
import { loadAdvisoryFiles } from '#resources/security/dependency-alerts/load.ts';
import type { World } from '#test/support/world.ts';

/** A new folder for advisories. */
export const advisoryFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'hearth-advisories-'));

/** Loads the folder of a world, and compares. */
export async function loadFolder(here: Pick<World, 'change' | 'settle'>): Promise<void> {
  await here.change((scope) => enqueue(scope.tx, loadAdvisoryFiles, {}));
  await here.settle();
}

/** An advisory about the versions of an npm package before `fixed`. */
export const advisoryOf = (id: string, name: string, fixed: string | undefined, more: object = {}) => ({
  id,
  modified: '2026-01-02T00:00:00Z',
  published: '2026-01-01T00:00:00Z',
  aliases: ['CVE-2026-1234'],
  summary: `${name} breaks`,
  details: 'It breaks.',
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  references: [{ type: 'WEB', url: 'https://advisories.example/1' }],
  affected: [
    {
      package: { ecosystem: 'npm', name },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, ...(fixed === undefined ? [] : [{ fixed }])] }],
    },
  ],
  ...more,
});

export const writeAdvisory = (folder: string, file: { id: string }): Promise<void> =>
  writeFile(join(folder, `${file.id}.json`), JSON.stringify(file));

/** A lockfile with these versions. */
export const lockOf = (versions: Record<string, string>): string =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: versions },
      ...Object.fromEntries(Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }])),
    },
  });
