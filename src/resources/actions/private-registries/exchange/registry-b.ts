// Registry B: a service account of a namespace, at the address of the registry's API.
import type { Exchange } from './exchange.ts';
import { requiredText } from './requests.ts';

export const registryB: Exchange = {
  audience: ({ audience }) => audience,
  async exchange({ registry, identityToken, send, addressOf }) {
    const { namespace = '', service_slug = '', api_host } = registry.identity;
    const address = api_host === undefined ? addressOf('registry_b') : `https://${api_host}`;
    const reply = await send({
      url: `${address}/openid/${namespace}/`,
      body: { json: { oidc_token: identityToken, service_slug } },
    });
    return { username: service_slug, secret: requiredText(reply, 'token') };
  },
};
