// Short-lived credentials of registries, for which a job's identity token is exchanged.
import { preparedResults } from '#lib/preparation.ts';
import type { Outbound } from '#net/outbound.ts';
import type { OidcType } from '../auth-types.ts';
import type { OidcRegistry } from '../usable.ts';
import { type AddressOverrides, addressOf } from './addresses.ts';
import { cloudA } from './cloud-a.ts';
import { cloudB } from './cloud-b.ts';
import { cloudC } from './cloud-c.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import { registryA } from './registry-a.ts';
import { registryB } from './registry-b.ts';
import { ExchangeProblem, openSender } from './requests.ts';

const exchanges: Readonly<Record<OidcType, Exchange>> = {
  oidc_cloud_a: cloudA,
  oidc_cloud_b: cloudB,
  oidc_cloud_c: cloudC,
  oidc_registry_a: registryA,
  oidc_registry_b: registryB,
};

/** The audience of the identity tokens that a registry is asked with; undefined for the default. */
export const audienceOf = ({ auth_type, identity }: OidcRegistry): string | undefined => exchanges[auth_type].audience(identity);

/** A job that needs the credential of a registry. */
type ExchangeInput = {
  readonly registry: OidcRegistry;
  /** The job, by all that its identity depends on. */
  readonly job: { readonly id: number; readonly issuer: string; readonly isHosted: boolean };
  readonly issueToken: (audience: string | undefined) => Promise<string>;
  readonly now: Date;
};

/** Exchanges identity tokens of jobs outside of transactions. */
export type RegistryExchanges = {
  /** The credentials, in a transaction of `change`, which runs again once they are known. A failure is a result, too. */
  require(inputs: readonly ExchangeInput[]): readonly Exchanged[];
};

type Options = {
  readonly outbound: Outbound;
  readonly addresses: AddressOverrides;
  readonly limits: { readonly exchangeTime: number; readonly exchangeBytes: number };
};

/** The number of bytes of credentials that are kept. Each is small, and kept for a short time. */
const maxKept = 4 * 1024 * 1024;
/** Milliseconds. A runner that gave up during a slow exchange, or another one, gets the job with its result. */
const keptFor = 60_000;

export function openExchanges({ outbound, addresses, limits }: Options): RegistryExchanges {
  return preparedResults<ExchangeInput, Exchanged>({
    async compute({ registry, job, issueToken, now }) {
      const { audience, exchange } = exchanges[registry.auth_type];
      const send = openSender({ outbound, timeout: limits.exchangeTime, maxBytes: limits.exchangeBytes });
      const identityToken = await issueToken(audience(registry.identity));
      try {
        return await exchange({
          registry,
          identityToken,
          session: `job-${job.id}`,
          send,
          addressOf: (name, region) => addressOf(addresses, name, region),
          now,
        });
      } catch (error) {
        if (!(error instanceof ExchangeProblem)) throw error;
        return { problem: `its identity token was not exchanged: ${error.message}` };
      }
    },
    // Registries of the same identity and host share a credential.
    keyOf: ({ registry: { auth_type, identity, url, registry_type }, job }) =>
      JSON.stringify([job, auth_type, identity, new URL(url).origin, registry_type === 'docker_registry']),
    sizeOf: (output, key) => JSON.stringify(output).length + key.length,
    maxBytes: maxKept,
    keptFor,
  });
}
