import type { ResourceLimits } from '#lib/limits.ts';
import type { Secrets } from '#lib/secrets.ts';
import type { Outbound } from '#net/outbound.ts';
import type { Vocabulary } from '#vocabulary/words.ts';
import { deliveryLimits } from './limits.ts';
import { type EncodedRequest, encode, type Message } from './message.ts';
import { type Outcome, outcomeOfError, outcomeOfReply, unreadable } from './outcome.ts';
import { secretContext } from './secret-context.ts';
import type { LeasedDelivery } from './take.ts';

/** The services for sending deliveries. */
export type SendServices = {
  readonly secrets: Secrets;
  readonly outbound: Outbound;
  readonly vocabulary: Vocabulary;
  readonly version: string;
  readonly resourceLimits: ResourceLimits;
};

/** Sends one delivery. It never throws: errors become outcomes. */
export async function send(
  delivery: LeasedDelivery,
  services: SendServices,
): Promise<{ headers: Record<string, string>; outcome: Outcome }> {
  const { sendTime, reply } = services.resourceLimits.of(deliveryLimits);
  const encoded = encodedOf(delivery, services);
  if (!encoded) return { headers: {}, outcome: unreadable };
  const { headers, storedHeaders, body } = encoded;
  try {
    const received = await services.outbound.post({
      url: new URL(delivery.url),
      headers,
      body,
      anyCertificate: delivery.insecure_ssl,
      timeout: sendTime,
      maxBytes: reply,
    });
    return { headers: storedHeaders, outcome: outcomeOfReply(received) };
  } catch (error) {
    return { headers: storedHeaders, outcome: outcomeOfError(error) };
  }
}

/** The encoded delivery; undefined if the hook's secret can't be decrypted, since it must not be sent unsigned. */
function encodedOf(delivery: LeasedDelivery, services: SendServices): EncodedRequest | undefined {
  try {
    return encode(messageOf(delivery, services.secrets), services);
  } catch {
    return undefined;
  }
}

function messageOf(delivery: LeasedDelivery, secrets: Secrets): Message {
  const { guid, event, payload, username, secret_sealed, password_sealed } = delivery;
  return {
    guid,
    event,
    payload,
    hook: { id: delivery.hook_id, ...targetOf(delivery), contentType: delivery.content_type },
    secret: secret_sealed ? secrets.openText(secret_sealed, secretContext('secret', delivery)) : undefined,
    credentials:
      username === null
        ? undefined
        : { username, password: password_sealed ? secrets.openText(password_sealed, secretContext('password', delivery)) : '' },
  };
}

const targetOf = ({ organization_id, repository_id, app_id }: LeasedDelivery): Pick<Message['hook'], 'target' | 'targetId'> => {
  if (organization_id !== null) return { target: 'organization', targetId: organization_id };
  if (repository_id !== null) return { target: 'repository', targetId: repository_id };
  return { target: 'integration', targetId: app_id ?? 0 };
};
