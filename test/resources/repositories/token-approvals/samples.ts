import type { AnyPathResource } from '#endpoint/path-resource.ts';
import { tokenGrant, tokenRequest } from '#resources/repositories/token-approvals/path-resources.ts';
import { installApp } from '#test/support/apps.ts';
import type { Caller, Callers, Sample, SampleStage, Samples } from '#test/support/samples.ts';
import { demand, everything, onlyRequest, tokenFor } from './support.ts';

/** Apps alone ask for tokens of others. */
const asApp: Caller = async ({ world, org, as }) => as((await installApp(world, { on: org, permissions: everything })).token);

/** The API makes no fine-grained tokens. */
async function memberToken({ world, org, user, member }: SampleStage) {
  const somebody = await user();
  await member(org, somebody);
  return tokenFor(world, somebody, org);
}

export const samples: Samples = new Map<AnyPathResource, Sample>([
  [tokenGrant, async (stage) => ({ pat_id: String((await memberToken(stage)).row.id) })],
  [
    tokenRequest,
    async (stage, base) => {
      const { world, org } = stage;
      await demand(world, org, { token_approval_required: true });
      await memberToken(stage);
      await demand(world, org, { token_approval_required: false });
      const { id } = await onlyRequest(await asApp(stage), base);
      return { pat_request_id: String(id) };
    },
  ],
]);

export const callers: Callers = new Map<AnyPathResource, Caller>([
  [tokenGrant, asApp],
  [tokenRequest, asApp],
]);
