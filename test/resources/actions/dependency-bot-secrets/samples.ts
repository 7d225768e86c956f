import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { orgBotSecret, repoBotSecret } from '#resources/actions/dependency-bot-secrets/path-resources.ts';
import { secretAt } from '#test/resources/actions/actions-secrets/samples.ts';
import type { Sample, Samples } from '#test/support/samples.ts';

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [orgBotSecret, secretAt('/dependency-bot/secrets')],
  [repoBotSecret, secretAt('/dependency-bot/secrets')],
]);
