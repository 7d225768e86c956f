import { type ConcurrencyLimiter, concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { transferLimits } from '#objects/limits.ts';
import type { ServiceParts } from '#resources/service-parts.ts';
import { workflowLimits } from './limits.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** The origin of actions that aren't on this server. */
    actionsOrigin?: string;
  }
  interface FamilyServices {
    /** The origin of actions that no repository of this server provides; undefined if none is configured. */
    readonly actionsOrigin: string | undefined;
    /** Requests for actions that are forwarded to their origin. */
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
