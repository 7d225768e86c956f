import { replaceAdvisory } from '#resources/security/dependency-alerts/advisory-store.ts';
import { readOsv } from '#resources/security/dependency-alerts/osv.ts';
import { dependencyAlert } from '#resources/security/dependency-alerts/path-resources.ts';
import type { Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';
import { advisoryOf, lockOf } from './setting.ts';

export const samples: Samples = new Map([
  [
    dependencyAlert,
    async ({ client, settle, place, world }, base) => {
      const names = place === 'here' ? ['left'] : ['left', 'right'];
      await world.change(async (scope) => {
        for (const name of names) {
          const { advisory, vulnerabilities } = readOsv(JSON.stringify(advisoryOf(`OSV-${name}`, name, undefined)));
          await replaceAdvisory(scope.tx, advisory, vulnerabilities);
        }
      });
      await client.put(`${base}/vulnerability-alerts`);
      await client.put(`${base}/contents/${fresh('lock')}/package-lock.json`, {
        message: 'Add a lockfile',
        content: Buffer.from(lockOf(Object.fromEntries(names.map((name) => [name, '1.0.0'])))).toString('base64'),
      });
      await settle();
      const { body } = await client.get(`${base}/dependency-bot/alerts`);
      return { alert_number: String(body[0].number) };
    },
  ],
]);
