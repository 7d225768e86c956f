import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { transferLimits } from '#objects/limits.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { workflowLimits } from './limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** Where actions of workflows come from that aren't on this server. */
    actionsOrigin?: string;
  }
  interface FamilyServices {
    /** Where actions of workflows come from that no repository of this server holds; undefined if they come from nowhere. */
    readonly actionsOrigin: string | undefined;
    /** Requests for actions that are passed on to their origin. */
    readonly originLimiter: ConcurrencyLimiter;
  }
}

export const workflowServices = {
  actionsOrigin: ({ settings }: ServiceParts) => settings.actionsOrigin,
  originLimiter({ services: { resourceLimits } }: ServiceParts) {
    const [limits, transfers] = [resourceLimits.of(workflowLimits), resourceLimits.of(transferLimits)];
    return concurrencyLimiter('workflows.originTransfers', {
      ...resourceLimits.of(requestLimits),
      total: limits.originTransfers,
      perCaller: limits.originTransfersPerCaller,
      anonymous: limits.originTransfersAnonymous,
      perAddress: limits.originTransfersPerAddress,
      contendedTime: transfers.transferContendedTime,
      contendedRate: transfers.transferContendedRate,
    });
  },
};
