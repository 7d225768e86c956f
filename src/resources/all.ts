import { type Endpoint, isEndpoint } from '#endpoint/endpoint.ts';
import * as accounts from './accounts/endpoints.ts';
import * as organizations from './organizations/endpoints.ts';

/** The families in their order: a family may import only families above it. */
const families: Record<string, Record<string, unknown>> = { accounts, organizations };

/** Every endpoint, with the family that it belongs to. */
export const allEndpoints: readonly (Endpoint & { readonly family: string })[] = Object.entries(families).flatMap(
  ([family, exported]) =>
    Object.values(exported)
      .filter(isEndpoint)
      .map((endpoint) => ({ ...endpoint, family })),
);
