// Registry A: the registry itself exchanges identity tokens, at its own address.
import { defined } from '#lib/collections.ts';
import type { Exchange } from './exchange.ts';
import { findText, requiredText } from './requests.ts';

export const registryA: Exchange = {
  audience: ({ audience }) => audience,
  async exchange({ registry, identityToken, send }) {
    const { registry_a_oidc_provider_name: provider_name, identity_mapping_name, audience } = registry.identity;
    const reply = await send({
      url: `${new URL(registry.url).origin}/access/api/v1/oidc/token`,
      body: {
        json: defined({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
          subject_token: identityToken,
          provider_name,
          identity_mapping_name,
          audience,
        }),
      },
    });
    return { username: findText(reply, 'username'), secret: requiredText(reply, 'access_token') };
  },
};
