import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { newToken } from '#lib/token.ts';
import { orgPattern, repoPattern, secretAlert } from '#resources/code/secret-scanning/path-resources.ts';
import type { Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { fresh } from '#test/support/world.ts';

const scanned = { security_and_analysis: { secret_scanning: { status: 'enabled' } } };

/** Makes a custom pattern below an organization or a repository. */
async function makePattern({ client }: SampleStage, base: string) {
  const wanted = { name: fresh('pattern'), pattern: 'eng-[0-9]{6}' };
  const { body } = await client.post(`${base}/secret-scanning/custom-patterns`, { patterns: [wanted] });
  return { pattern_id: String(body.created_patterns[0].id) };
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgPattern, makePattern],
  [
    repoPattern,
    async (stage, base) => {
      await stage.client.patch(base, scanned);
      return makePattern(stage, base);
    },
  ],
  [
    secretAlert,
    async ({ client, settle, place }, base) => {
      await client.patch(base, scanned);
      // One more in one of the two, so that its number names nothing in the other.
      const count = place === 'here' ? 1 : 2;
      const text = Array.from({ length: count }, () => newToken('hrp_')).join('\n');
      await client.put(`${base}/contents/${fresh('secret')}.env`, {
        message: 'Add a secret',
        content: Buffer.from(text).toString('base64'),
      });
      await settle();
      const { body } = await client.get(`${base}/secret-scanning/alerts`);
      return { alert_number: String(body[0].number) };
    },
  ],
]);
