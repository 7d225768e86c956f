// Cloud A: an identity token is the assertion of an application with a federated credential.
import type { Exchange } from './exchange.ts';
import { requiredText } from './requests.ts';

const packagesScope = '499b84ac-1321-427f-aa17-267ca6975798/.default';
const containersScope = 'https://containerregistry.azure.net/.default';
/** The user that container registries expect with a token. */
const tokenUser = '00000000-0000-0000-0000-000000000000';

/** A token of the cloud for package feeds. Container registries exchange it for one of their own. */
export const cloudA: Exchange = {
  audience: () => 'api://AzureADTokenExchange',
  async exchange({ registry, identityToken, send, addressOf }) {
    const { tenant_id = '', client_id = '' } = registry.identity;
    const isContainer = registry.registry_type === 'docker_registry';
    const reply = await send({
      url: `${addressOf('cloud_a')}/${tenant_id}/oauth2/v2.0/token`,
      body: {
        form: {
          grant_type: 'client_credentials',
          client_id,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: identityToken,
          scope: isContainer ? containersScope : packagesScope,
        },
      },
    });
    const token = requiredText(reply, 'access_token');
    if (!isContainer) return { secret: token };
    const { origin, host: service } = new URL(registry.url);
    const exchanged = await send({
      url: `${origin}/oauth2/exchange`,
      body: { form: { grant_type: 'access_token', service, tenant: tenant_id, access_token: token } },
    });
    return { username: tokenUser, secret: requiredText(exchanged, 'refresh_token') };
  },
};
