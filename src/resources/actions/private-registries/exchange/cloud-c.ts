// Cloud C: an identity token of a workload identity pool, and optionally a service account that it may act for.
import type { Exchange } from './exchange.ts';
import { requiredText } from './requests.ts';

const scope = 'https://www.googleapis.com/auth/cloud-platform';

/** The full resource name of the provider. */
const providerOf = ({ workload_identity_provider = '' }): string =>
  `//iam.googleapis.com/${workload_identity_provider.replace(/^(?:https:)?\/\/iam\.googleapis\.com\//, '')}`;

export const cloudC: Exchange = {
  audience: ({ audience, ...identity }) => audience ?? providerOf(identity),
  async exchange({ registry, identityToken, send, addressOf }) {
    const { service_account } = registry.identity;
    const reply = await send({
      url: `${addressOf('cloud_c_tokens')}/v1/token`,
      body: {
        json: {
          grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
          audience: providerOf(registry.identity),
          scope,
          requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
          subjectToken: identityToken,
          subjectTokenType: 'urn:ietf:params:oauth:token-type:jwt',
        },
      },
    });
    const username = 'oauth2accesstoken';
    const federated = requiredText(reply, 'access_token');
    if (service_account === undefined) return { username, secret: federated };
    const impersonated = await send({
      url: `${addressOf('cloud_c_accounts')}/v1/projects/-/serviceAccounts/${service_account}:generateAccessToken`,
      headers: { authorization: `Bearer ${federated}` },
      body: { json: { scope: [scope] } },
    });
    return { username, secret: requiredText(impersonated, 'accessToken') };
  },
};
